"""Mean curves of strategies, each with its interval, references dashed: over all topics, or a small panel a topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dowse.lab.compare.mean_curves import MeanCurve, mean_curves
from dowse.lab.compare.run_results import ORACLE, Kind, RunResult
from dowse.lab.draw.axes import Panel, across, heading, spread, steps, up, upward
from dowse.lab.draw.drawing import SERIES, Area, Drawing, Line, Mark, Points, Text
from dowse.lab.draw.text_fit import fitted, text_width
from dowse.lab.wording import percent

__all__ = ["Chart", "Look", "look_line", "looks", "strategies_chart", "topics_chart"]

_MARGIN = 20.0
_BOTTOM, _LABELS, _MOST_LABELS, _LABEL_STEP = 50.0, 178.0, 260.0, 33.0
_NAME, _BEFORE_NAME = 13, 48.0
_COLUMNS, _CELL_HEIGHT, _TOPICS, _LEGEND = 3, 214, 30, 5
_MORE = ((), (7.0, 2.5), (7.0, 2.5, 1.5, 2.5), (1.5, 2.0))  # dashes, when the colours have all been used
_REFERENCES = {ORACLE: (5.0, 3.0), "oracle-greedy": (8.0, 3.0, 1.5, 3.0), "bfs": (3.0, 2.5), "random": (1.2, 2.5)}


# -- how each looks ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """A colour, and dashes (on, off, ..., in widths of the line; none: a whole line)."""

    colour: str
    dashes: tuple[float, ...] = ()


def looks(strategies: Iterable[tuple[str, Kind]]) -> dict[str, Look]:
    """How each strategy looks in every picture of a comparison: strategies by colour, in the order given, so that the
    first ones differ most; references in gray, by dashes.

    >>> looks([("oracle-path", "oracle"), ("hybrid", "strategy"), ("bfs", "baseline")])["hybrid"]
    Look(colour='c1', dashes=())
    """
    made: dict[str, Look] = {}
    used = 0
    for name, kind in strategies:
        if kind == "strategy":
            made[name] = Look(SERIES[used % len(SERIES)], _MORE[used // len(SERIES) % len(_MORE)])
            used += 1
        else:
            made[name] = Look("ink" if kind == "oracle" else "soft", _REFERENCES.get(name, (4.0, 4.0)))
    return made


def look_line(look: Look, points: Points, width: float, role: str = "") -> Line:
    """A line in the colour and dashes of a look, through these points."""
    return Line(points, look.colour, width, tuple(length * width for length in look.dashes), role=role)


# -- over all topics ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, and the panel in which its curves lie."""

    drawing: Drawing
    panel: Panel


def strategies_chart(
    curves: Sequence[MeanCurve], *, width: int = 860, height: int = 500, title: str = "", note: str = "",
    x: str = "requests", y: str = "mean recall of the targets", percents: bool = True,
    styles: Mapping[str, Look] | None = None,
) -> Chart:  # fmt: skip
    """Mean curves; ``x`` and ``y`` name the axes where they are not of recall by requests, ``percents``: heights are
    shares of a whole. In a wide picture names stand beside the curves; one below 600 pixels needs a legend."""
    styles = styles or looks((curve.strategy, curve.kind) for curve in curves)
    head, above = heading(title, note, _MARGIN, width - 2 * _MARGIN) if title else ([], 0.0)
    margin = _MARGIN if title else 4.0
    labelled = width >= 600
    left, top, right = margin + 50, above + 32, (_beside(curves) + margin if labelled else 14.0)
    panel = Panel(left, top, width - left - right, height - top - _BOTTOM, _most_x(curves),
                  _most_y(curves, percents=percents))  # fmt: skip
    rows = steps(panel.most_y, 5, whole=not percents and panel.most_y >= 2)
    marks: list[Mark] = [
        *head,
        *across(panel, x, width, most=6 if labelled else 4),
        *up(panel, rows, upward(panel.most_y, percents=percents)),
        Text(margin, top - 13, y, 13, "ink", bold=not title),
        *_drawn(panel, curves, styles, 2.3),
    ]
    if labelled:
        marks += _end_labels(panel, curves, styles, percents=percents)
    if not curves:
        marks.append(Text(panel.x(panel.most_x / 2), panel.y(panel.most_y / 2), "no run with targets", 14,
                          anchor="middle"))  # fmt: skip
    ends = ", ".join(f"{curve.strategy} {_height(float(curve.height[-1]), percents=percents)}" for curve in curves)
    told = f"{y.capitalize()} after {panel.most_x:,.0f} {x}: {ends}" if curves else "No run with targets"
    return Chart(Drawing(width, height, tuple(marks), told), panel)


def _most_x(curves: Sequence[MeanCurve]) -> float:
    return max((float(curve.at[-1]) for curve in curves), default=1.0) or 1.0


def _most_y(curves: Sequence[MeanCurve], *, percents: bool) -> float:
    """Of shares the whole, 100 %, unless every curve stays far below it; else what the curves need."""
    highest = max((float(np.nanmax([curve.height, curve.high])) for curve in curves), default=1.0)
    return 1.0 if (percents and highest > 0.45) or highest <= 0 else highest * 1.1


def _drawn(panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], width: float) -> list[Mark]:
    marks: list[Mark] = []
    for curve in reversed(curves):  # the best last, on top
        look = styles[curve.strategy]
        ranked = curve.kind == "strategy"
        if ranked and not np.isnan(curve.low).any():
            around = (*panel.points(curve.at, curve.high), *panel.points(curve.at[::-1], curve.low[::-1]))
            marks.append(Area(around, look.colour, 0.13))
        points = panel.points(curve.at, curve.height)
        marks.append(look_line(look, points, width if ranked else 0.75 * width, "curve"))
    return marks


def _beside(curves: Sequence[MeanCurve]) -> float:
    """How wide the labels beside curves are: as the longest name needs, within bounds."""
    names = (text_width(curve.strategy, _NAME, bold=True) for curve in curves)
    return min(_MOST_LABELS, max(_LABELS, _BEFORE_NAME + max(names, default=0.0)))


def _end_labels(
    panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, percents: bool
) -> list[Mark]:  # fmt: skip
    """Each curve's name, last value and interval at the right, joined to its end by a thin line."""
    ends = [(panel.x(float(curve.at[-1])), panel.y(float(curve.height[-1]))) for curve in curves]
    places = spread([y for _, y in ends], panel.top + 8, panel.bottom - 8, _LABEL_STEP)
    close = len(places) > 1 and min(np.diff(sorted(places))) < 28
    marks: list[Mark] = []
    for curve, (x, y), place in zip(curves, ends, places, strict=True):
        look, right = styles[curve.strategy], panel.right
        marks.append(Line(((x + 3, y), (right + 18, place)), look.colour, opacity=0.5))
        marks.append(look_line(look, ((right + 18, place), (right + 40, place)), 2.3))
        name = fitted(curve.strategy, _beside(curves) - _BEFORE_NAME, _NAME, bold=True)[0]
        marks.append(Text(right + 46, place + (4 if close else -1), name, _NAME, "ink", bold=True, role="name"))
        if not close:
            marks.append(Text(right + 46, place + 13, _end_told(curve, percents=percents), 11.5))
    return marks


def _height(value: float, *, percents: bool) -> str:
    return percent(value) if percents else f"{value:.{3 if value < 2 else 0}f}"


def _end_told(curve: MeanCurve, *, percents: bool) -> str:
    """
    >>> at = np.array([9.0])
    >>> _end_told(MeanCurve("a", "strategy", at, np.array([0.5]), np.array([0.4]), np.array([0.6]), 3), percents=True)
    '50.0 % (40 to 60)'
    """
    last, low, high = (float(column[-1]) for column in (curve.height, curve.low, curve.high))
    if math.isnan(low):
        return _height(last, percents=percents)
    digits = 0 if percents or last >= 2 else 3
    low, high = (100 * low, 100 * high) if percents else (low, high)
    return f"{_height(last, percents=percents)} ({low:.{digits}f} to {high:.{digits}f})"


# -- topic by topic ----------------------------------------------------------------------------------------------------


def topics_chart(results: Sequence[RunResult], budget_requests: int, *, title: str, width: int = 860) -> Drawing:
    """Mean recall by requests for each topic in a small panel of its own, the first 30 topics; one legend for all."""
    topics = list(dict.fromkeys(result["topic"] for result in results))
    shown = topics[:_TOPICS]
    note = f"The first {len(shown)} of {len(topics)} topics." if len(topics) > len(shown) else ""
    marks, top = heading(title, note, _MARGIN, width - 2 * _MARGIN)
    overall = mean_curves(results, budget_requests)
    styles = looks((curve.strategy, curve.kind) for curve in overall)
    names = [curve.strategy for curve in overall]
    for start in range(0, len(names), _LEGEND):
        top += 22
        marks += _legend(names[start : start + _LEGEND], styles, top, width)
    top += 10
    cell = (width - 2 * _MARGIN) / _COLUMNS
    for number, topic in enumerate(shown):
        curves = mean_curves([result for result in results if result["topic"] == topic], budget_requests)
        place = (_MARGIN + cell * (number % _COLUMNS), top + _CELL_HEIGHT * (number // _COLUMNS))
        marks += _topic(topic, curves, styles, *place, cell, max(budget_requests, 1))
    rows = max(1, math.ceil(len(shown) / _COLUMNS))
    told = f"Mean recall of the targets by requests, topic by topic: {len(shown)} topics"
    return Drawing(width, round(top + _CELL_HEIGHT * rows), tuple(marks), told)


def _topic(
    topic: str, curves: Sequence[MeanCurve], styles: Mapping[str, Look], left: float, top: float, width: float,
    most_x: float,
) -> list[Mark]:  # fmt: skip
    panel = Panel(left + 42, top + 38, width - 62, _CELL_HEIGHT - 76, most_x, 1.0)
    return [
        Text(panel.left, top + 26, fitted(topic, panel.width, 13, bold=True)[0], 13, "ink", bold=True),
        *across(panel, "", panel.right + 20, most=4, size=11),
        *up(panel, steps(1.0, 4, whole=False), upward(1.0, percents=True), size=11),
        *_drawn(panel, curves, styles, 1.8),
    ]


def _legend(names: Sequence[str], styles: Mapping[str, Look], y: float, width: float) -> list[Mark]:
    step = (width - 2 * _MARGIN) / _LEGEND
    marks: list[Mark] = []
    for number, name in enumerate(names):
        left = _MARGIN + step * number
        marks.append(look_line(styles[name], ((left, y - 4), (left + 24, y - 4)), 2.3))
        marks.append(Text(left + 30, y, fitted(name, step - 38, 12.5)[0], 12.5, "ink"))
    return marks
