"""Harvest curves: relevant pages found by pages fetched, of one crawl or of several beside each other.

The picture of one crawl has a second panel, which shares the axis: the harvest rate of the last few pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dowse.lab.draw.axes import Panel, across, heading, spread, steps, thinned, up, upward
from dowse.lab.draw.drawing import SERIES, Area, Dot, Drawing, Line, Mark, Text
from dowse.lab.draw.text_fit import fitted, text_width
from dowse.lab.measure.metrics import moving_rate
from dowse.lab.wording import percent
from dowse.store import HarvestCurve

__all__ = ["harvest_chart", "harvests_chart", "rate_window"]

_TOP, _BOTTOM, _GAP = 24.0, 46.0, 34.0
_LABELS, _LABEL_STEP = 168.0, 34.0
_MARGIN = 20.0
_EMPTY, _IDEAL = "no page fetched yet", "every page relevant"
_STYLES = ((), (7.0, 3.0), (7.0, 3.0, 1.5, 3.0), (1.5, 3.0))  # dashes, when the colours have all been used


def rate_window(pages: int) -> int:
    """How many pages a moving harvest rate looks back over: about a tenth of the crawl, a round number.

    >>> [rate_window(n) for n in (3, 60, 150, 2_000, 100_000)]
    [3, 10, 10, 200, 1000]
    """
    wanted = next((size for size in (1000, 500, 200, 100, 50, 20) if size <= pages / 10), 10)
    return max(1, min(wanted, pages))


def _last(curve: HarvestCurve) -> tuple[int, int]:
    """Pages fetched and relevant at its end."""
    return (int(curve.pages[-1]), int(curve.relevant[-1])) if len(curve.pages) else (0, 0)


# -- one crawl ---------------------------------------------------------------------------------------------------------


def harvest_chart(curve: HarvestCurve, *, width: int = 900, height: int = 440, title: str = "") -> Drawing:
    """The picture of one crawl; a title comes on top of its height."""
    edge = _MARGIN if title else 4.0
    head, above = heading(title, "", edge, width - 2 * edge) if title else ([], -8.0)
    pages, found = _last(curve)
    inner = height - _TOP - _BOTTOM - _GAP
    left = edge + 8 + max(text_width(number, 12.5) for number in ("100 %", f"{found:,}"))
    upper = Panel(left, above + 8 + _TOP, width - left - edge - 10, inner * 0.66, max(pages, 1), max(found, 1) * 1.12)
    window = rate_window(pages)
    rate = moving_rate(curve.relevant, window) if pages else np.zeros(0)
    highest = max(0.1, float(rate.max()) if len(rate) else 1.0)
    lower = Panel(left, upper.bottom + _GAP, upper.width, inner * 0.34, upper.most_x, highest * 1.15)
    marks = [*head, *_axes(upper, lower, width), _name(edge, upper, "relevant pages found")]
    if pages:
        recent = f"harvest rate, last {window:,} pages" if window > 1 else "harvest rate"
        marks += [
            *_ideal(upper),
            *_found(upper, curve, "accent"),
            _last_value(upper, pages, found),
            _name(edge, lower, recent),
        ]
        marks += _rates(lower, curve.pages[window - 1 :], rate, found / pages)
        told = f"{found:,} relevant pages among {pages:,} fetched, a harvest rate of {percent(found / pages)}"
    else:
        told = _EMPTY
        marks += [_nothing(upper), _name(edge, lower, "harvest rate")]
    return Drawing(width, height + round(above + 8), tuple(marks), f"Harvest curve: {told}")


def _axes(upper: Panel, lower: Panel, width: int) -> list[Mark]:
    rates = steps(min(1.0, lower.most_y), 2, whole=False)
    return [
        *across(lower, "pages fetched", width - 2, most=4 if upper.width < 500 else 6),
        *up(upper, steps(upper.most_y, 4), "{:,.0f}".format),
        *up(lower, rates, upward(lower.most_y, percents=True), role="rate"),
    ]


def _name(left: float, panel: Panel, text: str) -> Text:
    return Text(left, panel.top - 9, text, 13, "ink", bold=True)


def _nothing(panel: Panel) -> Text:
    return Text(panel.left + panel.width / 2, panel.top + panel.height / 2, _EMPTY, 14, anchor="middle")


def _last_value(panel: Panel, pages: int, found: int) -> Text:
    return Text(panel.x(pages) - 2, panel.y(found) - 9, f"{found:,} relevant", 13, "accent", bold=True, anchor="end")


def _rates(panel: Panel, pages: NDArray[np.int64], rate: NDArray[np.float64], overall: float) -> list[Mark]:
    drawn = thinned(len(rate))
    y = panel.y(min(overall, panel.most_y))
    marks: list[Mark] = [Line(((panel.left, y), (panel.right, y)), "second", dashes=(2, 4))]
    if len(rate) == 1:
        marks.append(Dot(panel.x(float(pages[0])), panel.y(float(rate[0])), 3, "second"))
    marks.append(Line(panel.points(pages[drawn], rate[drawn]), "second", 1.6, role="rate"))
    return marks


# -- several crawls ----------------------------------------------------------------------------------------------------


def harvests_chart(
    curves: Mapping[str, HarvestCurve], *, title: str, width: int = 800, height: int = 460
) -> Drawing:  # fmt: skip
    """Several crawls by name, in one panel; names and last values stand at the right."""
    head, above = heading(title, "", _MARGIN, width - 2 * _MARGIN)
    ends = [_last(curve) for curve in curves.values()]
    pages, found = (max((end[place] for end in ends), default=0) for place in (0, 1))
    left, top = _MARGIN + 46, above + 34
    panel = Panel(left, top, width - left - _MARGIN - _LABELS, height - top - 50, max(pages, 1), max(found, 1) * 1.06)
    marks: list[Mark] = [
        *head,
        *across(panel, "pages fetched", width),
        *up(panel, steps(panel.most_y, 6), "{:,.0f}".format),
        Text(_MARGIN, top - 12, "relevant pages found", 13, "ink"),
    ]
    if not pages:
        marks.append(_nothing(panel))
    else:
        marks += _ideal(panel)
        for number, curve in enumerate(curves.values()):
            marks += _found(panel, curve, *_look(number), filled=False)
        marks += _labels(panel, curves)
    told = ", ".join(f"{name} {found:,} of {pages:,}" for name, (pages, found) in zip(curves, ends, strict=True))
    return Drawing(width, height, tuple(marks), f"Relevant pages found: {told}" if pages else _EMPTY)


def _look(number: int) -> tuple[str, tuple[float, ...]]:
    """The colour and the dashes of a curve."""
    return SERIES[number % len(SERIES)], _STYLES[number // len(SERIES) % len(_STYLES)]


def _labels(panel: Panel, curves: Mapping[str, HarvestCurve]) -> list[Mark]:
    """Each curve's name and last value at the right, level with its end or joined to it by a thin line."""
    ends = [(panel.x(pages), panel.y(found)) for pages, found in map(_last, curves.values())]
    places = spread([y for _, y in ends], panel.top, panel.bottom, _LABEL_STEP)
    marks: list[Mark] = []
    for number, (name, curve) in enumerate(curves.items()):
        (x, y), place, (pages, found) = ends[number], places[number], _last(curve)
        colour, _ = _look(number)
        if pages and (panel.right - x > 4 or abs(place - y) > 4):
            marks.append(Line(((x + 5, y), (panel.right + 14, place)), colour, opacity=0.55))
        told = f"{found:,} of {pages:,} ({found / pages:.0%})" if pages else "no page fetched"
        label = fitted(name, _LABELS - 18, 13.5, bold=True)[0]
        marks.append(Text(panel.right + 18, place - 2, label, 13.5, colour, bold=True))
        marks.append(Text(panel.right + 18, place + 13, told, 12))
    return marks


# -- what they share ---------------------------------------------------------------------------------------------------


def _found(
    panel: Panel, curve: HarvestCurve, colour: str, dashes: tuple[float, ...] = (), *, filled: bool = True
) -> list[Mark]:
    """The curve from 0, with a dot at its end; the area below it may be filled."""
    if not len(curve.pages):
        return []
    drawn = thinned(len(curve.pages))
    line = ((panel.x(0), panel.y(0)), *panel.points(curve.pages[drawn], curve.relevant[drawn]))
    x, y = line[-1]
    area = [Area((*line, (x, panel.y(0))), colour, 0.1)] if filled else []
    return [*area, Line(line, colour, 2.2, dashes, role="found"), Dot(x, y, 3.5, colour)]


def _ideal(panel: Panel) -> list[Mark]:
    """Where every page is relevant, as far as the panel reaches, with its name along it."""
    reach = min(panel.most_x, panel.most_y)
    (left, bottom), (x, y) = start, end = (panel.x(0), panel.y(0)), (panel.x(reach), panel.y(reach))
    angle, length = math.atan2(bottom - y, x - left), math.hypot(bottom - y, x - left)
    at = 0.7 if panel.most_y > 0.6 * panel.most_x else 0.96  # before the curve's own label, where it comes so near
    # no curve lies above the line; below it only where a steep one leaves no room between it and the axis
    begins = at - text_width(_IDEAL, 12) / length
    aside = -7 if begins * (x - left) > 22 else 15
    place = left + at * (x - left) + aside * math.sin(angle), bottom + at * (y - bottom) + aside * math.cos(angle)
    return [
        Line((start, end), "soft", 1.2, (2, 5), role="ideal"),
        Text(*place, _IDEAL, 12, anchor="end", angle=math.degrees(angle)),
    ]
