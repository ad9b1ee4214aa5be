"""Pictures of a plan: coverage against bytes, and the pattern tree of a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dowse.lab.draw.axes import Panel, across, heading, up
from dowse.lab.draw.drawing import SERIES, Drawing, Line, Mark, Text
from dowse.lab.draw.text_fit import fitted
from dowse.lab.wording import counted, human_bytes, percent
from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.choose import Choice
from dowse.recrawl.selection.cover import Step, by_cost, sr
from dowse.recrawl.selection.ways import Costs

__all__ = ["coverage_chart", "tree_chart"]

_SIZE = 12.5
_LEFT, _TOP, _BOTTOM, _LABELS = 70.0, 20.0, 50.0, 150.0
_ROW, _INDENT = 22.0, 22.0
_MOST_ROWS = 60


def coverage_chart(atlas: Atlas, *, width: int = 900, height: int = 440) -> Drawing:
    """The share of all objects that is covered, by the bytes that it is expected to take, pattern by pattern."""
    costs, covers = Costs(atlas), atlas.objects_of
    total = max(len(atlas.objects), 1)
    curves = {
        "by objects a byte": by_cost(covers, costs, atlas.site_of, enough=total),
        "by objects, SR(1)": sr(covers, 1, costs),
    }
    head, above = heading("Objects covered, by what a run fetches", "", 16, width - 32)
    most = max((steps[-1].spent for steps in curves.values() if steps), default=1.0)
    unit, name_of_unit = (1e6, "MB") if most >= 5e6 else (1e3, "kB")
    panel = Panel(_LEFT, above + _TOP, width - _LEFT - _LABELS, height - _TOP - _BOTTOM, most / unit, 1.0)
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    marks: list[Mark] = [
        *head,
        *up(panel, shares, lambda share: f"{share:.0%}"),
        *across(panel, name_of_unit, width - 2),
    ]
    for place, (name, steps) in enumerate(curves.items()):
        marks += _curve(panel, steps, total, unit, name, place)
    ends = "; ".join(f"{name}: {human_bytes(steps[-1].spent)}" for name, steps in curves.items() if steps)
    return Drawing(width, height + round(above), tuple(marks), f"Coverage of {total:,} objects against bytes: {ends}")


def _curve(panel: Panel, steps: Sequence[Step], total: int, unit: float, name: str, place: int) -> list[Mark]:
    colour = SERIES[place]
    xs = np.array([0.0, *(step.spent / unit for step in steps)])
    ys = np.array([0.0, *(step.covered / total for step in steps)])
    y = panel.top + 24 + 20 * place
    return [Line(panel.points(xs, ys), colour, 2.0), Text(panel.right + 8, y, name, 13, colour, bold=True)]


def tree_chart(atlas: Atlas, choice: Choice, origin: str, *, width: int = 900) -> Drawing:
    """The patterns of a site as a tree, by the way that a run takes: what is fetched, and what not."""
    site = atlas.sites[origin]
    edges = choice.edges.get(origin, set())
    rows = _rows(site.of_pattern, sorted(edges), [n for n, pages in site.of_pattern.items() if pages & site.entries])
    fetched = {number for _, number in rows}
    rows += [(0, number) for number in sorted(set(site.of_pattern) - fetched, key=lambda n: -atlas.bytes_of[n])]
    shown, left = rows[:_MOST_ROWS], len(rows) - _MOST_ROWS
    head, above = heading(origin, "bold: followed; blue: states objects; grey: not fetched", 16, width - 32)
    marks: list[Mark] = list(head)
    for place, (depth, number) in enumerate(shown):
        y = above + _TOP + place * _ROW
        x = 16 + depth * _INDENT
        text = atlas.patterns[number].text.removeprefix(origin) or "/"
        states = len(atlas.objects_of.get(number, ()))
        told = f"{counted(atlas.pages_of[number], 'page')}, {human_bytes(atlas.bytes_of[number])}"
        told += f", {counted(states, 'object')}" if states else ""
        is_on = number in fetched
        colour = "accent" if states and is_on else "ink" if is_on else "soft"
        if depth:
            marks.append(Line(((x - 14, y - _ROW + 6), (x - 14, y - 4), (x - 4, y - 4)), "soft"))
        marks.append(Text(x, y, fitted(text, width * 0.6 - x, _SIZE)[0], _SIZE, colour, bold=is_on))
        marks.append(Text(width - 16, y, told, _SIZE, colour, anchor="end"))
    if left > 0:
        marks.append(Text(16, above + _TOP + len(shown) * _ROW, f"and {left:,} more", _SIZE))
    height = round(above + _TOP + (len(shown) + 1) * _ROW)
    spent = sum(atlas.bytes_of[number] for number in fetched)
    whole = sum(atlas.bytes_of[number] for number in site.of_pattern)
    return Drawing(width, height, tuple(marks), f"{origin}: a run follows patterns of {percent(spent / max(whole, 1))}"
                   f" of its bytes")  # fmt: skip


def _rows(
    of_pattern: Mapping[int, int], edges: Sequence[tuple[int, int]], starts: Sequence[int]
) -> list[tuple[int, int]]:
    """Depth and pattern, in the order of a walk; each pattern where it is first come upon."""
    onward: dict[int, list[int]] = {}
    for source, target in edges:
        onward.setdefault(source, []).append(target)
    rows: list[tuple[int, int]] = []
    seen = set(starts)
    waiting = [(0, number) for number in reversed(starts)]
    while waiting:
        depth, number = waiting.pop()
        rows.append((depth, number))
        for target in reversed(onward.get(number, [])):
            if target not in seen:
                seen.add(target)
                waiting.append((depth + 1, target))
    return rows
