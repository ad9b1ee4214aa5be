"""The reliability diagram: a panel a judge, in which a curve on the diagonal means that its chances are right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dowse.lab.draw.axes import Panel, across, heading, up, upward
from dowse.lab.draw.drawing import SERIES, Dot, Drawing, Line, Mark, Text
from dowse.lab.draw.text_fit import fitted
from dowse.lab.judging.reliability import Curve
from dowse.lab.wording import counted

__all__ = ["reliability_chart"]

_MARGIN = 20.0
_COLUMNS, _CELL, _LEGEND = 2, 400, 5
_NOTE = "Of pages with about the same predicted chance, the share that is on the topic. Dashed: chances that are right."
_GRID = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def reliability_chart(curves: Sequence[Curve], *, title: str, width: int = 860) -> Drawing:
    """A panel for each judge and background, in it a curve for each number of examples (those without
    counter-examples); a dot is a bin of pages."""
    drawn = [curve for curve in curves if not curve.setting.counter_examples]
    numbers = sorted({curve.setting.examples for curve in drawn})
    colours = {number: SERIES[place % len(SERIES)] for place, number in enumerate(numbers)}
    marks, top = heading(title, _NOTE, _MARGIN, width - 2 * _MARGIN)
    for start in range(0, len(numbers), _LEGEND):
        top += 22
        marks += _legend(numbers[start : start + _LEGEND], colours, top, width)
    panels: dict[tuple[str, str], list[Curve]] = {}
    for curve in drawn:
        panels.setdefault((curve.setting.judge, curve.setting.background), []).append(curve)
    cell = (width - 2 * _MARGIN) / _COLUMNS
    for number, ((judge, background), own) in enumerate(panels.items()):
        name = f"{judge}, background by {background}" if background else judge
        place = _MARGIN + cell * (number % _COLUMNS), top + _CELL * (number // _COLUMNS)
        marks += _panel(name, own, colours, *place, cell)
    rows = max(1, math.ceil(len(panels) / _COLUMNS))
    told = f"Share of pages on the topic by predicted chance: {', '.join(dict.fromkeys(judge for judge, _ in panels))}"
    return Drawing(width, round(top + _CELL * rows), tuple(marks), told)


def _panel(
    name: str, curves: Sequence[Curve], colours: Mapping[int, str], left: float, top: float, width: float
) -> list[Mark]:
    panel = Panel(left + 46, top + 46, width - 66, _CELL - 106, 100.0, 1.0)
    marks: list[Mark] = [
        Text(panel.left, top + 32, fitted(name, panel.width, 13, bold=True)[0], 13, "ink", bold=True, role="name"),
        *across(panel, "predicted chance, %", panel.right + 20, most=5, size=11),
        *up(panel, _GRID, upward(1.0, percents=True), size=11),
        Line(((panel.left, panel.bottom), (panel.right, panel.top)), "soft", dashes=(4, 4)),
    ]
    for curve in curves:
        colour = colours[curve.setting.examples]
        said = np.array([100 * one.said for one in curve.bins])
        points = panel.points(said, np.array([one.held for one in curve.bins]))
        marks.append(Line(points, colour, 1.8, role="curve"))
        marks += [Dot(x, y, 2.6, colour) for x, y in points]
    return marks


def _legend(numbers: Sequence[int], colours: Mapping[int, str], y: float, width: float) -> list[Mark]:
    step = (width - 2 * _MARGIN) / _LEGEND
    marks: list[Mark] = []
    for place, number in enumerate(numbers):
        left = _MARGIN + step * place
        marks.append(Line(((left, y - 4), (left + 24, y - 4)), colours[number], 2.3))
        told = counted(number, "example") if number else "name alone"
        marks.append(Text(left + 30, y, told, 12.5, "ink"))
    return marks
