"""Distinct objects, against METHODS' definition pair by pair, and against what a reader would say."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from dowse.model.errors import UserError
from dowse.model.objects import FoundObject, Value
from dowse.recrawl.objects import distinct, distinct_line, found_line, identity, read_found
from dowse.recrawl.objects.names import similar_names

DAYS = ("", "2026-05-12", "2026-05-13")
PLACES = ("", "Brno", "Bratislava, Slovakia")
NAMES = ("", "Jazz night", "Jazz nights", "night jazz", "Jazz night at the bar", "Chess open", "Chess opening")


def event(name: str = "", day: str = "", place: str = "", url: str = "https://e.org/", **more: Value) -> FoundObject:
    told: dict[str, Value] = {"name": name, "startDate": day, "location": place}
    return FoundObject("Event", {key: value for key, value in told.items() if value} | more, url)


def naive(objects: list[FoundObject]) -> set[frozenset[int]]:
    """Sets of places that are one object, as the definition says: pair by pair, then those that lack something."""
    told = [identity(one) for one in objects]
    group = list(range(len(objects)))

    def join(one: int, other: int) -> None:
        before, after = group[other], group[one]
        group[:] = [after if own == before else own for own in group]

    for one, other in combinations(range(len(objects)), 2):
        a, b = told[one], told[other]
        if not a.name and not b.name:
            if a.kind == b.kind and objects[one].fields == objects[other].fields:
                join(one, other)
        elif a.name and b.name and a[2:] == b[2:] and a.kind == b.kind:
            complete = all(a[2:])
            if a.name == b.name or (complete and fuzz.token_set_ratio(a.name, b.name) >= 90):
                join(one, other)

    def gaps(place: int) -> int:
        return 2 - len([part for part in told[place][2:] if part])

    placed = {place for place in range(len(objects)) if told[place].name and not gaps(place)}
    for lacking in sorted({told[place] for place in range(len(objects)) if told[place].name and gaps(place)},
                          key=lambda own: (len([part for part in own[2:] if not part]), own)):  # fmt: skip
        mine = [place for place in range(len(objects)) if told[place] == lacking]
        fit = set()
        for other in {group[place] for place in placed if told[place][:2] == lacking[:2]}:
            members = [place for place in placed if group[place] == other]
            days = {told[place].day for place in members} - {""}
            spots = {told[place].place for place in members} - {""}
            if (not lacking.day or days <= {lacking.day}) and (not lacking.place or spots <= {lacking.place}):
                fit.add(other)
        if len(fit) == 1:
            join(fit.pop(), mine[0])
        placed.update(mine)
    return {frozenset(place for place in range(len(objects)) if group[place] == one) for one in group}


def found(objects: list[FoundObject]) -> set[frozenset[int]]:
    """The same, by :func:`distinct`: pages are numbered."""
    return {frozenset(int(url) for url in one.sources) for one in distinct(objects)}


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(DAYS), st.sampled_from(PLACES)), max_size=12))
def test_it_is_the_definition(told: list[tuple[str, str, str]]) -> None:
    objects = [event(*one, url=str(number)) for number, one in enumerate(told)]
    assert found(objects) == naive(objects)


@given(st.permutations([(name, day, place) for name in NAMES[1:4] for day in DAYS for place in PLACES[:2]]))
def test_the_order_does_not_matter(told: list[tuple[str, str, str]]) -> None:
    objects = [event(*one, url="/".join(one)) for one in told]
    again = [event(*one, url="/".join(one)) for one in sorted(told)]
    assert {frozenset(one.sources) for one in distinct(objects)} == {
        frozenset(one.sources) for one in distinct(again)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (event("Jazz Night", "2026-05-12", "Brno"), event("JAZZ night!", "12. května 2026", "Brno, Czechia"), True),
        (event("Jazz Night", "2026-05-12", "Brno"), event("Jazz Night", "2026-05-13", "Brno"), False),
        (event("Jazz Night", "2026-05-12", "Brno"), event("Jazz Night", "2026-05-12", "Graz"), False),
        (event("Jazz Night", "2026-05-12", "Brno"), event("Jazz Night", place="Brno"), True),
        (event("Jazz Night", "2026-05-12", "Brno"), event("Jazz Nights", place="Brno"), False),
        (
            event("Jazz Night", "2026-05-12", "Brno"),
            event("Jazz Nights", "2026-05-12", "Brno"),
            True,
        ),  # a ratio of 0.95
        (event("Chess open", "2026-05-12", "Brno"), event("Chess opening", "2026-05-12", "Brno"), False),  # of 0.87
        (event("Jazz " * 50 + "one", "2026-05-12", "Brno"), event("Jazz " * 50 + "two", "2026-05-12", "Brno"), True),
        (event("Jazz Night", "2026-05-12T19:30", "Brno"), event("Jazz Night", "2026-05-12/2026-05-14", "Brno"), True),
        (event("Jazz Night", "2026-05"), event("Jazz Night", "2026-05-12"), True),
        (event("", "2026-05-12", "Brno"), event("", "2026-05-12", "Brno"), True),
        (event("", "2026-05-12", "Brno", price=3.0), event("", "2026-05-12", "Brno", price=4.0), False),
        (FoundObject("Event", {"name": "A"}, "1"), FoundObject("https://schema.org/event", {"name": "a"}, "2"), True),
        (FoundObject("Event", {"name": "A"}, "1"), FoundObject("Place", {"name": "A"}, "2"), False),
    ],
)
def test_two_objects(one: FoundObject, other: FoundObject, same: bool) -> None:
    assert (len(distinct([one, other])) == 1) is same


def test_a_series_is_not_joined_by_a_page_without_a_day() -> None:
    series = [event("Jazz", f"2026-05-{day}", "Brno", str(day)) for day in (12, 13)]
    assert len(distinct([*series, event("Jazz", place="Brno", url="list")])) == 3


def test_a_cluster_keeps_its_sources_and_what_most_say() -> None:
    pages = [
        event("Jazz", "2026-05-12", "Brno", url, price=price) for url, price in (("b", 1.0), ("a", 2.0), ("c", 2.0))
    ]
    assert distinct(pages)[0].fields["price"] == 2.0
    [one] = distinct([*pages, pages[0]])
    assert one.sources == ("b", "a", "c")
    assert one.fields["price"] == 1.0  # said twice, as is 2.0, and first
    assert json.loads(distinct_line(one))["sources"] == ["b", "a", "c"]


def test_how_similar_names_must_be() -> None:
    names = ("International PHP Conference", "International JavaScript Conference", "PHP Conference")
    objects = [event(name, "2026-05-12", "Brno", name) for name in names]
    assert [len(distinct(objects, similar)) for similar in (0.9, 0.95, 1.0)] == [1, 2, 2]


def test_many_names_of_one_day_and_place_are_grouped_as_few_are() -> None:
    dice = random.Random(3)
    words = ["".join(dice.choices("abcdefgh", k=dice.randint(4, 8))) for _ in range(300)]
    names = {" ".join(dice.sample(words, dice.randint(2, 5))) for _ in range(900)}
    names |= {f"{name} {dice.choice(words)}" for name in sorted(names)[:300]}
    names |= {"philharmonic orchestra concert ab", "philharmonic orchestra concert cd"}  # their rarest words differ
    sets = [frozenset(group) for group in similar_names(sorted(names))]
    group = {name: number for number, own in enumerate(sets) for name in own}
    assert len(names) > 1_000
    assert sum(map(len, sets)) == len(names)
    assert group["philharmonic orchestra concert ab"] == group["philharmonic orchestra concert cd"]
    for one, other in combinations(sorted(names), 2):
        if set(one.split()) <= set(other.split()):
            assert group[one] == group[other]


def test_lines_are_read_back(tmp_path: Path) -> None:
    place = tmp_path / "objects.jsonl"
    objects = [event("Jazz\u2028 night", "2026-05-12", "Brno", price=3.5, isAccessibleForFree=True)]
    place.write_text("\n".join(map(found_line, objects)) + "\n\n", "utf-8")
    assert list(read_found(place)) == objects


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "1: no JSON"), ("[" * 100_000, "1: no JSON"), ("3", '1: an object needs a "kind"'),
        ('{"kind": "Event"}', '1: an object needs "fields"'), ('"' + "a" * 1_000_001, "a million bytes"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str, told: str) -> None:
    place = tmp_path / "objects.jsonl"
    place.write_text(line, "utf-8")
    with pytest.raises(UserError, match=told):
        list(read_found(place))
