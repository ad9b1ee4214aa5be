"""A harvest curve as SVG, for a page: light, crisp at any size, in the colours of the page around it.

Two panels share the axis of pages fetched: relevant pages found so far, and the harvest rate of the last few pages.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dowse.lab.html import Html, clip, element, percent
from dowse.lab.metrics import moving_rate
from dowse.lab.svg import INK, LINE, SOFT, Panel, steps, stroke, text_at, thinned
from dowse.store import HarvestCurve

__all__ = ["rate_window", "svg_curve", "svg_file"]

_RIGHT, _TOP, _BOTTOM, _GAP = 14.0, 24.0, 40.0, 34.0
_SVG = "http://www.w3.org/2000/svg"
_FONT = "system-ui, sans-serif"
_TITLE = 90  # characters that fit
_CURVE = "var(--accent,#0072b2)"
_RATE = "var(--second,#b45309)"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def rate_window(pages: int) -> int:
    """How many pages a moving harvest rate looks back over: about a tenth of the crawl, a round number.

    >>> [rate_window(n) for n in (3, 60, 150, 2_000, 100_000)]
    [3, 10, 10, 200, 1000]
    """
    wanted = next((size for size in (1000, 500, 200, 100, 50, 20) if size <= pages / 10), 10)
    return max(1, min(wanted, pages))


def svg_curve(curve: HarvestCurve, *, width: int = 900, height: int = 440, class_: str = "") -> Html:
    """The picture of one crawl. Stands alone; in a page, ``--accent``, ``--second``, ``--ink``, ``--soft`` and
    ``--line`` give it the page's colours."""
    parts, told = _drawn(curve, width, height)
    return element(
        "svg", *parts, xmlns=_SVG, viewBox=f"0 0 {width} {height}", role="img", aria_label=told, class_=class_,
        font_family=_FONT,
    )  # fmt: skip


def svg_file(curve: HarvestCurve, title: str) -> str:
    """The same as a file of its own: with a title, on white, whatever the colours of who shows it."""
    width, height, above = 900, 440, 40
    parts, told = _drawn(curve, width, height)
    paper = element("rect", width="100%", height="100%", style="fill:#fff")
    heading = text_at(4, 24, clip(title, _TITLE), colour=INK, size=16, bold=True)
    chart = element("g", *parts, transform=f"translate(0 {above})")
    size = {"width": str(width), "height": str(height + above), "viewBox": f"0 0 {width} {height + above}"}
    return element(
        "svg", paper, heading, chart, xmlns=_SVG, **size, role="img", aria_label=told, font_family=_FONT
    )  # fmt: skip


def _drawn(curve: HarvestCurve, width: int, height: int) -> tuple[list[Html], str]:
    """Everything in the picture, and the same in a sentence."""
    pages = int(curve.pages[-1]) if len(curve.pages) else 0
    found = int(curve.relevant[-1]) if len(curve.relevant) else 0
    inner = height - _TOP - _BOTTOM - _GAP
    left = max(46.0, 14 + 7.2 * len(f"{found:,}"))
    upper = Panel(left, _TOP, width - left - _RIGHT, inner * 0.66, max(pages, 1), max(found, 1) * 1.12)
    window = rate_window(pages)
    rate = moving_rate(curve.relevant, window) if pages else np.zeros(0)
    highest = max(0.1, float(rate.max()) if len(rate) else 1.0)
    lower = Panel(left, _TOP + upper.height + _GAP, upper.width, inner * 0.34, upper.most_x, highest * 1.15)
    parts = [*_frame(upper, lower), _heading(upper, "relevant pages found")]
    if pages:
        parts += [*_found(upper, curve, found), *_rates(lower, curve.pages[window - 1 :], rate, found / pages)]
        parts.append(_heading(lower, f"harvest rate, last {window:,} pages" if window > 1 else "harvest rate"))
        told = f"{found:,} relevant pages among {pages:,} fetched, a harvest rate of {percent(found / pages)}"
    else:
        told = "no page fetched yet"
        middle = (upper.left + upper.width / 2, upper.top + upper.height / 2)
        parts += [text_at(*middle, told, anchor="middle", size=14), _heading(lower, "harvest rate")]
    return parts, f"Harvest curve: {told}"


def _frame(upper: Panel, lower: Panel) -> list[Html]:
    """Grid lines and the numbers beside them."""
    parts = []
    most = 4 if upper.width < 500 else 8
    for value in steps(upper.most_x, most):
        x, bottom = upper.x(value), lower.top + lower.height
        # a number that would hang over the picture's edge ends there
        anchor = "end" if x > upper.left + upper.width - 8 else "middle"
        parts.append(text_at(x, bottom + 16, f"{value:,.0f}", anchor=anchor, name="x"))
    bottom = lower.top + lower.height
    parts.append(text_at(upper.left + upper.width / 2, bottom + 33, "pages fetched", anchor="middle"))
    for panel, values, percents in (
        (upper, steps(upper.most_y, 4), False),
        (lower, steps(min(1.0, lower.most_y), 2, whole=False), True),
    ):
        for value in values:
            y = panel.y(value)
            shown = f"{100 * value:g} %" if percents else f"{value:,.0f}"
            parts.append(stroke("line", SOFT if value == 0 else LINE, 1, x1=f"{panel.left:.2f}", y1=f"{y:.2f}",
                                 x2=f"{panel.left + panel.width:.2f}", y2=f"{y:.2f}"))  # fmt: skip
            parts.append(text_at(panel.left - 7, y + 4, shown, anchor="end", name="rate" if percents else "y"))
    return parts


def _found(panel: Panel, curve: HarvestCurve, found: int) -> list[Html]:
    """The ideal, the curve with its area, and its last value."""
    drawn = thinned(len(curve.pages))
    xs, ys = curve.pages[drawn], curve.relevant[drawn]
    line = f"{panel.x(0):.2f},{panel.y(0):.2f} {panel.points(xs, ys)}"
    end_x, end_y = panel.x(float(xs[-1])), panel.y(float(ys[-1]))
    area = f"{line} {end_x:.2f},{panel.y(0):.2f}"
    return [
        *_ideal(panel),
        element("polygon", points=area, style=f"fill:{_CURVE};fill-opacity:.1;stroke:none"),
        stroke("polyline", _CURVE, 2.2, points=line, class_="found"),
        element("circle", cx=f"{end_x:.2f}", cy=f"{end_y:.2f}", r="3.5", style=f"fill:{_CURVE}"),
        text_at(end_x - 2, end_y - 9, f"{found:,} relevant", anchor="end", colour=_CURVE, size=13, bold=True),
    ]


def _ideal(panel: Panel) -> list[Html]:
    """Where every page is relevant, as far as the panel reaches."""
    reach = min(panel.most_x, panel.most_y)
    x, y, left, bottom = panel.x(reach), panel.y(reach), panel.x(0), panel.y(0)
    line = stroke("line", SOFT, 1.2, x1=f"{left:.2f}", y1=f"{bottom:.2f}", x2=f"{x:.2f}", y2=f"{y:.2f}",
                   stroke_dasharray="2 5", class_="ideal")  # fmt: skip
    # Written along the line: above it where the curve may come close from below (and before the curve's own label),
    # else below it, away from the axis.
    above = panel.most_y > 0.6 * panel.most_x
    at, aside = (0.7, -7) if above else (0.96, 15)
    angle = -math.degrees(math.atan2(bottom - y, x - left))
    turn = f"translate({left + at * (x - left):.2f} {bottom + at * (y - bottom):.2f}) rotate({angle:.2f})"
    return [line, element("g", text_at(0, aside, "every page relevant", anchor="end"), transform=turn)]


def _rates(panel: Panel, pages: Ints, rate: Floats, overall: float) -> list[Html]:
    drawn = thinned(len(rate))
    y = f"{panel.y(min(overall, panel.most_y)):.2f}"
    parts = [
        stroke("line", _RATE, 1, x1=f"{panel.left:.2f}", y1=y, x2=f"{panel.left + panel.width:.2f}", y2=y,
                stroke_dasharray="2 4"),
        stroke("polyline", _RATE, 1.6, points=panel.points(pages[drawn], rate[drawn]), class_="rate"),
    ]  # fmt: skip
    if len(rate) == 1:
        cx, cy = panel.x(float(pages[0])), panel.y(float(rate[0]))
        parts.append(element("circle", cx=f"{cx:.2f}", cy=f"{cy:.2f}", r="3", style=f"fill:{_RATE}"))
    return parts


def _heading(panel: Panel, text: str) -> Html:
    return text_at(4, panel.top - 9, text, colour=INK, size=13, bold=True)
