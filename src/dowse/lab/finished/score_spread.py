"""How the scores of a crawl lie about its threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.lab.wording import score_told
from dowse.model.judge import LEARNED

__all__ = ["ScoreSpread", "score_spread", "sparks"]

_NEAR, _NEAR_SHARE = 0.1, 0.2  # about the threshold: of chances so much, of other scores this part of the threshold
_CHANCES = frozenset((LEARNED, "predicate"))  # judges whose scores use all of 0 to 1
_SPARKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class ScoreSpread:
    """Pages by score, in bins of equal width from 0 to ``top`` below and above the threshold."""

    edges: NDArray[np.float64]  # one more than bins; the threshold is one of them
    counts: NDArray[np.int64]
    threshold: float
    near: int  # pages within reach of the threshold:
    low: float
    high: float
    judge: str  # whose scores they are

    @property
    def top(self) -> float:
        return float(self.edges[-1])

    @property
    def below(self) -> int:
        """How many bins lie below the threshold."""
        return int(np.searchsorted(self.edges, self.threshold))

    def told(self, score: float) -> str:
        """One of the scores, with as many digits as tell them apart."""
        return score_told(score, self.judge, ".2f" if self.top == 1.0 else ".3f")


def score_spread(scores: NDArray[np.float64], threshold: float, judge: str, bins: int = 20) -> ScoreSpread:
    """The spread of scores in about so many bins. A threshold is an edge between two bins, so that no bin has pages of
    both sides."""
    top = 1.0 if judge in _CHANCES else max(float(scores.max(initial=0.0)), 2 * threshold, 1e-6)
    threshold = min(max(threshold, 0.0), top)
    below = min(max(round(bins * threshold / top), 1), bins - 1)
    edges = np.concatenate((np.linspace(0, threshold, below + 1), np.linspace(threshold, top, bins - below + 1)[1:]))
    # from the threshold on a page is relevant, as a bin has what lies at its lower edge; the last has the top as well
    places = np.clip(np.searchsorted(edges, scores, "right") - 1, 0, bins - 1)
    places = np.where(scores >= threshold, np.maximum(places, below), np.minimum(places, below - 1))
    reach = _NEAR if judge in _CHANCES else _NEAR_SHARE * threshold
    low, high = max(0.0, threshold - reach), min(top, threshold + reach)
    near = int(np.count_nonzero((scores >= low) & (scores <= high)))
    return ScoreSpread(edges, np.bincount(places, minlength=bins), threshold, near, low, high, judge)


def sparks(spread: ScoreSpread) -> str:
    """A line of bars, with a bar across where the threshold is; a dot where no page is.

    >>> sparks(score_spread(np.array([0.1, 0.1, 0.1, 0.1, 0.6, 0.9, 0.9]), 0.5, "learned", 4))
    '█.|▂▄'
    """
    most = max(int(spread.counts.max(initial=0)), 1)
    bars = [_SPARKS[-(-8 * count // most) - 1] if count else "." for count in spread.counts.tolist()]
    return "".join((*bars[: spread.below], "|", *bars[spread.below :]))
