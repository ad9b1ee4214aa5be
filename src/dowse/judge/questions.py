"""Which pages to ask somebody about, so that the judge learns most from few answers, and what can be said of the
verdicts from them.

There are several kinds of questions. Until there is a page on the topic, it is the one with the best chance by its
words (wherever it is from: otherwise a site would be asked about again and again). From then on pages are drawn, the
likely ones most often: those that are on the topic are then of all its parts, as examples by lot would be, and those
that are off it are the ones that the judge mistakes; always the best would be much the same page again and again. The
most uncertain one moves the line between on and off. Where the best are off the topic, the judge has nothing to go by:
then a page that stands for many others, and is like none that was answered, may find the topic. All of these are
chosen, so they say nothing about all pages; every fourth is drawn by lot among them all, and those do.

Lots are drawn within strata, pages of about the same chance, from where they tell most: a stratum counts by its pages
times how much they may differ (Neyman, On the two different aspects of the representative method, 1934), and less with
each page that was drawn from it. Precision and recall follow from the share of pages on the topic in each stratum,
times its size. Before any answer that share is about what the chances say, worth as much as two answers; but all
chances may be off in the same direction, and say more than the model knows: their log odds are taken times a slope
between 0 and 1, and plus an offset (as in Platt's scaling, Probabilistic outputs for support vector machines, 1999), of
which no more is known before somebody answers. Shares are drawn often, and count by how likely they make the answers;
of the precision and recall that follow, the interval holds nine in ten.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.judge.learned.learned_judge import Chance
from dowse.judge.learned.texts import Floats

__all__ = ["Expected", "Kind", "Pages", "answered", "expected", "next_question"]

_EDGES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95)  # of strata, besides whether a page is called relevant
_STRATA = 2 * (len(_EDGES) + 1)
_WORTH = 2.0  # what the chances say of a stratum counts as much as so many answers
_DRAWS = 4_000
_OFF = 1.5  # by how much the chances of all pages may be off at once, in log odds (a standard deviation)
_SURE = 1e-4  # a chance this near to 0 or 1 is taken for no nearer
_EVERY_BY_LOT = 4
_IN_VAIN, _MANY_NO = 3, 4  # so many no, or more times as many as yes, and other pages are asked about
_NEVER = 1e-12  # a weight to divide by
_BOUNDS = (5.0, 95.0)  # of the interval, in hundredths


class Kind(StrEnum):
    """Why a page is asked about."""

    TOP = "top"  # the best of all
    LIKELY = "likely"  # drawn, the likely ones most often
    UNCERTAIN = "uncertain"
    RANDOM = "random"
    NEW = "new"  # many pages are like it, and none that was answered
    FOUND = "found"  # somebody looked for it


def next_kind(yes: int, no: int) -> Kind:
    """Of the next question, after so many answers: in turn an uncertain page, two likely ones, and one drawn by lot.
    While there is no yes, the best; after some in vain those that are like none that was answered, which come now and
    then as long as a yes is rare.

    >>> [next_kind(*answers).value for answers in ((0, 0), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (1, 7))]
    ['top', 'random', 'new', 'random', 'uncertain', 'likely', 'new']
    """
    place = (yes + no) % _EVERY_BY_LOT
    if place == _EVERY_BY_LOT - 1:
        return Kind.RANDOM
    if no >= _IN_VAIN and (not yes or (place == 0 and no > _MANY_NO * yes)):
        return Kind.NEW
    if not yes:
        return Kind.TOP
    return Kind.UNCERTAIN if place == 0 else Kind.LIKELY


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a crawl as they are judged now: by their numbers, with their chances."""

    ids: NDArray[np.int64]
    chances: Floats
    relevant: NDArray[np.bool_]
    threshold: float

    def strata(self) -> NDArray[np.intp]:
        return _strata(self.chances, self.relevant)


def answered(pages: Pages, answers: Mapping[int, bool]) -> Pages:
    """The pages where an answer is the verdict of its page."""
    relevant = pages.relevant.copy()
    for place in np.flatnonzero(np.isin(pages.ids, np.fromiter(answers, np.int64, len(answers)))).tolist():
        relevant[place] = answers[int(pages.ids[place])]
    return replace(pages, relevant=relevant)


def _strata(chances: Floats, relevant: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.searchsorted(_EDGES, chances, "right") + relevant * (len(_EDGES) + 1)


def next_question(
    pages: Pages,
    by_words: Floats,
    alike: Floats,
    speaks_for: Floats,
    done: Collection[int],
    drawn: Collection[int],
    kind: Kind,
) -> tuple[int, Kind] | None:
    """The place of the page to ask about next, and why this one; None when all are ``done``. Those that were ``drawn``
    by lot are among these. Pages are ``alike`` to the most similar one that was answered, and each ``speaks_for`` some
    others."""
    left = np.flatnonzero(~np.isin(pages.ids, np.fromiter(done, np.int64, len(done))))
    if not len(left):
        return None
    chances, new = pages.chances[left], np.maximum(1 - alike[left], 0.0)
    if kind is Kind.TOP:
        return int(left[np.argmax(by_words[left] * new)]), kind
    if kind is Kind.LIKELY:
        return int(left[np.argmax(_draws(pages.ids[left]) / np.maximum(by_words[left] * new, _NEVER))]), kind
    if kind is Kind.NEW:
        return int(left[np.argmax(speaks_for[left])]), kind
    if kind is Kind.UNCERTAIN:
        return int(left[np.argmax((1 - np.abs(chances - pages.threshold)) * new)]), kind
    return _by_lot(pages, left, drawn), kind


def _by_lot(pages: Pages, left: NDArray[np.intp], drawn: Collection[int]) -> int:
    strata = pages.strata()
    before = np.bincount(strata[np.isin(pages.ids, np.fromiter(drawn, np.int64, len(drawn)))], minlength=_STRATA)
    of_left = strata[left]
    sizes = np.bincount(of_left, minlength=_STRATA)
    shares = np.bincount(of_left, pages.chances[left], _STRATA) / np.maximum(sizes, 1)
    gain = sizes * np.sqrt(shares * (1 - shares)) / (before + 1)
    chosen = left[of_left == int(np.argmax(np.where(sizes > 0, gain + 1e-12, -1.0)))]
    return int(min(chosen.tolist(), key=lambda place: _lot(int(pages.ids[place]))))


def _lot(page: int) -> int:
    return xxhash.xxh3_64_intdigest(f"question {page}".encode())


def _draws(ids: NDArray[np.int64]) -> Floats:
    """The logarithm of a number between 0 and 1 for each page, by lot. The page where it is greatest, divided by a
    weight, is as often each as its weight says (Efraimidis and Spirakis, Weighted random sampling with a reservoir,
    2006)."""
    lots = [xxhash.xxh3_64_intdigest(f"likely {page}".encode()) for page in ids.tolist()]
    return np.log((np.array(lots, np.float64) + 1) / 2.0**64)


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of the verdicts: the value, and the bounds of its interval."""

    precision: tuple[float, float, float]
    recall: tuple[float, float, float]


def expected(
    pages: Pages, answers: Mapping[int, bool], drawn: Collection[int], unknowing: Mapping[int, Chance]
) -> Expected:
    """What answers say of the verdicts of all pages. Those about pages that were ``drawn`` by lot speak for others:
    each for the stratum where it would be if its answer were not known, which the chances of ``unknowing`` judges
    tell."""
    known = np.isin(pages.ids, np.fromiter(answers, np.int64, len(answers)))
    strata, own = pages.strata()[~known], pages.chances[~known]
    sizes = np.bincount(strata, minlength=_STRATA)
    said = np.bincount(strata, own, _STRATA) / np.maximum(sizes, 1)
    heard = [(unknowing[page], answers[page]) for page in drawn if page in answers and page in unknowing]
    at = _strata(np.array([one.chance for one, _ in heard]), np.array([one.relevant for one, _ in heard], np.bool_))
    truth = np.array([answer for _, answer in heard], np.bool_)
    yes, no = np.bincount(at[truth], minlength=_STRATA), np.bincount(at[~truth], minlength=_STRATA)
    dice = np.random.default_rng(len(answers))
    shares = _drawn_shares(np.clip(said, _SURE, 1 - _SURE), yes, no, dice)
    truly = np.array([answers[page] for page in pages.ids[known].tolist()], np.bool_)
    called = pages.relevant[known]
    counted = _Known(int(np.count_nonzero(truly & called)), int(np.count_nonzero(called)), int(np.count_nonzero(truly)))
    on = dice.binomial(sizes, shares)  # so many pages of each stratum: of a few, all may be
    return Expected(*(_figure(values) for values in _of_pages(on, sizes, counted)))


def _drawn_shares(said: Floats, yes: NDArray[np.intp], no: NDArray[np.intp], dice: np.random.Generator) -> Floats:
    """What share of each stratum may be on the topic, many times over, a row a time. Before any answer it is about what
    the chances say, all of them as much too sure, and off by as much in the same direction; draws are then kept as
    often as they make the answers likely."""
    slope, off = dice.random((_DRAWS, 1)), dice.normal(0.0, _OFF, (_DRAWS, 1))
    meant = 1 / (1 + np.exp(-(slope * np.log(said / (1 - said)) + off)))
    shares = np.clip(dice.beta(_WORTH * meant, _WORTH * (1 - meant)), _SURE, 1 - _SURE)
    likely = (np.log(shares) * yes + np.log(1 - shares) * no).sum(axis=1)
    weights = np.exp(likely - likely.max())
    return shares[dice.choice(_DRAWS, _DRAWS, p=weights / weights.sum())]


class _Known(NamedTuple):
    """How many of the answered pages are on the topic and called relevant, called relevant, and on the topic."""

    hits: int
    called: int
    on: int


def _of_pages(on: NDArray[np.intp], sizes: NDArray[np.intp], known: _Known) -> tuple[Floats, Floats]:
    """Precision and recall, given how many pages of each stratum are on the topic; a row for each of many cases."""
    called = np.arange(_STRATA) > len(_EDGES)
    right = known.hits + on[:, called].sum(axis=1)
    return right / max(known.called + sizes[called].sum(), 1e-9), right / np.maximum(known.on + on.sum(axis=1), 1e-9)


def _figure(drawn: Floats) -> tuple[float, float, float]:
    low, value, high = np.percentile(drawn, (_BOUNDS[0], 50.0, _BOUNDS[1])).tolist()
    return value, low, high
