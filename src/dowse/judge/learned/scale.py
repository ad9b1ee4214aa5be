"""From a line's values to chances: where the line between on and off the topic lies, and how sharp it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.regression import sigmoid
from dowse.judge.learned.texts import Floats

__all__ = ["Scale", "off_topic", "place", "told_apart"]

_SPREAD, _KNOWN = 0.3, 4.0  # of held-out values, relative to how far they lie off: before any, worth so many
_LEAST_FAR = 0.3
_MORE = 4.0  # pages beyond any line, so that a few at the top do not decide how many are on the topic
_DIVIDES, _LEAST_RECALL = 0.6, 1e-6  # recall from which on it is divided by, where there is so much
_OF_CUT = 0.45
_WIDTH = 0.6  # the unit, relative to how far positives spread; one would be as wide as they are with 0.55
_NARROWEST = 0.06  # relative to how far they lie off
_STEPS = 160
_LOWEST = 0.1
_MOVE, _FARTHEST = 0.25, 4.0  # of the way from off to on, by which answers may well move the middle; and how often
_STEEPNESS = 5.0  # the usual page off the topic has the chance 1/150


@dataclass(frozen=True, slots=True)
class Scale:
    """``chance = 1 / (1 + exp(-(value - middle) / unit))``."""

    middle: float
    unit: float

    def chances(self, values: Floats, more: Floats | float = 0.0) -> Floats:
        """``more``: what else adds to the log odds."""
        return np.asarray(sigmoid((values - self.middle) / self.unit + more))


def off_topic(values: Floats, positive: float, importance: Floats) -> float:
    """What a page off the topic usually has: the median of those nearer to the lowest than to the positives. That of
    all would be a page on the topic, where most are."""
    low = _quantile(values, importance, _LOWEST)
    off = values < (low + positive) / 2
    return _quantile(values[off], importance[off], 0.5) if off.any() else low


def _quantile(values: Floats, importance: Floats, share: float) -> float:
    """The lowest value such that those up to it are this share of them all, by importance."""
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(importance[order])
    return float(values[order][min(int(np.searchsorted(upto, share * upto[-1])), len(values) - 1)])


def place(
    held_out: Floats, background: Floats, share: float | None = None, importance: Floats | None = None
) -> Scale:  # fmt: skip
    """The scale for values of which some belong to positives, each by a line that did not know it, and others to pages
    of which nothing is known. ``share`` puts the middle at a fixed part of the way from the background to the
    positives. ``importance`` is that of each page of the background, 1 where it is not given.

    Without it the middle is where F1 should be greatest. Recall at a line is what the positives say. How many pages of
    the background are on the topic is at most those above any line, divided by the recall there; the least of these is
    taken (Blanchard, Lee and Scott, Semi-supervised novelty detection, 2010), where recall is high enough to divide by.
    The middle is then drawn to the mean of the positives, since few of them are known. Chances rise over as much as
    positives spread.
    """
    mean = float(held_out.mean())
    counts = np.ones(len(background)) if importance is None else importance * len(background) / importance.sum()
    usual = off_topic(background, mean, counts)
    far = max(mean - usual, _LEAST_FAR)
    if share is not None:
        return Scale(usual + share * far, far / _STEEPNESS)
    off = float(((held_out - mean) ** 2).sum())
    spread = math.sqrt((_KNOWN * (_SPREAD * far) ** 2 + off) / (_KNOWN + len(held_out)))
    cuts = np.linspace(usual, max(float(background.max()), mean + 2 * spread), _STEPS)
    recall = np.array([math.erfc((cut - mean) / spread / math.sqrt(2)) / 2 for cut in cuts.tolist()])
    order = np.argsort(background, kind="stable")
    below = np.concatenate((np.zeros(1), np.cumsum(counts[order])))
    above = len(background) - below[np.searchsorted(background[order], cuts)]
    high = recall >= min(_DIVIDES, recall[0])
    on = float(((above[high] + _MORE) / np.maximum(recall[high], _LEAST_RECALL)).min())
    best = float(cuts[np.argmax(2 * on * recall / (on + np.maximum(above, on * recall)))])
    return Scale(_OF_CUT * best + (1 - _OF_CUT) * mean, max(_WIDTH * spread, _NARROWEST * far))


def told_apart(scale: Scale, values: Floats, answers: NDArray[np.bool_]) -> Scale:
    """The scale, moved to where the pages that somebody was asked about say it should be, each by its value on a line
    that did not know the answer. Whatever made us ask, the scale says how likely an answer is, given the value: so the
    middle is the most likely one of all, given how likely each was before (a bell around where it was)."""
    if not len(values):
        return scale
    moved = np.linspace(-_FARTHEST, _FARTHEST, _STEPS + 1)
    middles = scale.middle + _MOVE * scale.unit * _STEEPNESS * moved
    odds = (values[None, :] - middles[:, None]) / scale.unit
    likely = -np.logaddexp(0.0, np.where(answers[None, :], -odds, odds)).sum(axis=1) - moved**2 / 2
    return Scale(float(middles[np.argmax(likely)]), scale.unit)
