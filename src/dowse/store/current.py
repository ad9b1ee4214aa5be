"""Opens a crawl's records for whoever reads: those of a sharded crawl are gathered first, where they have changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from dowse.store import database
from dowse.store.gather import gather

__all__ = ["connect_reader"]


def connect_reader(folder: Path) -> sqlite3.Connection:
    """As :func:`dowse.store.database.connect_reader`."""
    gather(folder)
    return database.connect_reader(folder)
