"""Brings the gathered records of a sharded crawl up to date. See the package's docstring."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from dowse.model.errors import NotACrawl, StoreError, UserError
from dowse.model.files import PRIVATE_FILE, check_plain, open_plain
from dowse.model.long_work import long_work
from dowse.store.damage import damage_told
from dowse.store.database import connect_writer
from dowse.store.gather.build import PreviousDamaged, build
from dowse.store.gather.mark import mark_of, marked
from dowse.store.schema import VERSION
from dowse.store.sharded import SHARDS, is_sharded, shard_folders
from dowse.store.trust import DATABASE, check_files

__all__ = ["GATHERING", "gather"]

GATHERING = "dowse.gathering"
"""The file in a sharded crawl's folder that is locked by whoever gathers, or edits what was gathered."""
_PART = f".{DATABASE}.part"
_LATER_NS = 1 << 62


def gather(folder: Path) -> None:
    """Let the folder's own records be those of all its shards, if it is of a sharded crawl and they are not. Where they
    cannot be written, or somebody is at them, those that are there stay. NotACrawl where no shard has begun."""
    if not is_sharded(folder):
        return
    shards = [shard for shard in shard_folders(folder) if _has_records(shard)]
    if not shards:
        raise NotACrawl(f"{folder} holds no crawl yet: none of its {SHARDS} has begun")
    there = check_files(folder, writes=False)
    if there and _is_current(folder, shards):
        return
    with _turn(folder, wait=not there) as ours:
        if ours and not (check_files(folder, writes=True) and _is_current(folder, shards)):
            with long_work(f"gathering the records of {len(shards)} shards in {folder}"):
                _gather(folder, shards)


def _has_records(shard: Path) -> bool:
    """Records that are just being made are an empty file still."""
    return check_plain(shard / DATABASE, writes=False) and (shard / DATABASE).stat().st_size > 0


def _is_current(folder: Path, shards: Sequence[Path]) -> bool:
    """Are the gathered records those of the shards as they are? Damaged ones are not."""
    try:
        found = marked(folder)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "no such table" not in str(error):
            raise StoreError(f"cannot read the records in {folder}: {error}") from error
        return False
    if found is None:
        raise UserError(
            f"{folder / DATABASE} is of another crawl than the {SHARDS} beside it: move it away to see theirs"
        )
    return found == mark_of(shards, _LATER_NS)


@contextmanager
def _turn(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Nobody else gathers or edits meanwhile. False: it is somebody else's turn, or nothing can be written here."""
    try:
        fd = open_plain(folder / GATHERING, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if wait:
            raise _failed(folder, error) from error
        yield False
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(fd)


def _failed(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"cannot gather the shards of {folder}: {(error.strerror or str(error)).lower()}")


def _gather(folder: Path, shards: Sequence[Path]) -> None:
    part = folder / _PART
    try:
        try:
            before = folder if _is_settled(folder) else None
        except sqlite3.OperationalError:
            return  # somebody reads what somebody edited, and it is not in the file yet
        try:
            _write(part, shards, before)
        except PreviousDamaged:
            _write(part, shards, None)
        _put(part, folder)
    except OSError as error:
        raise _failed(folder, error) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _is_settled(folder: Path) -> bool:
    """Are there gathered records that can be read? Brings them to this version, and into one file: an editor that was
    killed leaves what it wrote last beside them. Raises sqlite3.OperationalError while that cannot be."""
    path = folder / DATABASE
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as records:
            version = records.execute("PRAGMA user_version").fetchone()[0]
            journal = records.execute("PRAGMA journal_mode").fetchone()[0]
        if (version, journal) != (VERSION, "delete"):
            with closing(connect_writer(folder, lambda _: None)) as records:
                records.execute("PRAGMA busy_timeout = 0")
                records.execute("PRAGMA journal_mode = DELETE").close()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False
    return True


def _write(part: Path, shards: Sequence[Path], before: Path | None) -> None:
    with suppress(FileNotFoundError):
        part.unlink()  # of one who was killed
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        mark = mark_of(shards, os.fstat(fd).st_mtime_ns)  # before they are read: what changes since is seen next time
        with damage_told(part.parent):
            build(part, shards, mark, before)
        os.fsync(fd)
    finally:
        os.close(fd)


def _put(part: Path, folder: Path) -> None:
    os.replace(part, folder / DATABASE)
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
