"""Strategies beside each other: ``dowse lab compare`` on three webs, from near and far seeds, with and without the
links that leave them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bench.figures.figure import Figure, Measurement
from bench.figures.tables import bounds, gain, mean_of, percent, table, times, with_interval
from dowse.lab.compare.bootstrap import Cell, Interval, mean, ratio

__all__ = ["COMPARISONS", "NAMES", "PLAIN", "kept_comparison", "strategy_name"]

NAMES = {"wikispeedia": "encyclopedia", "docsweb": "documentation", "webkb": "departments"}
AGAINST = "best-first"
ORACLE = "oracle-path"


def kept_comparison(told: Mapping[str, Any]) -> dict[str, Any]:
    """Of ``lab compare --json``: a row a strategy, with its area against that of ``best-first`` on the same runs, and
    the requests that brought no page."""
    areas: dict[str, dict[Cell, float]] = {}
    failed: dict[str, dict[Cell, float]] = {}
    for run in told["runs"]:
        cell = (run["topic"], run["seed_set"])
        if run["auc"] is not None:
            areas.setdefault(run["strategy"], {})[cell] = run["auc"]
        failed.setdefault(run["strategy"], {})[cell] = float(len(run["without_page_at"]))
    measures = ("auc", "auc_vs_oracle", "auc_vs_bfs", "recall", "harvest", "links_per_target", "requests")
    rows = []
    for row in told["summary"]:
        name = row["strategy"]
        against = ratio(areas[name], areas.get(AGAINST, {})).interval
        rows.append(
            {
                "strategy": name, "kind": row["kind"], **{one: bounds(row[one]) for one in measures},
                f"auc_vs_{AGAINST}": _bounds(against), "failed": _bounds(mean(failed[name])),
            }
        )  # fmt: skip
    topics, runs = len({run["topic"] for run in told["runs"]}), len(next(iter(areas.values())))
    return {"topics": topics, "runs_each": runs, "rows": rows}


def _bounds(interval: Interval) -> dict[str, float | None]:
    ends = {name: getattr(interval, name) for name in ("mean", "low", "high")}
    return bounds({name: value if math.isfinite(value) else None for name, value in ends.items()})


def _compare(name: str, options: str, strategies: str, minutes: float) -> Measurement:
    corpus = next(word for word in name.split("-") if word in NAMES)
    chosen = " ".join(f"--strategy {one}" for one in strategies.split())
    command = f"dowse lab compare {corpus} --all-labels {options} --seed-sets 1 {chosen}"
    return Measurement(name, command, minutes, kept_comparison)


ALL = (
    "best-first weighted hybrid tunnel tunnel:form=paper weighted:form=paper hybrid:form=paper similar-link link "
    "black-tunnel best-n-first:n=256 shark-search"
)
FAR = "best-first weighted hybrid tunnel tunnel:form=paper black-tunnel best-n-first:n=256 shark-search"
PLAIN = "best-first weighted hybrid tunnel"

WIKISPEEDIA = _compare("compare-wikispeedia", "--every 3 --inside", ALL, 2.2)
WIKISPEEDIA_FAR = _compare("compare-wikispeedia-far", "--every 3 --inside --seeds-kind far", FAR, 1.6)
DOCSWEB = _compare("compare-docsweb", "--inside --seeds-kind roots", ALL, 2.0)
WEBKB = _compare("compare-webkb", "--inside", ALL, 1.0)
WEBKB_FAR = _compare("compare-webkb-far", "--inside --seeds-kind far", FAR, 0.7)

CHARGED_WIKISPEEDIA = _compare("charged-wikispeedia", "--every 3", PLAIN, 1.0)
CHARGED_DOCSWEB = _compare("charged-docsweb", "--every 2 --seeds-kind roots", PLAIN, 0.5)
CHARGED_WEBKB = _compare("charged-webkb", "--every 2", PLAIN, 0.3)

QUERY_WIKISPEEDIA = _compare("query-wikispeedia", "--every 3 --inside --by-query", "best-first", 0.7)
QUERY_DOCSWEB = _compare("query-docsweb", "--every 2 --inside --by-query --seeds-kind roots", "best-first", 0.4)
QUERY_WEBKB = _compare("query-webkb", "--every 2 --inside --by-query", "best-first", 0.3)

FORMS = "learning:exact=true learning:combine=logs learning:form=paper"
FORMS_WIKISPEEDIA = _compare("forms-wikispeedia", "--every 9 --inside", FORMS, 0.7)
FORMS_WEBKB = _compare("forms-webkb", "--every 3 --inside", FORMS, 0.3)

STARTS = {
    "encyclopedia, near": WIKISPEEDIA, "encyclopedia, far": WIKISPEEDIA_FAR, "documentation, entry pages": DOCSWEB,
    "departments, near": WEBKB, "departments, far": WEBKB_FAR,
}  # fmt: skip

Row = Mapping[str, Any]


def strategy_name(strategy: str) -> str:
    """
    >>> strategy_name("tunnel:form=paper")
    '`tunnel`, `form=paper`'
    """
    name, _, parameters = strategy.partition(":")
    return ", ".join(f"`{part}`" for part in (name, *parameters.split(",")) if part)


def _by_start(
    heads: Sequence[str], cell: Callable[[Row], str], strategies: str, found: Sequence[Any], counted: bool = True
) -> str:
    """A row a strategy, a column a start."""
    by_name = [{row["strategy"]: row for row in one["rows"]} for one in found]
    titles = [f"{head} ({one['topics']})" if counted else head for head, one in zip(heads, found, strict=True)]
    names = [name for name in strategies.split() if any(name in rows for rows in by_name)]
    rows = [[strategy_name(name), *(cell(rows[name]) if name in rows else "" for rows in by_name)] for name in names]
    return table(["strategy", *titles], rows)


def _of_oracle(row: Row) -> str:
    return with_interval(row["auc_vs_oracle"], percent)


def _against_best_first(row: Row) -> str:
    share, against = mean_of(_scaled(row["auc_vs_oracle"]), ".1f"), row[f"auc_vs_{AGAINST}"]
    return share if row["strategy"] == AGAINST else f"{share}, {with_interval(against, times)}"


def _gain(row: Row) -> str:
    share = mean_of(_scaled(row["auc_vs_oracle"]), ".1f")
    return share if row["strategy"] == AGAINST else f"{share} {gain(row[f'auc_vs_{AGAINST}'])}".strip()


def _against_bfs(row: Row) -> str:
    return with_interval(row["auc_vs_bfs"], times)


def _end(row: Row) -> str:
    return f"{mean_of(_scaled(row['harvest']), '.1f')} / {mean_of(_scaled(row['recall']), '.1f')}"


def _length(row: Row) -> str:
    return mean_of(row["links_per_target"], ".2f")


def _scaled(told: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else 100 * value for name, value in told.items()}


def _failures(found: Sequence[Any]) -> str:
    """Area and requests in vain, where every link is followed."""
    strategies = ("learning", *PLAIN.split(), "bfs", "random")
    rows = []
    for name in strategies:
        cells = [strategy_name(name)]
        for one in found:
            row = next(row for row in one["rows"] if row["strategy"] == name)
            cells += [_of_oracle(row), f"{mean_of(row['failed'], ',.0f')} of {mean_of(row['requests'], ',.0f')}"]
        rows.append(cells)
    counts = zip(NAMES.values(), found, strict=True)
    heads = [head for name, one in counts for head in (f"{name} ({one['topics']})", "in vain")]
    return table(["strategy", *heads], rows)


def _whole(found: Sequence[Any]) -> str:
    """Everything about one comparison."""
    [one] = found
    rows = [
        [
            strategy_name(row["strategy"]),
            with_interval(row["auc"], "{:.3f}".format),
            with_interval(row["auc_vs_oracle"], percent),
            with_interval(row["auc_vs_bfs"], times),
            with_interval(row["recall"], percent),
            with_interval(row["harvest"], percent),
        ]
        for row in one["rows"]
        if row["kind"] != "strategy" or row["strategy"] in ("learning", *PLAIN.split())
    ]
    heads = ["strategy", "area", "% of `oracle-path`", "times `bfs`", "recall, %", "harvest, %"]
    return f"Topics: {one['topics']}. 95 % intervals are in brackets.\n\n{table(heads, rows)}"


def _by_name(found: Sequence[Any]) -> str:
    rows = []
    for name, one in zip(NAMES.values(), found, strict=True):
        by_name = {row["strategy"]: row for row in one["rows"]}
        ours = by_name["learning"]
        areas = [_of_oracle(by_name[key]) for key in ("learning", "bfs", AGAINST)]
        against = [_against_bfs(ours), with_interval(ours[f"auc_vs_{AGAINST}"], times)]
        rows.append([f"{name} ({one['topics']})", *areas, *against])
    heads = ["web (topics)", "`learning`", "`bfs`", "`best-first`", "`learning` against `bfs`", "against `best-first`"]
    return table(heads, rows)


_ORDER = (
    "learning tunnel weighted weighted:form=paper hybrid hybrid:form=paper best-first black-tunnel shark-search bfs "
    "similar-link link random"
)
_TUNNELS = (
    "tunnel tunnel:form=paper black-tunnel best-first best-n-first:n=256 shark-search weighted hybrid learning bfs"
)
_LEARNING = "learning tunnel weighted hybrid best-first bfs"
_LENGTHS = f"tunnel tunnel:form=paper learning best-first bfs {ORACLE}"
_CHARGED = (CHARGED_WIKISPEEDIA, CHARGED_DOCSWEB, CHARGED_WEBKB)
_INSIDE, _STARTS = (WIKISPEEDIA, DOCSWEB, WEBKB), tuple(STARTS.values())


def _learning(found: Sequence[Any]) -> str:
    areas = _by_start(tuple(STARTS), _against_best_first, _LEARNING, found)
    bfs = _by_start(tuple(STARTS), _against_bfs, "learning tunnel best-first", found, counted=False)
    return f"{areas}\n\nThe same areas as multiples of that of `bfs`:\n\n{bfs}"


COMPARISONS = (
    Figure("strategies-inside", "docs/strategies.md", _INSIDE,
           partial(_by_start, tuple(NAMES.values()), _of_oracle, _ORDER)),
    Figure("strategies-charged", "docs/strategies.md", _CHARGED, _failures),
    Figure("lab-inside", "docs/lab.md", (WIKISPEEDIA,), _whole),
    Figure("lab-charged", "docs/lab.md", (CHARGED_WIKISPEEDIA,), _whole),
    Figure("tunnel-areas", "docs/tunneling.md", _STARTS, partial(_by_start, tuple(STARTS), _gain, _TUNNELS)),
    Figure("tunnel-ends", "docs/tunneling.md", _STARTS, partial(_by_start, tuple(STARTS), _end, _TUNNELS)),
    Figure("tunnel-lengths", "docs/tunneling.md", _STARTS, partial(_by_start, tuple(STARTS), _length, _LENGTHS)),
    Figure("learning-areas", "docs/learning.md", _STARTS, _learning),
    Figure("learning-by-name", "docs/learning.md", (QUERY_WIKISPEEDIA, QUERY_DOCSWEB, QUERY_WEBKB), _by_name),
    Figure("learning-forms", "docs/learning.md", (FORMS_WIKISPEEDIA, FORMS_WEBKB),
           partial(_by_start, ("encyclopedia", "departments"), _of_oracle, f"learning {FORMS} bfs")),
)  # fmt: skip
