"""A forecast that checks itself: what it said for the next fetches, against what came.

What waits now is not what will wait: better URLs are found on the way, and a topic runs dry. How much that makes a
forecast wrong is not known beforehand, but it is seen: each forecast is noted, and when so many fetches are over, the
logarithm of what came over what was forecast is an error of known size. The mean of these errors corrects the
next forecast, and their spread widens its interval.

A forecast for the next thousand fetches is one thing after ten thousand, and another after a hundred. So errors are
measured in units of the :func:`usual_error`, which grows with the *stretch*: the logarithm of how many times as long
the crawl will then be. What an early, far stretched forecast got wrong thereby says the right thing about a later one.

Two notes that lie close together are checked against almost the same fetches, so a note counts only for the fetches
since the one before, as a share of its horizon. While little has been checked, the correction is drawn towards half of
the next shorter horizon's, and the spread towards the usual one, or the next shorter horizon's where that is wider;
``bench/forecast.py`` measures how well it does.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

from dowse.model.revive import revived

__all__ = ["HORIZONS", "Backtest", "Correction", "Estimate", "Totals", "stretch", "usual_error"]

HORIZONS = (100, 500, 1_000)  # fetches
# The standard deviation of the logarithm of what comes over what was forecast, of relevant pages and of value: of the
# nearest future, and what each unit of stretch adds.
NEAR_ERROR = (0.5, 0.3)
FAR_ERROR = (1.2, 0.9)
_SPREAD_WEIGHT = 1.0  # checks that the usual error counts for
_BIAS_WEIGHT = 1.0  # checks that the prior correction counts for
_FROM_SHORTER = 0.5  # of a shorter horizon's correction is expected at the next
_HALF_LIFE = 1_000.0  # fetches after which a check counts half; a longer horizon's, after as many as it is long
_GREATEST_ERROR = 50.0  # in units of the usual one


@dataclass(frozen=True, slots=True)
class Totals:
    """What a crawl has brought so far."""

    fetches: int = 0
    relevant: float = 0.0
    value: float = 0.0


def stretch(fetches: int, more: int) -> float:
    """How far it is from what is known: the logarithm of how many times as long a crawl is after ``more`` fetches."""
    return math.log1p(more / max(1, fetches))


def usual_error(number: int, stretched: float) -> float:
    """The standard deviation of the logarithm of what comes over what was forecast, of relevant pages (0) or of value
    (1), before a crawl knows its own."""
    return math.hypot(NEAR_ERROR[number], FAR_ERROR[number] * stretched)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A forecast for one horizon, not corrected: pairs are of relevant pages and of value."""

    expected: tuple[float, float]
    noise: tuple[float, float]  # the variances by chance alone
    stretch: float


@dataclass(frozen=True, slots=True)
class Correction:
    """What checks say about a forecast: the logarithm to add to it, and the variance of what is then left."""

    bias: float
    variance: float


@dataclass(slots=True)
class _Checked:
    """Sums over the checks of one number at one horizon, the older ones fading; errors are in units of the usual."""

    weight: float = 0.0
    errors: float = 0.0
    squares: float = 0.0
    noise: float = 0.0  # the part of the squares that chance alone explains

    def add(self, weight: float, error: float, noise: float, fading: float) -> None:
        self.weight = self.weight * fading + weight
        self.errors = self.errors * fading + weight * error
        self.squares = self.squares * fading + weight * error * error
        self.noise = self.noise * fading + weight * noise

    def sums(self) -> list[float]:
        return [self.weight, self.errors, self.squares, self.noise]

    def correction(self, prior_bias: float, prior_variance: float) -> Correction:
        bias = (_BIAS_WEIGHT * prior_bias + self.errors) / (_BIAS_WEIGHT + self.weight)
        around = self.squares - 2 * bias * self.errors + bias * bias * self.weight  # sum of (error - bias)^2
        spread = max(0.0, around - self.noise)
        return Correction(bias, (_SPREAD_WEIGHT * prior_variance + spread) / (_SPREAD_WEIGHT + self.weight))


@dataclass(frozen=True, slots=True)
class _Note:
    at: Totals
    weight_fetches: int  # since the note before
    estimates: tuple[Estimate, ...]  # one a horizon


class Backtest:
    """Notes forecasts and checks them. At most as many notes are open as are made within the longest horizon."""

    def __init__(self) -> None:
        self._open: tuple[deque[_Note], ...] = tuple(deque() for _ in HORIZONS)
        self._checked = tuple((_Checked(), _Checked()) for _ in HORIZONS)
        self._noted_at = 0
        self._checked_at = [0] * len(HORIZONS)

    def note(self, at: Totals, estimates: tuple[Estimate, ...]) -> None:
        """A forecast was made, for each horizon."""
        if at.fetches <= self._noted_at:
            return  # asked twice at one moment
        note = _Note(at, at.fetches - self._noted_at, estimates)
        self._noted_at = at.fetches
        for waiting in self._open:
            waiting.append(note)

    def passed(self, now: Totals) -> None:
        """Told after each fetch: checks the notes whose horizon ends here."""
        for place, (fetches, waiting) in enumerate(zip(HORIZONS, self._open, strict=True)):
            while waiting and waiting[0].at.fetches + fetches <= now.fetches:
                note = waiting.popleft()
                if note.at.fetches + fetches == now.fetches:  # else a kill came in between, and more has come by now
                    self._check(place, note, now)

    def _check(self, place: int, note: _Note, now: Totals) -> None:
        fetches = HORIZONS[place]
        fading = 0.5 ** (max(0, now.fetches - self._checked_at[place]) / max(_HALF_LIFE, fetches))
        self._checked_at[place] = now.fetches
        weight = min(1.0, note.weight_fetches / fetches)
        came = (max(0.0, now.relevant - note.at.relevant), max(0.0, now.value - note.at.value))
        estimate = note.estimates[place]
        for number, checked in enumerate(self._checked[place]):
            expected, unit = estimate.expected[number], usual_error(number, estimate.stretch)
            # 1 is added to both: a handful of pages more or less is no great error where few are expected
            error = math.log((came[number] + 1.0) / (expected + 1.0)) / unit
            checked.add(weight, error, estimate.noise[number] / (unit * (expected + 1.0)) ** 2, fading)

    def corrections(self, estimates: tuple[Estimate, ...]) -> list[tuple[Correction, Correction]]:
        """Of relevant pages and of value, per horizon: what to do with these estimates."""
        found: list[tuple[Correction, Correction]] = []
        shorter, wide = [0.0, 0.0], [1.0, 1.0]
        for estimate, pair in zip(estimates, self._checked, strict=True):
            both = []
            for number, checked in enumerate(pair):
                unit = usual_error(number, estimate.stretch)
                now = checked.correction(_FROM_SHORTER * shorter[number], wide[number])
                shorter[number], wide[number] = now.bias, max(1.0, now.variance)
                both.append(Correction(now.bias * unit, now.variance * unit * unit))
            found.append((both[0], both[1]))
        return found

    def state(self) -> dict[str, Any]:
        """Everything as JSON values: a few kilobytes at the most."""
        return {
            "horizons": list(HORIZONS),
            "estimates": [
                [[note.at.fetches, note.at.relevant, note.at.value], note.weight_fetches, _plain(note.estimates)]
                for note in self._open[-1]  # the longest horizon's: those of the others are the last of these
            ],
            "open": [len(waiting) for waiting in self._open],
            "checked": [[relevant.sums(), value.sums()] for relevant, value in self._checked],
            "noted_at": self._noted_at,
            "settled_at": list(self._checked_at),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a saved :meth:`state`; one of other horizons, or in other units, says nothing about these."""
        if state.get("horizons") != list(HORIZONS) or "estimates" not in state:
            return
        notes = [
            _Note(_totals(at), revived(int, since), _estimates(rows)) for at, since, rows in state["estimates"]
        ]  # fmt: skip
        open_, checked_at = _row(state["open"], len(HORIZONS)), _row(state["settled_at"], len(HORIZONS))
        self._open = tuple(deque(notes[max(0, len(notes) - int(count)) :]) for count in open_)
        self._checked = tuple((_checked(relevant), _checked(value)) for relevant, value in state["checked"])
        if len(self._checked) != len(HORIZONS):
            raise ValueError("there are other horizons")
        self._noted_at, self._checked_at = revived(int, state["noted_at"]), list(map(int, checked_at))


def _row(numbers: Any, count: int) -> tuple[float, ...]:
    """Numbers from records that anybody may have written; ValueError when they are none."""
    found: tuple[float, ...] = revived(tuple[float, ...], numbers)
    if len(found) != count or not all(map(math.isfinite, found)):
        raise ValueError("these are no figures of a forecast")
    return found


def _totals(numbers: Any) -> Totals:
    fetches, relevant, value = _row(numbers, 3)
    return Totals(revived(int, fetches), relevant, value)


def _checked(numbers: Any) -> _Checked:
    found = _Checked(*_row(numbers, 4))
    if found.weight < 0 or abs(found.errors) > _GREATEST_ERROR * (1 + found.weight):
        raise ValueError("these are no figures of a forecast")
    return found


def _plain(estimates: tuple[Estimate, ...]) -> list[list[float]]:
    return [[*estimate.expected, *estimate.noise, estimate.stretch] for estimate in estimates]


def _estimates(rows: Any) -> tuple[Estimate, ...]:
    found = [_row(row, 5) for row in rows]
    if len(found) != len(HORIZONS) or min(map(min, found)) < 0:
        raise ValueError("these are no figures of a forecast")
    return tuple(Estimate((row[0], row[1]), (row[2], row[3]), row[4]) for row in found)
