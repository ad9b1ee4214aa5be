"""How many relevant pages, and what value, the next fetches may bring.

The best URLs go first, so the next ``n`` fetches are taken to be the ``n`` best that wait; each has the chance that
URLs of its priority had lately (``calibration``): the farther the forecast goes, the longer the past that counts as
lately, since a drought ends as a glut does. A crawl takes the best first, so its harvest decays: what is expected falls
with a power of how many times as long the crawl will be. The sum is corrected, and its interval made wide enough, by
how earlier forecasts of this crawl came out (``backtest``). The interval's variance is that of chance alone plus that
of the forecast's own error. A topic that runs out brings next to nothing, and one that is found at last many times what
was forecast: so the lower bound is that of a gamma distribution, where that is lower, and the upper one that of a
log-normal distribution, which is what errors are measured in. Where fewer than ``n`` URLs wait, those that are found on
the way are counted in, as long as the crawl finds some.
"""

from __future__ import annotations

import bisect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.forecast import Forecast, Horizon, Interval
from dowse.model.revive import revived
from dowse.predict.backtest import HORIZONS, Backtest, Correction, Estimate, Totals, stretch
from dowse.predict.calibration import Calibration, Curve

__all__ = ["LEAST_JUDGED", "LEVEL", "MOST_WAITING", "Forecaster", "interval"]

LEVEL = 0.8
LEAST_JUDGED = 50
MOST_WAITING = max(HORIZONS)  # of the waiting URLs, the best so many are looked at
_Z = 1.2815515655446004  # of a normal distribution, the middle LEVEL lies within so many standard deviations
_FARTHEST = 50.0  # of logarithms: no bound is farther off
_NOTHING = 1e-9  # pages, or a score: less is none
_LEAST = 0.25  # pages, or a score: no correction makes a forecast less
DECAY = (0.45, 0.15)  # of relevant pages and of value: what comes, falls with this power of how long a crawl will be
HALF_LIVES = tuple(max(250.0, 2.0 * fetches) for fetches in HORIZONS)  # fetches after which an outcome counts half
_GROWTH_HALF_LIFE = 25.0  # fetches after which the number of new URLs a fetch counts half
_GROWTH_DECAY = 0.5  # it falls as harvests do: as a web runs out, fewer links lead to what is new


def interval(mean: float, variance: float, most: float) -> Interval:
    """The middle :data:`LEVEL`, within [0, most], of a gamma distribution (Wilson and Hilferty 1931: its cube root is
    nearly normal), or of one whose logarithm, 1 being added, is normal: the lower of the lower bounds, and the higher
    of the upper ones. However wide a gamma distribution is, its upper bound is hardly above three times the mean."""
    mean = min(max(mean, 0.0), most)
    if mean < _NOTHING or variance <= 0.0:
        return Interval(mean, mean, mean)
    relative = math.sqrt(variance) / mean
    middle, step = 1 - relative * relative / 9, _Z * relative / 3
    low, high = (mean * max(0.0, middle + side) ** 3 for side in (-step, step))
    times = math.exp(min(_Z * math.sqrt(variance) / (mean + 1.0), _FARTHEST))
    low, high = max(0.0, min(low, (mean + 1.0) / times - 1.0)), max(high, (mean + 1.0) * times - 1.0)
    return Interval(mean, min(low, mean), min(max(high, mean), most))


class Forecaster:
    """Learns from each fetch and forecasts when asked. Pure: it knows what it is told."""

    def __init__(self) -> None:
        self._calibration = Calibration()
        self._backtest = Backtest()
        self._totals = Totals()
        self._judged = 0
        self._looked: tuple[int, int] | None = None  # fetches and known URLs at the last forecast
        self._growth = 0.0  # new URLs a fetch, lately

    @property
    def fetches(self) -> int:
        """How many were learned from."""
        return self._totals.fetches

    def learn(self, priority: float, *, judged: bool, relevant: bool, value: float) -> None:
        """A URL of this priority was fetched, and what it brought."""
        self.recall(priority, relevant=relevant, value=value)
        before = self._totals
        self._totals = Totals(before.fetches + 1, before.relevant + relevant, before.value + value)
        self._judged += judged
        self._backtest.passed(self._totals)

    def recall(self, priority: float, *, relevant: bool, value: float) -> None:
        """Learn again from a fetch of an earlier run, whose totals come with :meth:`restore`."""
        self._calibration.learn(priority, relevant, value)

    def look(self, best: NDArray[np.float64], waiting: int, known: int) -> Forecast:
        """Forecast from the best :data:`MOST_WAITING` priorities that wait (highest first), how many wait in all, and
        how many URLs were ever found. What is said is noted, to be checked later."""
        totals = self._totals
        self._grow(known)
        horizons: tuple[Horizon, ...] = ()
        if self._judged >= LEAST_JUDGED:
            horizons = self._horizons(self._calibration.curves(HALF_LIVES), best, waiting)
        return Forecast(
            totals.fetches, self._judged, int(totals.relevant), totals.value, waiting, LEVEL, LEAST_JUDGED, horizons
        )

    def _grow(self, known: int) -> None:
        fetches, before = self._looked or (0, 0)
        passed = self._totals.fetches - fetches
        if passed > 0:
            fading = 0.5 ** (passed / _GROWTH_HALF_LIFE) if self._looked else 0.0
            self._growth = fading * self._growth + (1 - fading) * (known - before) / passed
            self._looked = (self._totals.fetches, known)

    def reachable(self, waiting: int, fetches: int) -> int:
        """How many of the next fetches there will be URLs for: each uses one up, and brings some."""

        def lasts(count: int) -> bool:
            grown = self._growth * math.exp(-_GROWTH_DECAY * stretch(self._totals.fetches, count))
            return waiting + grown * count >= count

        if not waiting or lasts(fetches):
            return fetches if waiting else 0
        return bisect.bisect_left(range(fetches), True, key=lambda count: not lasts(count)) - 1

    def _horizons(self, curves: list[Curve], best: NDArray[np.float64], waiting: int) -> tuple[Horizon, ...]:
        reach = [self.reachable(waiting, fetches) for fetches in HORIZONS]
        estimates = tuple(self._estimate(curve, best, count) for curve, count in zip(curves, reach, strict=True))
        self._backtest.note(self._totals, estimates)
        found: list[Horizon] = []
        for place, (by_relevant, by_value) in enumerate(self._backtest.corrections(estimates)):
            count, estimate = reach[place], estimates[place]
            pages = min(_corrected(estimate.expected[0], by_relevant), count)
            score = min(_corrected(estimate.expected[1], by_value), count)
            of_pages = interval(pages, _binomial(pages, count) + by_relevant.variance * pages**2, count)
            of_score = interval(score, estimate.noise[1] + by_value.variance * score**2, count)
            whole = Interval(of_pages.expected, math.floor(of_pages.low), math.ceil(of_pages.high))
            if found:
                whole, of_score = _no_less(whole, found[-1].relevant), _no_less(of_score, found[-1].value)
            found.append(Horizon(HORIZONS[place], count, whole, of_score))
        return tuple(found)

    def _estimate(self, curve: Curve, best: NDArray[np.float64], count: int) -> Estimate:
        """What so many more fetches bring, as far as the waiting URLs and the usual decay say."""
        bins, stretched = curve.bins(best[:count]), stretch(self._totals.fetches, count)
        pages, score = (
            _extended(float(column[bins].sum()), len(bins), count) * math.exp(-power * stretched)
            for column, power in zip((curve.relevant, curve.value), DECAY, strict=True)
        )
        return Estimate((pages, score), (_binomial(pages, count), count * curve.value_variance), stretched)

    def state(self) -> dict[str, Any]:
        """Everything but the outcomes themselves, which the records have anyway (:meth:`recall`): JSON values."""
        return {"backtest": self._backtest.state(), "looked": self._looked, "growth": self._growth}

    def restore(self, state: dict[str, Any], *, fetches: int, judged: int, relevant: int, value: float) -> None:
        """Go on where an earlier run was: its :meth:`state` and what it had brought in all."""
        self._totals, self._judged = Totals(fetches, relevant, value), judged
        if state:
            self._backtest.restore(state["backtest"])
            looked = revived(tuple[int, ...], state["looked"]) if state["looked"] else None
            if looked is not None and len(looked) != 2:
                raise ValueError("what was last looked at is not known")
            self._looked, self._growth = looked, revived(float, state["growth"])


def _extended(total: float, summed: int, count: int) -> float:
    """The expectation of so many fetches from the sum over those that wait: URLs yet to be found are like these."""
    return total * count / summed if summed else 0.0


def _no_less(longer: Interval, shorter: Interval) -> Interval:
    """More fetches never bring less, though each horizon is corrected by itself."""
    return Interval(
        max(longer.expected, shorter.expected), max(longer.low, shorter.low), max(longer.high, shorter.high)
    )


def _binomial(mean: float, count: int) -> float:
    """The variance of a number of pages by chance alone."""
    return mean * (1.0 - mean / count) if count else 0.0


def _corrected(expected: float, correction: Correction) -> float:
    """The inverse of how errors are measured. It does not go to 0, where no interval would be left."""
    return max(min(expected, _LEAST), (expected + 1.0) * math.exp(correction.bias) - 1.0)
