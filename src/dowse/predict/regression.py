"""Weights learned from pages: least squares, drawn towards what was believed before, and none below 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.revive import revived

__all__ = ["Regression"]

Floats = NDArray[np.float64]
_ROUNDS = 100  # as many as there are weights do nearly always
_ROUNDING = 1e-12
_HARDLY = 1e-4  # a mean square; evidence is of the size of 1


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
        self._others = (np.zeros((size, size)), np.zeros(size), 0.0)
        self.weights: Floats = self._prior.copy()

    def learn(self, features: Floats, value: float) -> None:
        self._products += features[:, None] * features
        self._targets += features * value
        self.examples += 1

    def begin(self, products: Floats, targets: Floats, examples: float) -> None:
        """Start from the sums of an earlier regression over the same features."""
        self._products += products
        self._targets += targets
        self.examples += round(examples)
        self.fit()

    def sums(self) -> tuple[Floats, Floats, float]:
        """What :meth:`begin` of another takes. What :meth:`beside` told is not in it."""
        return self._products.copy(), self._targets.copy(), float(self.examples)

    def beside(self, products: Floats, targets: Floats, examples: float) -> None:
        """The sums over examples that others have, in place of what was told of them before: a fit goes by ours and
        these, and :meth:`sums` and :meth:`state` are without them."""
        self._others = (products, targets, examples)

    @property
    def known(self) -> float:
        """How many examples a fit goes by."""
        return self.examples + self._others[2]

    def fit(self) -> None:
        """Set the weights to what the examples and the prior say."""
        products, targets = self._products + self._others[0], self._targets + self._others[1]
        squares = np.diag(products) / max(self.known, 1)
        # A feature that was never seen keeps its prior weight; a multiple of the identity alone would depend on scales.
        # One that was hardly more than 0 must not be given the weight that would make something of it.
        pull = self._trust * np.maximum(squares, _HARDLY)
        self.weights = _not_negative(products + np.diag(pull), targets + pull * self._prior)

    def state(self) -> dict[str, Any]:
        return {
            "products": self._products.tolist(), "targets": self._targets.tolist(), "examples": self.examples,
            "weights": self.weights.tolist(),
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        """ValueError when it is not the state of a regression over as many features."""
        found = [np.array(state[name], np.float64) for name in ("products", "targets", "weights")]
        before = (self._products, self._targets, self.weights)
        if any(new.shape != old.shape or not np.isfinite(new).all() for new, old in zip(found, before, strict=True)):
            raise ValueError("what was learned is no regression of these features")
        self.examples = revived(type(self.examples), state["examples"])
        self._products, self._targets, self.weights = found


def _not_negative(products: Floats, targets: Floats) -> Floats:
    """The ``w >= 0`` with the least ``w P w / 2 - t w``, ``P`` positive definite.

    Lawson and Hanson, Solving Least Squares Problems (1974), algorithm NNLS: weights are let go one at a time, the one
    that helps most first; where one of those would fall below 0, it is held at 0 again.
    """
    scale = np.sqrt(np.diag(products))
    products, targets = products / np.outer(scale, scale), targets / scale
    weights = np.zeros(len(targets))
    free = np.zeros(len(targets), np.bool_)
    least = _ROUNDING * float(np.abs(targets).max(initial=0.0))
    for _ in range(_ROUNDS):
        helps = np.where(free, -np.inf, targets - products @ weights)
        if not helps.max(initial=-np.inf) > least:
            break
        free[helps.argmax()] = True
        while True:
            best = np.zeros(len(targets))
            best[free] = np.linalg.solve(products[np.ix_(free, free)], targets[free])
            below = free & (best <= 0)
            if not below.any():
                weights = best
                break
            weights += (weights[below] / (weights[below] - best[below])).min() * (best - weights)
            free &= weights > _ROUNDING
            weights[~free] = 0.0
    return weights / scale
