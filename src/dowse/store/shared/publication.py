"""Brings what a crawl's folder has into a shared database, and keeps it so.

The folder is the truth. Its changes are numbered (``model.changes``), and the database remembers beside the crawl up to
which of them it has everything: the high-water mark. A step reads what changed after the mark and writes it together
with the new mark, in one transaction of the database. So:

* whoever dies at whatever moment, the database is as after some step, and the next one goes on from its mark: no row is
  missing up to it, and none is there twice, since rows have the keys that they have in the folder;
* a commit whose answer was lost is no question: the mark is read anew in each step;
* two publishers of one crawl take turns: a step holds the crawl's row.

A copy of a folder that went on by itself has other changes under the same numbers. The mark says who wrote the last of
them, so it is noticed, and nothing is mixed up.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dowse.model.errors import UserError
from dowse.store.shared.folder_changes import FolderChanges
from dowse.store.shared.shard_rows import add_up, set_back
from dowse.store.shared.tables import CRAWL_SHARDS, CRAWLS, PAGES, SITES, SharedTable
from dowse.store.times import iso

if TYPE_CHECKING:
    from dowse.store.shared.server import Server, Session  # at run time it is the caller who has loaded SQLAlchemy

__all__ = ["MOST", "Publication"]

MOST = 2_000
"""Changes that are published in one transaction."""
_OF_SHARD = (
    "host", "folder", "started_at", "ended_at", "stop_reason", "recorded", "relevant", "requests", "bytes",
)  # fmt: skip


class Publication:
    """One folder on its way into one database."""

    def __init__(self, folder: Path, server: Server, wall: Callable[[], float], most: int = MOST) -> None:
        self.server = server
        self._wall = wall
        self._most = most
        self._changes = FolderChanges(folder)
        self.mark: int | None = None  # up to where the database has everything, as far as is known
        self._told: dict[str, object] = {}  # of the crawl, when it was last written
        self._prepared = False
        self.pages = 0  # that were published so far

    def close(self) -> None:
        self._changes.close()
        self.server.close()

    def lag(self) -> int:
        """Pages that the database does not have, or not as they are by now."""
        return self._changes.pages_after(self.mark or 0)

    def is_due(self) -> bool:
        """Is there anything to publish?"""
        return self.mark is None or self._changes.last() != self.mark or self._changes.facts() != self._told

    def step(self) -> bool:
        """Publish the next changes; was there more than went into this step? Raises DatabaseAway where the database
        cannot be used now, and UserError where it must not be: it has another copy's changes."""
        if not self._prepared:
            self.server.prepare()
            self._prepared = True
        facts = self._changes.facts()
        with self.server.transaction() as session:
            crawl, mark, writer = self._crawl(session)
            self._check_same(mark, writer)
            # a shard has brought pages since: the next publication writes all once more, this one comes to an end
            is_set_back = self._changes.is_shared and not mark and bool(self.mark)
            found = self._changes.after((self.mark or 0) if is_set_back else mark, self._most)
            session.put(SITES, ([crawl, *row] for row in found.sites))
            session.put(PAGES, ([crawl, *row] for row in found.pages))
            last = self._changes.last()
            upto, by = (0, None) if is_set_back else (found.upto, found.writer)
            told = {"changes": last, "mark": upto, "writer": by, "published_at": iso(self._wall())}
            self._note(session, crawl, facts, told, brought=bool(found.pages))
        if self._changes.shard is not None:
            with self.server.transaction() as session:
                add_up(session, crawl, facts)
        self.mark, self._told = found.upto, facts
        self.pages += len(found.pages)
        return last > found.upto

    def start_again(self) -> None:
        """Let the next steps publish everything once more."""
        self.server.prepare()
        with self.server.transaction() as session:
            crawl, _, _ = self._crawl(session)
            table, row = self._row(crawl)
            session.change(table, row, {"mark": 0, "writer": None})

    def _crawl(self, session: Session) -> tuple[int, int, str | None]:
        """The crawl's number in the database, the mark of what is published here, and who wrote that. The row with the
        mark is held from now on: of a shard its own."""
        uuid = self._changes.uuid()
        if uuid is None:
            raise UserError(f"{self._changes.folder} was made by an older Dowse: open it with dowse publish")
        whole = self._changes.shard is None
        found = session.find(CRAWLS, ("id",), {"uuid": uuid}, lock=whole)
        if not found:
            session.add(CRAWLS, {"uuid": uuid, "mark": 0, "changes": 0})
            found = session.find(CRAWLS, ("id",), {"uuid": uuid}, lock=whole)
        crawl = int(found[0][0])
        table, row = self._row(crawl)
        if not whole and not session.find(table, ("mark",), row):
            session.add(table, {**row, "mark": 0, "changes": 0})
        [(mark, writer)] = session.find(table, ("mark", "writer"), row, lock=True)
        return crawl, int(mark or 0), None if writer is None else str(writer)

    def _row(self, crawl: int) -> tuple[SharedTable, dict[str, int]]:
        """Where the mark stands."""
        if self._changes.shard is None:
            return CRAWLS, {"id": crawl}
        return CRAWL_SHARDS, {"crawl": crawl, "shard": self._changes.shard}

    def _note(
        self, session: Session, crawl: int, facts: dict[str, Any], told: dict[str, Any], *, brought: bool
    ) -> None:
        table, row = self._row(crawl)
        own = facts if table is CRAWLS else {name: facts[name] for name in _OF_SHARD}
        session.change(table, row, {**own, **told})
        if table is CRAWL_SHARDS and brought:
            set_back(session, crawl)

    def _check_same(self, mark: int, writer: str | None) -> None:
        last = self._changes.last()
        if mark > last:
            why = f"the database has {mark} changes of this crawl, the folder only {last}: it is an older copy"
        elif mark and self._changes.writer_of(mark) != writer:
            why = "the database has what another copy of this folder recorded"
        else:
            return
        raise UserError(
            f"{self._changes.folder}: {why}. Publish that one, or this one as a crawl of its own:"
            " dowse publish --as-new DIR URL"
        )
