from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.compare.bootstrap import Cell, Resampling, difference, mean, ratio

RESULTS = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("123")), st.floats(0, 1, width=32), max_size=12
)
TWO_TOPICS = {("a", "1"): 0.2, ("a", "2"): 0.4, ("a", "3"): 0.6, ("b", "1"): 1.0}


def topic_means(results: dict[Cell, float]) -> list[float]:
    topics = sorted({topic for topic, _ in results})
    return [statistics.fmean(value for (name, _), value in results.items() if name == topic) for topic in topics]


def naive_draws(results: dict[Cell, float], count: int) -> list[float]:
    """Topics, then seed sets within each topic drawn: one loop a draw."""
    dice = random.Random(7)
    by_topic = [
        [v for (name, _), v in sorted(results.items()) if name == topic] for topic in sorted({t for t, _ in results})
    ]
    return [
        statistics.fmean(
            statistics.fmean(dice.choices(own, k=len(own))) for own in dice.choices(by_topic, k=len(by_topic))
        )
        for _ in range(count)
    ]


@given(RESULTS)
def test_the_mean_weighs_every_topic_the_same(results: dict[Cell, float]) -> None:
    got = mean(results, resamples=50)
    assert got.runs == len(results)
    if not results:
        assert math.isnan(got.mean)
        assert got.basis == "nothing"
        return
    assert got.mean == pytest.approx(statistics.fmean(topic_means(results)), abs=1e-9)
    if len(results) > 1:
        assert min(results.values()) - 1e-9 <= got.low <= got.high <= max(results.values()) + 1e-9
    assert mean(dict(reversed(results.items())), resamples=50) == got or len(results) == 1


@given(RESULTS.filter(len), st.integers(0, 9))
def test_draws_are_means_of_whole_topics(results: dict[Cell, float], seed_number: int) -> None:
    cells = sorted(results)
    draw = Resampling(cells, seed_number, 40)
    assert draw.weights.sum(axis=1) == pytest.approx(1)
    topics = sorted({topic for topic, _ in cells})
    for row in draw.weights:
        for topic in topics:
            share = sum(weight for weight, cell in zip(row.tolist(), cells, strict=True) if cell[0] == topic)
            assert share * len(topics) == pytest.approx(round(share * len(topics)), abs=1e-9)
    assert (Resampling(cells, seed_number, 40).weights == draw.weights).all()


def test_the_interval_is_that_of_the_loop() -> None:
    dice = random.Random(5)
    results = {(f"t{n // 4}", f"s{n % 4}"): dice.random() + n // 4 / 5 for n in range(20)}
    del results["t2", "s1"]
    got = mean(results, resamples=20_000)
    draws = sorted(naive_draws(results, 20_000))
    assert got.low == pytest.approx(draws[500], abs=0.01)
    assert got.high == pytest.approx(draws[19_500], abs=0.01)
    assert got.basis == "topics and seed sets"


@pytest.mark.parametrize(
    ("results", "basis"),
    [
        (TWO_TOPICS, "topics and seed sets"),
        ({("a", "1"): 1.0, ("b", "1"): 2.0}, "topics"),
        ({("a", "1"): 1.0, ("a", "2"): 2.0}, "seed sets"),
        ({("a", "1"): 1.0}, "nothing"),
        ({("a", "1"): 1.0, ("b", "1"): math.nan}, "nothing"),
        ({}, "nothing"),
    ],
)
def test_it_says_what_was_resampled(results: dict[Cell, float], basis: str) -> None:
    got = mean(results)
    assert got.basis == basis
    assert math.isnan(got.low) == math.isnan(got.high) == (basis == "nothing")


def test_missing_results_are_left_out() -> None:
    with_gaps = {**TWO_TOPICS, ("b", "2"): math.nan, ("c", "1"): math.nan}
    assert mean(with_gaps) == mean(TWO_TOPICS)
    assert mean(TWO_TOPICS).mean == pytest.approx(0.7)


def test_pairs_share_what_is_hard() -> None:
    """Topics differ a lot, strategies by a constant: the difference is certain though the means are not."""
    dice = random.Random(2)
    theirs = {(f"t{n}", f"s{m}"): n / 10 + dice.random() / 50 for n in range(8) for m in range(3)}
    ours = {cell: value + 0.05 for cell, value in theirs.items()}
    gap = difference(ours, theirs)
    assert (gap.interval.mean, gap.interval.low, gap.interval.high) == pytest.approx((0.05, 0.05, 0.05))
    assert gap.wins == 1
    assert difference(theirs, ours).wins == 0
    assert mean(ours).high - mean(ours).low > 0.2
    twice = ratio({cell: 2 * value for cell, value in theirs.items()}, theirs)
    assert (twice.interval.mean, twice.interval.low, twice.interval.high) == pytest.approx((2, 2, 2))


def test_only_runs_that_both_have_are_compared() -> None:
    ours = {("a", "1"): 3.0, ("a", "2"): 5.0, ("b", "1"): 100.0}
    theirs = {("a", "1"): 1.0, ("a", "2"): 3.0, ("b", "1"): math.nan, ("c", "1"): 9.0}
    gap = difference(ours, theirs)
    assert (gap.interval.mean, gap.interval.runs, gap.interval.basis) == (2.0, 2, "seed sets")
    assert ratio(ours, theirs).interval.mean == 2.0


def test_nothing_in_common_and_nothing_to_divide_by() -> None:
    assert math.isnan(difference({("a", "1"): 1.0}, {("b", "1"): 1.0}).interval.mean)
    zero = ratio({("a", "1"): 1.0, ("b", "1"): 1.0}, {("a", "1"): 0.0, ("b", "1"): 0.0})
    assert math.isnan(zero.interval.mean)
    assert math.isnan(zero.interval.low)
    assert zero.wins == 1


@given(RESULTS)
def test_a_strategy_against_itself_is_even(results: dict[Cell, float]) -> None:
    gap = difference(results, results, resamples=50)
    if len(results) > 1:
        assert gap.wins == 0.5
        assert gap.interval.mean == gap.interval.low == gap.interval.high == 0
    flipped = {cell: 1 - value for cell, value in results.items()}
    one, other = difference(results, flipped, resamples=50), difference(flipped, results, resamples=50)
    assert np.isclose(one.wins + other.wins, 1) or gap.interval.basis == "nothing"
