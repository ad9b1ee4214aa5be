"""What sites say, against the definition written out for each page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.learned.sites import Census
from dowse.judge.learned.texts import Text, Vectors, Weighing
from tests.judge.learned.made import texts_of

SIZE = 12
EVEN = Weighing(np.ones(SIZE))
HOSTS = ((0,), (0, 1), (0, 1, 2), (0, 3), (4,), (4, 5), ())  # domains as they lie in one another, the widest first
hosts = st.sampled_from(HOSTS)
chances = st.floats(0, 1)
Counted = tuple[tuple[int, ...], float, float]
"""Where a page is from, for how many it counts, its chance."""


def held(share: float) -> float:
    return min(max(share, 0.001), 0.999)


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def literal(pages: Sequence[Counted], host: tuple[int, ...], but: int = -1) -> float:
    """By how much the log odds of a page from there rise: its site's share of pages on the topic against that of all. A
    share counts as if 40 pages with the share of what lies above had been seen. One page may not count."""
    others = [one for at, one in enumerate(pages) if at != but]
    usual = share = held(mean(others)) if others else 0.001
    above = len(pages)
    for depth in range(1, len(host) + 1):
        inside = [one[0][:depth] == host[:depth] for one in pages]
        if sum(inside) == above:
            continue  # all of what it lies in: this tells no page from another
        above = sum(inside)
        here = [one for one in others if one[0][:depth] == host[:depth]]
        share = held(mean([*here, (host, 40.0, share)]))
    return logit(share) - logit(usual)


def mean(pages: Sequence[Counted]) -> float:
    return sum(times * chance for _, times, chance in pages) / sum(times for _, times, _ in pages)


def from_hosts(places: Sequence[tuple[int, ...]]) -> list[Text]:
    return texts_of([([(11, 1.0)], host) for host in places])


@given(
    st.lists(st.tuples(hosts, chances), min_size=1, max_size=30),
    st.lists(st.tuples(hosts, st.booleans()), max_size=6),
)
def test_a_site_adds_as_much_as_its_pages_are_likelier_than_all(
    sample: list[tuple[tuple[int, ...], float]], answers: list[tuple[tuple[int, ...], bool]]
) -> None:
    pages: list[Counted] = [(host, 1.0, chance) for host, chance in sample]
    pages += [(host, 5.0, float(yes)) for host, yes in answers]
    census = census_of(sample, answers)
    sites = census.sites(SIZE)
    known = [host for host in HOSTS if any(own[: len(host)] == host for own, _, _ in pages)]
    texts, expected = from_hosts(known), [literal(pages, host) for host in known]
    assert sites.of(Vectors(texts, EVEN)) == pytest.approx(expected, abs=1e-9)
    assert [float(sites.of_each(text).sum()) for text in texts] == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.tuples(hosts, chances), min_size=1, max_size=20),
    st.lists(st.tuples(hosts, st.booleans()), max_size=5),
)
def test_no_page_speaks_for_itself(
    sample: list[tuple[tuple[int, ...], float]], answers: list[tuple[tuple[int, ...], bool]]
) -> None:
    pages: list[Counted] = [(host, 1.0, chance) for host, chance in sample]
    pages += [(host, 5.0, float(yes)) for host, yes in answers]
    census = census_of(sample, answers)
    expected = [literal(pages, host, at) for at, (host, _, _) in enumerate(pages)]
    assert [*census.of_sample(), *census.of_asked()] == pytest.approx(expected, abs=1e-9)


def census_of(
    sample: Sequence[tuple[tuple[int, ...], float]], answers: Sequence[tuple[tuple[int, ...], bool]]
) -> Census:
    return Census(
        from_hosts([host for host, _ in sample]), np.array([chance for _, chance in sample]),
        from_hosts([host for host, _ in answers]), np.array([yes for _, yes in answers], np.bool_),
    )  # fmt: skip


def test_one_more_name_for_the_same_pages_adds_nothing() -> None:
    short, long = (census_of([*[(host, 0.9)] * 5, *[((9,), 0.1)] * 20], []).sites(SIZE) for host in ((0,), (0, 1, 2)))
    [one, other] = from_hosts([(0,), (0, 1, 2)])
    assert float(short.of_each(one).sum()) == pytest.approx(float(long.of_each(other).sum()))


def test_answers_about_one_site_move_no_page_of_it_where_hardly_any_is_from_elsewhere() -> None:
    sites = census_of([*[((0,), 0.02)] * 500, ((), 0.02)], [((0,), at % 2 == 0) for at in range(20)]).sites(SIZE)
    assert abs(float(sites.of_each(*from_hosts([(0,)])).sum())) < 0.01


def test_a_host_that_nobody_has_seen_has_what_its_domain_has() -> None:
    sites = census_of([((0, 1), 0.9), ((4,), 0.1)], []).sites(SIZE)
    new, seen, unknown = from_hosts([(0, SIZE + 3), (0,), (SIZE + 5,)])
    assert float(sites.of_each(new).sum()) == float(sites.of_each(seen).sum()) > 0
    assert float(sites.of_each(unknown).sum()) == 0.0
