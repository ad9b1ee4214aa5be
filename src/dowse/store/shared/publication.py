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
from typing import TYPE_CHECKING

from dowse.model.errors import UserError
from dowse.store.shared.folder_changes import FolderChanges
from dowse.store.shared.tables import CRAWLS, PAGES, SITES
from dowse.store.times import iso

if TYPE_CHECKING:
    from dowse.store.shared.server import Server, Session  # at run time it is the caller who has loaded SQLAlchemy

__all__ = ["MOST", "Publication"]

MOST = 2_000
"""Changes that are published in one transaction."""


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
            found = self._changes.after(mark, self._most)
            session.put(SITES, ([crawl, *row] for row in found.sites))
            session.put(PAGES, ([crawl, *row] for row in found.pages))
            last = self._changes.last()
            session.change(CRAWLS, {"id": crawl}, {
                **facts, "changes": last, "mark": found.upto, "writer": found.writer,
                "published_at": iso(self._wall()),
            })  # fmt: skip
        self.mark, self._told = found.upto, facts
        self.pages += len(found.pages)
        return last > found.upto

    def start_again(self) -> None:
        """Let the next steps publish everything once more."""
        self.server.prepare()
        with self.server.transaction() as session:
            crawl, _, _ = self._crawl(session)
            session.change(CRAWLS, {"id": crawl}, {"mark": 0, "writer": None})

    def _crawl(self, session: Session) -> tuple[int, int, str | None]:
        """The crawl's number in the database, its mark and who wrote that. Its row is held from now on."""
        uuid = self._changes.uuid()
        if uuid is None:
            raise UserError(f"{self._changes.folder} was made by an older Dowse: open it with dowse publish")
        wanted = ("id", "mark", "writer")
        found = session.find(CRAWLS, wanted, {"uuid": uuid}, lock=True)
        if not found:
            session.add(CRAWLS, {"uuid": uuid, "mark": 0, "changes": 0})
            found = session.find(CRAWLS, wanted, {"uuid": uuid}, lock=True)
        [(crawl, mark, writer)] = found
        return int(crawl), int(mark or 0), None if writer is None else str(writer)

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
