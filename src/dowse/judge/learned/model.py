"""What the learned judge knows at a moment, and how it comes to know it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.regression import Line, fit_line, held_out
from dowse.judge.learned.scale import Scale, off_topic, place
from dowse.judge.learned.texts import Floats, Text, Vectors

__all__ = ["Known", "Model", "learned"]

_CLASS = 500.0  # how important the positives are in sum, and the others: against the length of the weights, squared
_COUNTER = 3.0  # a counter-example is as important as so many pages of the background
_TRAINED_ON = 400  # pages of the background
_MOST_HELD_OUT = 8
_FIRST, _LEAST_FIRST, _MOST_FIRST = 0.025, 3, 25  # of the pages, those the query finds first: its first positives
_AWAY = 0.5  # of the way to the positives, from where on a page of the background seems to be one
_MOSTLY = 0.6
_AFTER = 0.7  # of the way to the first positives a page must come to be among the second
_MOST_SECOND = 100
_FEW, _FEW_POWER = 0.15, 1.2
_BY_QUERY = 0.5  # where the line lies, when all that is known is a query


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known when a model is made."""

    positive: Sequence[Text]  # the examples
    negative: Sequence[Text]  # counter-examples
    background: Sequence[Text]  # a sample of the pages, as by lot
    near: Sequence[Text]  # pages that have the query's words, the nearest first
    of_near: Floats  # how near they are
    having: float  # the share of the background that has the rarest of the query's words
    order: NDArray[np.int32]  # of all terms, whenever they were met


@dataclass(frozen=True, slots=True)
class Model:
    """The chance of a page to be on the topic."""

    rarity: Floats
    line: Line
    scale: Scale

    def chances(self, texts: Sequence[Text]) -> Floats:
        return self.scale.chances(self.line.of(Vectors(texts, self.rarity)))

    def chance(self, text: Text) -> float:
        value = text.dot(self.rarity, self.line.weights) + self.line.bias
        return float(self.scale.chances(np.array([value]))[0])


def learned(known: Known) -> Generator[None, None, Model | None]:
    """Make a model, in pieces of some ten milliseconds; None when there is nothing to learn from.

    Positives against the background, both as important in sum: the line then orders pages as one that was told true
    negatives would, as long as few of the background are on the topic. A page that seems to be counts for less the
    second time (METHODS, section 7).
    """
    if not known.background:
        return None
    size = len(known.order) + 1
    rarity = _rarity([*known.background, *known.positive], size)
    off = Vectors(known.background, rarity)
    if known.positive:
        some = known.background[:_TRAINED_ON]
        line, values = yield from _two_rounds(known.positive, known.negative, some, rarity, known.order)
        return Model(rarity, line, place(_of_few(values, line, known.positive, rarity, off), line.of(off)))
    if known.having > _MOSTLY:  # no word tells pages apart: there is nothing to set the first against
        return None
    order = np.argsort(-known.of_near, kind="stable")
    wanted = int(min(max(_FIRST * len(known.background), _LEAST_FIRST), _MOST_FIRST))
    first = [known.near[place] for place in order[:wanted].tolist()]
    some = _without(known.background[:_TRAINED_ON], first)
    if len(first) < _LEAST_FIRST or not some:
        return None
    line, values = yield from _two_rounds(first, known.negative, some, rarity, known.order)
    # pages that have the query's words and are like the first: each by a line that did not know it
    of_near = line.of(Vectors(known.near, rarity))
    of_near[order[: len(values)]] = values
    scale = place(values, line.of(off), _AFTER)
    chances = scale.chances(of_near)
    chosen = [place for place in np.argsort(-chances, kind="stable").tolist() if chances[place] > 0.5][:_MOST_SECOND]
    if len(chosen) >= _LEAST_FIRST:
        second = [known.near[place] for place in chosen]
        yield
        others = _without(some, second)
        texts, numbers = Vectors([*second, *known.negative, *others], rarity).compact(known.order)
        positive = np.arange(texts.count) < len(second)
        off_chances = scale.chances(line.of(Vectors(others, rarity)))
        own = np.concatenate((chances[chosen], np.full(len(known.negative), _COUNTER), 1 - off_chances))
        line = _widened(fit_line(texts, positive, _balanced(positive, own), len(numbers)), numbers, size)
        values = line.of(Vectors(second, rarity))
    return Model(rarity, line, place(values, line.of(off), _BY_QUERY))


def _two_rounds(
    on: Sequence[Text], counter: Sequence[Text], some: Sequence[Text], rarity: Floats, order: NDArray[np.int32]
) -> Generator[None, None, tuple[Line, Floats]]:
    """The line between positives and background, and the values of (some of) the positives, each by a line that did
    not know it."""
    texts, numbers = Vectors([*on, *counter, *some], rarity).compact(order)
    positive = np.arange(texts.count) < len(on)
    own = np.ones(texts.count)
    own[len(on) : len(on) + len(counter)] = _COUNTER
    line = fit_line(texts, positive, _balanced(positive, own), len(numbers))
    yield
    which = np.linspace(0, len(on) - 1, min(len(on), _MOST_HELD_OUT)).astype(np.int64).tolist()
    of_background = slice(len(on) + len(counter), None)
    importance = _balanced(positive, own)
    values = line.of(texts)[of_background]
    found = yield from held_out(texts, positive, importance, line, which)
    own[of_background] = 1 - place(found, values, _AWAY).chances(values)
    importance = _balanced(positive, own)
    line = fit_line(texts, positive, importance, len(numbers), line)
    yield
    found = yield from held_out(texts, positive, importance, line, which)
    return _widened(line, numbers, len(rarity)), found


def _widened(line: Line, numbers: NDArray[np.int32], size: int) -> Line:
    weights = np.zeros(size)
    weights[numbers] = line.weights
    return Line(weights, line.bias)


def _of_few(values: Floats, line: Line, positive: Sequence[Text], rarity: Floats, off: Vectors) -> Floats:
    """Held-out values of so few positives that one left out leaves hardly anything to go by: drawn to a part of the way
    to what the line says of them when it knows them."""
    known, usual = float(line.of(Vectors(positive, rarity)).mean()), off_topic(line.of(off), float(values.mean()))
    rest = len(positive) ** -_FEW_POWER
    return np.asarray((1 - rest) * values + rest * (usual + _FEW * (known - usual)))


def _balanced(positive: NDArray[np.bool_], own: Floats) -> Floats:
    sums = np.where(positive, own[positive].sum(), own[~positive].sum())
    return np.asarray(_CLASS * own / np.maximum(sums, 1e-9))


def _rarity(texts: Sequence[Text], size: int) -> Floats:
    """The root of ``1 + log((n + 1) / (pages with the term + 1))``: the root, since with few examples a rare word that
    one of them has says less than its rarity would have it."""
    found = np.zeros(size)
    for text in texts:
        found[text.terms] += 1
    return np.asarray(np.sqrt(1 + np.log((len(texts) + 1) / (found + 1))))


def _without(texts: Sequence[Text], others: Sequence[Text]) -> list[Text]:
    gone = {id(text) for text in others}
    return [text for text in texts if id(text) not in gone]
