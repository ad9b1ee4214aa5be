"""The resources of a shared database (RIDAR, section 2): seeds that search engines found, for crawls to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from dowse.model.columns import Table
from dowse.model.errors import UserError
from dowse.model.found import FOUND, Find, FoundRow
from dowse.model.url import canonical
from dowse.store.rows import reader, writer
from dowse.store.seed_targets import merged
from dowse.store.shared.connect import open_server
from dowse.store.shared.folder_changes import url_hash
from dowse.store.shared.tables import RESOURCES, ResourceRow
from dowse.store.times import iso, seconds

if TYPE_CHECKING:
    from dowse.store.shared.server import Session

__all__ = ["DatabaseTarget", "Resources", "note_taken", "read_resources"]

_MOST = 100_000
_BLOCK = 500
_SHOWN = 8  # collections, in a message

_values: Callable[[Any], Sequence[Any]] = writer(RESOURCES.table)
_row: Callable[[Sequence[Any]], ResourceRow] = reader(RESOURCES.table, ResourceRow)


class DatabaseTarget:
    """The table ``resources`` of a shared database. What is there stays, and is found once more."""

    def __init__(self, url: str, collection: str) -> None:
        self._collection = collection
        self._server = open_server(url)

    def check(self) -> None:
        if not self._collection:
            raise UserError(f"{self._server.shown}: a set of seeds needs a name: give --collection NAME")
        self._server.prepare()

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        if table is not FOUND:
            raise UserError(f"{self._server.shown}: it takes seeds, not {table.name.replace('_', ' ')}")
        with self._server.transaction() as session:
            for start in range(0, len(rows), _BLOCK):
                self._write(session, rows[start : start + _BLOCK])
        self._server.close()
        return f"{len(rows)} written to {self._server.shown}, in the collection {self._collection!r}"

    def _write(self, session: Session, rows: Sequence[FoundRow]) -> None:
        where = {"collection": self._collection, "url_hash": [url_hash(row.url) for row in rows]}
        there = {old.url: old for old in map(_row, session.find(RESOURCES, RESOURCES.table.names, where, lock=True))}
        before = [_found(place, old) for place, old in enumerate(there.values())]
        put = (_resource(self._collection, row, there.get(row.url)) for row in merged(before, rows))
        session.put(RESOURCES, map(_values, put))


def _resource(collection: str, row: FoundRow, old: ResourceRow | None) -> ResourceRow:
    finds = row.found_by()
    best = min(finds, key=lambda find: find.rank, default=Find("", "", 0, "", "", ""))
    return ResourceRow(
        collection=collection, url_hash=url_hash(row.url), url=row.url, title=row.title, snippet=row.snippet,
        score=row.score, nearness=row.nearness, engine=best.engine, query=best.query, best_rank=best.rank,
        found_at=min((seconds(find.at) for find in finds), default=None), finds=row.finds,
        taken_by=old.taken_by if old else None, taken_at=old.taken_at if old else None,
    )  # fmt: skip


def _found(place: int, row: ResourceRow) -> FoundRow:
    return FoundRow(place, row.url, row.title, row.snippet, row.score, row.nearness, list(row.finds))


@dataclass(frozen=True, slots=True)
class Resources:
    """What a database has for a crawl: the best first."""

    rows: list[FoundRow]
    odd: int  # rows that are no resources: anybody may have written them


def read_resources(url: str, collection: str) -> Resources:
    """The resources of a collection. UserError where the database has none, with those it has instead."""
    server = open_server(url, must_exist=True)
    try:
        if not server.has(RESOURCES.name):
            raise UserError(f"{server.shown} has no table {RESOURCES.name}: fill it with dowse seeds --to")
        with server.transaction() as session:
            found = session.find(RESOURCES, RESOURCES.table.names, {"collection": collection},
                                 order=("-score", "url"), most=_MOST)  # fmt: skip
            others = [] if found else session.counts(RESOURCES, "collection")
    finally:
        server.close()
    if not found:
        named = ", ".join(f"{name!r} ({count})" for name, count in others[:_SHOWN])
        raise UserError(
            f"{server.shown} has no resources in the collection {collection!r}; "
            + (f"choose with --collection: {named}" if named else "it has none at all")
        )
    rows = [row for row in map(_checked, found) if row is not None]
    return Resources(rows, len(found) - len(rows))


_ELSE: dict[str, Any] = {"finds": "[]"} | {
    field.name: field.default for field in fields(ResourceRow) if field.default is not MISSING
}
"""What stands for a null: who fills the table by hand need not say more than collection and URL."""


def _checked(values: Sequence[Any]) -> FoundRow | None:
    named = zip(RESOURCES.table.names, values, strict=True)
    try:
        row = _found(0, _row([_ELSE.get(name) if value is None else value for name, value in named]))
        row.found_by()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    url = canonical(row.url)
    if url is None or not isfinite(row.score):
        return None
    row.url = url
    return row


def note_taken(url: str, collection: str, uuid: str, urls: Sequence[str], at: float) -> None:
    """Write beside resources that a crawl started from them."""
    server = open_server(url, must_exist=True)
    try:
        with server.transaction() as session:
            for start in range(0, len(urls), _BLOCK):
                hashes = [url_hash(one) for one in urls[start : start + _BLOCK]]
                session.change(RESOURCES, {"collection": collection, "url_hash": hashes},
                               {"taken_by": uuid, "taken_at": iso(at)})  # fmt: skip
    finally:
        server.close()
