"""Axes: a panel that places values, round numbers beside it, and names at the ends of its curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.lab.draw.drawing import Anchor, Line, Mark, Points, Text
from dowse.lab.draw.text_fit import fitted, text_width

__all__ = ["Panel", "across", "heading", "spread", "steps", "thinned", "up", "upward"]

POINTS = 500  # more than one a pixel or two shows nothing
_SIZE = 12.5  # of the numbers
_TITLE, _NOTE = 18.0, 12.5

Numbers = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Panel:
    """A rectangle of the picture and the values it spans, both from 0."""

    left: float
    top: float
    width: float
    height: float
    most_x: float
    most_y: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        return self.left + self.width * value / self.most_x

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - value / self.most_y)

    def points(self, xs: Numbers, ys: Numbers) -> Points:
        """Where these values lie in the drawing."""
        return tuple((self.x(x), self.y(y)) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))


def thinned(count: int, limit: int = POINTS) -> NDArray[np.int64]:
    """Which of ``count`` points to draw: the first, the last, and evenly between them at most ``limit``."""
    if count <= limit:
        return np.arange(count)
    return np.linspace(0, count - 1, limit).round().astype(np.int64)


def steps(top: float, most: int = 5, *, whole: bool = True) -> list[float]:
    """Round values from 0 up to ``top`` for an axis, at most ``most`` above 0.

    >>> steps(150), steps(1), steps(0.43, 4, whole=False)
    ([0, 50, 100, 150], [0, 1], [0.0, 0.2, 0.4])
    """
    raw = max(top, 1e-9) / most
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= raw * (1 - 1e-9))
    if whole:
        step = max(1, round(step))
    return [round(i * step, 10) for i in range(int(top / step + 1e-9) + 1)]


def upward(most_y: float, *, percents: bool) -> Callable[[float], str]:
    """How the heights of a panel are written: shares of 1 as ``percents``, else whole numbers, or fractions where all
    is below 2."""
    if percents:
        return lambda share: f"{100 * share:.3g} %"
    return "{:.3g}".format if most_y < 2 else "{:,.0f}".format


def up(
    panel: Panel, values: Iterable[float], form: Callable[[float], str], *, size: float = _SIZE, role: str = "y"
) -> list[Mark]:
    """A grid line at each of these heights, and its number on the left."""
    marks: list[Mark] = []
    for value in values:
        y = panel.y(value)
        marks.append(Line(((panel.left, y), (panel.right, y)), "soft" if value == 0 else "line"))
        marks.append(Text(panel.left - 7, y + size / 3, form(value), size, anchor="end", role=role))
    return marks


def across(panel: Panel, name: str, edge: float, *, most: int = 6, size: float = _SIZE) -> list[Mark]:
    """Whole numbers below the panel, and what they are numbers of. ``edge``: where the picture ends on the right."""
    marks: list[Mark] = []
    for value in steps(panel.most_x, most):
        x, number = panel.x(value), f"{value:,.0f}"
        anchor: Anchor = "end" if x + text_width(number, size) / 2 > edge else "middle"
        marks.append(Text(x, panel.bottom + size + 5, number, size, anchor=anchor, role="x"))
    if name:
        middle = panel.left + panel.width / 2
        marks.append(Text(middle, panel.bottom + 2 * size + 13, name, size + 0.5, "ink", anchor="middle"))
    return marks


def heading(title: str, note: str, left: float, width: float) -> tuple[list[Mark], float]:
    """Title and note at the top of a picture, cut where they do not fit, and how many pixels they take."""
    marks: list[Mark] = []
    top = 12.0
    for line in fitted(title, width, _TITLE, bold=True, most=2):
        top += _TITLE + 5
        marks.append(Text(left, top - 5, line, _TITLE, "ink", bold=True))
    if note:
        top += _NOTE + 6
        marks.append(Text(left, top - 4, fitted(note, width, _NOTE)[0], _NOTE))
    return marks, top


def spread(wanted: Sequence[float], low: float, high: float, step: float) -> list[float]:
    """Places as near to the wanted ones as the height of a label (``step``) allows, in the same order, between the
    bounds; closer together where they do not fit.

    >>> spread([100.0, 110.0, 300.0], 0, 400, 38)
    [86.0, 124.0, 300.0]
    """
    step = min(step, (high - low) / max(1, len(wanted) - 1))
    groups: list[tuple[float, list[int]]] = []  # the middle of labels that touch each other, and they, upwards
    for index in sorted(range(len(wanted)), key=lambda i: (wanted[i], i)):
        middle, members = wanted[index], [index]
        while groups and middle - groups[-1][0] < step * (len(members) + len(groups[-1][1])) / 2:
            members = groups.pop()[1] + members
            half = step * (len(members) - 1) / 2
            middle = min(max(sum(wanted[i] for i in members) / len(members), low + half), high - half)
        groups.append((middle, members))
    places = list(wanted)
    for middle, members in groups:
        for rank, index in enumerate(members):
            places[index] = middle + step * (rank - (len(members) - 1) / 2)
    return places
