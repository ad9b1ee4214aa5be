"""Training of a category from example texts (the only module that imports scikit-learn: ``dowse[train]``).

A linear model (logistic regression, both sides weighing the same) over the terms as :mod:`dowse.judge.category` reads
them. Each round of cross-validation divides the examples anew; every example is scored by models that did not know it.
From these scores come the calibration, the threshold and the figures that are told. All of it depends on nothing but
the examples, in their order, and a seed number.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.bags import Bag
from dowse.judge.category import MAX_TERMS, Category, check_name, made_category
from dowse.judge.measured import Round, measured
from dowse.judge.similarity import text_norm
from dowse.judge.terms import weights
from dowse.model.errors import UserError

__all__ = ["FEWEST", "Trained", "check_installed", "train"]

FEWEST = 8
"""Examples a side without which nothing can be said."""

_ENOUGH = 30  # from so many a side on the figures need no warning
_MOST_COLUMNS = 100_000
_LONGEST_TERM = 60  # what is longer is no word of anybody's
_C = 100.0  # the less, the smaller the weights: chosen with the scales, see docs/categories.md
_EMBEDDING_SCALE = 1.0
_RIDGE, _FLATTEST, _NARROWEST = 1e-6, 0.05, 1e-3  # of Platt's scaling
_NEGLIGIBLE = 0.01  # of the scores' standard deviation: all that is left out moves no page by more


@dataclass(frozen=True, slots=True)
class Trained:
    """A category, and what its maker should know about the examples."""

    category: Category
    notes: tuple[str, ...]


def check_installed() -> None:
    """UserError when scikit-learn is missing."""
    if find_spec("sklearn") is None:  # not imported yet: that takes a while
        raise UserError("training needs scikit-learn: install it with: pip install 'dowse[train]'")


def train(
    name: str,
    positive: Sequence[Bag],
    negative: Sequence[Bag],
    *,
    language: str,
    made_at: str,
    made_by: str,
    seed_number: int = 0,
) -> Trained:
    """A category from examples of what belongs to it and of what does not, read in ``language``; all of them with their
    embedding, or none. UserError when there is too little to learn from."""
    check_installed()
    from threadpoolctl import threadpool_limits  # which comes with scikit-learn

    check_name(name)
    notes: list[str] = []
    sides = _cleaned(positive, negative, notes)
    examples = _Examples(sides, seed_number)
    with threadpool_limits(1):  # threads would only wait for each other here
        scores, rounds = _cross_validated(examples)
        model = examples.fit(np.arange(len(examples.truth)))
    slope, offset = _platt(scores, examples.truth)
    figures = measured(examples.truth, rounds, examples.folds)
    category = made_category(
        examples.vocabulary(model, _NEGLIGIBLE * float(scores.std())),
        embedding=None if model.embedding is None else _rounded(model.embedding),
        name=name, language=language, bias=model.bias, slope=slope, offset=offset,
        threshold=_threshold(_likelihood(scores, slope, offset), examples.truth),
        positive=len(sides[0]), negative=len(sides[1]), measured=figures, made_at=made_at, made_by=made_by,
    )  # fmt: skip
    notes += _doubts(category)
    return Trained(category, tuple(notes))


def _doubts(category: Category) -> list[str]:
    fewest, area = min(category.positive, category.negative), category.measured.auc
    if area.low <= 0.5:
        return ["the two sides can hardly be told apart by their words: look at the examples again, or give more"]
    if fewest < _ENOUGH:
        return [f"with {fewest} examples on a side all figures are uncertain: the true AUC may be {area.low:.2f} as "
                f"well as {area.high:.2f}; {_ENOUGH} or more a side tell better"]  # fmt: skip
    return []


# -- examples ----------------------------------------------------------------------------------------------------------


def _cleaned(positive: Sequence[Bag], negative: Sequence[Bag], notes: list[str]) -> tuple[list[Bag], list[Bag]]:
    """The examples without those that teach nothing: without words, there twice, or on both sides."""
    sides = ([bag for bag in positive if bag.terms], [bag for bag in negative if bag.terms])
    empty = len(positive) + len(negative) - len(sides[0]) - len(sides[1])
    keys = [{bag.key: bag for bag in side} for side in sides]
    both = keys[0].keys() & keys[1].keys()
    kept = tuple([bag for key, bag in side.items() if key not in both] for side in keys)
    again = sum(map(len, sides)) - sum(map(len, keys))
    for count, what in (
        (empty, "without words"), (again, "there more than once"), (len(both), "on both sides"),
    ):  # fmt: skip
        if count:
            notes.append(f"left out: {count} {'example' if count == 1 else 'examples'} {what}")
    for side, bags in zip(("positive", "negative"), kept, strict=True):
        if len(bags) < FEWEST:
            why = f" ({'; '.join(notes)})" if notes else ""
            plural = "" if len(bags) == 1 else "s"
            raise UserError(
                f"{len(bags)} {side} example{plural}: a category needs at least {FEWEST} different texts a side{why}"
            )
    return kept[0], kept[1]


@dataclass(frozen=True, slots=True)
class _Model:
    """A fitted model: weights of the scaled columns, a scale of 0 for those it does not know."""

    scales: NDArray[np.float64]
    weights: NDArray[np.float64]
    embedding: NDArray[np.float64] | None
    bias: float


class _Examples:
    """The examples as a matrix, a row each: the lengths that inference works with, not yet scaled."""

    def __init__(self, sides: tuple[list[Bag], list[Bag]], seed_number: int) -> None:
        from scipy import sparse

        bags = [*sides[0], *sides[1]]
        self.truth = np.repeat([True, False], [len(side) for side in sides])
        self.seed_number = seed_number
        fewest = min(map(len, sides))
        self.folds = min(10 if len(bags) < 400 else 5, fewest)
        self.rounds = 5 if len(bags) < 100 else 3 if len(bags) < 400 else 2
        self._columns = _columns(bags, 2 if fewest >= _ENOUGH else 1)
        numbers = {term: number for number, term in enumerate(self._columns)}
        indices, values, ends = [], [], [0]
        for bag in bags:
            known = [(numbers[term], place) for place, term in enumerate(bag.terms) if term in numbers]
            lengths = weights(bag.counts, "log") / text_norm(bag.counts, "log")
            indices += [number for number, _ in known]
            values.append(lengths[[place for _, place in known]])
            ends.append(len(indices))
        shape = (len(bags), len(self._columns))
        self._matrix: Any = sparse.csr_matrix((np.concatenate(values), indices, ends), shape)
        embedded = [bag.embedding for bag in bags if bag.embedding is not None]
        self._embeddings = np.array(embedded) if len(embedded) == len(bags) else None

    def _scaled(self, rows: NDArray[np.intp], scales: NDArray[np.float64]) -> Any:
        from scipy import sparse

        terms = self._matrix[rows] @ sparse.diags(scales)
        if self._embeddings is None:
            return terms
        return sparse.hstack([terms, sparse.csr_matrix(_EMBEDDING_SCALE * self._embeddings[rows])]).tocsr()

    def fit(self, rows: NDArray[np.intp]) -> _Model:
        """A model of some of the examples."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        scales = _scales(self._matrix[rows], self.truth[rows])
        regression = LogisticRegression(C=_C, class_weight="balanced", max_iter=1_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # what is near enough after so many steps will do
            regression.fit(self._scaled(rows, scales), self.truth[rows])
        found, size = regression.coef_[0], len(self._columns)
        embedding = None if self._embeddings is None else _EMBEDDING_SCALE * found[size:]
        return _Model(scales, found[:size], embedding, float(regression.intercept_[0]))

    def scores(self, model: _Model, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """What a model says of some of the examples."""
        values = self._matrix[rows] @ (model.scales * model.weights) + model.bias
        if model.embedding is not None and self._embeddings is not None:
            values = values + self._embeddings[rows] @ model.embedding
        return np.asarray(values, np.float64)

    def vocabulary(self, model: _Model, negligible: float) -> list[tuple[str, float, float]]:
        """(term, scale, weight) of what matters. A page's lengths have squares that add up to 1 at most, so leaving out
        weights moves no score by more than their own length."""
        strength = np.abs(model.scales * model.weights)
        order = np.argsort(strength, kind="stable")
        out = int(np.searchsorted(np.sqrt(np.cumsum(strength[order] ** 2)), negligible, side="right"))
        kept = order[max(out, len(order) - MAX_TERMS) :]
        return [
            (self._columns[place], scale, weight)
            for place, scale, weight in zip(
                kept.tolist(), _rounded(model.scales[kept]), _rounded(model.weights[kept]), strict=True
            )
        ]


def _rounded(values: NDArray[np.float64]) -> list[float]:
    """To as many digits as the file has, so that it holds the very category that was made."""
    return [float(f"{value:.6g}") for value in values.tolist()]


def _columns(bags: Sequence[Bag], least: int) -> list[str]:
    """The terms that are in so many examples at least; the most frequent ones when there are very many."""
    frequency: dict[str, int] = {}
    for bag in bags:
        for term in bag.terms:
            if len(term) <= _LONGEST_TERM:
                frequency[term] = frequency.get(term, 0) + 1
    known = [term for term, count in frequency.items() if count >= least]
    return sorted(known, key=lambda term: (-frequency[term], term))[:_MOST_COLUMNS]


def _scales(matrix: Any, truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How telling each term is before a model is fitted: the geometric mean of its idf and of the naive Bayes log
    ratio of how often it is met on each side (Wang and Manning, Baselines and bigrams, 2012), and a little for all. The
    rare terms that name a subject have the first, the common ones that tell a kind of page the second."""
    inside, outside = (np.asarray((matrix[side] > 0).sum(axis=0)).ravel() for side in (truth, ~truth))
    share = (inside + 1) / (np.count_nonzero(truth) + 2)
    ratio = np.abs(np.log(share * (np.count_nonzero(~truth) + 2) / (outside + 1)))
    idf = 1 + np.log((len(truth) + 1) / (inside + outside + 1))
    return np.where(inside + outside > 0, np.sqrt(ratio * idf) + 0.1, 0.0)


# -- cross-validation --------------------------------------------------------------------------------------------------


def _cross_validated(examples: _Examples) -> tuple[NDArray[np.float64], list[Round]]:
    """The mean score of each example by models that did not know it; and round by round who would have been chosen,
    with a calibration and a threshold from the other folds alone."""
    from sklearn.model_selection import StratifiedKFold

    truth, total, rounds = examples.truth, np.zeros(len(examples.truth)), []
    for number in range(examples.rounds):
        division = StratifiedKFold(examples.folds, shuffle=True, random_state=examples.seed_number + number)
        scores, fold_of = np.zeros(len(truth)), np.zeros(len(truth), np.intp)
        for fold, (known, unknown) in enumerate(division.split(truth, truth)):
            scores[unknown] = examples.scores(examples.fit(known), unknown)
            fold_of[unknown] = fold
        chosen = np.zeros(len(truth), np.bool_)
        for fold in range(examples.folds):
            inside = fold_of == fold
            slope, offset = _platt(scores[~inside], truth[~inside])
            cut = _threshold(_likelihood(scores[~inside], slope, offset), truth[~inside])
            chosen[inside] = _likelihood(scores[inside], slope, offset) >= cut
        rounds.append(Round(chosen, scores, fold_of))
        total += scores
    return total / examples.rounds, rounds


def _likelihood(scores: NDArray[np.float64], slope: float, offset: float) -> NDArray[np.float64]:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(slope * scores + offset, -50.0, 50.0))))


def _platt(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset of Platt's scaling: a logistic curve through targets that keep a little away from 0 and 1, the
    more the fewer examples there are. Platt, Probabilistic outputs for support vector machines (1999)."""
    positive = int(np.count_nonzero(truth))
    negative = len(truth) - positive
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    middle, width = float(scores.mean()), max(float(scores.std()), _NARROWEST)
    values = (scores - middle) / width
    slope, offset = 0.0, math.log(target.mean() / (1 - target.mean()))
    for _ in range(100):  # Newton's steps: a few will do
        likely = _likelihood(values, slope, offset)
        error, spread = target - likely, likely * (1 - likely)
        gradient = np.array([error @ values - _RIDGE * slope, error.sum()])
        curve = np.array(
            [[spread @ (values * values) + _RIDGE, spread @ values], [spread @ values, spread.sum() + _RIDGE]]
        )
        step = np.clip(np.linalg.solve(curve, gradient), -2.0, 2.0)  # far steps go astray
        slope, offset = slope + float(step[0]), offset + float(step[1])
        if np.abs(step).max() < 1e-10:
            break
    slope = max(slope, _FLATTEST) / width  # falling, it would say that the model is wrong on purpose
    return slope, offset - slope * middle


def _threshold(likely: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The probability with the best F1, midway to the next one below."""
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum(truth[order])
    f1 = 2 * hits / (np.count_nonzero(truth) + np.arange(1, len(truth) + 1))
    ranked = likely[order]
    f1[:-1][ranked[:-1] == ranked[1:]] = 0.0  # no cut goes between equals
    best = int(np.argmax(f1))
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best] / 2
    return float(ranked[best] + below) / 2
