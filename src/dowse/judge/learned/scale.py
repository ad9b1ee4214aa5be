"""From a line's values to chances: where the line between on and off the topic lies, and how sharp it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dowse.judge.learned.regression import sigmoid
from dowse.judge.learned.texts import Floats

__all__ = ["Scale", "off_topic", "place"]

_SPREAD, _KNOWN = 0.3, 4.0  # of held-out values, relative to how far they lie off: before any, worth so many
_LEAST_FAR = 0.3
_MORE = 4.0  # pages beyond any line, so that a few at the top do not decide
_OF_CUT = 0.7
_STEPS = 160
_LOWEST = 0.1
_STEEPNESS = 5.0  # the usual page off the topic has the chance 1/150


@dataclass(frozen=True, slots=True)
class Scale:
    """``chance = 1 / (1 + exp(-(value - middle) / unit))``."""

    middle: float
    unit: float

    def chances(self, values: Floats) -> Floats:
        return np.asarray(sigmoid((values - self.middle) / self.unit))


def off_topic(values: Floats, positive: float) -> float:
    """What a page off the topic usually has: the median of those nearer to the lowest than to the positives. That of
    all would be a page on the topic, where most are."""
    low = float(np.quantile(values, _LOWEST))
    off = values[values < (low + positive) / 2]
    return float(np.median(off)) if len(off) else low


def place(held_out: Floats, background: Floats, share: float | None = None) -> Scale:
    """The scale for values of which some belong to positives, each by a line that did not know it, and others to pages
    of which nothing is known. ``share`` puts the middle at a fixed part of the way from the background to the
    positives.

    Without it the middle is where ``recall^2 / share of all pages`` is greatest (Lee and Liu, Learning with positive
    and unlabeled examples using weighted logistic regression, 2003), which needs no knowledge of how many pages are on
    the topic, and orders lines as precision times recall does; it is then drawn to the mean of the positives, since few
    of them are known.
    """
    mean = float(held_out.mean())
    usual = off_topic(background, mean)
    far = max(mean - usual, _LEAST_FAR)
    if share is not None:
        return Scale(usual + share * far, far / _STEEPNESS)
    off = float(((held_out - mean) ** 2).sum())
    spread = math.sqrt((_KNOWN * (_SPREAD * far) ** 2 + off) / (_KNOWN + len(held_out)))
    cuts = np.linspace(usual, max(float(background.max()), mean + 2 * spread), _STEPS)
    recall = np.array([math.erfc((cut - mean) / spread / math.sqrt(2)) / 2 for cut in cuts.tolist()])
    above = len(background) - np.searchsorted(np.sort(background), cuts)
    best = float(cuts[np.argmax(recall * recall / (above + _MORE))])
    return Scale(_OF_CUT * best + (1 - _OF_CUT) * mean, far / _STEEPNESS)
