from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.parse.repeats import MOST_LINES, Repeats, _count, _count_plainly, _Site, distinct_lines, is_repeated
from tests.compiled import needs_core

Page = set[int]


def known(repeats: Repeats, site: int = 0) -> list[int]:
    return [int(line) for line in np.frombuffer(repeats.known(site), "<u8")]


def as_lines(page: Page) -> np.ndarray:
    return np.array(sorted(page), np.uint64)


def literal(pages: list[Page]) -> list[int]:
    """Lines with a count of three; counts are halved every sixteen pages."""
    counts: Counter[int] = Counter()
    for number, page in enumerate(pages, 1):
        counts.update(page)
        if number % 16 == 0:
            counts = Counter({line: count // 2 for line, count in counts.items() if count > 1})
    return sorted(line for line, count in counts.items() if count >= 3)


pages = st.lists(st.sets(st.sampled_from([1, 2, 3, 5, 8, 2**63, 2**64 - 1])), max_size=60)


@given(pages)
def test_lines_are_known_as_by_plain_counting(story: list[Page]) -> None:
    repeats = Repeats()
    for place, page in enumerate(story, 1):
        repeats.learn(0, as_lines(page))
        assert known(repeats) == literal(story[:place])


@needs_core
@given(st.lists(st.sets(st.integers(1, 40) | st.integers(1, 2**64 - 1)), max_size=40))
def test_compiled_or_not_the_counts_are_the_same(story: list[Page]) -> None:
    compiled, plain = _Site(), _Site()
    for number, page in enumerate(story, 1):
        _count(compiled, as_lines(page))
        _count_plainly(plain, as_lines(page), number % 16 == 0)
        assert (compiled.lines.tolist(), compiled.counts.tolist()) == (plain.lines.tolist(), plain.counts.tolist())
        assert compiled.known == plain.known


def test_of_very_many_repeated_lines_the_most_frequent_are_known() -> None:
    repeats = Repeats()
    menu = set(range(1, 1_501))
    for page in (menu, menu, menu, {1_400, 1_500}):
        repeats.learn(0, as_lines(page))
    assert known(repeats) == [*range(1, 1_023), 1_400, 1_500]


@given(pages, pages)
def test_a_later_run_goes_on_where_the_last_one_was(before: list[Page], after: list[Page]) -> None:
    one, other = Repeats(), Repeats()
    for page in before:
        one.learn(7, as_lines(page))
    other.load_all({7: one.state(7)})
    for repeats in (one, other):
        for page in after:
            repeats.learn(7, as_lines(page))
    assert one.known(7) == other.known(7)
    assert one.state(7) == other.state(7)


def test_the_sites_asked_last_are_remembered() -> None:
    repeats = Repeats(most_sites=2)
    menu = as_lines({10, 20})
    for site in (1, 2, 1, 2, 1, 2):
        assert repeats.learn(site, menu) is None
    assert repeats.learn(3, menu) == 1
    assert known(repeats, 1) == []
    assert known(repeats, 2) == [10, 20]
    assert repeats.state(1) == b""


def test_a_later_run_forgets_the_same_sites() -> None:
    one, other = Repeats(most_sites=3), Repeats(most_sites=3)
    for site in (2, 10, 1, 2):
        one.learn(site, as_lines({1}))
    other.load_all({site: one.state(site) for site in (1, 2, 10)} | {5: b""})
    for repeats in (one, other):
        assert [repeats.learn(site, as_lines({1})) for site in (20, 30, 40)] == [10, 1, 2]


def test_a_site_takes_little_room_however_many_pages_it_has() -> None:
    repeats = Repeats()
    for page in range(500):
        repeats.learn(0, as_lines({1, *range(1_000 * page + 2, 1_000 * page + 200)}))
    assert known(repeats) == [1]
    assert len(repeats.state(0)) < 16 * 200 * 9 + 10


def test_of_a_page_the_beginning_and_the_end_are_counted() -> None:
    hashes = np.arange(1, 2 * MOST_LINES + 1, dtype=np.uint64)
    found = distinct_lines(np.insert(hashes, 5, np.zeros(3, np.uint64)))
    assert found.tolist() == [*range(1, MOST_LINES // 2 + 1), *range(3 * MOST_LINES // 2 + 1, 2 * MOST_LINES + 1)]
    assert distinct_lines(np.array([4, 4, 0, 2], np.uint64)).tolist() == [2, 4]


@given(st.sets(st.integers(1, 2**64 - 1)), st.lists(st.integers(0, 2**64 - 1)))
def test_lines_are_looked_up(menu: set[int], page: list[int]) -> None:
    found = is_repeated(np.array(page, np.uint64), as_lines(menu).tobytes())
    assert found.tolist() == [line in menu for line in page]
