"""Policies of visits: how fresh they keep a collection, and whether rates are estimated as theory has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures.figure import Figure, Measurement
from bench.figures.tables import number, table

__all__ = ["FRESHNESS"]

_POLICIES = ("uniform", "proportional", "auto")


def kept_freshness(told: Mapping[str, Any]) -> dict[str, Any]:
    """All but what the picture alone shows: how it went over time."""
    rows = [
        {
            "pages": row["pages"], "gain": number(row["gain"]), "stale": number(row["stale"]),
            **{name: {**row[name], "freshness": number(row[name]["freshness"])} for name in _POLICIES},
        }
        for row in told["rows"]
    ]  # fmt: skip
    for row in rows:
        for name in _POLICIES:
            del row[name]["over time"]
    return {"rows": rows, "within theory": told["within_theory"]}


_SIMULATED = Measurement(
    "freshness-simulated", "dowse lab freshness --budget 10,20,40,80,160", 1.0, kept_freshness, cores=1,
    picture="freshness-simulated.png", jobs=False,
)  # fmt: skip
_CONFERENCES = Measurement(
    "freshness-conferences", "dowse lab freshness conferences --every 1d --runs 365 --budget 3,5,10,20", 5.0,
    kept_freshness, cores=1, picture="freshness-conferences.png", jobs=False,
)  # fmt: skip


def _table(found: Sequence[Any]) -> str:
    rows = []
    for web, one in zip(("simulated", "conferences"), found, strict=True):
        rows += [
            [
                web, f"{row['pages']:,}", *(f"{row[name]['freshness']:.3f}" for name in _POLICIES),
                f"{row['gain']:.2f}", f"{row['stale']:.2f}",
            ]
            for row in one["rows"]
        ]  # fmt: skip
    heads = ["web", "pages a run", *(f"`{name}`" for name in _POLICIES), "`auto` / `uniform`", "stale time left"]
    pictures = [f"![Freshness by budget and over time](images/{one.picture})" for one in (_SIMULATED, _CONFERENCES)]
    return "\n\n".join([table(heads, rows), _theory(found[0]), *pictures])


def _theory(simulated: Mapping[str, Any]) -> str:
    told = [(row["pages"], *pair) for row, pair in zip(simulated["rows"], simulated["within theory"], strict=True)]
    within = ", ".join(f"{inside} of {pages} with {budget} a run" for budget, pages, inside in told if pages)
    return f"Rates estimated from `uniform` visits that lie within the interval of 95 %: {within}."


FRESHNESS: tuple[Figure, ...] = (Figure("freshness", "docs/revisits.md", (_SIMULATED, _CONFERENCES), _table),)
