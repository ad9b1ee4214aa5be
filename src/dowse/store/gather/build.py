"""Writes the records of all shards into one new file. Nothing else is written, and no shard is held up."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from dowse.model.errors import StoreError
from dowse.store.damage import damage_told
from dowse.store.database import connect_reader
from dowse.store.gather import carried, numbers
from dowse.store.gather.mark import GATHERED
from dowse.store.gather.merge import WORK, finish, take
from dowse.store.gather.whole import Whole
from dowse.store.schema import CREATE
from dowse.store.trust import DATABASE, guard

__all__ = ["PreviousDamaged", "build"]

_CACHE_KB = 96 << 10  # each, of what is written and of the tables beside it
_PATIENCE_S = 30.0


class PreviousDamaged(StoreError):
    """What was gathered before cannot be gone by."""


def build(part: Path, shards: Sequence[Path], mark: str, before: Path | None) -> None:
    """Gather these shards into the empty file ``part``. What was gathered ``before`` tells the numbers, and what
    readers did to it. PreviousDamaged where it cannot be read, or told of what is there no more."""
    with closing(sqlite3.connect(part, uri=True, timeout=_PATIENCE_S, isolation_level=None)) as records:
        guard(records)
        records.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
        # the file counts once it is whole and on the disk: until then nothing need be undone
        caches = (f"{place}cache_size = -{_CACHE_KB}" for place in ("", "temp."))
        for setting in ("journal_mode = OFF", "synchronous = OFF", *caches):
            records.execute(f"PRAGMA {setting}").close()
        records.executescript(f"{CREATE}\n{WORK}")
        numbers.prepare(records)
        carried.prepare(records)
        if before is not None:
            with _previous(records, before):
                numbers.numbers_before(records)
                carried.name_as_before(records)
        whole = Whole()
        for shard in shards:
            _take(records, shard, whole, named=before is not None)
        records.execute("BEGIN")
        finish(records)
        records.execute("COMMIT")
        if before is not None:
            _check_whole(records)
            with _previous(records, before):
                carried.keep_verdicts(records)
                whole.keep_found(records)
                whole.write(records)
                carried.note_changes(records, before=True)
        else:
            whole.write(records)
            carried.note_changes(records, before=False)
        records.execute("INSERT INTO main.meta VALUES (?, ?)", (GATHERED, mark))


def _take(records: sqlite3.Connection, shard: Path, whole: Whole, *, named: bool) -> None:
    with closing(connect_reader(shard)) as checked:
        version = int(checked.execute("PRAGMA user_version").fetchone()[0])
    with damage_told(shard), _attached(records, shard, "shard"):
        if not named:
            carried.name_as_told(records)
        take(records, shard, version)
        whole.see(records, shard, version)


@contextmanager
def _previous(records: sqlite3.Connection, folder: Path) -> Iterator[None]:
    try:
        with _attached(records, folder, "before"):
            yield
    except (sqlite3.Error, ValueError) as error:
        raise PreviousDamaged(str(error)) from error


@contextmanager
def _attached(records: sqlite3.Connection, folder: Path, name: str) -> Iterator[None]:
    """In one transaction with the records of another folder, which is as it was when it began."""
    records.execute(f"ATTACH ? AS {name}", (f"{(folder / DATABASE).absolute().as_uri()}?mode=ro",))
    records.execute("BEGIN")
    yield
    records.execute("COMMIT")
    records.execute(f"DETACH {name}")


def _check_whole(records: sqlite3.Connection) -> None:
    """Numbers that were kept must all be of something still: there are no gaps between them."""
    for table in ("candidates", "sites"):
        [(gaps,)] = records.execute(f"SELECT ifnull(max(id) + 1, 0) - count(*) FROM main.{table}")
        if gaps:
            raise PreviousDamaged(f"{gaps} {table} are there no more")
