"""Table 1 and the later-crawl test on a small web: what must hold whatever the numbers."""

from __future__ import annotations

import lzma
from datetime import date
from pathlib import Path

import pytest

from dowse.lab.recrawl import walk
from dowse.lab.recrawl.conferences import Conferences
from dowse.lab.recrawl.later import later
from dowse.lab.recrawl.table_one import Row, learned, shares, table_one
from dowse.lab.recrawl.walk import walked
from dowse.loopback.listings.web import Listings
from dowse.model.errors import UserError
from dowse.recrawl.selection.choose import choose_by_cost, choose_sr
from dowse.recrawl.selection.plan import plan_of

WEB = Listings(sites=16, current=300)


@pytest.mark.parametrize("form", ["robust", "paper"])
def test_the_rows_of_table_one(form: str) -> None:
    rows = table_one(learned(walked(WEB, 100), form), lambda one: "!" not in str(one.fields["name"]))
    by_name = {row.method: row for row in rows}
    full, every = by_name["full download"], by_name["all patterns"]
    one, two, three = (by_name[f"SR({k})"] for k in (1, 2, 3))
    assert full.distinct == every.distinct == one.distinct >= two.distinct >= three.distinct
    assert full.wire_bytes > every.wire_bytes >= one.wire_bytes >= two.wire_bytes >= three.wire_bytes
    assert all(row.correct is not None and 0 < row.correct < row.distinct for row in rows)
    assert all(row.object_bytes <= row.wire_bytes for row in rows)
    told = shares(rows)
    assert told["sr1_objects"] == 1.0
    assert told["cost_objects"] >= 0.99
    assert told["cost_bytes"] <= 1.0


def test_learning_ends_at_some_pages_of_a_site_and_the_later_crawl_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = walked(WEB, 100)
    monkeypatch.setattr(walk, "MOST_PAGES", 3)
    assert len(walked(WEB, 100).pages) == 3 * len(WEB.hosts)
    assert later(WEB, 100, {})[0].pages == whole.pages


def test_shares_are_of_the_rows() -> None:
    rows = [
        Row("all patterns", 3, 90, 100, 50, 40),
        Row("SR(1)", 2, 70, 80, 40, 30),
        Row("cost-aware", 1, 30, 40, 30, 9),
    ]
    assert shares(rows) == {"sr1_objects": 0.8, "cost_objects": 0.75, "cost_bytes": 0.5}


def test_a_plan_is_used_on_a_later_day() -> None:
    known = learned(walked(WEB, 100), "robust")
    choices = {
        "sr": choose_sr(known.atlas, 1),
        "cost": choose_by_cost(known.atlas),
        "some": choose_by_cost(known.atlas, 0.8),
    }
    plans = {name: plan_of(known.atlas, choice) for name, choice in choices.items()}
    _, same = later(WEB, 100, plans)
    assert same["sr"].found == 1.0
    assert same["cost"].found >= 0.99
    assert same["some"].found == choices["some"].objects / len(known.objects) < 0.95
    assert all(same[name].wire_bytes == choice.wire_bytes for name, choice in choices.items())
    full, after = later(WEB, 107, plans)
    assert full.wire_bytes == after["sr"].full_bytes
    assert 0.8 < after["cost"].found <= after["sr"].found <= 1.0


def test_conferences_as_they_were(tmp_path: Path) -> None:
    lines = [
        '{"time":"2020-01-05T10:00:00Z","page":"conferences/2020/ruby.json","status":"A","items":[{"name":"Rubyfuza",'
        '"url":"http://rubyfuza.org","startDate":"2020-02-07","city":"Cape Town","country":"South Africa"}]}',
        '{"time":"2020-01-09T10:00:00Z","page":"conferences/2020/ruby.json","status":"M","items":null}',
    ]
    file = tmp_path / "versions.jsonl.xz"
    file.write_bytes(lzma.compress("\n".join(lines).encode()))
    web = Conferences(file)
    days = [web.day_of(date(2020, 1, day)) for day in (4, 5, 8, 9)]
    facts = ("Rubyfuza", "2020-02-07", "Cape Town, South Africa")
    assert [web.facts(day) for day in days] == [set(), {facts}, {facts}, set()]
    assert [one.fields["name"] for one in walked(web, days[1]).found if "ruby." in one.url] == ["Rubyfuza"]
    file.write_bytes(b"nothing")
    with pytest.raises(UserError, match="cannot read the conferences"):
        Conferences(file)
