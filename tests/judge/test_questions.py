from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.learned.learned_judge import Chance
from dowse.judge.questions import Kind, Pages, answered, expected, next_kind, next_question


def pages(chances: list[float], threshold: float = 0.5) -> Pages:
    values = np.array(chances)
    return Pages(np.arange(len(chances)), values, values >= threshold, threshold)


def test_each_kind_has_its_page_and_none_comes_twice() -> None:
    some = pages([0.9, 0.8, 0.52, 0.3, 0.01, 0.02])
    alike, by_words = np.zeros(6), np.array([0.1, 0.7, 0.2, 0.1, 0.1, 0.1])
    assert next_question(some, some.chances, alike, alike, [], [], Kind.TOP) == (0, Kind.TOP)
    assert next_question(some, by_words, alike, alike, [], [], Kind.TOP) == (1, Kind.TOP), (
        "by its words, wherever it is from"
    )
    assert next_question(some, some.chances, alike, alike, [0], [], Kind.UNCERTAIN) == (2, Kind.UNCERTAIN)
    done: list[int] = []
    for kind in (Kind.LIKELY, Kind.UNCERTAIN, Kind.RANDOM) * 2:
        found = next_question(some, by_words, alike, alike, done, [], kind)
        assert found is not None
        assert found[1] is kind
        done.append(found[0])
    assert sorted(done) == list(range(6))
    assert next_question(some, by_words, alike, alike, done, [], Kind.TOP) is None


@given(st.lists(st.booleans(), min_size=20, max_size=20))
def test_kinds_take_turns_and_a_quarter_is_by_lot(answers: list[bool]) -> None:
    kinds = [next_kind(sum(answers[:at]), at - sum(answers[:at])) for at in range(20)]
    assert kinds.count(Kind.RANDOM) == 5
    for at, kind in enumerate(kinds):
        yes, no = sum(answers[:at]), at - sum(answers[:at])
        assert kind is not Kind.TOP or not yes
        assert kind not in (Kind.LIKELY, Kind.UNCERTAIN) or yes
        assert kind is not Kind.NEW or no > 4 * yes
        if yes and no <= 4 * yes:
            assert kind is (Kind.UNCERTAIN, Kind.LIKELY, Kind.LIKELY, Kind.RANDOM)[at % 4]


def test_while_all_answers_are_no_what_the_judge_takes_for_likely_is_asked_no_more() -> None:
    assert [next_kind(0, no).value for no in range(8)] == ["top"] * 3 + ["random"] + ["new"] * 3 + ["random"]


def test_likely_pages_are_drawn_as_often_as_they_are_likely_and_new() -> None:
    """Of a thousand crawls of three pages each, whose numbers are the lots."""
    by_words, alike = np.array([0.8, 0.2, 0.8]), np.array([0.0, 0.0, 0.75])
    found = [0, 0, 0]
    for first in range(0, 3000, 3):
        some = Pages(np.arange(first, first + 3), by_words, by_words >= 0.5, 0.5)
        chosen = next_question(some, by_words, alike, np.zeros(3), [], [], Kind.LIKELY)
        assert chosen is not None
        found[chosen[0]] += 1
    assert 620 < found[0] < 715, "two thirds"
    assert 130 < found[1] < 205, "a sixth"
    assert 130 < found[2] < 205, "a sixth"


@pytest.mark.parametrize("relevant", [12, 40])
def test_of_a_few_pages_all_may_be_right(relevant: int) -> None:
    """The truth is a number of whole pages: where all are on the topic, that lies in the interval."""
    some = pages([0.97] * relevant + [0.001] * 30)
    found = expected(some, {}, [], {})
    assert found.precision[2] == found.recall[2] == 1.0


def test_a_page_that_stands_for_others_may_be_asked_about() -> None:
    some, speaks_for = pages([0.9, 0.8, 0.1]), np.array([0.2, 3.0, 1.0])
    assert next_question(some, some.chances, np.zeros(3), speaks_for, [], [], Kind.NEW) == (1, Kind.NEW)
    assert next_question(some, some.chances, np.zeros(3), speaks_for, [1], [], Kind.NEW) == (2, Kind.NEW)


def test_a_page_like_one_that_was_answered_waits() -> None:
    some = pages([0.9, 0.8])
    assert next_question(some, some.chances, np.array([0.95, 0.0]), np.zeros(2), [], [], Kind.TOP) == (1, Kind.TOP)


def test_where_everything_is_answered_the_figures_are_exact() -> None:
    some = pages([0.9, 0.8, 0.3, 0.1])
    truth = {0: True, 1: False, 2: True, 3: False}
    found = expected(some, truth, [], {})
    assert found.precision == (0.5, 0.5, 0.5)
    assert found.recall == (0.5, 0.5, 0.5)
    found = expected(answered(some, truth), truth, [], {})
    assert found.precision == found.recall == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("drawn", [0, 1, 2])
def test_a_model_that_hardly_anybody_checked_promises_little(drawn: int) -> None:
    """Its chances are as sure as can be: yet many of the pages it calls relevant may be wrong, or of the others."""
    some = pages([0.999] * 100 + [0.001] * 900)
    answers = dict.fromkeys(range(drawn), True)
    found = expected(some, answers, list(answers), {page: Chance(0.999, True) for page in answers})
    assert found.precision[1] < 0.8
    assert found.recall[1] < 0.4
    checked = dict.fromkeys([*range(30), *range(100, 160)], True) | dict.fromkeys(range(100, 160), False)
    found = expected(some, checked, list(checked), {page: Chance(some.chances[page], page < 100) for page in checked})
    assert found.precision[1] > 0.85
    assert found.recall[1] > 0.55


def test_answers_by_lot_speak_for_their_stratum_and_others_do_not() -> None:
    """A thousand pages are called relevant; the chances say nine in ten are, the lot says none."""
    some = pages([0.9] * 1_000 + [0.001] * 1_000)
    answers = dict.fromkeys(range(40), False)
    unknowing = {page: Chance(0.9, True) for page in answers}
    by_lot = expected(answered(some, answers), answers, list(answers), unknowing)
    chosen = expected(answered(some, answers), answers, [], unknowing)
    assert by_lot.precision[2] < 0.2
    assert chosen.precision[0] > 0.75, "nobody has checked the chances"
    assert by_lot.precision[1] < chosen.precision[1]


@pytest.mark.parametrize(("chance", "yes", "no"), [(0.7, 0, 0), (0.7, 3, 4), (0.9, 0, 5), (0.6, 6, 0)])
def test_precision_is_distributed_as_bayes_has_it(chance: float, yes: int, no: int) -> None:
    """Pages of one stratum, and the share of it on the topic by sums over a grid: how much too sure all chances are (a
    slope of their log odds from 0 to 1), how far they are off (a bell of width 1.5 in log odds), then the share (a beta
    distribution worth two answers), then the answers."""
    some = pages([chance] * 10_000)
    answers = {page: page < yes for page in range(yes + no)}
    found = expected(some, answers, list(answers), {page: Chance(chance, True) for page in answers})
    shares = (np.arange(4_000) + 0.5) / 4_000
    posterior = np.zeros(len(shares))
    for off, slope in product(np.linspace(-6, 6, 121), (np.arange(12) + 0.5) / 12):
        meant = 1 / (1 + math.exp(-(slope * math.log(chance / (1 - chance)) + off)))
        a, b = 2 * meant, 2 * (1 - meant)
        density = shares ** (a - 1) * (1 - shares) ** (b - 1)
        density *= math.gamma(a + b) / math.gamma(a) / math.gamma(b)
        posterior += math.exp(-((off / 1.5) ** 2) / 2) * density * shares**yes * (1 - shares) ** no
    below = np.cumsum(posterior) / posterior.sum()
    low, middle, high = (float(shares[np.searchsorted(below, at)]) for at in (0.05, 0.5, 0.95))
    assert found.precision == pytest.approx((middle, low, high), abs=0.05)
    assert found.recall == (1.0, 1.0, 1.0)
