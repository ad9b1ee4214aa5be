"""New, changed, gone and over; when to learn again."""

from __future__ import annotations

from datetime import date

import pytest

from dowse.model.objects import DistinctObject
from dowse.recrawl.renewal import is_over, renewal

TODAY = date(2026, 11, 18)


def event(name: str, day: str = "2026-12-01", place: str = "Brno", page: str = "", **more: str) -> DistinctObject:
    fields = {"name": name, "startDate": day, "location": place, **more}
    return DistinctObject("Event", dict(fields), (page or f"http://a.example/{name}",))


def names(objects: list[DistinctObject]) -> list[object]:
    return [one.fields["name"] for one in objects]


def test_what_became_of_each() -> None:
    before = [event("Jazz"), event("Rock"), event("Opera"), event("Done", "2026-11-17"), event("Moved")]
    after = [event("Jazz"), event("Rock", price="9"), event("Fresh"), event("Moved", "2026-12-09")]
    found = renewal(before, after, TODAY)
    assert (found.kept, found.over) == (1, 1)
    assert names(found.new) == ["Fresh"]
    assert names(found.gone) == ["Opera"]
    assert {(was.fields["startDate"], now.fields["startDate"]) for was, now in found.changed} == {
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01", "2026-12-09"),
    }
    assert found.found == pytest.approx(3 / 4)
    assert found.is_due


def test_other_words_for_the_same_are_the_same() -> None:
    found = renewal([event("The Jazz Night")], [event("the jazz night", page="http://b.example/")], TODAY)
    assert (found.kept + len(found.changed), len(found.new), len(found.gone)) == (1, 0, 0)


@pytest.mark.parametrize(("lost", "due"), [(5, False), (6, True)])
def test_fewer_than_95_in_100_is_too_few(lost: int, due: bool) -> None:
    before = [event(f"number {number:03} {'abcdefghij'[number % 10] * 9}", place=f"p{number}") for number in range(100)]
    found = renewal(before, before[lost:], TODAY)
    assert (len(found.gone), found.is_due) == (lost, due)


def test_an_object_without_a_day_is_never_over() -> None:
    assert not is_over(DistinctObject("Product", {"name": "Lamp"}, ()), TODAY)
    assert not is_over(event("Fair", "2026-11-01", endDate="2026-11-18"), TODAY)
    assert is_over(event("Fair", "2026-11-01", endDate="2026-11-17T22:00"), TODAY)
