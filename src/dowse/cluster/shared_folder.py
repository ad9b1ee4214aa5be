"""Where the shards of a crawl are, and where their common ground is (see :mod:`dowse.store.sharded`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dowse.model.database_url import without_password
from dowse.model.errors import NotACrawl
from dowse.model.files import read_limited
from dowse.store.lock import FolderLock
from dowse.store.sharded import CLUSTER, CLUSTER_AT, CLUSTER_LOCK, SHARDS

__all__ = ["Place", "note_place", "place_of", "runs_alone", "shard_folder"]

_MOST_BYTES = 10_000
NAME = "crawl"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the common ground of a crawl is: a file, or a database, and the crawl's name there."""

    where: Path | str
    crawl: str = NAME

    @property
    def shown(self) -> str:
        """For people: without a password."""
        return str(self.where) if isinstance(self.where, Path) else f"{without_password(self.where)} ({self.crawl})"


def place_of(folder: Path) -> Place:
    """The common ground of the crawl in a folder: the file in it, unless there is a note of a database."""
    noted = folder / CLUSTER_AT
    if not noted.is_file():
        return Place(folder.resolve() / CLUSTER)
    try:
        found = json.loads(read_limited(noted, _MOST_BYTES, "note of a common ground"))
        where, crawl = found["ground"], found["crawl"]
    except (ValueError, KeyError, TypeError):
        raise NotACrawl(f"{noted} does not tell where the crawl's common ground is: it is damaged") from None
    if not (isinstance(where, str) and isinstance(crawl, str)):
        raise NotACrawl(f"{noted} does not tell where the crawl's common ground is: it is damaged")
    return Place(where, crawl)


def note_place(folder: Path, place: Place) -> None:
    """Let :func:`place_of` find a common ground that is not in the folder. Its password is noted nowhere."""
    if isinstance(place.where, str):
        note = {"ground": without_password(place.where), "crawl": place.crawl}
        (folder / CLUSTER_AT).write_text(json.dumps(note) + "\n", encoding="utf-8")


@contextmanager
def runs_alone(folder: Path) -> Iterator[None]:
    """Nobody else runs the shards of the crawl in this folder meanwhile. FolderBusy where somebody does."""
    lock = FolderLock(folder / CLUSTER_LOCK)
    try:
        yield
    finally:
        lock.release()


def shard_folder(folder: Path, shard: int) -> Path:
    """Where a shard keeps its part.

    >>> shard_folder(Path("crawl"), 3).as_posix()
    'crawl/shards/03'
    """
    return folder / SHARDS / f"{shard:02d}"
