"""A shared database as the rest of Dowse sees it: rows that are put, found and changed, in transactions.

The only module that knows SQLAlchemy and the drivers. Rows come and go as a crawl's own records have them: times as
ISO 8601 text in UTC, JSON as text, flags as 0 and 1. What a database cannot hold of a text is replaced.

Whatever goes wrong with the server is :class:`DatabaseAway`, in one line without a password: it may be back soon. What
waiting does not mend, such as a file that cannot be written, is a UserError.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

from dowse.model.columns import Column, Form
from dowse.model.database_url import DatabaseParts
from dowse.model.errors import DowseError, UserError
from dowse.store.shared.tables import SharedTable
from dowse.store.trust import guard

__all__ = ["DatabaseAway", "Server", "Session", "waiting_is_vain"]

_DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite"}
_CONNECT_S = 10
_WAIT_S = 60  # for an answer; a lock that somebody holds for longer is told as a fault
_LONGEST = 300  # of a message
_ROWS = 500  # a statement
_LASTING = frozenset((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_unfit = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL has no NUL, and no encoding has lone surrogates

Row = Sequence[Any]


class DatabaseAway(DowseError):
    """The database cannot be used now: it is not there, refuses us, or broke off. Nothing of the transaction holds."""


def _type(column: Column, lengths: Mapping[str, int]) -> Any:
    form = column.stored.form
    if form is Form.TIME:
        return sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql").with_variant(sa.Text(), "sqlite")
    if column.name in lengths:
        return sa.String(lengths[column.name])
    if column.kind is bool:
        return sa.Boolean()
    if column.kind is float:
        return sa.Double()
    if column.kind is bytes:
        return sa.LargeBinary().with_variant(mysql.BINARY(32), "mysql")
    if isinstance(column.kind, type) and issubclass(column.kind, int):
        return sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql")


def _made(shared: SharedTable, into: sa.MetaData) -> sa.Table:
    lengths = dict(shared.lengths)
    columns = [
        # what is no key may be null, so that a later version can add a column to rows that are there
        sa.Column(column.name, _type(column, lengths), primary_key=column.name in shared.keys,
                  nullable=column.name not in shared.keys and column.name != shared.unique)
        for column in shared.table.columns
    ]  # fmt: skip
    unique = [sa.UniqueConstraint(shared.unique)] if shared.unique else []
    indexes = [sa.Index(f"{shared.name}_{name}", name) for name in shared.indexed]
    return sa.Table(shared.name, into, *columns, *unique, *indexes, mysql_engine="InnoDB", mysql_charset="utf8mb4",
                    mysql_collate="utf8mb4_bin")  # fmt: skip


def _fit(value: str) -> str:
    return value if value.isascii() and "\x00" not in value else _unfit.sub("\ufffd", value)


def _mysql_time(value: str) -> str:
    return value.replace("T", " ").removesuffix("Z")


def _told_time(value: Any) -> Any:
    """A time as it comes from any driver, as text."""
    if not isinstance(value, datetime):
        return value
    moment = value.astimezone(UTC) if value.tzinfo else value
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


class Server:
    """One database. :meth:`prepare` once, if it shall be written to, then any number of transactions."""

    def __init__(self, parts: DatabaseParts, url: str, tables: Sequence[SharedTable]) -> None:
        self.shown = parts.shown()
        self._parts = parts
        self._shared = {shared.name: shared for shared in tables}
        self._metadata = sa.MetaData()
        self.tables = {shared.name: _made(shared, self._metadata) for shared in tables}
        try:
            made = sa.make_url(url).set(drivername=_DRIVERS[parts.dialect])
            self._engine = sa.create_engine(made, connect_args=_arguments(made), **_pool(parts))
        except (sa.exc.ArgumentError, ValueError) as error:
            raise UserError(f"{self.shown}: {self._told(error)}") from None
        if parts.dialect == "sqlite":
            sa.event.listen(self._engine, "connect", _guarded)
            sa.event.listen(self._engine, "begin", _begin_now)
        assert self._engine.dialect.dbapi is not None
        self._faults = (sa.exc.SQLAlchemyError, self._engine.dialect.dbapi.Error, OSError)

    def close(self) -> None:
        """Let go of the connection."""
        self._engine.dispose()

    def prepare(self) -> None:
        """Make what the database lacks of our tables and columns. UserError when a table of ours is somebody else's."""
        try:
            self._make_tables()
        except DatabaseAway:
            self._make_tables()  # somebody else may have been making them at the same moment

    def _make_tables(self) -> None:
        with self._told_faults():
            there = sa.inspect(self._engine)
            named = [name for name in there.get_table_names() if name in self.tables]
            views = sorted(name for name in there.get_view_names() if name in self.tables)
            have = {name: {column["name"] for column in there.get_columns(name)} for name in named}
        if views:
            raise UserError(f"{self.shown} has a view {views[0]} that is not Dowse's: name another database")
        for name, columns in have.items():
            missing = self._shared[name].marks - columns
            if missing:
                raise UserError(
                    f"{self.shown} has a table {name} that is not Dowse's (it has no column {min(missing)}):"
                    " name another database"
                )
        with self._told_faults():
            if len(have) < len(self.tables):
                self._metadata.create_all(self._engine)
            with self._engine.begin() as connection:
                for name, columns in have.items():
                    for column in self.tables[name].columns:
                        if column.name not in columns:
                            self._add(connection, name, column)

    def _add(self, connection: sa.Connection, table: str, column: sa.Column[Any]) -> None:
        made = sa.schema.CreateColumn(column).compile(dialect=self._engine.dialect)
        quoted = self._engine.dialect.identifier_preparer.quote(table)
        connection.exec_driver_sql(f"ALTER TABLE {quoted} ADD COLUMN {made}")

    def has(self, table: str) -> bool:
        """Is there such a table?"""
        with self._told_faults():
            return bool(sa.inspect(self._engine).has_table(table))

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """All that is done inside holds together, or nothing of it."""
        with self._told_faults(), self._engine.begin() as connection:
            if self._parts.dialect == "postgresql":
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_WAIT_S}s'")
            yield Session(self, connection)

    @contextmanager
    def _told_faults(self) -> Iterator[None]:
        try:
            yield
        except self._faults as error:
            self._engine.dispose()  # of what broke off, nothing is to be used again
            kind = UserError if waiting_is_vain(error) else DatabaseAway
            raise kind(f"{self.shown}: {self._told(error)}") from None

    def _told(self, error: BaseException) -> str:
        cause = getattr(error, "orig", None) or error
        numbered = isinstance(cause.args[0], int) and len(cause.args) > 1 if cause.args else False
        lines = str(cause.args[1] if numbered else cause).strip().splitlines()  # what follows the first is advice
        text = " ".join(lines[0].split()) if lines else type(cause).__name__
        for secret in self._parts.secrets():
            text = text.replace(secret, "***")
        return text[:_LONGEST]


class Session:
    """A transaction."""

    def __init__(self, server: Server, connection: sa.Connection) -> None:
        self._connection = connection
        self._server = server
        self._dialect = connection.dialect.name
        self._upsert = {"postgresql": self._copy}.get(self._dialect, self._insert)

    def put(self, shared: SharedTable, rows: Iterable[Row]) -> None:
        """Write rows, of all columns of the table, in place of those with the same keys."""
        fitted = list(self._fitted(shared, rows))
        if fitted:
            self._upsert(shared, fitted)

    def add(self, shared: SharedTable, values: Mapping[str, Any]) -> None:
        """Write a row, unless one with the same unique value is there."""
        table = self._server.tables[shared.name]
        if self._dialect == "mysql":
            statement: Any = mysql.insert(table).prefix_with("IGNORE")
        else:
            insert = postgresql.insert if self._dialect == "postgresql" else sqlite.insert
            statement = insert(table).on_conflict_do_nothing()
        self._connection.execute(statement, self._named(shared, values))

    def change(self, shared: SharedTable, where: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Give the rows that match other values."""
        table = self._server.tables[shared.name]
        self._connection.execute(sa.update(table).where(*self._matching(table, where)), self._named(shared, values))

    def find(
        self, shared: SharedTable, names: Sequence[str], where: Mapping[str, Any], *, lock: bool = False,
        order: Sequence[str] = (), most: int | None = None,
    ) -> list[tuple[Any, ...]]:  # fmt: skip
        """These columns of the rows that match: each column is equal to its value, or among a list of them. ``lock``:
        nobody else may change them before the transaction ends. ``-`` before a column's name: the greatest first."""
        table = self._server.tables[shared.name]
        asked = sa.select(*(table.c[name] for name in names)).where(*self._matching(table, where))
        for name in order:
            asked = asked.order_by(table.c[name[1:]].desc() if name.startswith("-") else table.c[name])
        found = self._connection.execute(asked.limit(most).with_for_update() if lock else asked.limit(most))
        return [tuple(map(_told_time, row)) for row in found]

    def each(
        self, shared: SharedTable, names: Sequence[str], where: Mapping[str, Any], *, order: Sequence[str]
    ) -> Iterator[tuple[Any, ...]]:
        """The same, a block at a time: of any number of rows."""
        table = self._server.tables[shared.name]
        asked = sa.select(*(table.c[name] for name in names)).where(*self._matching(table, where))
        found = self._connection.execution_options(yield_per=_ROWS).execute(
            asked.order_by(*(table.c[name] for name in order))
        )
        for row in found:
            yield tuple(map(_told_time, row))

    def counts(self, shared: SharedTable, of: str) -> list[tuple[Any, int]]:
        """The values of a column, with how many rows have each; the most frequent first."""
        column = self._server.tables[shared.name].c[of]
        found = self._connection.execute(
            sa.select(column, sa.func.count()).group_by(column).order_by(sa.func.count().desc(), column).limit(100)
        )
        return [(row[0], int(row[1])) for row in found]

    # -- within --------------------------------------------------------------------------------------------------

    @staticmethod
    def _matching(table: sa.Table, where: Mapping[str, Any]) -> list[Any]:
        return [
            table.c[name].in_(value) if isinstance(value, list) else table.c[name] == value
            for name, value in where.items()
        ]

    def _named(self, shared: SharedTable, values: Mapping[str, Any]) -> dict[str, Any]:
        by_name = {column.name: self._fits(column) for column in shared.table.columns}
        return {
            name: fit(value) if (fit := by_name[name]) is not None and value is not None else value
            for name, value in values.items()
        }

    def _fits(self, column: Column) -> Callable[[Any], Any] | None:
        """What makes a value of a column one that this database takes."""
        if column.stored.form is Form.TIME:
            return _mysql_time if self._dialect == "mysql" else None
        if column.kind is bool:
            return bool
        return _fit if column.kind is str or column.stored.form is Form.JSON else None

    def _fitted(self, shared: SharedTable, rows: Iterable[Row]) -> Iterator[list[Any]]:
        special = [(place, fit) for place, column in enumerate(shared.table.columns) if (fit := self._fits(column))]
        for row in rows:
            found = list(row)
            for place, fit in special:
                if found[place] is not None:
                    found[place] = fit(found[place])
            yield found

    def _insert(self, shared: SharedTable, rows: list[list[Any]]) -> None:
        """Multi-row inserts."""
        table = self._server.tables[shared.name]
        names = shared.table.names
        changing = [name for name in names if name not in shared.keys]
        if self._dialect == "mysql":
            into = mysql.insert(table)
            statement: Any = into.on_duplicate_key_update({name: into.inserted[name] for name in changing})
        else:
            other = sqlite.insert(table)
            statement = other.on_conflict_do_update(
                index_elements=list(shared.keys), set_={name: other.excluded[name] for name in changing}
            )
        for start in range(0, len(rows), _ROWS):
            block = rows[start : start + _ROWS]
            self._connection.execute(statement, [dict(zip(names, row, strict=True)) for row in block])

    def _copy(self, shared: SharedTable, rows: list[list[Any]]) -> None:
        """PostgreSQL's COPY into a table of this connection's own, and from there in one statement."""
        quote = self._connection.dialect.identifier_preparer.quote
        name, names = quote(shared.name), ", ".join(map(quote, shared.table.names))
        changing = ", ".join(
            f"{quote(own)} = EXCLUDED.{quote(own)}" for own in shared.table.names if own not in shared.keys
        )
        driver: Any = self._connection.connection.driver_connection
        with driver.cursor() as cursor:
            cursor.execute(
                f"CREATE TEMPORARY TABLE IF NOT EXISTS incoming_{shared.name} ON COMMIT DELETE ROWS"
                f" AS SELECT {names} FROM {name} WITH NO DATA"
            )
            with cursor.copy(f"COPY incoming_{shared.name} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(
                f"INSERT INTO {name} ({names}) SELECT {names} FROM incoming_{shared.name}"
                f" ON CONFLICT ({', '.join(map(quote, shared.keys))}) DO UPDATE SET {changing}"
            )
            cursor.execute(f"DELETE FROM incoming_{shared.name}")  # another put may follow in this transaction


def waiting_is_vain(error: BaseException) -> bool:
    """Is it a fault that no waiting mends?"""
    cause = getattr(error, "orig", None) or error
    return getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _LASTING


def _pool(parts: DatabaseParts) -> dict[str, Any]:
    return {} if parts.dialect == "sqlite" else {"pool_size": 1, "max_overflow": 1, "pool_pre_ping": True}


def _arguments(url: sa.URL) -> dict[str, Any]:
    """How to connect, besides what the URL says."""
    by_dialect: dict[str, dict[str, Any]] = {
        "postgresql": {"connect_timeout": _CONNECT_S, "application_name": "dowse", "keepalives_idle": 30,
                       "tcp_user_timeout": _WAIT_S * 1000},
        "mysql": {"connect_timeout": _CONNECT_S, "read_timeout": _WAIT_S, "write_timeout": _WAIT_S,
                  "charset": "utf8mb4"},
        "sqlite": {"timeout": _CONNECT_S},
    }  # fmt: skip
    return {name: value for name, value in by_dialect[url.get_backend_name()].items() if name not in url.query}


def _guarded(connection: Any, _: Any) -> None:
    """A SQLite file may be anybody's. Transactions are begun by us, so that they hold the lock from their beginning."""
    connection.isolation_level = None
    guard(connection)


def _begin_now(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
