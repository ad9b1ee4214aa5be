"""Weights learned from pages: least squares, drawn towards what was believed before, and none below 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Regression"]

_ROUNDS = 200
_CLOSE = 1e-7


class Regression:
    """Ridge regression in constant memory: only sums over the examples are kept, so a fit costs the same after ten
    examples and after ten million.

    ``trust`` says how much is thought of the ``prior`` weights: as if so many examples had borne them out. Weights stay
    at 0 or above. The pages a crawl sees are those it chose, and among these more similarity can look like less value;
    a feature that would have to count against a page is left out instead.
    """

    def __init__(self, prior: list[float], trust: float) -> None:
        self._prior = np.array(prior)
        self._trust = trust
        size = len(prior)
        self._products = np.zeros((size, size))
        self._targets = np.zeros(size)
        self.examples = 0
        self.weights: NDArray[np.float64] = self._prior.copy()

    def learn(self, features: NDArray[np.float64], value: float) -> None:
        self._products += np.outer(features, features)
        self._targets += features * value
        self.examples += 1

    def fit(self) -> None:
        """Set the weights to what the examples and the prior say."""
        squares = np.diag(self._products) / max(self.examples, 1)
        # a feature that was never seen keeps its prior weight; a multiple of the identity alone would depend on scales
        pull = self._trust * np.where(squares > 0, squares, 1.0)
        products = (self._products + np.diag(pull)).tolist()
        targets = (self._targets + pull * self._prior).tolist()
        self.weights = np.array(_not_negative(products, targets, self.weights.tolist()))

    def state(self) -> dict[str, Any]:
        return {
            "products": self._products.tolist(), "targets": self._targets.tolist(), "examples": self.examples,
            "weights": self.weights.tolist(),
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        self._products = np.array(state["products"])
        self._targets = np.array(state["targets"])
        self.examples = state["examples"]
        self.weights = np.array(state["weights"])


def _not_negative(products: list[list[float]], targets: list[float], weights: list[float]) -> list[float]:
    """The ``w >= 0`` with the least ``w P w / 2 - t w``, going along one axis at a time (``P`` positive definite)."""
    places = range(len(weights))
    for _ in range(_ROUNDS):
        moved = 0.0
        for place in places:
            row, before = products[place], weights[place]
            rest = targets[place] - sum([row[other] * weights[other] for other in places]) + row[place] * before
            weights[place] = max(0.0, rest / row[place])
            moved = max(moved, abs(weights[place] - before))
        if moved < _CLOSE:
            break
    return weights
