"""Has a shard changed since its records were gathered? Told by its files, without opening one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from dowse.store.schema import VERSION
from dowse.store.trust import DATABASE, guard

__all__ = ["GATHERED", "mark_of", "marked"]

GATHERED = "gathered"
"""The name in ``meta`` of what tells which state of its shards a crawl was gathered from."""
_FORMAT = 1  # of what is gathered: records that an earlier version gathered are gathered anew
_UNSETTLED_NS = 50_000_000  # a file that was written so shortly before may be written again within the same tick


def mark_of(shards: Sequence[Path], now_ns: int) -> str:
    """The state of these shards, as text. ``now_ns`` is the time by the file system's clock; what has just been written
    to has a state that is equal to none."""
    return json.dumps([_FORMAT, VERSION, {shard.name: _state(shard, now_ns) for shard in shards}])


def _state(shard: Path, now_ns: int) -> list[list[int]]:
    return [_of_file(shard / name, now_ns) for name in (DATABASE, f"{DATABASE}-wal")]


def _of_file(path: Path, now_ns: int) -> list[int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return []
    settled = found.st_mtime_ns < now_ns - _UNSETTLED_NS
    return [found.st_ino, found.st_size, found.st_mtime_ns] if settled else [-1]


def marked(folder: Path) -> str | None:
    """What the gathered records in a folder are marked with; None: they were not gathered. Raises sqlite3.Error."""
    uri = f"{(folder / DATABASE).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=30.0)) as connection:
        guard(connection)
        found = connection.execute("SELECT value FROM meta WHERE name = ?", (GATHERED,)).fetchone()
    return None if found is None else str(found[0])
