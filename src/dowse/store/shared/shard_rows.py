"""A crawl that several engines share, in a shared database: each shard brings its own pages, with a mark of its own.

Shards number their pages each for itself, and so does whoever gathers them. In the database a page or site of such a
crawl has the number that its URL or origin makes (:func:`number_of`): so a page is one row, whoever brings it.

The row of the crawl is the sum of those of its shards (``crawl_shards``), until the crawl as a whole is published, with
the verdicts that were given to all pages together. A shard that brings pages afterwards sets the mark of that back, in
the transaction that has the pages: so the whole is published once more, from its first change on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dowse.model.url import fingerprint
from dowse.store.shared.tables import CRAWL_SHARDS, CRAWLS

if TYPE_CHECKING:
    from dowse.store.shared.server import Session

__all__ = ["add_up", "number_of", "set_back"]

_SUMS = ("recorded", "relevant", "requests", "bytes")
_WANTED = ("started_at", "ended_at", "stop_reason", *_SUMS)


def number_of(text: str) -> int:
    """What a URL or an origin is known by: 63 bits of its fingerprint, by which shards tell URLs apart as well."""
    return fingerprint(text) >> 1


def set_back(session: Session, crawl: int) -> None:
    """What was published of the crawl as a whole is no longer all."""
    [(mark,)] = session.find(CRAWLS, ("mark",), {"id": crawl}, lock=True)
    if mark:
        session.change(CRAWLS, {"id": crawl}, {"mark": 0, "writer": None})


def add_up(session: Session, crawl: int, facts: dict[str, Any]) -> None:
    """Let the row of the crawl be the sum of its shards, with what is the same for all from the ``facts`` of one. In a
    transaction of its own: the row is what shards wait for, and nothing is waited for while it is held."""
    session.find(CRAWLS, ("id",), {"id": crawl}, lock=True)
    rows = [dict(zip(_WANTED, row, strict=True)) for row in session.find(CRAWL_SHARDS, _WANTED, {"crawl": crawl})]
    ends = [row["ended_at"] for row in rows]
    over = None not in ends
    session.change(CRAWLS, {"id": crawl}, {
        **facts, **{name: sum(row[name] or 0 for row in rows) for name in _SUMS},
        "started_at": min((row["started_at"] for row in rows if row["started_at"]), default=None),
        "ended_at": max(ends) if over else None,
        "stop_reason": next((row["stop_reason"] for row in rows if row["stop_reason"]), None) if over else None,
    })  # fmt: skip
