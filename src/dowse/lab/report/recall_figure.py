"""Recall curves in the report of a comparison: with the values under the pointer, and without a script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dowse.lab.compare.mean_curves import MeanCurve
from dowse.lab.draw.axes import Panel
from dowse.lab.draw.drawing import Box, Dot, Line, Mark, Text
from dowse.lab.draw.strategies_chart import Look, look_line, strategies_chart
from dowse.lab.draw.svg import svg_in_page, svg_marks
from dowse.lab.draw.text_fit import fitted
from dowse.lab.html_markup import Html, clip, element
from dowse.lab.wording import percent

__all__ = ["legend", "recall_svg", "swatch"]


def recall_svg(
    curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, width: int = 900, height: int = 460, readings: int = 24,
    class_: str = "",
) -> Html:  # fmt: skip
    """Mean recall by requests. Names stand beside the curves in a wide picture; a narrow one needs a :func:`legend`."""
    chart = strategies_chart(curves, width=width, height=height, styles=styles)
    return svg_in_page(chart.drawing, class_=class_, more=_readings(chart.panel, curves, styles, readings))


def legend(curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, class_: str = "") -> Html:
    """Each strategy with a piece of its line."""
    items = (
        element("li", swatch(styles[curve.strategy]), element("bdi", clip(curve.strategy, 40))) for curve in curves
    )
    return element("ul", *items, class_=f"legend {class_}".strip())


def swatch(look: Look) -> Html:
    """A piece of the line, to stand before a name."""
    line = svg_marks([look_line(look, ((1, 5), (25, 5)), 2.6)])
    return element("svg", *line, viewBox="0 0 26 10", class_="swatch", role="presentation")


def _readings(panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], count: int) -> list[Html]:
    """Strips over the picture; while the pointer is in one, the values there are shown."""
    if not curves:
        return []
    strip = panel.width / count
    parts = []
    for number in range(1, count + 1):
        place = round(number / count * (len(curves[0].at) - 1))
        requests = float(curves[0].at[place])
        area = element("rect", x=f"{panel.x(requests) - strip / 2:.2f}", y=f"{panel.top:.2f}", width=f"{strip:.2f}",
                       height=f"{panel.height:.2f}", style="fill:transparent")  # fmt: skip
        values = svg_marks(_reading(panel, curves, styles, place, requests))
        parts.append(element("g", area, element("g", *values, class_="reading"), class_="at"))
    return parts


def _reading(
    panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], place: int, requests: float
) -> list[Mark]:
    """A line at a place, and what each strategy has found there, the best first."""
    x = panel.x(requests)
    roomy = panel.width > 500
    rows = sorted(curves, key=lambda curve: -float(curve.height[place]))[: int((panel.height - 32) / 17)]
    wide, high = 232.0 if roomy else 150.0, 17.0 * len(rows) + 28
    left = x + 12 if x < panel.left + panel.width / 2 else x - wide - 12
    top = panel.top + max(2.0, (panel.height - high) / 2)
    marks: list[Mark] = [
        Line(((x, panel.top), (x, panel.bottom)), "soft"),
        Box(left, top, wide, high, "card", "line", rounding=7),
        Text(left + 11, top + 18, f"after {requests:,.0f} requests", 12, "ink", bold=True),
    ]
    for row, curve in enumerate(rows):
        look, recall, y = styles[curve.strategy], float(curve.height[place]), top + 36 + 17 * row
        low, high_bound = float(curve.low[place]), float(curve.high[place])
        told = "" if math.isnan(low) or not roomy else f" ({100 * low:.0f}–{100 * high_bound:.0f})"
        marks += [
            Dot(x, panel.y(recall), 3.4, look.colour),
            Dot(left + 15, y - 4, 3.4, look.colour),
            Text(left + 25, y, fitted(curve.strategy, 116 if roomy else 76, 12)[0], 12, "ink"),
            Text(left + wide - 10, y, f"{percent(recall)}{told}", 12, anchor="end"),
        ]
    return marks
