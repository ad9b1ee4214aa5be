from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.predict.learning import Statistics
from dowse.predict.learning.statistics import Sums
from tests.predict.learning.made import statistics

factors = st.sampled_from((0.0, 0.25, 0.5, 1.0))


@given(statistics(), statistics())
def test_who_is_merged_first_does_not_matter(ours: Statistics, theirs: Statistics) -> None:
    assert ours.merged(theirs) == theirs.merged(ours)


@given(statistics(), statistics(), statistics())
def test_nor_which_two(a: Statistics, b: Statistics, c: Statistics) -> None:
    assert a.merged(b).merged(c) == a.merged(b.merged(c))


@given(statistics())
def test_nothing_adds_nothing(one: Statistics) -> None:
    assert one.merged(Statistics()) == one == Statistics().merged(one)


@given(statistics(), statistics(), factors)
def test_aged_together_or_one_by_one(ours: Statistics, theirs: Statistics, factor: float) -> None:
    assert ours.merged(theirs).aged(factor) == ours.aged(factor).merged(theirs.aged(factor))


@given(statistics(), factors)
def test_ageing_scales_every_number(one: Statistics, factor: float) -> None:
    aged = one.aged(factor)
    assert (aged.pages, aged.value) == (one.pages * factor, one.value * factor)
    for name in ("tokens", "words"):
        assert np.array_equal(getattr(aged, name).sums, factor * getattr(one, name).sums)
        assert np.array_equal(getattr(aged, name).keys, getattr(one, name).keys)
    assert aged.hosts == {host: (pages * factor, value * factor) for host, (pages, value) in one.hosts.items()}
    for names, mix in one.mixes.items():
        assert np.array_equal(aged.mixes[names].products, factor * mix.products)
        assert aged.mixes[names].examples == factor * mix.examples
    assert (aged.token_names, aged.word_names) == (one.token_names, one.word_names)


def test_a_factor_is_a_share() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Statistics().aged(1.5)


@given(statistics(), st.integers(0, 300))
def test_weighs_no_more_than_asked_for(one: Statistics, most: int) -> None:
    weighed = one.weighing(most)
    assert weighed.pages == pytest.approx(min(one.pages, most))
    if one.pages <= most:
        assert weighed is one


def test_sums_of_a_key() -> None:
    table = Sums.of(np.array([5, 3, 5], np.uint32), np.array([[1.0, 0.5], [2.0, 1.0], [1.0, 0.25]]))
    assert table.at(5) == (2.0, 0.75)
    assert table.at(4) == (0.0, 0.0)
    assert len(table) == 2
    assert table != "something else"
    assert Sums.none(2).merged(table) == table
