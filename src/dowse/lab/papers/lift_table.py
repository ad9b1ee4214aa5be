"""The figures behind lift curves: harvest and area of each strategy, and how it stands to others, run by run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dowse.lab.compare.bootstrap import Cell, Interval, mean, ratio
from dowse.lab.compare.comparison import compare
from dowse.lab.compare.each_topic import Told, opened
from dowse.lab.compare.mean_curves import Drawn, LiftRow
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.run_results import RunResult, by_strategy, harvest_function
from dowse.lab.papers.target_curves import harvest_curves

__all__ = ["AGAINST", "lift_csv", "lift_rows", "lift_text", "linkage_curves", "pages_of"]

AGAINST = ("bfs", "best-first")
_FIRST, _WIDE = 24, 26  # letters of the columns, where no name is longer


def linkage_curves(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """The lift curves of crawls that have links alone to go by; each is set against breadth first and best-first, which
    take part whoever else does."""
    plan = replace(plan, strategies=tuple(dict.fromkeys((*plan.strategies, *AGAINST))))
    compared = compare(folder, plan, labels, jobs=jobs, told=told)
    if not compared.runs:
        return Drawn([], compared.unfit)
    runs = [run for run in compared.runs if run["kind"] != "oracle"]  # which are after targets, not after a rate
    return Drawn(harvest_curves(runs, pages_of(folder)), compared.unfit, lift_rows(runs, AGAINST))


def pages_of(folder: Path) -> int:
    """The pages of a corpus."""
    return int(np.count_nonzero(opened(folder)[0].pages.is_page()))


def lift_rows(results: Sequence[RunResult], against: Sequence[str]) -> list[LiftRow]:
    """A row a strategy, the highest lift first."""
    groups = by_strategy(results)
    areas = {name: _cells(own, [run["auc"] for run in own]) for name, own in groups.items()}
    rows = []
    for name, own in groups.items():
        heights = [steps.area(run["budget_requests"]) for run, steps in zip(own, harvest_function(own), strict=True)]
        others = [other for other in against if other != name and other in groups]
        rows.append(
            LiftRow(
                name,
                mean(_cells(own, [run["harvest"] for run in own])),
                mean(_cells(own, heights)),
                mean(areas[name]),
                tuple((other, ratio(areas[name], areas[other]).interval) for other in others),
            )
        )
    return sorted(rows, key=lambda row: (-row.lift.mean, row.strategy))


def _cells(runs: Sequence[RunResult], values: Sequence[float | None]) -> dict[Cell, float]:
    return {
        (run["topic"], run["seed_set"]): math.nan if value is None else value
        for run, value in zip(runs, values, strict=True)
    }


def lift_text(rows: Sequence[LiftRow]) -> list[str]:
    """A line a strategy, as a table."""
    others = list(dict.fromkeys(other for row in rows for other, _ in row.against))
    heads = ["harvest at the end", "mean harvest", "area", *(f"area against {other}" for other in others)]
    wide, first = max(_WIDE, *(len(head) + 2 for head in heads)), max(_FIRST, *(len(row.strategy) for row in rows))
    lines = [" " * first + "".join(f"{head:>{wide}}" for head in heads)]
    for row in rows:
        against = dict(row.against)
        cells = [_shown(row.harvest, _percent), _shown(row.lift, _percent), _shown(row.area, "{:.3f}".format)]
        cells += [_shown(against[other], "{:.2f}".format) if other in against else "" for other in others]
        lines.append(f"{row.strategy:{first}}" + "".join(f"{cell:>{wide}}" for cell in cells))
    return [line.rstrip() for line in lines]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _shown(interval: Interval, form: Callable[[float], str]) -> str:
    if not math.isfinite(interval.mean):
        return ""
    told = form(interval.mean)
    if not math.isfinite(interval.low):
        return told
    return f"{told} ({form(interval.low)} to {form(interval.high)})".replace(" % (", " (").replace(" % to", " to")


def lift_csv(rows: Sequence[LiftRow]) -> str:
    """The bare numbers: ``harvest``, ``harvest_low``, ``harvest_high`` and so on."""
    others = list(dict.fromkeys(other for row in rows for other, _ in row.against))
    names = ["harvest", "mean_harvest", "area", *(f"area_vs_{other}" for other in others)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["strategy", "runs", *(name + end for name in names for end in ("", "_low", "_high"))])
    for row in rows:
        against = dict(row.against)
        intervals = [row.harvest, row.lift, row.area, *(against.get(other) for other in others)]
        writer.writerow([row.strategy, row.harvest.runs, *(number for one in intervals for number in _numbers(one))])
    return text.getvalue()


def _numbers(interval: Interval | None) -> list[float | str]:
    if interval is None:
        return ["", "", ""]
    return [number if math.isfinite(number) else "" for number in (interval.mean, interval.low, interval.high)]
