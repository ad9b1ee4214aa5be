"""Evidence from traces, kept up page by page, against its literal definition on random traces."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Bag
from dowse.predict.traces import NAMES, Evidence, Reach, composite
from dowse.predict.traces.reach import EVERYTHING
from tests.model.test_traces import Row, made
from tests.predict.traces.literal import Judged, Literal

PAGES = 12
_ROWS = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 40).map(lambda part: part * 500 + part % 3), st.integers(0, PAGES - 1)),
    max_size=60,
)
_WORDS = st.dictionaries(st.integers(1, 9), st.sampled_from([1.0, 2.0, 3.0]), max_size=6)
_JUDGED = st.lists(
    st.builds(Judged, st.integers(-1, PAGES - 1), st.booleans(), _WORDS), max_size=20, unique_by=lambda one: one.page
)
_SMALL = st.builds(
    Reach, around=st.integers(1, 5), accesses=st.integers(1, 8), strongest_users=st.integers(1, 3),
    users=st.integers(1, 3), pages=st.integers(1, 3), words=st.integers(1, 4), strongest_words=st.integers(1, 4),
)  # fmt: skip


def bag_of(words: dict[int, float]) -> Bag:
    ordered = sorted(words)
    return Bag(np.array(ordered, np.uint32), np.array([words[word] for word in ordered], np.float32))


def check(rows: list[Row], judged: list[Judged], *, robust: bool, reach: Reach) -> None:
    evidence = Evidence(made(rows, PAGES), robust=robust, reach=reach)
    for order, one in enumerate(judged, 1):
        evidence.judged(one.page, one.satisfies, bag_of(one.words))
        literal = Literal(sorted(rows), judged[:order], robust=robust, reach=reach)
        if order % 4 and order < len(judged):
            continue
        pages = np.arange(-1, PAGES)
        found = evidence.logs(pages)
        expected = [
            [0.0, 0.0, 0.0] if page < 0
            else [literal.temporal(page), literal.signature(page), literal.user(page)] for page in pages.tolist()
        ]  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        for page in range(PAGES):
            assert set(evidence.descendants(page).tolist()) == literal.descendants(page)


@settings(deadline=None)
@given(_ROWS, _JUDGED)
def test_the_published_form_is_literal(rows: list[Row], judged: list[Judged]) -> None:
    check(rows, judged, robust=False, reach=EVERYTHING)


@settings(deadline=None)
@given(_ROWS, _JUDGED, _SMALL)
def test_the_robust_form_is_literal(rows: list[Row], judged: list[Judged], reach: Reach) -> None:
    check(rows, judged, robust=True, reach=reach)


@pytest.mark.parametrize("robust", [True, False])
@settings(deadline=None, max_examples=60)
@given(_ROWS, _JUDGED, st.integers(0, 20), st.integers(1, 8))
def test_people_who_were_met_before_count_as_if_it_had_been_one_crawl(
    robust: bool, rows: list[Row], judged: list[Judged], cut: int, page: int
) -> None:
    """The later trace lacks some of the people, and what is known of them is handed on."""
    reach = Reach() if robust else EVERYTHING
    first, whole = Evidence(made(rows, PAGES), robust=robust, reach=reach), Literal(
        sorted(rows), judged, robust=robust, reach=reach
    )  # fmt: skip
    for one in judged[:cut]:
        first.judged(one.page, one.satisfies, bag_of(one.words))
    later = [row for row in rows if row[0] != 3]
    second = Evidence(made(later, PAGES), robust=robust, reach=reach, before=first.readers)
    for one in judged[cut:]:
        second.judged(one.page, one.satisfies, bag_of(one.words))
    assert (second.readers.pages, second.readers.satisfying) == (whole.n, whole.n_c)
    known = dict(zip(second.readers.users.keys.tolist(), second.readers.users.sums.tolist(), strict=True))
    for user in {row[0] for row in rows}:
        seen = judged[:cut] if user == 3 else judged
        went = [one.satisfies for one in seen if user in whole.users(one.page)]
        assert known.get(user, [0, 0]) == [len(went), sum(went)]
    if not any(row[0] == 3 for row in rows):
        assert second.logs(np.array([page]))[0, 2] == pytest.approx(whole.user(page))


@settings(deadline=None, max_examples=20)
@given(st.randoms(use_true_random=False), st.booleans())
def test_both_on_traces_where_there_is_much_to_learn(random: object, robust: bool) -> None:
    """People with a taste, on pages with words of it: few evidence would be significant on noise alone."""
    draw = np.random.default_rng(random.getrandbits(30))  # type: ignore[attr-defined]
    rows, on = [], draw.random(PAGES) < 0.4
    for user in range(1, 9):
        likes = bool(user % 2)
        for at in range(8):
            wanted = np.flatnonzero(on == likes) if draw.random() < 0.9 else np.arange(PAGES)
            page = int(draw.choice(wanted if len(wanted) else np.arange(PAGES)))
            rows.append((user, at * 1200 + user, page))
    judged = [
        Judged(page, bool(on[page]), {int(word): 1.0 for word in draw.integers(1, 5, 3) + (5 if on[page] else 0)})
        for page in range(PAGES)
    ]
    check(rows, judged, robust=robust, reach=Reach(strongest_users=3, users=4) if robust else EVERYTHING)


def _taste() -> tuple[Evidence, int, int]:
    """Nine people: those with odd numbers read even pages, and these satisfy."""
    rows = [(user, 600 * step + user, page) for user in range(1, 10) for step, page in
            enumerate(page for page in range(40) if page % 2 != user % 2)]  # fmt: skip
    evidence = Evidence(made(rows, 40))
    for page in range(30):
        evidence.judged(page, page % 2 == 0, bag_of({100 + page % 2: 2.0, 7: 1.0}))
    return evidence, 36, 37


def test_taste_is_learned_and_told() -> None:
    evidence, good, bad = _taste()
    logs = evidence.logs(np.array([good, bad]))
    assert (logs[0] > 0).all()
    assert (logs[1] < 0).all()
    [first, *_] = evidence.affinities.strongest(evidence.users(good), evidence.counted)
    assert first[:3] == (1, 15.0, 15.0)
    assert dict(evidence.signatures.words(good, evidence.users(good), evidence.counted)).keys() == {100}
    assert dict(evidence.signatures.words(bad, evidence.users(bad), evidence.counted)).keys() == {101}
    assert len(NAMES) == logs.shape[1]


def test_the_words_of_a_page_are_not_those_that_its_people_met_elsewhere() -> None:
    """Everybody read everything: word 55 stands on page 0 alone, so that it speaks for all pages but that one."""
    rows = [(user, 100 * page + user, page) for user in range(1, 4) for page in range(12)]
    for robust in (True, False):
        evidence = Evidence(made(rows, 40), robust=robust)
        evidence.judged(0, True, bag_of({55: 1.0}))
        for page in range(1, 9):
            evidence.judged(page, True, bag_of({}))
        for _ in range(80):
            evidence.judged(-1, False, bag_of({55: 1.0}))
        shown = [evidence.signatures.words(page, evidence.users(page), evidence.counted) for page in (0, 5, 11)]
        assert [[word for word, _ in words] for words in shown] == [[], [55], [55]]


def test_looking_changes_nothing_and_the_same_calls_give_the_same() -> None:
    one, other = _taste()[0], _taste()[0]
    pages = np.arange(40)
    first = one.logs(pages)
    assert np.array_equal(one.logs(pages), first)
    assert np.array_equal(other.logs(pages), first)
    assert one.nbytes == other.nbytes > 0


def test_nothing_is_known_of_a_page_in_no_trace_or_before_any_was_judged() -> None:
    evidence = Evidence(made([(1, 5, 0)], PAGES))
    assert not evidence.logs(np.array([0, 1, -1])).any()
    evidence.judged(-1, True, Bag())
    assert evidence.counted.pages == 1
    empty = Evidence(made([], PAGES), robust=False)
    empty.judged(3, True, Bag())
    empty.judged(4, False, Bag())
    assert not empty.logs(np.array([-1])).any()
    assert not len(empty.descendants(3))


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
def test_what_is_missing_counts_as_one(weight: float) -> None:
    assert composite(0.0, math.log(3), weight) == math.log(3)
    assert composite(math.log(2), 0.0, weight) == weight * math.log(2)
    both = composite(np.array([1.0, 0.0]), np.array([0.0, 2.0]), weight)
    assert both.tolist() == [weight, 2.0]
