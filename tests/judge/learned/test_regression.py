"""The regression against a dense one that is solved to the end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dowse.judge.learned.regression import Line, fit_line, held_out, sigmoid
from dowse.judge.learned.texts import Text, Vectors, Weighing
from tests.judge.learned.made import dense, finished, texts_of

Floats = NDArray[np.float64]
Problem = tuple[list[Text], Weighing, NDArray[np.bool_], Floats]
SIZE = 30


def problem(seed: int, on: int, off: int) -> Problem:
    """Texts of which the positive ones rather have the first terms; each side as important in sum."""
    rng = np.random.default_rng(seed)
    positive = np.arange(on + off) < on
    drawn = []
    for is_on in positive.tolist():
        terms = np.unique(np.where(rng.random(10) < (0.7 if is_on else 0.2), rng.integers(0, 10, 10),
                                   rng.integers(0, SIZE - 2, 10)))  # fmt: skip
        words = [(int(term), float(rng.uniform(0.5, 3))) for term in terms]
        drawn.append((words, [int(rng.integers(SIZE - 2, SIZE))]))
    weights = rng.uniform(0.2, 1, on + off)
    sums = np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return texts_of(drawn), Weighing(rng.uniform(0.5, 2, SIZE)), positive, 500 * weights / sums


def loss(rows: Floats, positive: NDArray[np.bool_], importance: Floats, line: Floats) -> float:
    """As the module's first line has it; the bias is the last of the unknowns."""
    values = rows @ line[:-1] + line[-1]
    signed = np.where(positive, values, -values)
    return float(importance @ np.log1p(np.exp(-signed)) + line[:-1] @ line[:-1] / 2)


def solved(rows: Floats, positive: NDArray[np.bool_], importance: Floats) -> Floats:
    """Newton's method with a dense solver, until nothing changes."""
    wide = np.column_stack((rows, np.ones(len(rows))))
    drawn = np.append(np.ones(rows.shape[1]), 0.0)
    line = np.zeros(wide.shape[1])
    for _ in range(200):
        chance = 1 / (1 + np.exp(-(wide @ line)))
        slope = wide.T @ (importance * (chance - positive)) + drawn * line
        bent = (wide.T * (importance * chance * (1 - chance))) @ wide + np.diag(drawn)
        step, share = np.linalg.solve(bent, -slope), 1.0
        while loss(rows, positive, importance, line + share * step) > loss(rows, positive, importance, line) + 1e-12:
            share /= 2
        line = line + share * step
        if np.abs(share * step).max() < 1e-10:
            break
    return line


problems = st.builds(problem, st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 30))


@settings(max_examples=60, deadline=None)
@given(problems)
def test_the_line_is_the_one_of_least_loss(given: Problem) -> None:
    texts, weighing, positive, importance = given
    rows = dense(texts, weighing)
    best = solved(rows, positive, importance)
    found = fit_line(Vectors(texts, weighing), positive, importance, SIZE)
    least = loss(rows, positive, importance, best)
    assert loss(rows, positive, importance, np.append(found.weights, found.bias)) == pytest.approx(least, rel=2e-3)
    chances = sigmoid(found.of(Vectors(texts, weighing)))
    np.testing.assert_allclose(chances, sigmoid(rows @ best[:-1] + best[-1]), atol=0.01)


@settings(max_examples=30, deadline=None)
@given(problems)
def test_it_comes_to_the_same_line_from_elsewhere(given: Problem) -> None:
    texts, weighing, positive, importance = given
    vectors = Vectors(texts, weighing)
    first = fit_line(vectors, positive, importance, SIZE)
    other = fit_line(vectors, positive, importance[::-1].copy(), SIZE)
    again = fit_line(vectors, positive, importance, SIZE, other)
    np.testing.assert_allclose(sigmoid(again.of(vectors)), sigmoid(first.of(vectors)), atol=0.02)
    same = fit_line(vectors, positive, importance, SIZE, Line(np.zeros(SIZE), 0.0))
    np.testing.assert_array_equal(same.weights, first.weights)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), on=st.integers(3, 8), off=st.integers(10, 40))
def test_held_out_is_nearly_what_a_line_without_the_text_says(seed: int, on: int, off: int) -> None:
    texts, weighing, positive, importance = problem(seed, on, off)
    vectors, rows = Vectors(texts, weighing), dense(texts, weighing)
    line = fit_line(vectors, positive, importance, SIZE)
    found = finished(held_out(vectors, positive, importance, line, range(on)))
    truly = []
    for place in range(on):
        others = np.arange(len(texts)) != place
        left = solved(rows[others], positive[others], importance[others])
        truly.append(float(rows[place] @ left[:-1] + left[-1]))
    known = line.of(vectors)[:on]
    assert np.abs(found - truly).mean() < 0.5 * np.abs(known - truly).mean()


def test_a_sigmoid_of_numbers_of_any_size() -> None:
    assert sigmoid(0.0) == 0.5
    assert sigmoid(np.array([-1e300, 1e300])).tolist() == pytest.approx([0, 1], abs=1e-12)
    assert sigmoid(2.0) == pytest.approx(1 / (1 + math.exp(-2)))
