"""Harvest curves as picture files. Import it late: matplotlib, which draws them, is slow to load."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.lab.canvas import COLOURS, INK, SOFT, Canvas, Panel, fitted
from dowse.lab.labels import spread
from dowse.lab.svg import thinned

__all__ = ["Curve", "harvest_figure"]

WIDTH, HEIGHT = 900, 520  # pixels
_POINTS = 2_000
_STYLES = ("-", "--", "-.", ":")  # when the colours have all been used
_MARGIN, _LEFT, _BOTTOM, _TOP = 24.0, 78.0, 64.0, 58.0  # pixels; the title's lines come on top
_LABEL_WIDTH, _LABEL_STEP, _LINE = 184.0, 38.0, 24.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A crawl to draw: after ``pages[i]`` fetched pages, ``relevant[i]`` relevant ones."""

    label: str
    pages: NDArray[np.int64]
    relevant: NDArray[np.int64]

    @property
    def last(self) -> tuple[int, int]:
        """Pages fetched and relevant at its end."""
        return (int(self.pages[-1]), int(self.relevant[-1])) if len(self.pages) else (0, 0)


def harvest_figure(curves: Sequence[Curve], path: Path, *, title: str) -> None:
    """Draw relevant pages against fetched pages: SVG or PNG (of 900 by 520 pixels), as ``path`` ends.

    The file appears under its name once it is whole. Raises UserError when it cannot be written.
    """
    canvas = Canvas(WIDTH, HEIGHT)
    lines = fitted(title, WIDTH - 2 * _MARGIN, 14.0, bold=True, most=2)
    canvas.write(_MARGIN, HEIGHT - 20, "\n".join(lines), 14.0, INK, bold=True, va="top")
    panel = _panel(canvas, curves, _TOP + _LINE * len(lines))
    if any(len(curve.pages) for curve in curves):
        _ideal(canvas, panel)
        for curve, look in zip(curves, _looks(), strict=False):
            _draw(panel, curve, *look)
        _end_labels(canvas, panel, curves)
    else:
        middle = panel.pixel(panel.most_x / 2, panel.most_y / 2)
        canvas.write(*middle, "no page fetched yet", 12.0, SOFT, ha="center", va="center")
    canvas.save(path)


def _panel(canvas: Canvas, curves: Sequence[Curve], above: float) -> Panel:
    """Empty axes that hold every curve, ``above`` pixels from the top; the ideal line may leave there."""
    pages = max((curve.last[0] for curve in curves), default=0)
    found = max((curve.last[1] for curve in curves), default=0)
    width, height = WIDTH - _LEFT - _MARGIN - _LABEL_WIDTH, HEIGHT - _BOTTOM - above
    panel = canvas.panel(_LEFT, _BOTTOM, width, height, most_x=max(pages, 1), most_y=max(found, 1) * 1.06)
    canvas.write(_LEFT + width / 2, 14, "pages fetched", 11.5, INK, ha="center")
    canvas.write(_MARGIN, HEIGHT - above + 12, "relevant pages found", 11.5, INK)
    return panel


def _looks() -> Iterator[tuple[str, str]]:
    for number in count():
        yield COLOURS[number % len(COLOURS)], _STYLES[number // len(COLOURS) % len(_STYLES)]


def _draw(panel: Panel, curve: Curve, colour: str, style: str) -> None:
    if not len(curve.pages):
        return
    drawn = thinned(len(curve.pages), _POINTS)
    xs = np.concatenate((np.zeros(1, np.int64), curve.pages[drawn]))
    ys = np.concatenate((np.zeros(1, np.int64), curve.relevant[drawn]))
    panel.line(xs, ys, colour, dashes=style)
    panel.dot(float(xs[-1]), float(ys[-1]), colour)


def _ideal(canvas: Canvas, panel: Panel) -> None:
    """The line on which every page is relevant, as far as the axes reach, with its name written along it."""
    reach = min(panel.most_x, panel.most_y)
    panel.line(np.array([0, reach]), np.array([0, reach]), SOFT, dashes=(0, (1.5, 4)), width=1.2, layer=1)
    (left, bottom), (right, top) = panel.pixel(0, 0), panel.pixel(reach, reach)
    angle = math.atan2(top - bottom, right - left)
    above = reach > 0.6 * panel.most_x  # a curve may come close from below; else keep away from the axis
    aside = 6 if above else -6
    x = right - 14 * math.cos(angle) - aside * math.sin(angle)
    y = top - 14 * math.sin(angle) + aside * math.cos(angle)
    canvas.write(x, y, "every page relevant", 10.0, SOFT, ha="right", va="bottom" if above else "top",
                 rotation=math.degrees(angle), rotation_mode="anchor")  # fmt: skip


def _end_labels(canvas: Canvas, panel: Panel, curves: Sequence[Curve]) -> None:
    """Each curve's name and last value at the right, level with its end or joined to it by a thin line."""
    ends = [panel.pixel(*curve.last) for curve in curves]
    right, top = panel.pixel(panel.most_x, panel.most_y)
    places = spread([y for _, y in ends], panel.bottom, top, _LABEL_STEP)
    for curve, (colour, _), (x, y), place in zip(curves, _looks(), ends, places, strict=False):
        pages, found = curve.last
        if pages and (right - x > 4 or abs(place - y) > 4):
            canvas.rule((x + 5, y), (right + 16, place), colour)
        told = f"{found:,} of {pages:,} ({found / pages:.0%})" if pages else "no page fetched"
        label = "".join(fitted(curve.label, _LABEL_WIDTH - 16, 11.5, bold=True))
        canvas.write(right + 20, place + 1, label, 11.5, colour, bold=True, va="bottom")
        canvas.write(right + 20, place - 2, told, 10.0, SOFT, va="top")
