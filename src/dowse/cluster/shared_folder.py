"""The folder of a crawl that several shards of this machine share.

::

    DIR/cluster.sqlite    the common ground
    DIR/shards/00, 01 ... each shard's own folder, an ordinary crawl's
    DIR/dowse.sqlite      all of them as one crawl, made anew when it is read (see :mod:`dowse.store.gather`)
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["GROUND", "ground_of", "is_sharded", "shard_folder"]

GROUND = "cluster.sqlite"


def ground_of(folder: Path) -> Path:
    """The common ground of a crawl in a folder."""
    return folder / GROUND


def is_sharded(folder: Path) -> bool:
    """Does a folder hold a crawl of several shards?"""
    return ground_of(folder).is_file()


def shard_folder(folder: Path, shard: int) -> Path:
    """Where a shard keeps its part.

    >>> shard_folder(Path("crawl"), 3).as_posix()
    'crawl/shards/03'
    """
    return folder / "shards" / f"{shard:02d}"
