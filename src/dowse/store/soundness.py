"""Can the records of a crawl be read, all of them?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dowse.model.errors import DowseError
from dowse.store.database import connect_reader
from dowse.store.sharded import is_sharded, shard_folders
from dowse.store.trust import DATABASE

__all__ = ["is_sound"]


def is_sound(folder: Path) -> bool:
    """Does a folder hold records without a damaged part? What they say is not looked at. Those of a sharded crawl are
    those of its shards: what is gathered from them can be gathered anew."""
    if is_sharded(folder):
        begun = [shard for shard in shard_folders(folder) if (shard / DATABASE).exists()]
        return bool(begun) and all(map(is_sound, begun))
    try:
        with closing(connect_reader(folder)) as records:
            return bool(records.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except (DowseError, sqlite3.Error):
        return False
