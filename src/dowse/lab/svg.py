"""The parts of a chart as SVG: panels, lines, text and round numbers for axes.

In a page, ``--ink``, ``--soft`` and ``--line`` give a chart the page's colours; it stands alone as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.lab.html import Html, element

__all__ = ["INK", "LINE", "SOFT", "Panel", "steps", "stroke", "text_at", "thinned"]

POINTS = 500  # more than one a pixel or two shows nothing
INK = "var(--ink,#1b2230)"
SOFT = "var(--soft,#5d6778)"
LINE = "var(--line,#e3e6ea)"

Ints = NDArray[np.int64]


def thinned(count: int, limit: int = POINTS) -> Ints:
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


@dataclass(frozen=True, slots=True)
class Panel:
    """A rectangle of the picture and the values it spans, both from 0."""

    left: float
    top: float
    width: float
    height: float
    most_x: float
    most_y: float

    def x(self, value: float) -> float:
        return self.left + self.width * value / self.most_x

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - value / self.most_y)

    def points(self, xs: NDArray[np.generic], ys: NDArray[np.generic]) -> str:
        pairs = zip(xs.tolist(), ys.tolist(), strict=True)
        return " ".join(f"{self.x(x):.2f},{self.y(y):.2f}" for x, y in pairs)


def stroke(name: str, colour: str, width: float, **attributes: str) -> Html:
    style = f"fill:none;stroke:{colour};stroke-width:{width:g};stroke-linejoin:round"
    return element(name, style=style, **attributes)


def text_at(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = SOFT, size: int = 12, bold: bool = False,
    name: str = "",
) -> Html:  # fmt: skip
    style = f"fill:{colour};font-size:{size}px;font-weight:{600 if bold else 400}"
    return element("text", text, x=f"{x:.2f}", y=f"{y:.2f}", text_anchor=anchor, style=style, class_=name)
