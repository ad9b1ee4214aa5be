"""From runs to the table of a comparison: one row a strategy, each figure with its interval."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypedDict, cast

from dowse.lab.compare.bootstrap import Cell, Comparison, Interval, mean, ratio
from dowse.lab.compare.run_results import BASELINE, ORACLE, Kind, RunResult, by_strategy
from dowse.lab.compare.target_lengths import comparable
from dowse.lab.wording import human_bytes, percent

__all__ = ["Figure", "SummaryRow", "shown_rows", "summarise", "summary_csv"]

Measure = Literal["auc", "recall", "harvest", "requests", "bytes"]
_MEASURES: tuple[Measure, ...] = ("auc", "recall", "harvest", "requests", "bytes")


class Figure(TypedDict):
    """A mean over topics and seed sets with its 95 % interval. None: there was nothing to take it from."""

    mean: float | None
    low: float | None
    high: float | None
    n: int  # runs


class SummaryRow(TypedDict):
    strategy: str
    kind: Kind
    auc: Figure
    auc_vs_oracle: Figure  # ratio of the means, over the runs that both have
    auc_vs_bfs: Figure
    wins_vs_bfs: float | None  # share of resamples in which the strategy's mean area was the larger
    recall: Figure
    harvest: Figure
    links_per_target: Figure  # from the seeds, over the same number of targets for all: see ``target_lengths``
    through_tunnels: Figure  # share of the relevant pages that irrelevant ones led to, see dowse.lab.measure.tunnels
    tunnel_length: Figure  # irrelevant pages in a row
    gray_tunnels: Figure  # share of the tunnels
    requests: Figure
    bytes: Figure
    basis: str  # what the intervals were resampled from


def summarise(
    results: Sequence[RunResult], *, oracle: str = ORACLE, baseline: str = BASELINE, seed_number: int = 0
) -> list[SummaryRow]:
    """One row a strategy, the largest area first. The ratios are empty where the oracle or the baseline did not run."""
    groups = by_strategy(results)
    areas = {name: _cells(own, "auc") for name, own in groups.items()}
    lengths = comparable(results)
    rows: list[SummaryRow] = []
    for name, own in groups.items():
        intervals = {measure: mean(_cells(own, measure), seed_number) for measure in _MEASURES}
        against_bfs = ratio(areas[name], areas.get(baseline, {}), seed_number)
        rows.append(
            {
                "strategy": name,
                "kind": own[0]["kind"],
                "auc": _figure(intervals["auc"]),
                "auc_vs_oracle": _figure(ratio(areas[name], areas.get(oracle, {}), seed_number).interval),
                "auc_vs_bfs": _figure(against_bfs.interval),
                "wins_vs_bfs": _wins(against_bfs),
                "recall": _figure(intervals["recall"]),
                "harvest": _figure(intervals["harvest"]),
                "links_per_target": _figure(mean(lengths.links_per_target(name), seed_number)),
                "through_tunnels": _tunnels(own, _through, seed_number),
                "tunnel_length": _tunnels(own, _length, seed_number),
                "gray_tunnels": _tunnels(own, _gray, seed_number),
                "requests": _figure(intervals["requests"]),
                "bytes": _figure(intervals["bytes"]),
                "basis": intervals["auc"].basis,
            }
        )
    return sorted(rows, key=lambda row: (-(row["auc"]["mean"] or 0.0), row["strategy"]))


def _cells(results: Sequence[RunResult], measure: Measure) -> dict[Cell, float]:
    cells: dict[Cell, float] = {}
    for result in results:
        cell, value = (result["topic"], result["seed_set"]), result[measure]
        if cell in cells:
            raise ValueError(f"{result['strategy']} ran twice on topic {cell[0]!r}, seed set {cell[1]!r}")
        cells[cell] = math.nan if value is None else float(value)
    return cells


def _tunnels(results: Sequence[RunResult], measure: Callable[[RunResult], float], seed_number: int) -> Figure:
    """Over the runs that have something to measure."""
    cells = {(result["topic"], result["seed_set"]): measure(result) for result in results}
    return _figure(mean({cell: value for cell, value in cells.items() if math.isfinite(value)}, seed_number))


def _through(result: RunResult) -> float:
    return _share(len(_lengths(result)), len(result["tunnels"]))


def _length(result: RunResult) -> float:
    return _share(sum(_lengths(result)), len(_lengths(result)))


def _gray(result: RunResult) -> float:
    return _share(len(result["gray_tunnels"]), len(_lengths(result)))


def _lengths(result: RunResult) -> list[int]:
    return [length for length in result["tunnels"] if length]


def _share(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def _figure(interval: Interval) -> Figure:
    low, high = (bound if math.isfinite(bound) else None for bound in (interval.low, interval.high))
    return {
        "mean": interval.mean if math.isfinite(interval.mean) else None,
        "low": low,
        "high": high,
        "n": interval.runs,
    }


def _wins(comparison: Comparison) -> float | None:
    return comparison.wins if math.isfinite(comparison.wins) else None


# -- as text -----------------------------------------------------------------------------------------------------------

Form = Callable[[float], str]
_COLUMNS: dict[str, tuple[str, Form, Form]] = {  # heading, and how a mean and the bounds of its interval are written
    "auc": ("area", "{:.3f}".format, "{:.3f}".format),
    "auc_vs_oracle": ("of the oracle", percent, lambda share: f"{100 * share:.1f}"),
    "auc_vs_bfs": ("against bfs", "{:.2f} x".format, "{:.2f}".format),
    "recall": ("recall", percent, lambda share: f"{100 * share:.1f}"),
    "harvest": ("harvest", percent, lambda share: f"{100 * share:.1f}"),
    "links_per_target": ("links a target", "{:.2f}".format, "{:.2f}".format),
    "requests": ("requests", "{:,.0f}".format, "{:,.0f}".format),
    "bytes": ("downloaded", human_bytes, human_bytes),
}
_TUNNELS: dict[str, tuple[str, Form, Form]] = {
    "through_tunnels": ("through tunnels", percent, lambda share: f"{100 * share:.1f}"),
    "tunnel_length": ("tunnel length", "{:.2f}".format, "{:.2f}".format),
    "gray_tunnels": ("gray", percent, lambda share: f"{100 * share:.1f}"),
}


def summary_csv(rows: Sequence[SummaryRow]) -> str:
    """A line a strategy with the bare numbers: ``auc``, ``auc_low``, ``auc_high``, ``auc_n`` and so on."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ends = ("", "_low", "_high", "_n")
    columns = {**_COLUMNS, **_TUNNELS}
    writer.writerow(["strategy", "kind", *(name + end for name in columns for end in ends), "wins_vs_bfs", "basis"])
    for row in rows:
        numbers = [
            number
            for figure in _figures(row, columns)
            for number in (figure["mean"], figure["low"], figure["high"], figure["n"])
        ]
        writer.writerow([row["strategy"], row["kind"], *numbers, row["wins_vs_bfs"], row["basis"]])
    return text.getvalue()


def shown_rows(
    rows: Sequence[SummaryRow], *, tunnels: bool = False
) -> tuple[list[str], list[list[tuple[str, str]]]]:  # fmt: skip
    """Headings, and for each strategy (after its name) the mean and the interval as text: both empty where there is
    nothing to tell. The table of all measures but those of ``tunnels``, or of these alone."""
    columns = _TUNNELS if tunnels else _COLUMNS
    heads = ["strategy", *(head for head, *_ in columns.values())]
    forms = [own for _, *own in columns.values()]
    cells = [[_shown(figure, *own) for figure, own in zip(_figures(row, columns), forms, strict=True)] for row in rows]
    return heads, [[(row["strategy"], ""), *own] for row, own in zip(rows, cells, strict=True)]


def _figures(row: SummaryRow, columns: Iterable[str]) -> list[Figure]:
    named = cast(Mapping[str, Figure], row)
    return [named[name] for name in columns]


def _shown(figure: Figure, form: Form, bound_form: Form) -> tuple[str, str]:
    """
    >>> _shown({"mean": 0.5, "low": 0.25, "high": 1.0, "n": 3}, percent, "{:.2f}".format)
    ('50.0 %', '0.25–1.00')
    """
    if figure["mean"] is None:
        return "", ""
    bounds = (figure["low"], figure["high"])
    return form(figure["mean"]), "–".join(bound_form(bound) for bound in bounds if bound is not None)
