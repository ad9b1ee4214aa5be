"""The common ground in a SQLite file: for shards on one machine, with nothing to set up."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from dowse.cluster.ground.database import Row, Session, Statement
from dowse.cluster.ground.tables import APPLICATION, CREATE, VERSION
from dowse.model.common_ground import GroundAway
from dowse.model.errors import NotACrawl, StoreError, UserError
from dowse.model.files import check_plain, open_plain
from dowse.store.trust import check_schema, guard

Fill = Callable[[Session], None]

__all__ = ["IN_MEMORY", "SqliteDatabase"]

IN_MEMORY = Path(":memory:")
"""Instead of a file: a ground for shards that share a process, gone when it is closed."""

_WAIT_S = 20.0  # for other shards' transactions, which take milliseconds
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
                   sqlite3.SQLITE_CANTOPEN))  # fmt: skip


class SqliteDatabase:
    """See :class:`~dowse.cluster.ground.database.Database`. ``wall`` is the clock that leases run by."""

    def __init__(self, path: Path, wall: Callable[[], float]) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            ":memory:" if path == IN_MEMORY else path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        self._session = _Session(self._connection, wall)
        guard(self._connection)

    @classmethod
    def create(cls, path: Path, wall: Callable[[], float], fill: Fill) -> SqliteDatabase:
        """Make the tables of a crawl, and what is in them from its beginning. UserError where the file holds something
        already."""
        if path != IN_MEMORY:
            _check_files(path, writes=True)
            os.close(open_plain(path, os.O_RDWR | os.O_CREAT))  # what SQLite makes beside it is as private
        return cls(path, wall)._prepared(lambda database: database._make(fill))

    @classmethod
    def open(cls, path: Path, wall: Callable[[], float]) -> SqliteDatabase:
        """One that is there; NotACrawl where it is none."""
        if path == IN_MEMORY or not _check_files(path, writes=True):
            raise NotACrawl(f"there is no crawl in {path}")
        return cls(path, wall)._prepared(cls._check)

    def _prepared(self, prepare: Callable[[SqliteDatabase], None]) -> SqliteDatabase:
        try:
            # WAL: who only looks holds nobody up. NORMAL: a power cut may take back the last transactions, and never
            # half of one; whoever comes again is told how far its letters are here.
            for setting in ("journal_mode = WAL", "synchronous = NORMAL", "wal_autocheckpoint = 4000"):
                self._connection.execute(f"PRAGMA {setting}").close()
            prepare(self)
        except sqlite3.DatabaseError as error:
            self.close()
            raise NotACrawl(f"{self._path} cannot be used: {error}") from error
        except BaseException:
            self.close()
            raise
        return self

    def _make(self, fill: Fill) -> None:
        with self.transaction() as session:
            if session.run("SELECT 1 FROM sqlite_master LIMIT 1"):
                raise UserError(f"{self._path} already holds a crawl, or something else: name another file")
            for statement in CREATE:
                session.run(statement)
            session.run(f"PRAGMA application_id = {APPLICATION}")
            session.run(f"PRAGMA user_version = {VERSION}")
            fill(session)

    def _check(self) -> None:
        with self.transaction() as session:
            [(application,)] = session.run("PRAGMA application_id")
            [(version,)] = session.run("PRAGMA user_version")
            if application != APPLICATION:
                raise NotACrawl(f"{self._path} was not made by Dowse for shards of a crawl")
            if version != VERSION:
                raise NotACrawl(f"{self._path} is of version {version}; this Dowse reads {VERSION}")
            check_schema(self._connection, self._path, _ours(), {})

    @contextmanager
    def transaction(self) -> Iterator[_Session]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._session
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo()
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                    raise GroundAway(f"{self._path}: {error}") from error
                raise StoreError(f"{self._path}: {error}") from error
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        with self._lock:
            self._connection.close()


class _Session:
    lock = ""

    def __init__(self, connection: sqlite3.Connection, wall: Callable[[], float]) -> None:
        self._connection = connection
        self.now = wall

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, values).fetchall()

    def at_once(self, first: Statement, *others: Statement) -> tuple[float, list[list[Row]]]:
        found = [self.run(*first)]
        now = self.now()
        return now, found + [self.run(*one) for one in others]

    def last(self, *statements: Statement) -> None:
        for one in statements:
            self.run(*one)

    def each(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(statement, rows)

    def bring(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        marks = ", ".join("?" * len(columns))
        self.each(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)


def _check_files(path: Path, *, writes: bool) -> bool:
    """Is it there? NotPlain where it, or what SQLite keeps beside it, is anything but a plain file."""
    for ending in ("-wal", "-shm", "-journal"):
        check_plain(path.with_name(path.name + ending), writes=True)
    return check_plain(path, writes=writes)


@cache
def _ours() -> dict[str, frozenset[str]]:
    """The columns of each of our tables."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in CREATE:
            connection.execute(statement)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({name})")) for name in names}
