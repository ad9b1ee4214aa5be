"""What changed in a crawl's folder, read for a shared database: also while the crawl is running, a block at a time."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dowse.model.records import PAGES as OWN_PAGES
from dowse.model.topic import Topic
from dowse.model.topicfile import predicate_text, topic_from_json, topic_name
from dowse.store.current import connect_reader
from dowse.store.damage import asked
from dowse.store.export import COLUMNS
from dowse.store.gather.mark import GATHERED
from dowse.store.row_check import RowCheck
from dowse.store.schema import PART_OF, SHARD
from dowse.store.sharded import whole_of
from dowse.store.shared.shard_rows import number_of
from dowse.store.shared.tables import SITES

__all__ = ["Changed", "FolderChanges", "url_hash"]

_own = {column.name: column for column in OWN_PAGES.columns}
_PAGE = tuple(name for name in COLUMNS if name != "id")
_URL, _DUPLICATE_OF, _FILE = (_PAGE.index(name) for name in ("url", "duplicate_of", "warc_file"))
_FLAGS = tuple(_PAGE.index(name) for name in _PAGE if _own[name].kind is bool)
_SITE = SITES.table.columns[1:]  # without the crawl
_ORIGIN = [column.name for column in _SITE].index("origin")
_CHANGED = "SELECT {what} FROM changes WHERE number > ?1 AND number <= ?2 AND {what} IS NOT NULL"
_PAGES = (
    f"SELECT p.id, c.site, {', '.join(f'p.{name}' for name in _PAGE)}{{more}} FROM pages p"
    f" LEFT JOIN candidates c ON c.id = p.id{{joined}} WHERE p.id IN ({_CHANGED.format(what='page')})"
)
_OF_ONE = _PAGES.format(more="", joined="")
_OF_SEVERAL = _PAGES.format(
    more=", s.origin, d.url",
    joined=" LEFT JOIN sites s ON s.id = c.site LEFT JOIN candidates d ON d.id = p.duplicate_of",
)
_SITES = f"SELECT {', '.join(column.name for column in _SITE)} FROM sites WHERE id IN ({_CHANGED.format(what='site')})"
_ASKED = " AND requests + failures + pages > 0"
"""Of a shard, sites that it has asked: of others it has a row as well, when a page links to them."""


def url_hash(url: str) -> bytes:
    """What pages and resources are found by: a URL may be longer than any index takes."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Changed:
    """Pages and sites that changed, as the database has them but for the crawl's number in front."""

    upto: int  # the last change
    writer: str | None  # who wrote it
    pages: list[Sequence[Any]]
    sites: list[Sequence[Any]]


class FolderChanges:
    """Raises NotACrawl when the folder holds none, and StoreError where its records cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._connection = connect_reader(folder)
        self._lasting: dict[str, Any] | None = None  # of the crawl's facts, what never changes
        self._check_page = RowCheck([_own["id"], _own["id"], *(_own[name] for name in _PAGE)])
        meta = self._meta()
        self.shard = int(meta[SHARD]) if PART_OF in meta else None
        """The number of the shard that the folder is of; None: it is of a whole crawl."""
        self.is_shared = self.shard is not None or GATHERED in meta
        """Do several engines share the crawl? Then pages and sites have the numbers of :mod:`.shard_rows`."""
        whole = whole_of(folder)
        self._home = folder if self.shard is None else whole  # where names of archive files start from
        self._place = "" if self._home == folder else f"{folder.absolute().relative_to(whole.absolute()).as_posix()}/"
        self._check_site = RowCheck(_SITE)

    def close(self) -> None:
        self._connection.close()

    @asked
    def uuid(self) -> str | None:
        """What the crawl calls itself, of a shard the whole one; None where the records are older than that."""
        meta = self._meta()
        return meta.get(PART_OF, meta.get("crawl"))

    @asked
    def _meta(self) -> dict[str, str]:
        return {name: str(value) for name, value in self._connection.execute("SELECT name, value FROM meta")}

    @asked
    def last(self) -> int:
        """The number of the latest change; 0: there was none."""
        [(last,)] = self._connection.execute("SELECT ifnull(max(number), 0) FROM changes")
        if type(last) is not int or last < 0:
            raise ValueError("changes have no such numbers")
        return last

    @asked
    def pages_after(self, mark: int) -> int:
        """How many times pages changed after the one with this number."""
        [(count,)] = self._connection.execute("SELECT count(page) FROM changes WHERE number > ?", (mark,))
        return int(count)

    @asked
    def writer_of(self, number: int) -> str | None:
        """Who wrote a change; None where that is not known."""
        found = self._connection.execute(
            "SELECT writer FROM change_writers WHERE first <= ? ORDER BY first DESC LIMIT 1", (number,)
        ).fetchone()
        return None if found is None else str(found[0])

    @asked
    def after(self, mark: int, most: int) -> Changed:
        """What changed after a number, up to so many changes later: as it is by now."""
        run = self._connection.execute
        run("BEGIN")
        try:
            upto = max(mark, min(self.last(), mark + most))
            asked = _OF_SEVERAL if self.is_shared else _OF_ONE
            pages = [self._page(row) for row in run(asked, (mark, upto))]
            sites = [self._site(row) for row in run(_SITES + _ASKED if self.is_shared else _SITES, (mark, upto))]
            return Changed(upto, self.writer_of(upto), pages, sites)
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()

    def _page(self, row: Sequence[Any]) -> Sequence[Any]:
        if self.is_shared:
            *row, origin, first = row
        self._check_page(row)
        page, site, *values = row
        for place in _FLAGS:
            values[place] = None if values[place] is None else bool(values[place])
        if self.is_shared:
            page, site = number_of(values[_URL]), None if origin is None else number_of(origin)
            values[_DUPLICATE_OF] = None if first is None else number_of(first)
            values[_FILE] = values[_FILE] and self._place + values[_FILE]
        return [page, url_hash(values[_URL]), site, *values]

    def _site(self, row: Sequence[Any]) -> Sequence[Any]:
        self._check_site(row)
        return [number_of(row[_ORIGIN]), *row[1:]] if self.is_shared else row

    @asked
    def facts(self) -> dict[str, Any]:
        """What the row of the crawl says of it, but for how far it is published. A page that was recorded again
        counts again."""
        run = self._connection.execute
        if self._lasting is None:
            self._lasting = self._read_lasting()
        runs = run("SELECT started_at, ended_at, stop_reason, judge, threshold FROM runs ORDER BY id").fetchall()
        [(recorded, relevant, requests, size)] = run("SELECT recorded, relevant, requests, bytes FROM totals")
        _, ended_at, stop_reason, judge, threshold = runs[-1] if runs else (None, None, None, "", None)
        return {
            **self._lasting, "started_at": runs[0][0] if runs else None, "ended_at": ended_at,
            "stop_reason": stop_reason, "judge": judge, "threshold": threshold, "recorded": recorded,
            "relevant": relevant, "requests": requests, "bytes": size,
        }  # fmt: skip

    def _read_lasting(self) -> dict[str, Any]:
        found = self._connection.execute("SELECT name, value FROM settings WHERE name IN ('topic', 'version')")
        settings = {name: json.loads(value) for name, value in found}
        topic = topic_from_json(settings["topic"]) if settings.get("topic") else Topic()
        return {
            "name": topic_name(topic), "query": topic.query or predicate_text(topic), "host": socket.gethostname(),
            "folder": str(self._home.absolute()), "version": str(settings.get("version", "")),
        }  # fmt: skip
