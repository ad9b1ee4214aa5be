from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.predict.regression import Regression

share = st.floats(0, 1, width=16)
examples = st.lists(st.tuples(st.lists(share, min_size=3, max_size=3), share), max_size=30)
PRIOR = [0.5, 0.2, 0.0]


def told(found: list[tuple[list[float], float]], trust: float = 5.0) -> Regression:
    regression = Regression(PRIOR, trust)
    for features, value in found:
        regression.learn(np.array(features), value)
    regression.fit()
    return regression


def loss(weights: np.ndarray, found: list[tuple[list[float], float]], trust: float = 5.0) -> float:
    """What is made least: squared errors, and the distance from the prior as if ``trust`` examples had borne it out."""
    x, y = np.array([features for features, _ in found]), np.array([value for _, value in found])
    pull = trust * np.where((x**2).mean(0) > 0, (x**2).mean(0), 1.0)
    return float(((x @ weights - y) ** 2).sum() + (pull * (weights - PRIOR) ** 2).sum())


@settings(max_examples=100, deadline=None)
@given(examples.filter(bool), st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=3))
def test_no_other_weights_are_better(found: list[tuple[list[float], float]], step: list[float]) -> None:
    regression = told(found)
    assert (regression.weights >= 0).all()
    other = np.maximum(0, regression.weights + step)
    assert loss(regression.weights, found) <= loss(other, found) + 1e-6


def test_without_examples_the_prior_holds() -> None:
    assert told([]).weights.tolist() == pytest.approx(PRIOR)


def test_many_examples_outweigh_the_prior() -> None:
    dice = np.random.default_rng(1)
    rows = dice.random((4_000, 3))
    found = [(row.tolist(), float(row @ [0.1, 0.0, 0.8])) for row in rows]
    assert told(found, trust=20.0).weights == pytest.approx([0.1, 0.0, 0.8], abs=0.02)


def test_a_feature_that_is_hardly_there_is_not_blown_up() -> None:
    """It would take a weight of 10^40 to explain a page's value by it."""
    found = [([1e-40, 0.0, 0.1], 0.9), ([1e-45, 0.0, 0.1], 0.1)] * 5
    assert told(found).weights.max() < 10


@given(examples)
def test_state_is_all_there_is(found: list[tuple[list[float], float]]) -> None:
    one, other = told(found), Regression(PRIOR, 5.0)
    other.restore(json.loads(json.dumps(one.state())))
    for regression in (one, other):
        regression.learn(np.array([0.5, 0.25, 1.0]), 0.75)
        regression.fit()
    assert one.weights.tobytes() == other.weights.tobytes()
