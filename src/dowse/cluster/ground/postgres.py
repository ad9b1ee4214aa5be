"""The common ground in a PostgreSQL database: for shards on several machines.

A crawl is a schema, ``dowse_`` and its name, so that a database holds any number, and dropping the schema drops one.
Whoever runs a shard needs no more than to read and write its tables; to begin a crawl, somebody may make the schema
beforehand, and let the user create tables there.

The only module that knows psycopg. A connection is made when it is needed, and thrown away with whatever fault; then
nothing of the transaction holds, or all of it does while its answer was lost. Every call may be made again.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import psycopg
from psycopg import errors

from dowse.cluster.ground.database import Row, Session, Statement
from dowse.cluster.ground.tables import CREATE, for_postgresql
from dowse.model.common_ground import GroundAway
from dowse.model.database_url import DatabaseParts
from dowse.model.errors import NotACrawl, UserError
from dowse.store.shared.connect import check_database

__all__ = ["PostgresDatabase"]

_CONNECT_S = 5
_STATEMENT_S = 10  # for an answer, and for a lock
_SILENT_S = 15.0  # a transaction that takes longer is given up, even where the server does not answer at all
_LONGEST = 300  # of a message
_CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"

Fill = Callable[[Session], None]


class PostgresDatabase:
    """See :class:`~dowse.cluster.ground.database.Database`. ``clock`` is SQL for the seconds since 1970."""

    def __init__(self, parts: DatabaseParts, url: str, name: str, clock: str = _CLOCK) -> None:
        self._parts = parts
        self._url = url
        self._schema = f"dowse_{name}"
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._begin = (
            "BEGIN ISOLATION LEVEL READ COMMITTED;"
            f' SET LOCAL search_path = "{self._schema}";'
            f" SET LOCAL statement_timeout = '{_STATEMENT_S}s'; SET LOCAL lock_timeout = '{_STATEMENT_S}s';"
            # who is cut off within a transaction must not keep its locks
            f" SET LOCAL idle_in_transaction_session_timeout = '{_STATEMENT_S}s'"
        )

    @classmethod
    def create(cls, url: str, name: str, fill: Fill, clock: str = _CLOCK) -> PostgresDatabase:
        """Make the tables of a crawl, and what is in them from its beginning. UserError where there is one already."""
        database = cls(*_checked(url), name, clock)
        try:
            database._make(fill)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open(cls, url: str, name: str, clock: str = _CLOCK) -> PostgresDatabase:
        """One that is there; NotACrawl where it is none."""
        database = cls(*_checked(url), name, clock)
        try:
            with database.transaction() as session:
                if not session.run("SELECT to_regclass('crawl')")[0][0]:
                    raise NotACrawl(f"{database._parts.shown()} holds no crawl of several shards named {name!r}")
        except BaseException:
            database.close()
            raise
        return database

    def _make(self, fill: Fill) -> None:
        with self.transaction() as session:
            # two who begin the same crawl wait for each other here
            session.run("SELECT pg_advisory_xact_lock(hashtext(?))", (self._schema,))
            if session.run("SELECT to_regclass('crawl')")[0][0]:
                raise UserError(f"{self._parts.shown()} already holds a crawl of this name: choose another --name")
            if not session.run("SELECT 1 FROM pg_namespace WHERE nspname = ?", (self._schema,)):
                session.run(f'CREATE SCHEMA "{self._schema}"')
            for statement in CREATE:
                session.run(for_postgresql(statement))
            fill(session)

    @contextmanager
    def transaction(self) -> Iterator[_Session]:
        with self._lock:
            try:
                connection = self._connected()
                with _given_up(connection):
                    connection.execute(self._begin.encode())
                    session = _Session(connection, self._clock)
                    try:
                        yield session
                    except BaseException:
                        self._undo(connection)
                        raise
                    session.commit()
            except (psycopg.Error, OSError) as error:
                self._drop()
                if isinstance(error, (errors.UndefinedTable, errors.InvalidSchemaName)):
                    raise NotACrawl(f"{self._parts.shown()} holds this crawl no more: {self._told(error)}") from None
                if isinstance(error, errors.InsufficientPrivilege):
                    raise UserError(f"{self._parts.shown()}: {self._told(error)}") from None
                raise GroundAway(f"{self._parts.shown()}: {self._told(error)}") from None

    def _undo(self, connection: psycopg.Connection[Any]) -> None:
        try:
            connection.execute(b"ROLLBACK")
        except (psycopg.Error, OSError):
            self._drop()

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            known: dict[str, Any] = {
                "connect_timeout": _CONNECT_S, "application_name": "dowse", "keepalives_idle": 5,
                "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": _STATEMENT_S * 1000,
            }  # fmt: skip
            given = {name for name, _ in self._parts.query}
            self._connection = psycopg.connect(
                self._url, autocommit=True, **{name: value for name, value in known.items() if name not in given}
            )
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError):
                self._connection.close()
            self._connection = None

    def _told(self, error: BaseException) -> str:
        lines = str(error).strip().splitlines()  # what follows the first is advice
        text = " ".join(lines[0].split()) if lines else type(error).__name__
        for secret in self._parts.secrets():
            text = text.replace(secret, "***")
        return text[:_LONGEST]

    def close(self) -> None:
        with self._lock:
            self._drop()


class _Session:
    lock = " FOR UPDATE"

    def __init__(self, connection: psycopg.Connection[Any], clock: str) -> None:
        self._connection = connection
        self._clock = clock.encode()
        self._is_over = False

    def now(self) -> float:
        found = self._connection.execute(self._clock).fetchone()
        assert found is not None
        return float(found[0])

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(_spoken(statement), values or None, binary=True)
        return cursor.fetchall() if cursor.description else []

    def at_once(self, first: Statement, *others: Statement) -> tuple[float, list[list[Row]]]:
        with self._connection.pipeline():
            at_first = self._sent(first)
            clock = self._connection.execute(self._clock)
            rest = [self._sent(one) for one in others]
            found = clock.fetchone()
            assert found is not None
            return float(found[0]), [one.fetchall() if one.description else [] for one in (at_first, *rest)]

    def last(self, *statements: Statement) -> None:
        with self._connection.pipeline():
            for one in statements:
                self._sent(one)
            self._connection.execute(b"COMMIT")
        self._is_over = True

    def commit(self) -> None:
        if not self._is_over:
            self._connection.execute(b"COMMIT")

    def _sent(self, one: Statement) -> psycopg.Cursor[Any]:
        statement, values = one
        return self._connection.execute(_spoken(statement), values or None, binary=True)

    def each(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_spoken(statement), rows)

    def bring(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as copy,
        ):
            for row in rows:
                copy.write_row(row)


@cache
def _spoken(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


@contextmanager
def _given_up(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """A server that is there and says nothing holds nobody for ever: the connection is cut."""
    ours = socket.socket(fileno=os.dup(connection.fileno()))
    watch = threading.Timer(_SILENT_S, _cut, (ours,))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        ours.close()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _checked(url: str) -> tuple[DatabaseParts, str]:
    parts, whole = check_database(url)
    if parts.dialect != "postgresql":
        raise UserError(f"{parts.shown()}: shards of a crawl meet in postgresql://, or in a file on one machine")
    return parts, whole
