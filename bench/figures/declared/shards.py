"""What several engines find beside one, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures.figure import Figure, Measurement
from bench.figures.tables import number, table

__all__ = ["SHARDS"]


def _kept(told: Mapping[str, Any]) -> dict[str, Any]:
    rows = [{name: value if name == "who" else number(value) for name, value in row.items()} for row in told["rows"]]
    return {"crawls": told["crawls"], "rows": rows}


_DOCSWEB = Measurement(
    "shards-docsweb",
    "python -m bench.shards docsweb database python net graphics java os web devtools --sets 1 --shards 2,4,8", 4.0,
    _kept, cores=1,
)  # fmt: skip


def _table(found: Sequence[Any]) -> str:
    [one] = found
    rows = [
        [
            row["who"], f"{row['harvest']:.3f}", f"{row['harvest of one']:.0%} ± {row['harvest error']:.0%}",
            f"{row['area']:.3f}", f"{row['area of one']:.0%} ± {row['area error']:.0%}",
        ]
        for row in one["rows"]
    ]  # fmt: skip
    return table(["", "harvest rate", "of one engine", "area", "of one engine"], rows)


SHARDS: tuple[Figure, ...] = (Figure("shards", "docs/cluster.md", (_DOCSWEB,), _table),)
