"""A collection over time: above, how fresh it is expected to have been; below, what its visits found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.lab.draw.axes import Panel, across, spread, steps, up
from dowse.lab.draw.drawing import Box, Drawing, Line, Mark, Text
from dowse.lab.draw.text_fit import text_width
from dowse.store import VisitRun

__all__ = ["VisitsOverTime", "visits_chart"]

_TOP, _BOTTOM, _GAP, _EDGE = 26.0, 46.0, 40.0, 10.0
_LABELS, _LABEL_STEP, _ROW = 116.0, 34.0, 17.0
_REST = 0.02  # of the axis, behind the last visits
_MOST_BARS = 60
_WIDEST = 16.0  # pixels of a bar
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNITS = (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
_LEAST = 2.0  # of its unit an axis spans
_COLOURS = ("c1", "c3")  # of the curves
_PARTS = (("unchanged", "c6"), ("changed", "c2"), ("not there", "c7"))


@dataclass(frozen=True, slots=True)
class VisitsOverTime:
    """What is drawn. Times are seconds since the first page was fetched."""

    at: NDArray[np.float64]
    fresh: Mapping[str, NDArray[np.float64]]  # by name: the expected share at each of these times
    runs: Sequence[VisitRun]
    began: float  # in seconds since 1970


def visits_chart(told: VisitsOverTime, *, width: int = 900, height: int = 430) -> Drawing:
    """The two panels share their axis."""
    span = max(float(told.at[-1]), 1.0) * (1 + _REST)
    unit, unit_s = next(((name, size) for name, size in _UNITS if span >= _LEAST * size), _UNITS[-1])
    bars = _bars(told)
    most = max(sum(parts) for _, parts in bars)
    inner = height - _TOP - _BOTTOM - _GAP
    left = 12 + max(text_width(number, 12.5) for number in ("100%", f"{most:,}"))
    across_width = width - left - _LABELS
    upper = Panel(left, _TOP, across_width, inner * 0.6, span / unit_s, 1.0)
    lower = Panel(left, upper.bottom + _GAP, across_width, inner * 0.4, span / unit_s, most * 1.1)
    marks: list[Mark] = [
        *up(upper, _SHARES, lambda share: f"{share:.0%}"),
        *up(lower, steps(lower.most_y, 4), "{:,.0f}".format),
        *across(lower, f"{unit} since the first page", width - 2, most=4 if width < 500 else 6),
        Text(4, upper.top - 10, "expected to be as on the web", 13, "ink", bold=True),
        Text(4, lower.top - 10, "pages visited again", 13, "ink", bold=True),
        *_curves(upper, told, unit_s),
        *_drawn(lower, bars, unit_s),
        *_legend(lower),
    ]
    means = ", ".join(f"{name} {_mean(told.at, line):.0%}" for name, line in told.fresh.items())
    return Drawing(width, height, tuple(marks), f"Freshness over time, on average: {means}. {_counts_told(bars)}")


def _mean(at: NDArray[np.float64], line: NDArray[np.float64]) -> float:
    """Over the time in which anything was held."""
    known = ~np.isnan(line)
    at, line = at[known], line[known]
    return float(np.sum((line[1:] + line[:-1]) / 2 * np.diff(at)) / (at[-1] - at[0])) if len(at) > 1 else 0.0


def _last(line: NDArray[np.float64]) -> float:
    known = line[~np.isnan(line)]
    return float(known[-1]) if len(known) else 0.0


def _curves(panel: Panel, told: VisitsOverTime, unit_s: float) -> list[Mark]:
    marks: list[Mark] = []
    places = spread([panel.y(_last(line)) for line in told.fresh.values()], panel.top, panel.bottom, _LABEL_STEP)
    for row, ((name, line), y) in enumerate(zip(told.fresh.items(), places, strict=True)):
        known = ~np.isnan(line)
        points = panel.points(told.at[known] / unit_s, line[known])
        marks.append(Line(points, _COLOURS[row], 2.0, role="fresh"))
        marks.append(Text(panel.right + 8, y - 2, name, 13, _COLOURS[row], bold=True))
        marks.append(Text(panel.right + 8, y + 13, f"{_mean(told.at, line):.0%} on average", 12))
    return marks


def _bars(told: VisitsOverTime) -> list[tuple[float, tuple[int, ...]]]:
    """When, and how many visits found what: a bar for each run, or for some in a row where there are very many."""
    step = -(-len(told.runs) // _MOST_BARS)
    bars = []
    for first in range(0, len(told.runs), step):
        some = told.runs[first : first + step]
        parts = tuple(sum(getattr(run, what) for run in some) for what in ("unchanged", "changed", "missed"))
        bars.append((some[len(some) // 2].at - told.began, parts))
    return bars


def _drawn(panel: Panel, bars: Sequence[tuple[float, tuple[int, ...]]], unit_s: float) -> list[Mark]:
    wide = min(_WIDEST, max(1.5, 0.7 * panel.width / max(len(bars), 1)))
    marks: list[Mark] = []
    for at, parts in bars:
        middle = min(max(panel.x(at / unit_s), panel.left + wide / 2), panel.right - wide / 2)
        below = 0
        for (_, colour), count in zip(_PARTS, parts, strict=True):
            if count:
                top, bottom = panel.y(below + count), panel.y(below)
                marks.append(Box(middle - wide / 2, top, wide, bottom - top, colour, colour, 0.0))
            below += count
    return marks


def _legend(panel: Panel) -> list[Mark]:
    marks: list[Mark] = []
    for row, (name, colour) in enumerate(_PARTS):
        y = panel.top + 8 + row * _ROW
        marks.append(Box(panel.right + 8, y - 8, 9, 9, colour, colour, 0.0))
        marks.append(Text(panel.right + 22, y, name, 12.5))
    return marks


def _counts_told(bars: Sequence[tuple[float, tuple[int, ...]]]) -> str:
    counts = [sum(parts[row] for _, parts in bars) for row in range(len(_PARTS))]
    return "Visits: " + ", ".join(f"{count:,} {name}" for count, (name, _) in zip(counts, _PARTS, strict=True))
