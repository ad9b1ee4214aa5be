"""Recall curves of a comparison as SVG, for a page: with the values under the pointer, and without a script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dowse.lab.curves import MeanCurve
from dowse.lab.html import Html, clip, element, percent
from dowse.lab.labels import spread
from dowse.lab.looks import Look
from dowse.lab.svg import INK, LINE, SOFT, Panel, steps, stroke, text_at

__all__ = ["legend", "svg_recall", "swatch"]

_TOP, _BOTTOM, _LEFT = 28.0, 42.0, 50.0
_LABELS = 150.0  # pixels at the right, where the picture is wide enough
_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # where the page gives none


def colour(look: Look) -> str:
    if isinstance(look.colour, int):
        return f"var(--c{look.colour + 1},{_LIGHT[look.colour]})"
    return {"ink": INK, "soft": SOFT}[look.colour]


def svg_recall(
    curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, width: int = 900, height: int = 460, readings: int = 24,
    class_: str = "",
) -> Html:  # fmt: skip
    """Mean recall by requests. Names stand beside the curves in a wide picture; a narrow one needs a :func:`legend`."""
    labelled = width >= 600
    right = _LABELS if labelled else 12.0
    most = max((float(curve.at[-1]) for curve in curves), default=1.0) or 1.0
    panel = Panel(_LEFT, _TOP, width - _LEFT - right, height - _TOP - _BOTTOM, most, 1.0)
    parts = [*_frame(panel), text_at(4, _TOP - 12, "mean recall of the targets", colour=INK, size=13, bold=True)]
    for curve in reversed(curves):  # the best last, on top
        parts += _curve(panel, curve, styles[curve.strategy])
    if labelled:
        parts += _names(panel, curves, styles)
    parts += _readings(panel, curves, styles, readings)
    best = ", ".join(f"{curve.strategy} {percent(float(curve.height[-1]))}" for curve in curves)
    return element(
        "svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", role="img",
        aria_label=f"Mean recall after {most:,.0f} requests: {best}" if curves else "No run with targets",
        class_=class_, font_family="system-ui, sans-serif",
    )  # fmt: skip


def legend(curves: Sequence[MeanCurve], styles: Mapping[str, Look], *, class_: str = "") -> Html:
    items = (
        element("li", swatch(styles[curve.strategy]), element("bdi", clip(curve.strategy, 40))) for curve in curves
    )
    return element("ul", *items, class_=f"legend {class_}".strip())


def swatch(look: Look) -> Html:
    """A piece of the line, to stand before a name."""
    line = _line(look, 2.6, x1="1", y1="5", x2="25", y2="5")
    return element("svg", line, viewBox="0 0 26 10", class_="swatch", role="presentation")


def _line(look: Look, width: float, *, name: str = "line", **attributes: str) -> Html:
    dashes = " ".join(f"{length * width * 0.7:g}" for length in look.dashes)
    return stroke(name, colour(look), width, stroke_dasharray=dashes, **attributes)


def _frame(panel: Panel) -> list[Html]:
    bottom, right = panel.top + panel.height, panel.left + panel.width
    parts = [
        text_at(panel.x(value), bottom + 17, f"{value:,.0f}", anchor="middle", name="x")
        for value in steps(panel.most_x, 4 if panel.width < 500 else 8)
    ]
    parts.append(text_at(panel.left + panel.width / 2, bottom + 35, "requests", anchor="middle"))
    for value in (0, 0.25, 0.5, 0.75, 1):
        y = panel.y(value)
        parts.append(stroke("line", SOFT if value == 0 else LINE, 1, x1=f"{panel.left:.2f}", y1=f"{y:.2f}",
                            x2=f"{right:.2f}", y2=f"{y:.2f}"))  # fmt: skip
        parts.append(text_at(panel.left - 7, y + 4, f"{100 * value:g} %", anchor="end", name="y"))
    return parts


def _curve(panel: Panel, curve: MeanCurve, look: Look) -> list[Html]:
    parts = []
    if curve.kind == "strategy" and not np.isnan(curve.low).any():
        around = f"{panel.points(curve.at, curve.high)} {panel.points(curve.at[::-1], curve.low[::-1])}"
        parts.append(element("polygon", points=around, style=f"fill:{colour(look)};fill-opacity:.12;stroke:none"))
    points = panel.points(curve.at, curve.height)
    parts.append(_line(look, 2.2 if curve.kind == "strategy" else 1.6, name="polyline", points=points, class_="recall"))
    return parts


def _names(panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look]) -> list[Html]:
    """At the right, level with the curve's end or joined to it by a thin line."""
    right = panel.left + panel.width
    ends = [panel.y(float(curve.height[-1])) for curve in curves]
    # downwards is upwards for pixels of a page: mirrored, equal ends keep the best on top
    bottom = panel.top + panel.height
    places = [bottom - place for place in spread([bottom - y for y in ends], 0.0, panel.height, 19.0)]
    parts = []
    for curve, y, place in zip(curves, ends, places, strict=True):
        look = styles[curve.strategy]
        ends_at = {"x1": f"{right + 2:.2f}", "y1": f"{y:.2f}", "x2": f"{right + 14:.2f}", "y2": f"{place:.2f}"}
        parts.append(element("g", stroke("line", colour(look), 1, **ends_at), style="opacity:.6"))
        parts.append(
            _line(look, 2.4, x1=f"{right + 14:.2f}", y1=f"{place:.2f}", x2=f"{right + 32:.2f}", y2=f"{place:.2f}")
        )
        parts.append(text_at(right + 37, place + 4, clip(curve.strategy, 17), colour=INK, size=13, name="name"))
    return parts


def _readings(panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], count: int) -> list[Html]:
    """Upright strips; over one, its values stand in a box (the page's style hides them elsewhere)."""
    if not curves:
        return [text_at(panel.x(panel.most_x / 2), panel.y(0.5), "no run with targets", anchor="middle", size=14)]
    strip = panel.width / count
    parts = []
    for number in range(1, count + 1):
        place = round(number / count * (len(curves[0].at) - 1))
        requests = float(curves[0].at[place])
        area = element("rect", x=f"{panel.x(requests) - strip / 2:.2f}", y=f"{panel.top:.2f}", width=f"{strip:.2f}",
                       height=f"{panel.height:.2f}", style="fill:transparent")  # fmt: skip
        parts.append(element("g", area, _reading(panel, curves, styles, place, requests), class_="at"))
    return parts


def _reading(
    panel: Panel, curves: Sequence[MeanCurve], styles: Mapping[str, Look], place: int, requests: float
) -> Html:
    x = panel.x(requests)
    roomy = panel.width > 500
    rows = sorted(curves, key=lambda curve: -float(curve.height[place]))[: int((panel.height - 32) / 17)]
    wide, high = 232.0 if roomy else 150.0, 17.0 * len(rows) + 28
    left = x + 12 if x < panel.left + panel.width / 2 else x - wide - 12
    top = panel.top + max(2.0, (panel.height - high) / 2)
    parts = [
        stroke("line", SOFT, 1, x1=f"{x:.2f}", y1=f"{panel.top:.2f}", x2=f"{x:.2f}", y2=f"{panel.y(0):.2f}"),
        element("rect", x=f"{left:.2f}", y=f"{top:.2f}", width=f"{wide:.2f}", height=f"{high:.2f}", rx="7",
                style=f"fill:var(--card,#fff);stroke:{LINE}"),
        text_at(left + 11, top + 18, f"after {requests:,.0f} requests", colour=INK, bold=True),
    ]  # fmt: skip
    for row, curve in enumerate(rows):
        look, recall, y = styles[curve.strategy], float(curve.height[place]), top + 36 + 17 * row
        dot = {"cx": f"{x:.2f}", "cy": f"{panel.y(recall):.2f}", "r": "3.4", "style": f"fill:{colour(look)}"}
        bounds = (float(curve.low[place]), float(curve.high[place]))
        told = "" if math.isnan(bounds[0]) or not roomy else f" ({100 * bounds[0]:.0f}–{100 * bounds[1]:.0f})"
        parts += [
            element("circle", **dot),
            element("circle", cx=f"{left + 15:.2f}", cy=f"{y - 4:.2f}", r="3.4", style=f"fill:{colour(look)}"),
            text_at(left + 25, y, clip(curve.strategy, 16 if roomy else 13), colour=INK),
            text_at(left + wide - 10, y, f"{percent(recall)}{told}", anchor="end"),
        ]
    return element("g", *parts, class_="reading")
