"""Writes down what changes in the records, as a part of the transaction that changes it (``model.changes``)."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable

__all__ = ["PAGES_CHANGED", "SITES_CHANGED", "ChangeLog"]

PAGES_CHANGED = "INSERT INTO changes (page)"
SITES_CHANGED = "INSERT INTO changes (site)"
"""Before the values, or a query for them."""

_BEGIN = (
    "INSERT OR REPLACE INTO change_writers (first, writer) SELECT ifnull((SELECT max(number) FROM changes), 0) + 1, ?1"
    " WHERE NOT EXISTS (SELECT 1 FROM change_writers WHERE writer = ?1)"
)


class ChangeLog:
    """One opening of a folder to be written to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._writer = secrets.token_hex(8)

    def begin(self) -> None:
        """In each transaction, before its first change: from there on, changes are this writer's."""
        self._connection.execute(_BEGIN, (self._writer,))

    def note(self, *, pages: Iterable[int] = (), sites: Iterable[int] = ()) -> None:
        """These changed."""
        self._connection.executemany(f"{SITES_CHANGED} VALUES (?)", ((site,) for site in sites))
        self._connection.executemany(f"{PAGES_CHANGED} VALUES (?)", ((page,) for page in pages))
