"""Logistic regression over sparse texts: ``min sum w log(1 + exp(-s f(x))) + |v|^2 / 2``, ``f(x) = v x + b``.

Solved by Newton's method, each step by conjugate gradients (Lin, Weng and Keerthi, Trust region Newton method for
large-scale logistic regression, 2008): a few hundred texts take some ten milliseconds.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import Floats, Vectors

__all__ = ["Line", "fit_line", "held_out", "sigmoid"]

_STEPS = 12
_INNER = 20
_ENOUGH = 1e-3  # of the first gradient's length: a step that is left changes no probability in its third digit
_HALVINGS = 6


def sigmoid(value: Any) -> Any:
    """``1 / (1 + exp(-x))``, of numbers of any size."""
    return 1 / (1 + np.exp(-np.clip(value, -30.0, 30.0)))


@dataclass(frozen=True, slots=True)
class Line:
    """``v x + b``."""

    weights: Floats
    bias: float

    def of(self, texts: Vectors) -> Floats:
        return texts.dot(self.weights) + self.bias


def fit_line(
    texts: Vectors, positive: NDArray[np.bool_], importance: Floats, size: int, start: Line | None = None
) -> Line:
    """The line that tells the positive texts from the others, each as important as is said; they have ``size`` terms.
    From ``start`` on, where that is near."""
    weights = np.zeros(size) if start is None else start.weights
    bias = 0.0 if start is None else start.bias
    values = texts.dot(weights) + bias
    least = None
    for _ in range(_STEPS):
        chance = sigmoid(values)
        residual = importance * (chance - positive)
        slope, of_bias = texts.sums(residual, size) + weights, float(residual.sum())
        length = float(slope @ slope) + of_bias * of_bias
        least = length if least is None or (start is not None and length > least) else least
        if length <= _ENOUGH * _ENOUGH * max(least, 1e-12):
            break
        curvature = np.maximum(importance * chance * (1 - chance), 1e-9)
        step, step_bias = _newton(texts, curvature, slope, of_bias, size)
        along = texts.dot(step) + step_bias
        now, share = _loss(values, positive, importance, weights), 1.0
        for _ in range(_HALVINGS):
            if _loss(values + share * along, positive, importance, weights + share * step) <= now:
                break
            share /= 2
        weights = weights + share * step
        bias += share * step_bias
        values = values + share * along
    return Line(weights, bias)


def _loss(values: Floats, positive: NDArray[np.bool_], importance: Floats, weights: Floats) -> float:
    signed = np.where(positive, values, -values)
    return float(importance @ np.logaddexp(0.0, -signed)) + float(weights @ weights) / 2


def _newton(
    texts: Vectors, curvature: Floats, slope: Floats, of_bias: float, size: int
) -> tuple[Floats, float]:  # fmt: skip
    """The step that solves ``(X' C X + I) step = -slope``, the bias among the unknowns and not drawn to 0."""
    step, step_bias = np.zeros(size), 0.0
    left, left_bias = -slope, -of_bias
    way, way_bias = left.copy(), left_bias
    length = first = float(left @ left) + left_bias * left_bias
    for _ in range(_INNER):
        bent = curvature * (texts.dot(way) + way_bias)
        on, on_bias = texts.sums(bent, size) + way, float(bent.sum())
        share = length / (float(way @ on) + way_bias * on_bias)
        step += share * way
        step_bias += share * way_bias
        left -= share * on
        left_bias -= share * on_bias
        shorter = float(left @ left) + left_bias * left_bias
        if shorter <= 0.01 * first:
            break
        way = left + shorter / length * way
        way_bias = left_bias + shorter / length * way_bias
        length = shorter
    return step, step_bias


def held_out(
    texts: Vectors,
    positive: NDArray[np.bool_],
    importance: Floats,
    line: Line,
    places: Sequence[int],
) -> Generator[None, None, Floats]:
    """What the line would say of each of the texts at these places if it had not known it: one
    step of Newton's method away from the line that was fitted (Rad and Maleki, A scalable estimate of the out-of-sample
    prediction error via approximate leave-one-out, 2020)."""
    size = len(line.weights)
    values = line.of(texts)
    chance = sigmoid(values)
    curvature = np.maximum(importance * chance * (1 - chance), 1e-9)
    found = np.empty(len(places))
    for at, place in enumerate(places):
        alone = np.zeros(texts.count)
        alone[place] = 1.0
        own = texts.sums(alone, size)
        step, step_bias = _newton(texts, curvature, -own, -1.0, size)
        lever = float(own @ step) + step_bias
        pull = float(importance[place] * (positive[place] - chance[place]))
        found[at] = values[place] - pull * lever / max(1 - curvature[place] * lever, 0.05)
        yield
    return found
