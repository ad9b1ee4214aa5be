"""How many pages have which score, with the threshold drawn among them."""

from __future__ import annotations

import math

from dowse.lab.draw.axes import Panel, steps, up
from dowse.lab.draw.drawing import Anchor, Area, Drawing, Line, Mark, Text
from dowse.lab.draw.text_fit import text_width
from dowse.lab.finished.score_spread import ScoreSpread
from dowse.lab.wording import counted

__all__ = ["score_chart"]

_TOP, _BOTTOM, _EDGE = 44.0, 46.0, 4.0
_GAP = 1.0  # between two bars
_SIZE = 12.5


def score_chart(spread: ScoreSpread, name: str, *, width: int = 900, height: int = 260) -> Drawing:
    """Bars by score, those from the threshold on in another colour. Heights are roots of page counts: most pages of a
    crawl are far off its topic, and the few about the threshold are those to look at. ``name``: what a score is."""
    most = max(int(spread.counts.max(initial=0)), 1)
    left = _EDGE + 8 + text_width(f"{most:,}", _SIZE)
    panel = Panel(left, _TOP, width - left - _EDGE - 10, height - _TOP - _BOTTOM, spread.top, math.sqrt(most) * 1.06)
    marks: list[Mark] = [
        *_counts(panel, most),
        *_bars(panel, spread),
        *_scores(panel, spread, name, width),
        *_threshold(panel, spread),
        Text(_EDGE, 14, "pages", 13, "ink", bold=True),
    ]
    above = int(spread.counts[spread.below :].sum())
    threshold = spread.told(spread.threshold)
    told = f"{counted(above, 'page')} of {int(spread.counts.sum()):,} from the threshold {threshold} on"
    return Drawing(width, height, tuple(marks), f"Scores: {told}; {counted(spread.near, 'page')} near it")


def _counts(panel: Panel, most: int) -> list[Mark]:
    """Lines at round numbers of pages, at the height of their roots."""
    wanted = [0, *(number for number in _round_numbers(most))]
    return up(panel, [math.sqrt(number) for number in wanted], lambda root: f"{round(root * root):,}")


def _round_numbers(most: int) -> list[int]:
    """
    >>> _round_numbers(7), _round_numbers(230), _round_numbers(0)
    ([2, 5], [20, 100, 200], [])
    """
    found = [factor * 10**power for power in range(10) for factor in (1, 2, 5) if factor * 10**power <= most]
    chosen: list[int] = []
    for number in reversed(found):  # as roots go, so that numbers do not touch
        if not chosen or math.sqrt(chosen[-1]) - math.sqrt(number) >= math.sqrt(most) * 0.2:
            chosen.append(number)
    return [number for number in reversed(chosen) if math.sqrt(number) >= math.sqrt(most) * 0.12]


def _bars(panel: Panel, spread: ScoreSpread) -> list[Mark]:
    marks: list[Mark] = []
    edges = spread.edges.tolist()
    for place, count in enumerate(spread.counts.tolist()):
        if count:
            left, right = panel.x(edges[place]) + _GAP, panel.x(edges[place + 1]) - _GAP
            top = min(panel.y(math.sqrt(count)), panel.bottom - 1.5)
            corners = ((left, panel.bottom), (left, top), (right, top), (right, panel.bottom))
            marks.append(Area(corners, "accent" if place >= spread.below else "soft", 0.75))
    return marks


def _scores(panel: Panel, spread: ScoreSpread, name: str, width: int) -> list[Mark]:
    marks: list[Mark] = []
    for value in steps(spread.top, 5, whole=False):
        x, number = panel.x(value), f"{value:g}"
        anchor: Anchor = "end" if x + text_width(number, _SIZE) / 2 > width - 2 else "middle"
        marks.append(Text(x, panel.bottom + _SIZE + 5, number, _SIZE, anchor=anchor, role="x"))
    middle = panel.left + panel.width / 2
    return [*marks, Text(middle, panel.bottom + 2 * _SIZE + 13, name, 13, "ink", anchor="middle")]


def _threshold(panel: Panel, spread: ScoreSpread) -> list[Mark]:
    """A line up, with what lies on either side of it."""
    x, below = panel.x(spread.threshold), int(spread.counts[: spread.below].sum())
    above = int(spread.counts[spread.below :].sum())
    left, right = f"{below:,} not relevant", f"{above:,} relevant, from {spread.told(spread.threshold)} on"
    if x + 8 + text_width(right, 13, bold=True) > panel.right:  # no room for it on its own side: above the line, inward
        place: tuple[float, Anchor] = (panel.right, "end")
    else:
        place = (x + 8, "start")
    marks: list[Mark] = [
        Line(((x, _TOP - 16), (x, panel.bottom)), "second", 1.8, (5, 3), role="threshold"),
        Text(place[0], _TOP - 8, right, 13, "accent", bold=True, anchor=place[1]),
    ]
    if x - 8 - text_width(left, 13, bold=True) > panel.left + 40:
        marks.append(Text(x - 8, _TOP - 8, left, 13, "soft", bold=True, anchor="end"))
    return marks
