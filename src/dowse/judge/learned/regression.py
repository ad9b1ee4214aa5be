"""Logistic regression over sparse texts: ``min sum w log(1 + exp(-s f(x))) + |v|^2 / 2``, ``f(x) = v x + b``.

Solved by Newton's method, each step by conjugate gradients (Lin, Weng and Keerthi, Trust region Newton method for
large-scale logistic regression, 2008). There are a few hundred texts and many thousand terms. So the unknowns are not
the weights of terms but how much each text adds to them, ``v = X' a``: all it takes is the dot product of each text
with each other.
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
_INNER = 60
_ENOUGH = 1e-3  # of the first gradient's length: a step that is left changes no probability in its third digit
_NEARLY = 1e-3  # the same of a system of equations
_HALVINGS = 6
_FLAT = 1e-9  # a curvature to divide by


def sigmoid(value: Any) -> Any:
    """``1 / (1 + exp(-x))``, of numbers of any size."""
    return 1 / (1 + np.exp(-np.clip(value, -30.0, 30.0)))


@dataclass(frozen=True, slots=True)
class Line:
    """``v x + b``. ``shares`` is how much each of the texts it was fitted to adds to ``v``."""

    weights: Floats
    bias: float
    shares: Floats | None = None

    def of(self, texts: Vectors) -> Floats:
        return texts.dot(self.weights) + self.bias


def fit_line(
    texts: Vectors, positive: NDArray[np.bool_], importance: Floats, size: int, start: Line | None = None
) -> Line:
    """The line that tells the positive texts from the others, each as important as is said; they have ``size`` terms.
    From ``start`` on, a line that was fitted to the same texts."""
    products = texts.products()
    shares = np.zeros(texts.count) if start is None or start.shares is None else start.shares
    bias = 0.0 if start is None else start.bias
    values = products @ shares + bias
    least = None
    for _ in range(_STEPS):
        chance = sigmoid(values)
        residual = importance * (chance - positive)
        down, down_bias = -(residual + shares), -float(residual.sum())
        length = float(down @ (products @ down)) + down_bias * down_bias
        least = length if least is None or (start is not None and length > least) else least
        if length <= _ENOUGH * _ENOUGH * max(least, 1e-12):
            break
        bent = _Bent(products, importance * chance * (1 - chance))
        step, _, step_bias = bent.solved(down, down_bias)
        along = products @ step  # anew: the step is not exact, and what is said of it must be true
        share = _share(values, positive, importance, (shares, values - bias), (step, along), step_bias)
        shares = shares + share * step
        bias += share * step_bias
        values = values + share * (along + step_bias)
    return Line(texts.sums(shares, size), bias, shares)


def _share(
    values: Floats,
    positive: NDArray[np.bool_],
    importance: Floats,
    before: tuple[Floats, Floats],
    step: tuple[Floats, Floats],
    step_bias: float,
) -> float:
    """How much of a step to go so that the loss does not rise: all, a half, a quarter. Of the shares before and of the
    step, each with what it makes of the texts."""
    length, both, more = float(before[0] @ before[1]), float(before[0] @ step[1]), float(step[0] @ step[1])

    def loss(share: float) -> float:
        moved = values + share * (step[1] + step_bias)
        signed = np.where(positive, moved, -moved)
        return float(importance @ np.logaddexp(0.0, -signed)) + (length + share * (2 * both + share * more)) / 2

    now, share = loss(0.0), 1.0
    for _ in range(_HALVINGS):
        if loss(share) <= now:
            break
        share /= 2
    return share


class _Bent:
    """The system ``(X' C X + I) step = slope``, the bias among the unknowns and not drawn to 0.

    With ``step = X' d`` and ``slope = X' g`` it has as many unknowns as there are texts: ``d = g - R p`` and
    ``(I + R K R) p = R (K g + bias)``, where ``K = X X'`` and ``R`` is the root of ``C``. What the step makes of each
    text is ``p / R``."""

    def __init__(self, products: Floats, curvature: Floats) -> None:
        self._products = products
        self._root = np.sqrt(np.maximum(curvature, _FLAT))
        self._of_bias = self._conjugate(self._root)

    def solved(self, slope: Floats, slope_bias: float) -> tuple[Floats, Floats, float]:
        """The step by text, what it makes of each text, and of the bias."""
        part = self._conjugate(self._root * (self._products @ slope))
        bias = (slope_bias - float(self._root @ part)) / max(float(self._root @ self._of_bias), _FLAT)
        part += bias * self._of_bias
        return slope - self._root * part, part / self._root, bias

    def _conjugate(self, right: Floats) -> Floats:
        root = self._root
        found, left, way = np.zeros(len(right)), right.copy(), right.copy()
        length = first = float(left @ left)
        for _ in range(_INNER):
            if length <= _NEARLY * _NEARLY * first or not length:
                break
            on = root * (self._products @ (root * way)) + way
            share = length / float(way @ on)
            found += share * way
            left -= share * on
            shorter = float(left @ left)
            way = left + shorter / length * way
            length = shorter
        return found


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
    values = line.of(texts)
    chance = sigmoid(values)
    curvature = np.maximum(importance * chance * (1 - chance), _FLAT)
    bent = _Bent(texts.products(), curvature)
    found = np.empty(len(places))
    for at, place in enumerate(places):
        alone = np.zeros(texts.count)
        alone[place] = 1.0
        lever = float(bent.solved(alone, 1.0)[1][place])
        pull = float(importance[place] * (positive[place] - chance[place]))
        found[at] = values[place] - pull * lever / max(1 - curvature[place] * lever, 0.05)
    yield
    return found
