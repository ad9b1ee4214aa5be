"""Records that somebody else may have made: what a connection may do, and whether the tables are ours.

A database can carry SQL of its own (triggers, views, checks, defaults, generated columns, virtual tables), which runs
when it is merely looked at or added to. Ours has three views and no other SQL, so that anything else is a reason not to
open it. Rows may still hold anything: those who read them check what they find.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from dowse.model.errors import NotACrawl
from dowse.model.files import check_plain, open_plain

__all__ = ["DATABASE", "check_files", "check_schema", "guard"]

DATABASE = "dowse.sqlite"
_BESIDE = ("-wal", "-shm", "-journal")
_LONGEST_VALUE = 256 << 20  # bytes of a text or blob: what a strategy has learned of a crawl of millions is smaller
_LONGEST_SQL = 1 << 20
_MOST_OBJECTS = 200
_OTHER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # how a journal ends that names another file

_comment = re.compile(r"--[^\n]*")
_token = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|''|\b0\b|[(),]")
_KEYWORDS = frozenset(
    ("CREATE", "TABLE", "INTEGER", "TEXT", "REAL", "BLOB", "ANY", "NOT", "NULL", "PRIMARY", "KEY", "DEFAULT", "STRICT")
)
_plain_index = re.compile(r"CREATE INDEX \w+ ON \w+ ?\(\w+(?: ?, ?\w+)*\)").fullmatch


def check_files(folder: Path, *, writes: bool) -> bool:
    """Are there records? NotPlain when they, or what SQLite keeps beside them, are anything but plain files. SQLite
    opens them by name, and would follow a link."""
    found = check_plain(folder / DATABASE, writes=writes)
    for ending in _BESIDE:
        check_plain(folder / (DATABASE + ending), writes=True)
    if writes and found:
        _check_journal(folder / f"{DATABASE}-journal")
    return found


def _check_journal(path: Path) -> None:
    """What a transaction that was cut off left is undone by SQLite, which then removes the file that its journal may
    name at the end. Ours never does."""
    try:
        fd = open_plain(path)
    except FileNotFoundError:
        return
    try:
        size = os.fstat(fd).st_size
        names_other = os.pread(fd, 8, max(0, size - 8)) == _OTHER_JOURNAL
    finally:
        os.close(fd)
    if names_other:
        raise NotACrawl(f"{path} names another file: Dowse did not write it. Remove it to go on without")


def guard(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Let the database do nothing but hold rows. Before anything is read from it."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0)
    for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {setting}").close()
    return connection


def check_schema(
    connection: sqlite3.Connection, path: Path, tables: Mapping[str, frozenset[str]], views: Mapping[str, str]
) -> None:  # fmt: skip
    """NotACrawl unless the database has these tables, with no other columns, these views, and nothing else but plain
    indexes. An older version has fewer columns; what is missing is found by whoever asks for it."""
    known = {name: _words(sql) for name, sql in views.items()}
    found = connection.execute("SELECT type, name, sql FROM sqlite_master LIMIT ?", (_MOST_OBJECTS + 1,)).fetchall()
    objects = [(str(kind), str(name), str(sql or "")) for kind, name, sql in found]
    if len(objects) > _MOST_OBJECTS:
        raise NotACrawl(f"{path} was not made by Dowse: it has hundreds of tables")
    for kind, name, sql in objects:
        if kind == "table" and name in tables:
            odd = next(_unknown(sql, name, tables[name]), None)
        elif kind == "view" and name in known:
            odd = None if _words(sql) == known[name] else "its SQL is another"
        elif kind == "index" and (not sql or _plain_index(_words(sql))):
            odd = None
        elif name == "sqlite_stat1":
            odd = None  # of ANALYZE
        else:
            odd = "Dowse makes none"
        if odd is not None:
            raise NotACrawl(f"{path} was changed by somebody: it has the {kind} {name[:80]!r} ({odd[:80]})")


def _words(sql: str) -> str:
    """SQL without comments, its blanks made equal."""
    return " ".join(_comment.sub("", sql).split())


def _unknown(sql: str, table: str, columns: frozenset[str]) -> Iterator[str]:
    """What stands in a table's definition and in none of ours: a definition of keywords, types and our own columns can
    run nothing."""
    plain, end = _words(sql), 0
    for found in _token.finditer(plain):
        if plain[end : found.start()].strip():
            yield plain[end : found.start()].strip()
        end = found.end()
        word = found[0]
        if word[0].isalpha() and word not in columns and word != table and word not in _KEYWORDS:
            yield word
    if plain[end:].strip():
        yield plain[end:].strip()
