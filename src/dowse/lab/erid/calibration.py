"""A threshold from labelled pages, and the table of tables 3 and 4 (Gatial and Balogh, section 4.1).

What is said of the threshold is said of pages that it was not made from: each page is accepted or refused by a
threshold that was found on the others (stratified folds, dealt out by the pages' URLs).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.judge.measured import Measured, Round, measured
from dowse.lab.wording import counted
from dowse.model.errors import UserError

__all__ = ["Calibrated", "Outcomes", "best_threshold", "calibrated", "outcome_lines", "outcomes"]

_FOLDS = 10
_FEWEST = 2  # of either side
_ALL = "it accepts every page: these keywords do not tell the two sides apart (are the labels the right way round?)"
_ALL_ASKED = "it accepts every page: {:.2f} of them are on the topic, and no more is asked for"
_CHANCE = "pages on the topic score no higher than the others by more than chance would have it"
_SURE = 2.0  # standard deviations
Scores = NDArray[np.float64]
Truth = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Tables 3 and 4: how many pages were accepted and refused, rightly and wrongly."""

    accepted_right: int
    accepted_wrong: int
    refused_right: int
    refused_wrong: int

    @property
    def precision(self) -> float:
        """The share of pages on the topic among those accepted; 0 where none is."""
        return self.accepted_right / max(1, self.accepted_right + self.accepted_wrong)

    @property
    def recall(self) -> float:
        """The share of pages accepted among those on the topic; 0 where none is."""
        return self.accepted_right / max(1, self.accepted_right + self.refused_wrong)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A threshold made from all pages, and how thresholds made so did on pages they did not know."""

    threshold: float
    outcomes: Outcomes
    measured: Measured
    reached: bool  # the precision that was wanted, on the pages at hand
    doubts: tuple[str, ...]  # why the threshold may be no good, in words


def outcomes(accepted: Truth, truth: Truth) -> Outcomes:
    """Count what was accepted and refused against what is on the topic."""
    counts = [np.count_nonzero(one & other) for one in (accepted, ~accepted) for other in (truth, ~truth)]
    right, wrong, missed, left = map(int, counts)
    return Outcomes(right, wrong, left, missed)


def outcome_lines(found: Outcomes) -> list[str]:
    """The table as the paper has it."""
    rows = [("", "accepted", "refused"),
            ("correct estimation", f"{found.accepted_right:,}", f"{found.refused_right:,}"),
            ("incorrect estimation", f"{found.accepted_wrong:,}", f"{found.refused_wrong:,}"),
            ("pages in all", f"{found.accepted_right + found.accepted_wrong:,}",
             f"{found.refused_right + found.refused_wrong:,}")]  # fmt: skip
    return [f"{name:22}{one:>10}{other:>10}".rstrip() for name, one, other in rows]


def best_threshold(scores: Scores, truth: Truth, precision: float | None = None) -> tuple[float, bool]:
    """The threshold with the best F1; with a ``precision``, the lowest with that, and whether there is one. It lies
    midway between the last score that it accepts and the next one; at the lowest score there is, where it accepts all.

    >>> best_threshold(np.array([0.0, 0.1, 0.2, 0.4]), np.array([False, True, False, True]))
    (0.05, True)
    >>> best_threshold(np.array([0.0, 0.1, 0.25, 0.75]), np.array([False, True, False, True]), 1.0)
    (0.5, True)
    """
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(truth[order])
    last = np.append(ordered[1:] != ordered[:-1], True).nonzero()[0]  # equal scores are accepted together
    accepted, hits = last + 1, hits[last]
    shares = hits / accepted
    if precision is None:
        place, reached = int(np.argmax(2 * hits / (accepted + np.count_nonzero(truth)))), True
    else:
        enough = np.flatnonzero(shares >= precision)
        reached = bool(len(enough))
        place = int(enough[-1]) if reached else int(np.argmax(shares))
    cuts = ordered[last]
    return float(cuts[place] if place + 1 == len(cuts) else (cuts[place] + cuts[place + 1]) / 2), reached


def calibrated(urls: Sequence[str], scores: Scores, truth: Truth, precision: float | None = None) -> Calibrated:
    """Find the threshold that suits labelled pages. UserError where one side has too few."""
    sides = int(np.count_nonzero(truth)), int(np.count_nonzero(~truth))
    if min(sides) < _FEWEST:
        raise UserError(
            f"{sides[0]} pages are labelled as on the topic and {sides[1]} as off it: at least {_FEWEST} of each are"
            " needed"
        )
    fold_of = _folds(urls, truth, min(_FOLDS, *sides))
    accepted = np.zeros(len(scores), np.bool_)
    for fold in range(int(fold_of.max()) + 1):
        inside = fold_of == fold
        accepted[inside] = scores[inside] >= best_threshold(scores[~inside], truth[~inside], precision)[0]
    threshold, reached = best_threshold(scores, truth, precision)
    of_folds = measured(truth, [Round(accepted, scores, fold_of)], int(fold_of.max()) + 1)
    doubts = tuple(_doubts(scores, truth, threshold, precision, of_folds))
    return Calibrated(threshold, outcomes(accepted, truth), of_folds, reached, doubts)


def _doubts(scores: Scores, truth: Truth, threshold: float, precision: float | None, found: Measured) -> Iterator[str]:
    if not scores.any():
        yield "no keyword occurs on any of these pages, so that no threshold tells them apart"
        return
    accepted = int(np.count_nonzero(scores >= threshold))
    if accepted == len(scores):
        share = np.count_nonzero(truth) / len(truth)
        yield _ALL_ASKED.format(share) if precision is not None and share >= precision else _ALL
    if precision is not None and found.precision.high < precision:
        them = "it" if accepted == 1 else "them"
        value = f"{found.precision.value:.2f}"
        yield f"a precision of {precision:g} rests on {counted(accepted, 'page')}; measured without {them}: {value}"
    elif accepted < len(scores) and _ordered_by_chance(scores, truth):
        yield _CHANCE


def _ordered_by_chance(scores: Scores, truth: Truth) -> bool:
    """Would chance put the two sides in such an order (Mann and Whitney's test, two standard deviations)? Pages with
    the same score share their places, which leaves chance less to differ in."""
    places, inverse, times = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(times)
    ranks = (ends - (times - 1) / 2)[inverse]
    on, off = int(np.count_nonzero(truth)), int(np.count_nonzero(~truth))
    above = float(ranks[truth].sum()) - on * (on + 1) / 2  # pairs in which the page on the topic scores higher
    both = on + off
    spread = on * off / 12 * (both + 1 - float(((times.astype(np.float64) ** 3) - times).sum()) / (both * (both - 1)))
    return len(places) > 1 and above - on * off / 2 < _SURE * spread**0.5


def _folds(urls: Sequence[str], truth: Truth, count: int) -> NDArray[np.intp]:
    """The fold of each page: the pages of either side are dealt out in the order of their URLs' hashes."""
    keys = np.array([xxhash.xxh3_64_intdigest(url.encode()) for url in urls], np.uint64)
    fold_of = np.empty(len(urls), np.intp)
    for side in (truth, ~truth):
        places = side.nonzero()[0]
        fold_of[places[np.argsort(keys[places], kind="stable")]] = np.arange(len(places)) % count
    return fold_of
