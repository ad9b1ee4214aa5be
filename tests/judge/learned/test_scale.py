"""Where the line lies, also with hardly anything to go by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.learned.scale import Scale, off_topic, place, told_apart
from dowse.judge.learned.texts import Floats

values = st.lists(st.floats(-20, 20), min_size=1, max_size=30).map(np.array)


@given(on=values, off=values, share=st.none() | st.floats(0, 1))
def test_chances_are_finite_and_rise(on: Floats, off: Floats, share: float | None) -> None:
    scale = place(on, off, share)
    assert scale.unit > 0
    chances = scale.chances(np.linspace(-25, 25, 50))
    assert np.isfinite(chances).all()
    assert (np.diff(chances) >= 0).all()
    assert scale.chances(np.array([scale.middle])).item() == 0.5


def test_the_middle_lies_between_two_kinds() -> None:
    rng = np.random.default_rng(1)
    off = np.concatenate((rng.normal(-3, 0.5, 180), rng.normal(3, 0.5, 20)))
    scale = place(rng.normal(3, 0.5, 8), off)
    assert -1.5 < scale.middle < 2.5
    assert (scale.chances(off) > 0.5).sum() == pytest.approx(20, abs=2)
    assert scale.chances(np.array([np.median(off)])).item() < 0.15


def test_a_share_puts_it_on_the_way_from_the_background_to_the_positives() -> None:
    scale = place(np.array([3.0, 5.0]), np.array([0.0, 0.0, 9.0]), 0.25)
    assert scale == Scale(1.0, 0.8)


@pytest.mark.parametrize("share", [None, 0.5])
def test_one_positive_and_pages_that_are_all_the_same(share: float | None) -> None:
    scale = place(np.array([2.0]), np.zeros(20), share)
    assert 0 < scale.middle <= 2
    assert scale.chances(np.array([2.0])).item() >= 0.5 > scale.chances(np.array([0.0])).item()


def test_where_positives_are_no_better_than_the_rest_they_are_doubtful_at_most() -> None:
    scale = place(np.zeros(3), np.zeros(20))
    assert 0 < scale.unit < 0.06
    assert scale.chances(np.zeros(1)).item() <= 0.5


def test_the_usual_page_off_the_topic_is_none_on_it_also_where_most_are() -> None:
    values = np.concatenate((np.full(70, 3.0), np.full(30, -2.0)))
    assert off_topic(values, 3.0, np.ones(100)) == -2
    assert off_topic(np.concatenate((np.full(5, 3.0), np.full(95, -2.0))), 3.0, np.ones(100)) == -2
    assert off_topic(np.zeros(9), 0.0, np.ones(9)) == 0, "all the same"


@given(st.lists(st.tuples(st.floats(-20, 20), st.integers(1, 4)), min_size=1, max_size=30), values)
def test_a_page_that_is_twice_as_important_counts_as_two(pages: list[tuple[float, int]], on: Floats) -> None:
    off, times = np.array([value for value, _ in pages]), np.array([times for _, times in pages])
    repeated = np.repeat(off, times)
    assert off_topic(off, float(on.mean()), times * 1.0) == off_topic(
        repeated, float(on.mean()), np.ones(len(repeated))
    )


def test_answers_move_the_middle_to_where_they_change() -> None:
    """Pages from 1 on are on the topic, and the scale took them to be from 0 on."""
    scale = Scale(0.0, 0.5)
    values = np.linspace(-2, 3, 41)
    moved = told_apart(scale, values, values > 1.0)
    assert 0.6 < moved.middle < 1.1
    assert moved.unit == scale.unit


def test_without_answers_or_with_one_that_was_expected_the_middle_stays() -> None:
    scale = Scale(0.0, 0.5)
    assert told_apart(scale, np.zeros(0), np.zeros(0, np.bool_)) == scale
    assert abs(told_apart(scale, np.array([4.0]), np.array([True])).middle) < 0.05


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=12), st.floats(0.1, 2))
def test_the_middle_is_the_most_likely_one(answers: list[tuple[float, bool]], unit: float) -> None:
    """Against the likelihood written out, at every place between a hundred."""
    scale = Scale(0.3, unit)
    moved = told_apart(scale, np.array([value for value, _ in answers]), np.array([yes for _, yes in answers]))

    def unlikely(middle: float) -> float:
        own = ((middle - 0.3) / (0.25 * 5 * unit)) ** 2 / 2
        return own + sum(math.log1p(math.exp((middle - value) / unit * (1 if yes else -1))) for value, yes in answers)

    least = min(unlikely(0.3 + 1.25 * unit * at / 25) for at in range(-100, 101))
    assert unlikely(moved.middle) <= least + 0.02
