"""A folder whose crawl ended before it began: its records make way for those of another."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from dowse.model.errors import DowseError
from dowse.model.files import check_plain
from dowse.store.database import connect_reader
from dowse.store.ledger import LEDGER, Ledger
from dowse.store.schema import DATABASE

__all__ = ["asked_nobody", "remove_records"]


def asked_nobody(folder: Path) -> bool:
    """Does the folder hold a crawl that ended before its first request? There is nothing in it to go on with: the
    command that was wrong may be given again. Its lock is held."""
    if not check_plain(folder / DATABASE, writes=True) or not check_plain(folder / LEDGER, writes=True):
        return False
    ledger = Ledger(folder / LEDGER)
    try:
        noted = ledger.read().requests
    finally:
        ledger.close()
    try:
        with closing(connect_reader(folder)) as records:
            [(requests,)] = records.execute("SELECT requests FROM totals")
            [(pages,)] = records.execute("SELECT EXISTS (SELECT 1 FROM pages)")
    except (DowseError, ValueError, sqlite3.Error):
        return False  # somebody else's, or damaged: told by whoever opens it
    return not (noted or requests or pages)


def remove_records(folder: Path) -> None:
    """Leave the folder as it was before a crawl began in it, but for its lock."""
    for name in (DATABASE, f"{DATABASE}-journal", f"{DATABASE}-wal", f"{DATABASE}-shm", LEDGER):
        with suppress(OSError):
            (folder / name).unlink()
