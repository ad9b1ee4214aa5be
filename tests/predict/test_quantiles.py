from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.predict.quantiles import Quantiles

samples = st.lists(st.floats(0, 1e6), min_size=1, max_size=400).map(np.array)


@given(sample=samples, values=st.lists(st.floats(0, 2e6), min_size=1).map(np.array))
def test_places_rise_and_are_near_the_share_below(sample: np.ndarray, values: np.ndarray) -> None:
    scale = Quantiles.of(sample)
    values = np.sort(values)
    places = scale(values)
    assert (places >= 0).all()
    assert (places <= 1).all()
    assert (np.diff(places) >= 0).all()
    for value in sample.tolist():
        below = (np.count_nonzero(sample < value) + np.count_nonzero(sample <= value)) / 2 / len(sample)
        assert abs(scale(np.array([value]))[0] - below) <= 1 / 128 + np.count_nonzero(sample == value) / len(sample)


@given(sample=samples)
def test_it_comes_back_from_json(sample: np.ndarray) -> None:
    scale = Quantiles.of(sample)
    again = Quantiles.restored(json.loads(json.dumps(scale.state())))
    assert again(sample).tolist() == scale(sample).tolist()


def test_without_a_sample_everything_is_in_the_middle() -> None:
    assert Quantiles.of(np.zeros(0))(np.array([1.0, 2.0])).tolist() == [0.5, 0.5]


@given(sample=samples, value=st.floats(0, 2e6))
def test_one_value_is_placed_as_many_are(sample: np.ndarray, value: float) -> None:
    scale = Quantiles.of(sample)
    assert abs(scale.one(value) - scale(np.array([value]))[0]) < 1e-9
