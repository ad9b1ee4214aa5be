"""People's traces: those of the encyclopedia's own readers, and simulated ones of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from bench.figures.declared.comparisons import strategy_name
from bench.figures.declared.papers import kept_lift
from bench.figures.figure import Figure, Measurement
from bench.figures.tables import percent, table, times, with_interval

__all__ = ["PEOPLE"]

_SIMULATED = "bfs best-first learning:combine=logs {0} combined:{1} learning learning:{1}".format(
    "traces:traces=simulated", "traces=simulated"
)


def _measured(figure: str, corpus: str, options: str, minutes: float, start: str = "", names: str = "") -> Measurement:
    name = "-".join(part for part in (figure, corpus, start) if part)
    chosen = "".join(f" --strategy {one}" for one in names.split())
    command = f"dowse lab figure {figure} {corpus} --all-labels {options}{chosen}"
    return Measurement(name, command, minutes, kept_lift, picture=f"{name}.png")


_SHORT = "--inside --seed-sets 1 --budget 10%"  # every label is a topic


def _plain(strategy: str) -> str:
    """Whosever traces it goes by."""
    name, _, whose = strategy.partition(":traces=")
    return f"{strategy_name(name)}{' with traces' if whose and name == 'learning' else ''}"


def _areas(against: Sequence[str], found: Sequence[Any]) -> str:
    """A row a strategy: its area, and that as a multiple of the areas of others, topic by topic."""
    [rows] = found
    shown = []
    for row in sorted(rows, key=lambda row: -row["area"]["mean"]):
        others = {_plain(name): ratio for name, ratio in row["against"].items()}
        shown.append([
            _plain(row["strategy"]), with_interval(row["lift"], percent), with_interval(row["area"], "{:.3f}".format),
            *(with_interval(others.get(_plain(name)), times) for name in against),
        ])  # fmt: skip
    heads = ["strategy", "mean harvest, %", "area under recall", *(f"against {_plain(one)}" for one in against)]
    return f"Topics: {max(row['runs'] for row in rows)}.\n\n{table(heads, shown)}"


def _with_picture(of: Measurement, says: str, against: Sequence[str], found: Sequence[Any]) -> str:
    return f"{_areas(against, found)}\n\n![{says}](images/{of.picture})"


def _figure(name: str, says: str, of: Measurement, against: Sequence[str]) -> Figure:
    return Figure(name, "docs/traces.md", (of,), partial(_with_picture, of, says, against))


def _of_encyclopedia(figure: str, minutes: float, says: str, against: Sequence[str]) -> Figure:
    return _figure(figure, says, _measured(figure, "wikispeedia", _SHORT, minutes), against)


_PARTS = ("learning:combine=logs", "traces", "learning")
_BEST_OF_FIVE = ("learning, best of 5",)
PEOPLE = (
    _figure("traces-near", "Links, people, and both, begun near",
            _measured("ag-traces", "wikispeedia", _SHORT, 10.5, "near"), _PARTS),
    _figure("traces-far", "Links, people, and both, begun far away",
            _measured("ag-traces", "wikispeedia", f"{_SHORT} --seeds-kind far", 10.5, "far"), _PARTS),
    _figure("traces-simulated", "Links, simulated readers, and both",
            _measured("ag-traces", "docsweb", _SHORT, 2.6, "near", _SIMULATED), _PARTS),
    _of_encyclopedia("ag-2", 4.4, "Traces against the best of five crawls by links, begun near", _BEST_OF_FIVE),
    _of_encyclopedia("ag-3", 4.4, "Traces against the best of five crawls by links, begun far away", _BEST_OF_FIVE),
    _of_encyclopedia("ag-4", 6.6, "A category and a word, begun near", _PARTS),
    _of_encyclopedia("ag-5", 6.6, "A category and a word, begun far away", _PARTS),
    _of_encyclopedia("ag-6", 3.3, "A fresh start, and users known from earlier, begun near", ("fresh",)),
    _of_encyclopedia("ag-7", 3.3, "A fresh start, and users known from earlier, begun far away", ("fresh",)),
)  # fmt: skip
