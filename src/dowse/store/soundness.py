"""Can the records of a crawl be read, all of them?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dowse.model.errors import DowseError
from dowse.store.database import connect_reader

__all__ = ["is_sound"]


def is_sound(folder: Path) -> bool:
    """Does a folder hold records without a damaged part? What they say is not looked at."""
    try:
        with closing(connect_reader(folder)) as records:
            return bool(records.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except (DowseError, sqlite3.Error):
        return False
