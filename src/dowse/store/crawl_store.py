"""The crawl's folder, as its one writer sees it.

::

    dowse.sqlite           records (schema.py)
    dowse-00000.warc.gz    what came over the wire (archive.py, warc.py), then 00001, ...
    dowse.ledger           counters that outlive a kill (ledger.py)
    dowse.lock             one writer a folder (lock.py)

In the folder of a sharded crawl, the records are those of its shards (``gather``): they may be edited, as by judging
pages again, but no crawl goes on in them.

Guarantees:

* a batch is recorded as a whole or not at all: its archive bytes are on the disk before the transaction names them;
* after a kill at any instant every recorded page can be read at its offset, and the archive ends where the records say;
* when a commit fails (disk full, folder gone) the folder is as after the last one, and a later commit may succeed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.errors import DowseError, NotACrawl, StoreError, UserError
from dowse.model.files import PRIVATE_FOLDER, check_plain
from dowse.model.found import FoundRow
from dowse.model.runs import JudgedBy
from dowse.model.share import Share
from dowse.model.statistic_names import EVIDENCE_KIND
from dowse.store import rows
from dowse.store.archive import FILE_BYTES, NOWHERE, Archive, Place, archive_files, check_archive
from dowse.store.changes import ChangeLog
from dowse.store.damage import FAULTS, damage_told, damaged, is_corrupt
from dowse.store.database import connect_writer, create_database
from dowse.store.gather import GATHERING, gather
from dowse.store.ledger import LEDGER, Ledger
from dowse.store.lock import FolderLock
from dowse.store.schema import DATABASE
from dowse.store.sharded import is_sharded
from dowse.store.stored_past import StoredPast
from dowse.store.times import iso
from dowse.store.transaction import write_batch
from dowse.store.unstarted import asked_nobody, remove_records

__all__ = ["LOCK", "CrawlStore"]

LOCK = "dowse.lock"
_THIS_RUN = "WHERE id = (SELECT max(id) FROM runs)"
_WARC_11 = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


def _about(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of the ``warcinfo`` records; ``settings["warcinfo"]`` adds to them or replaces them."""
    version = settings.get("version")
    topic = settings.get("topic")
    politeness = topic.get("politeness", {}) if isinstance(topic, dict) else {}
    return {
        "software": f"dowse/{version}" if version else "dowse",
        "format": "WARC File Format 1.1",
        "conformsTo": _WARC_11,
        "robots": "obey" if politeness.get("obey_robots", True) else "ignore",
        **settings.get("warcinfo", {}),
    }


def _failed(folder: Path, error: Exception) -> StoreError:
    """One line that says what is wrong and that nothing is lost."""
    return StoreError(
        f"cannot keep records in {folder}: {_plainly(error)}. What was recorded before is safe; mend it and resume"
    )


def _plainly(error: Exception) -> str:
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else " ".join(str(error).split())


def _committed(records: sqlite3.Connection) -> dict[str, int]:
    return dict(records.execute("SELECT file, bytes FROM archives"))


class CrawlStore(StoredPast):
    """Implements :class:`dowse.model.batch.Records`. Made by :meth:`create` or :meth:`open`; one thread at a time."""

    def __init__(self, folder: Path, locks: Sequence[FolderLock], connection: sqlite3.Connection, ledger: Ledger,
                 archive_bytes: int) -> None:  # fmt: skip
        super().__init__(folder, connection, ledger)
        self._locks = locks
        self.changes = ChangeLog(connection)
        self._inode = (folder / DATABASE).stat().st_ino
        self._archive = Archive(folder, self._committed(), _about(self.settings()), archive_bytes)

    @classmethod
    def create(cls, folder: Path | str, settings: Mapping[str, Any], now_wall: float, *,
               found: Sequence[FoundRow] = (), share: Share | None = None,
               archive_bytes: int = FILE_BYTES) -> CrawlStore:  # fmt: skip
        """Start a crawl in ``folder``, which is made where it is missing and must not hold one yet; one that asked
        nobody makes way.

        ``settings`` are JSON values. ``topic`` (with ``politeness.obey_robots``), ``version`` and ``warcinfo`` (a dict)
        also speak in the archive's ``warcinfo`` records. ``found`` are the seeds that search engines found;
        ``share`` tells of which crawl this is a shard. A WARC file grows to about ``archive_bytes``.
        """
        folder = Path(folder)
        values = {"started_at": iso(now_wall), **settings}
        try:
            folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)  # one that is there stays as it is
        except OSError as error:
            what = (error.strerror or str(error)).lower()
            raise UserError(f"cannot make the folder {folder}: {what}. Choose another with --out") from error
        told = [(name, rows.to_json(value)) for name, value in values.items()]
        return cls._assemble(folder, archive_bytes, told, found, share)

    @classmethod
    def open(cls, folder: Path | str, *, archive_bytes: int = FILE_BYTES) -> CrawlStore:
        """Go on with the crawl in ``folder``; cuts what a crash left behind the last commit. The records of a sharded
        crawl are gathered, and then held: nobody gathers them anew."""
        folder = Path(folder)
        gather(folder)
        try:
            there = check_plain(folder / DATABASE, writes=True)
        except NotADirectoryError:
            raise NotACrawl(f"{folder} holds no crawl to resume: it is a file") from None
        except OSError as error:
            raise _failed(folder, error) from error
        if not there:
            raise NotACrawl(f"{folder} holds no crawl to resume (there is no {DATABASE} in it)")
        return cls._assemble(folder, archive_bytes, None)

    @classmethod
    def _assemble(cls, folder: Path, archive_bytes: int, settings: list[tuple[str, str]] | None,
                  found: Sequence[FoundRow] = (), share: Share | None = None) -> CrawlStore:  # fmt: skip
        fresh = settings is not None
        empty = not (folder / DATABASE).exists()
        locks: list[FolderLock] = []
        connection, ledger = None, None
        try:
            locks.append(FolderLock(folder / LOCK))
            if is_sharded(folder):
                locks.append(FolderLock(folder / GATHERING))
            if settings is not None:
                if archive_files(folder) or is_sharded(folder):
                    raise UserError(
                        f"{folder} already holds a crawl, or WARC files of one: resume it, or choose another"
                    )
                if asked_nobody(folder):
                    remove_records(folder)
                create_database(folder, settings, found, share)
            connection = connect_writer(folder, lambda records: check_archive(folder, _committed(records)))
            ledger = Ledger(folder / LEDGER, fresh=fresh)
            return cls(folder, locks, connection, ledger, archive_bytes)
        except BaseException as error:
            for part in (connection, ledger):
                if part is not None:
                    part.close()
            for lock in locks:
                lock.release()
            if fresh and empty and isinstance(error, (OSError, sqlite3.Error)):
                remove_records(folder)
                raise StoreError(f"cannot start a crawl in {folder}: {_plainly(error)}") from error
            if is_corrupt(error, folder):
                raise damaged(folder, str(error)) from error
            if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
                raise NotACrawl(f"{folder} holds no crawl: its {DATABASE} is not a database") from error
            if isinstance(error, (OSError, sqlite3.Error)):
                raise _failed(folder, error) from error
            if not fresh and isinstance(error, FAULTS):
                with damage_told(folder):
                    raise
            raise

    def commit(self, batch: Batch) -> None:
        """Write everything of ``batch`` or nothing: archive bytes, flushed, then one transaction."""
        try:
            self._same_folder()
            for page in batch.pages:
                place = self._keep(page.archive, page.archive_response, page.fetched_at)
                page.warc_file, page.warc_offset, page.warc_length = place
            self._keep_visits(batch)
            for members, at in batch.archive_only:
                self._archive.append(members, 0, at)
            self._archive.sync()
            try:
                self._transact(batch, tidy=False)
            except UnicodeEncodeError:
                self._connection.rollback()
                self._transact(batch, tidy=True)
        except BaseException as error:
            self._undo()
            if isinstance(error, (OSError, sqlite3.Error)):
                raise _failed(self.folder, error) from error
            raise

    def _transact(self, batch: Batch, *, tidy: bool) -> None:
        write_batch(self._connection, batch, self._archive.lengths, self.changes, tidy=tidy)

    def _keep(self, members: list[bytes], response: int, at: float) -> Place:
        return self._archive.append(members, response, at) if members else NOWHERE

    def _keep_visits(self, batch: Batch) -> None:
        pages = {page.id: page for page in batch.pages}
        for visit in batch.visits:
            if visit.of_page:
                page = pages[visit.page]
                place = Place(page.warc_file, page.warc_offset, page.warc_length)
            elif visit.archive:
                place = self._keep(visit.archive, visit.archive_response, visit.at)
            else:
                continue
            visit.warc_file, visit.warc_offset, visit.warc_length = place

    def _undo(self) -> None:
        """Back to the last commit. What it was is asked of the database, since an interrupt may strike right after a
        transaction that did succeed. Where even this fails, the next :meth:`open` does it."""
        with suppress(sqlite3.Error, OSError, DowseError):
            if self._connection.in_transaction:
                self._connection.rollback()
            self._archive.cut(self._committed())

    def _committed(self) -> dict[str, int]:
        return _committed(self._connection)

    def _same_folder(self) -> None:
        """A folder removed under an open database takes every write and keeps none: look before each commit."""
        try:
            same = os.stat(self.folder / DATABASE).st_ino == self._inode
        except FileNotFoundError:
            same = False
        if not same:
            raise FileNotFoundError(None, f"its {DATABASE} was removed or replaced")

    def note_spent(self, spent: Spent) -> None:
        """Make the counters survive a kill at any instant; costs about a microsecond."""
        self._ledger.note(spent)

    def put_found(self, seeds: Sequence[FoundRow]) -> None:
        """Write down seeds that were found, in place of those with the same numbers."""
        self.transact(lambda records: records.executemany(rows.PUT_FOUND, rows.clean(map(rows.found_values, seeds))))

    def forget_evidence(self, kind: str) -> None:
        """Nothing is known of any candidate: what was is of no use to the strategy that goes on, whose own evidence is
        of this kind."""

        def forget(records: sqlite3.Connection) -> None:
            records.execute("UPDATE candidates SET evidence = NULL WHERE evidence IS NOT NULL")
            records.execute(rows.PUT_STATISTIC, (EVIDENCE_KIND, rows.to_json(kind)))

        self.transact(forget)

    def transact(self, change: Callable[[sqlite3.Connection], object]) -> None:
        """Make a change beside the batches of a run, as a whole or not at all."""
        try:
            self._same_folder()
            self._connection.execute("BEGIN IMMEDIATE")
            change(self._connection)
            self._connection.execute("COMMIT")
        except (OSError, sqlite3.Error) as error:
            self._undo()
            raise _failed(self.folder, error) from error

    def start_run(self, at: float, judged_by: JudgedBy | None = None) -> int:
        """Write down that a run begins, and by what it judges; one that never ended was interrupted. Returns the run's
        number, from 1."""
        self._change("UPDATE runs SET stop_reason = 'interrupted' WHERE ended_at IS NULL AND stop_reason IS NULL")
        self._change("INSERT INTO runs (started_at) VALUES (?)", iso(at))
        self._judged_by(judged_by or JudgedBy())
        return int(self._connection.execute("SELECT max(id) FROM runs").fetchone()[0])

    def end_run(self, reason: str, at: float, judged_by: JudgedBy | None = None) -> None:
        """Write down why the current run stopped, and by what its pages were judged in the end, if that has changed."""
        if judged_by is not None:
            self._judged_by(judged_by)
        self._change(f"UPDATE runs SET ended_at = ?, stop_reason = ? {_THIS_RUN}", iso(at), reason)

    def _judged_by(self, by: JudgedBy) -> None:
        verdicts = None if by.verdicts is None else rows.to_json(by.verdicts)
        self._change(
            "UPDATE runs SET judge = ?, threshold = ?, model = ?, made_of = ?, vague = ?, verdicts = ? " + _THIS_RUN,
            by.judge, by.threshold, by.model, by.made_of, by.vague, verdicts,
        )  # fmt: skip

    def _change(self, sql: str, *values: Any) -> None:
        try:
            self._same_folder()
            self._connection.execute(sql, values)
        except (OSError, sqlite3.Error) as error:
            raise _failed(self.folder, error) from error

    def name_anew(self) -> None:
        """Give the crawl another name by which shared databases know it: a copy becomes a crawl of its own. Statistics
        still know it by its first one, since it shares its pages with what it is a copy of."""
        self._change("INSERT OR IGNORE INTO meta SELECT 'first', value FROM meta WHERE name = 'crawl'")
        self._change("INSERT OR REPLACE INTO meta VALUES ('crawl', lower(hex(randomblob(16))))")

    def close(self) -> None:
        """Let go of the folder. The records become one plain file again, so that they can be copied, and read from a
        medium that cannot be written (left as they are while somebody reads)."""
        self._archive.close()
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        with suppress(sqlite3.Error):
            self._connection.close()
        self._ledger.close()
        for lock in self._locks:
            lock.release()

    def __enter__(self) -> CrawlStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
