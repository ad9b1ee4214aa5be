"""Curves of a comparison as picture files. Import it late: matplotlib, which draws them, is slow to load."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dowse.lab.canvas import COLOURS, INK, SOFT, Canvas, Panel, fitted
from dowse.lab.curves import MeanCurve, mean_curves
from dowse.lab.html import percent
from dowse.lab.labels import spread
from dowse.lab.looks import Look, looks
from dowse.lab.results import RunResult

__all__ = ["curves_figure", "topics_figure"]

WIDTH, HEIGHT = 1000, 580  # pixels
_MARGIN, _LEFT, _BOTTOM, _LABEL_WIDTH, _LABEL_STEP = 24.0, 74.0, 64.0, 200.0, 36.0
_COLUMNS, _CELL_HEIGHT, _TOPICS = 3, 236, 30


def curves_figure(
    curves: Sequence[MeanCurve], path: Path, *, title: str, note: str = "", x: str = "requests",
    y: str = "mean recall of the targets", percents: bool = True,
) -> None:  # fmt: skip
    """Mean curves, each strategy with its interval, references dashed: SVG or PNG (of 1000 by 580 pixels), as ``path``
    ends. The file appears once it is whole; raises UserError when it cannot be written. ``x`` and ``y`` name the axes
    where the curves are not of recall by requests; ``percents``: heights are shares of a whole."""
    canvas = Canvas(WIDTH, HEIGHT)
    above = _head(canvas, title, note) + 34
    width, height = WIDTH - _LEFT - _MARGIN - _LABEL_WIDTH, HEIGHT - _BOTTOM - above
    panel = canvas.panel(_LEFT, _BOTTOM, width, height, most_x=_most_x(curves),
                         most_y=_most_y(curves, percents=percents), percents=percents)  # fmt: skip
    canvas.write(_LEFT + width / 2, 14, x, 11.5, ha="center")
    canvas.write(_MARGIN, HEIGHT - above + 12, y, 11.5)
    styles = looks((curve.strategy, curve.kind) for curve in curves)
    _draw(panel, curves, styles, width=2.3)
    _end_labels(canvas, panel, curves, styles, percents=percents)
    if not curves:
        canvas.write(*panel.pixel(0.5, 0.5), "no run with targets", 12.0, SOFT, ha="center", va="center")
    canvas.save(path)


def topics_figure(
    results: Sequence[RunResult], budget_requests: int, path: Path, *, title: str, note: str = ""
) -> None:
    """The same for each topic in a small panel of its own, the first 30 topics; one legend for all."""
    topics = list(dict.fromkeys(result["topic"] for result in results))
    shown = topics[:_TOPICS]
    if len(topics) > len(shown):
        note = f"{note} The first {len(shown)} of {len(topics)} topics.".strip()
    overall = mean_curves(results, budget_requests)
    styles = looks((curve.strategy, curve.kind) for curve in overall)
    rows = max(1, math.ceil(len(shown) / _COLUMNS))
    names = [[curve.strategy for curve in overall][start : start + 5] for start in range(0, len(overall), 5)]
    height = 96 + 22 * len(names) + _CELL_HEIGHT * rows
    canvas = Canvas(WIDTH, height)
    top = height - _head(canvas, title, note)
    for line in names:
        top -= 22
        _legend(canvas, line, styles, top)
    cell = (WIDTH - 2 * _MARGIN) / _COLUMNS
    for number, topic in enumerate(shown):
        curves = mean_curves([result for result in results if result["topic"] == topic], budget_requests)
        left = _MARGIN + cell * (number % _COLUMNS)
        bottom = top - _CELL_HEIGHT * (number // _COLUMNS + 1)
        panel = canvas.panel(left + 46, bottom + 34, cell - 66, _CELL_HEIGHT - 88, most_x=max(budget_requests, 1),
                             most_y=1.0, percents=True, ticks=4, text_size=9)  # fmt: skip
        name = "".join(fitted(topic, cell - 66, 11.0, bold=True))
        canvas.write(left + 46, bottom + _CELL_HEIGHT - 43, name, 11.0, bold=True)
        _draw(panel, curves, styles, width=1.7)
    canvas.save(path)


def _head(canvas: Canvas, title: str, note: str) -> float:
    """Title and note at the top; returns how many pixels they take."""
    lines = fitted(title, canvas.width - 2 * _MARGIN, 14.0, bold=True, most=2)
    canvas.write(_MARGIN, canvas.height - 20, "\n".join(lines), 14.0, bold=True, va="top")
    taken = 24.0 + 24 * len(lines)
    if note:
        told = "".join(fitted(note, canvas.width - 2 * _MARGIN, 10.0))
        canvas.write(_MARGIN, canvas.height - taken, told, 10.0, SOFT, va="top")
        taken += 22
    return taken


def _most_x(curves: Sequence[MeanCurve]) -> float:
    return max((float(curve.at[-1]) for curve in curves), default=1.0) or 1.0


def _most_y(curves: Sequence[MeanCurve], *, percents: bool) -> float:
    """Of shares the whole, 100 %, unless every curve stays far below it; else what the curves need."""
    highest = max((float(np.nanmax([curve.height, curve.high])) for curve in curves), default=1.0)
    return 1.0 if (percents and highest > 0.45) or highest <= 0 else highest * 1.1


def _colour(look: Look) -> str:
    return COLOURS[look.colour] if isinstance(look.colour, int) else {"ink": INK, "soft": SOFT}[look.colour]


def _draw(panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, width: float) -> None:
    for curve in reversed(curves):  # the best last, on top
        look = styles[curve.strategy]
        colour = _colour(look)
        if curve.kind == "strategy" and not np.isnan(curve.low).any():
            panel.band(curve.at, curve.low, curve.high, colour)
        panel.line(curve.at, curve.height, colour, dashes=(0, look.dashes) if look.dashes else "-",
                   width=width if curve.kind == "strategy" else 0.75 * width)  # fmt: skip


def _end_labels(
    canvas: Canvas, panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, percents: bool
) -> None:
    """Each curve's name, last value and interval at the right, joined to its end by a thin line."""
    ends = [panel.pixel(float(curve.at[-1]), float(curve.height[-1])) for curve in curves]
    right, top = panel.pixel(panel.most_x, panel.most_y)
    places = spread([y for _, y in ends], panel.bottom + 8, top - 8, _LABEL_STEP)
    for curve, (x, y), place in zip(curves, ends, places, strict=True):
        look = styles[curve.strategy]
        colour = _colour(look)
        canvas.rule((x + 3, y), (right + 22, place), colour, strength=0.5)
        canvas.rule((right + 22, place), (right + 46, place), colour, width=2.3, strength=1.0, dashes=look.dashes)
        label = "".join(fitted(curve.strategy, _LABEL_WIDTH - 50, 11.0, bold=True))
        canvas.write(right + 52, place + 1, label, 11.0, INK, bold=True, va="bottom")
        canvas.write(right + 52, place - 2, _told(curve, percents=percents), 9.0, SOFT, va="top")


def _told(curve: MeanCurve, *, percents: bool) -> str:
    last, low, high = (float(column[-1]) for column in (curve.height, curve.low, curve.high))
    if not percents:
        digits = 3 if last < 2 else 0
        return f"{last:.{digits}f}" + ("" if math.isnan(low) else f" ({low:.{digits}f} to {high:.{digits}f})")
    return percent(last) if math.isnan(low) else f"{percent(last)} ({100 * low:.0f} to {100 * high:.0f})"


def _legend(canvas: Canvas, names: Sequence[str], styles: Mapping[str, Look], y: float) -> None:
    step = (canvas.width - 2 * _MARGIN) / 5
    for number, name in enumerate(names):
        left, look = _MARGIN + step * number, styles[name]
        canvas.rule((left, y), (left + 26, y), _colour(look), width=2.3, strength=1.0, dashes=look.dashes)
        canvas.write(left + 33, y, "".join(fitted(name, step - 44, 10.0)), 10.0, va="center")
