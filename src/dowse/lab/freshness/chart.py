"""A picture of a comparison: freshness by budget, and over time with one of the budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dowse.lab.draw.axes import Numbers, Panel, across, heading, spread, up
from dowse.lab.draw.drawing import SERIES, Drawing, Line, Mark, Text
from dowse.lab.freshness.comparison import Compared

__all__ = ["freshness_chart"]

_LEFT, _GAP, _LABELS, _TOP, _BOTTOM = 64.0, 74.0, 104.0, 46.0, 56.0
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_NAMES = ("auto", "uniform", "proportional")


def freshness_chart(rows: Sequence[Compared], title: str, *, width: int = 960, height: int = 400) -> Drawing:
    """On the left each budget, on the right each period with the budget in the middle."""
    head, above = heading(title, "share of the time in which what is held is what there is, by value", 16, width - 32)
    middle = rows[(len(rows) - 1) // 2]
    each = (width - _LEFT - _GAP - _LABELS) / 2
    budgets = np.array([row.pages for row in rows])
    left = Panel(_LEFT, above + _TOP, each, height - _TOP - _BOTTOM, float(budgets[-1]), 1.0)
    periods = len(middle.over_time["auto"])
    right = Panel(left.right + _GAP, left.top, each, left.height, float(periods - 1), 1.0)
    marks = [
        *head,
        *_panel(left, "by budget", "pages a run", left.right + 20),
        *_curves(left, budgets, {name: np.array([row.freshness[name] for row in rows]) for name in _NAMES}),
        *_panel(right, f"over time, with {middle.pages} pages a run", "runs", width - 2),
        *_curves(right, np.arange(periods), middle.over_time),
        *_names(right, {name: float(middle.over_time[name][-1]) for name in _NAMES}),
    ]
    told = "; ".join(
        f"{row.pages} pages a run: " + ", ".join(f"{name} {row.freshness[name]:.2f}" for name in _NAMES) for row in rows
    )
    return Drawing(width, height + round(above), tuple(marks), f"Freshness of a collection. {told}")


def _panel(panel: Panel, name: str, along: str, edge: float) -> list[Mark]:
    title = Text(panel.left, panel.top - 12, name, 13, "ink", bold=True)
    return [title, *up(panel, _SHARES, lambda share: f"{share:.0%}"), *across(panel, along, edge)]


def _curves(panel: Panel, xs: Numbers, curves: Mapping[str, Numbers]) -> list[Mark]:
    return [
        Line(panel.points(xs, curves[name]), SERIES[place], 2.0, role="curve") for place, name in enumerate(_NAMES)
    ]  # fmt: skip


def _names(panel: Panel, ends: Mapping[str, float]) -> list[Mark]:
    places = spread([panel.y(ends[name]) for name in _NAMES], panel.top, panel.bottom, 17)
    return [
        Text(panel.right + 8, y + 4, name, 13, SERIES[place], bold=True)
        for place, (name, y) in enumerate(zip(_NAMES, places, strict=True))
    ]
