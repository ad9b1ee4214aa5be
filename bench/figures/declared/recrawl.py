"""Selective recrawl: table 1 of its paper, and plans used on later days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures.figure import Figure, Measurement
from bench.figures.tables import table

__all__ = ["RECRAWL"]


def kept_recrawl(told: Mapping[str, Any]) -> dict[str, Any]:
    """All but the seconds."""
    return {name: kept for name, kept in told.items() if name != "seconds"}


_LISTINGS = Measurement(
    "recrawl-listings", "python -m bench.recrawl listings --sites 240 --current 4000", 3.5, kept_recrawl,
    picture="recrawl-listings.png",
)  # fmt: skip
_LARGE = Measurement("recrawl-large", "python -m bench.recrawl listings --sites 400 --current 12000", 10, kept_recrawl)
_CONFERENCES = Measurement("recrawl-conferences", "python -m bench.recrawl conferences", 0.3, kept_recrawl)
_DOCSWEB = Measurement("recrawl-docsweb", "python -m bench.recrawl docsweb", 0.5, kept_recrawl)


def _mb(size: float) -> str:
    return f"{size / 1e6:.1f}"


def _rows(found: Mapping[str, Any]) -> str:
    heads = ["method", "patterns", "MB", "MB without the way", "distinct", "correct"]
    if found["rows"][0]["correct"] is None:
        heads.pop()
    rows = [
        [
            row["method"], f"{row['patterns']:,}" if row["patterns"] else "", _mb(row["wire_bytes"]),
            _mb(row["object_bytes"]), f"{row['distinct']:,}",
            *([] if row["correct"] is None else [f"{row['correct']:,}"]),
        ]
        for row in found["rows"]
    ]  # fmt: skip
    return table(heads, rows)


def _table_one(found: Sequence[Any]) -> str:
    [one] = found
    told = f"{one['sites']} sites, {one['pages']:,} pages, {one['stated']:,} statements of objects."
    return f"{told}\n\n{_rows(one)}"


def _with_picture(found: Sequence[Any]) -> str:
    return f"{_table_one(found)}\n\n![Objects covered, by bytes](images/{_LISTINGS.picture})"


def _later(found: Sequence[Any]) -> str:
    rows = []
    for web, one in zip(("listings", "large listings", "conferences"), found, strict=True):
        rows += [
            [
                web, row["plan"], str(row["after_days"]), f"{100 * row['found']:.1f} %",
                f"{100 * row['bytes_share']:.1f} %",
            ]
            for row in one["later"]
        ]  # fmt: skip
    return table(["web", "plan", "days later", "objects found", "bytes"], rows, left=2)


RECRAWL: tuple[Figure, ...] = (
    Figure("recrawl-listings", "docs/recrawl.md", (_LISTINGS,), _with_picture),
    Figure("recrawl-large", "docs/recrawl.md", (_LARGE,), _table_one),
    Figure("recrawl-conferences", "docs/recrawl.md", (_CONFERENCES,), _table_one),
    Figure("recrawl-docsweb", "docs/recrawl.md", (_DOCSWEB,), _table_one),
    Figure("recrawl-later", "docs/recrawl.md", (_LISTINGS, _LARGE, _CONFERENCES), _later),
)
