"""Connections to a crawl's records: one that writes, any number that read.

The folder may come from anybody. So nothing of it is opened but plain files, the database must have our tables and no
SQL of its own (``trust``), and whoever only reads opens it so that nothing can be written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from pathlib import Path

from dowse.model.errors import NotACrawl, UserError
from dowse.model.files import open_plain
from dowse.model.found import FoundRow
from dowse.model.share import Share
from dowse.store import rows
from dowse.store.damage import damaged, is_corrupt, is_emptied
from dowse.store.schema import APPLICATION, CREATE, DATABASE, PART_OF, SHARD, UPGRADES, VERSION, show_lacking
from dowse.store.trust import check_files, check_schema, guard

__all__ = ["connect_reader", "connect_writer", "create_database"]

# It fills whatever it is given. The writer appends, and changes rows by their number: with 64 MB a commit was as quick
# at 100,000 candidates, and at a million, changed at random, a tenth quicker at most (medians; runs scatter as much).
_CACHE_KB = 16 << 10


def create_database(
    folder: Path, settings: Iterable[tuple[str, str]], found: Iterable[FoundRow] = (), share: Share | None = None
) -> None:  # fmt: skip
    """Make an empty crawl, or a shard of one, with its settings (name, JSON) and the seeds that were found for it. A
    kill in the middle leaves no table at all, and such a file is no crawl: it may be created again."""
    check_files(folder, writes=True)
    os.close(open_plain(folder / DATABASE, os.O_RDWR | os.O_CREAT))  # what SQLite makes beside it is as private
    with closing(sqlite3.connect(folder / DATABASE, timeout=30.0, isolation_level=None)) as connection:
        guard(connection)
        if connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
            raise UserError(f"{folder} already holds a crawl: resume it, or choose another folder")
        connection.executescript(f"BEGIN IMMEDIATE;\n{CREATE}")
        connection.executemany("INSERT INTO settings VALUES (?, ?)", settings)
        connection.executemany(rows.PUT_FOUND, rows.clean(map(rows.found_values, found)))
        if share is not None:
            part = ((PART_OF, share.crawl), (SHARD, str(share.shard)))
            connection.executemany("INSERT INTO meta VALUES (?, ?)", part)
        connection.execute("COMMIT")


@cache
def _ours() -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    """The columns of each of our tables, and the SQL of each view."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(CREATE)
        found = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        tables = {
            name: frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({name})"))
            for kind, name, _ in found
            if kind == "table"
        }
        return tables, {name: sql for kind, name, sql in found if kind == "view"}


def _check(connection: sqlite3.Connection, folder: Path) -> int:
    """The version of the records; NotACrawl when they are nothing this Dowse can read."""
    guard(connection)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        if is_emptied(folder / DATABASE):
            raise damaged(folder, f"{DATABASE} is empty")
        raise NotACrawl(f"{folder} holds no crawl: its {DATABASE} was not made by Dowse")
    if version not in (*UPGRADES, VERSION):
        raise NotACrawl(f"{folder} was made with records of version {version}; this Dowse reads up to {VERSION}")
    try:
        check_schema(connection, folder / DATABASE, *_ours())
    except UnicodeDecodeError as error:  # a name or a definition lost a bit
        raise damaged(folder, "what it says of its tables is no text") from error
    return int(version)


def connect_writer(folder: Path, check: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """The one writing connection. Transactions are explicit; any thread may use it, one at a time. Nothing is written
    before ``check`` has seen the records, but what a transaction that was cut off left is undone."""
    check_files(folder, writes=True)
    connection = sqlite3.connect(folder / DATABASE, timeout=30.0, isolation_level=None, check_same_thread=False)
    try:
        version = _check(connection, folder)
        check(connection)
        for before in range(version, VERSION):
            connection.executescript(f"BEGIN IMMEDIATE;\n{UPGRADES[before]}COMMIT;")
        # WAL: readers never hold the crawl up. NORMAL: a power cut may take back the last transactions, never
        # half of one, and the archive's tail is then cut to match.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.execute("PRAGMA wal_autocheckpoint = 8000")  # 32 MB: a page changed often is copied back once
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(folder: Path) -> sqlite3.Connection:
    """A connection that can only read, also while a crawl is writing."""
    path = folder / DATABASE
    try:
        if not check_files(folder, writes=False):
            raise NotACrawl(f"{folder} holds no crawl (there is no {DATABASE} in it)")
    except OSError as error:
        raise NotACrawl(f"{folder} holds no crawl: {(error.strerror or str(error)).lower()}") from error
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = None
    try:
        connection = sqlite3.connect(uri, uri=True, timeout=30.0, isolation_level=None, check_same_thread=False)
        version = _check(connection, folder)
        connection.executescript(show_lacking(version))
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            if is_corrupt(error, folder):
                raise damaged(folder, str(error)) from error
            raise NotACrawl(f"{path} cannot be read: {error}") from error
        raise
    return connection
