"""Webs that change in virtual time, visited by the engine of a live crawl."""

from __future__ import annotations

import asyncio
import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.freshness.archived_web import archived_web
from dowse.lab.freshness.changing_web import ChangingTransport, ChangingWeb, DatedClock
from dowse.lab.freshness.comparison import Compared, within_theory
from dowse.lab.freshness.conferences import ENTRY, conferences_web
from dowse.lab.freshness.simulated import QUERY, simulated_web
from dowse.lab.freshness.trial import Kept, Schedule, keep_fresh, topic_of
from dowse.model.errors import UserError
from dowse.model.http import Request, Response
from dowse.recrawl.revisit import Visit
from dowse.store.warc import compose, compose_revisit, payload_digest
from tests.cli.labelled import mistake, said

DAY = 86_400.0
START = 1_600_000_000.0
A = "http://a.test/1"
ENTRY_PAGE = b'<title>all</title><p>all <a href="/1">perovskite solar cells</a>'


def said_on(day: float) -> bytes:
    return f"<title>one</title><p>perovskite solar cells on day {day:g}".encode()


def web(*days: float, gone: float | None = None) -> ChangingWeb:
    versions = [(START + day * DAY, said_on(day)) for day in days]
    ends: list[tuple[float, bytes | None]] = [] if gone is None else [(START + gone * DAY, None)]
    return ChangingWeb({A: [*versions, *ends], "http://a.test/": [(0.0, ENTRY_PAGE)]})


def test_what_stands_there_depends_on_the_date() -> None:
    changing = web(0, 5, gone=9)
    assert [changing.at(A, START + day * DAY) for day in (-1, 0, 4.9, 5, 9)] == [
        None, said_on(0), said_on(0), said_on(5), None
    ]  # fmt: skip
    assert len(changing.changes(A, START, START + 9 * DAY)) == 2

    async def ask(day: float, etag: str | None = None) -> Response:
        answer = await ChangingTransport(changing, DatedClock(START + day * DAY)).fetch(Request(A, etag=etag))
        assert isinstance(answer, Response)
        return answer

    first = asyncio.run(ask(1))
    assert asyncio.run(ask(4, first.header("ETag"))).status == 304
    assert asyncio.run(ask(5, first.header("ETag"))).status == 200
    assert asyncio.run(ask(9)).status == 404


def kept(changing: ChangingWeb, **schedule: float) -> Kept:
    return keep_fresh(
        changing, topic_of(QUERY, "http://a.test/"), "uniform", 10, Schedule(START, DAY, int(schedule["runs"]))
    )


def test_freshness_is_the_share_of_time_in_which_what_is_held_is_there() -> None:
    assert kept(web(-1), runs=3).over_time().tolist() == [1, 1, 1, 1]
    assert kept(web(-1), runs=3).changed == 0
    half_a_day = kept(web(-1, 0.5, 1.5, 2.5), runs=3)  # four days, three of them stale for half
    assert half_a_day.visits == 6
    assert half_a_day.changed == 3
    assert half_a_day.fresh[A].tolist() == [0.5, 0.5, 0.5, 1]
    assert half_a_day.fresh["http://a.test/"].tolist() == [1, 1, 1, 1]
    assert half_a_day.over_time({A: 3.0, "http://a.test/": 1.0}).tolist() == [0.625, 0.625, 0.625, 1]
    assert half_a_day.rates[A] > half_a_day.rates["http://a.test/"]


def test_the_same_trial_has_the_same_outcome() -> None:
    made = simulated_web(20, START, 60)
    topic = topic_of(QUERY, made.entry)
    first, again = (keep_fresh(made.web, topic, "auto", 5, Schedule(START, 7 * DAY, 4, 1)) for _ in range(2))
    assert first.over_time().tolist() == again.over_time().tolist()
    assert first.rates == again.rates


def test_an_archive_with_versions_is_a_web_that_changes(tmp_path: Path) -> None:
    headers = (("Content-Type", "text/html"),)
    with (tmp_path / "a.warc.gz").open("wb") as stream:
        for day, status, body in ((0, 200, b"<p>one"), (3, 200, b"<p>two"), (5, 500, b"no"), (6, 404, b"")):
            for member in compose(Response(A, status, headers, body), START + day * DAY):
                stream.write(member)
    changing = archived_web(tmp_path)
    assert [changing.at(A, START + day * DAY) for day in (1, 4, 5.5, 7)] == [b"<p>one", b"<p>two", b"<p>two", None]
    with pytest.raises(UserError, match="holds no WARC files"):
        archived_web(tmp_path / "nowhere")


def test_a_revisit_says_that_what_it_repeats_is_there_again(tmp_path: Path) -> None:
    one, gone = Response(A, 200, (("Content-Type", "text/html"),), b"<p>one"), Response(A, 404, (), b"")
    digest = payload_digest(one.body)
    records = [
        compose(one, START), compose(gone, START + DAY),
        compose_revisit(replace(one, status=304, body=b""), START + 2 * DAY, START, digest),
    ]  # fmt: skip
    (tmp_path / "a.warc.gz").write_bytes(b"".join(member for members in records for member in members))
    changing = archived_web(tmp_path)
    assert [changing.at(A, START + day * DAY) for day in (0.5, 1.5, 2.5)] == [b"<p>one", None, b"<p>one"]


def test_what_one_policy_did_not_find_counts_against_it() -> None:
    def one(second: float, found: dict[str, float]) -> Kept:
        fresh = {"a": np.array([1.0, 1.0]), "b": np.array([1.0, second])}
        return Kept(fresh, found, 0, 0, {}, {})

    kept = {"auto": one(1.0, {"a": 1.0, "b": 3.0}), "uniform": one(0.0, {"a": 1.0})}
    compared = Compared.of(5, kept, 1)
    assert compared.freshness == {"auto": 1.0, "uniform": 0.25}
    assert (compared.gain, compared.stale) == (4.0, 0.0)


def test_listings_become_pages_with_one_that_links_to_all(tmp_path: Path) -> None:
    path = tmp_path / "versions.jsonl.xz"
    rows = [
        {"time": "2020-01-01T00:00:00Z", "page": "conferences/2020/js.json", "status": "A", "items": [{"name": "<A>"}]},
        {"time": "2020-02-01T00:00:00Z", "page": "conferences/2020/js.json", "status": "M", "items": "broken"},
        {"time": "2020-03-01T00:00:00Z", "page": "conferences/2020/js.json", "status": "D", "items": []},
        {"time": "2020-03-01T00:00:00Z", "page": "conferences/2020/go.json", "status": "A", "items": None},
    ]
    with lzma.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    changing = conferences_web(path)
    first, second, third = (1577836800.0 + days * DAY for days in (1, 40, 80))
    assert b"<h2>&lt;A&gt;</h2>" in (changing.at(f"{ENTRY}2020/js", first) or b"")
    assert b"<h2>" not in (changing.at(f"{ENTRY}2020/js", second) or b"")
    assert changing.at(f"{ENTRY}2020/js", third) is None
    assert [(changing.at(ENTRY, at) or b"").count(b"<li>") for at in (first, third)] == [1, 2]
    path.write_bytes(b"no archive")
    with pytest.raises(UserError, match="cannot read"):
        conferences_web(path)


def test_estimates_are_compared_where_theory_says_something() -> None:
    often = [Visit(DAY, changed) for changed in (True, False) * 10]
    kept = Kept({}, {}, 0, 0, {}, {"a": often, "b": [Visit(DAY, True)] * 20, "c": often[:3], "d": often})
    rate = 0.7 / DAY  # about ln 2: half of the visits find a change
    assert within_theory(kept, {"a": rate, "b": rate, "c": rate}) == (2, 1)
    assert within_theory(kept, {}) == (0, 0)


def test_as_a_user_types_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    numbers, picture = tmp_path / "found.json", tmp_path / "found.svg"
    files = ("--json", str(numbers), "--out", str(picture))
    said(capsys, "lab", "freshness", "--budget", "20", "--runs", "2", "--every", "30d", *files)
    [row] = json.loads(numbers.read_text())["rows"]
    assert picture.read_text().count("<polyline") >= 6
    assert "exists" in mistake(capsys, "lab", "freshness", *files)
    assert row["pages"] == 20
    assert {"uniform", "proportional", "auto"} < row.keys()
    assert "at least 1" in mistake(capsys, "lab", "freshness", "--budget", "0")
    assert "is no date" in mistake(capsys, "lab", "freshness", "--start", "soon")
    assert "--seed URL" in mistake(capsys, "lab", "freshness", str(tmp_path))
