"""Where the shards of a crawl are, and their common ground (see :mod:`dowse.store.sharded`)."""

from __future__ import annotations

from pathlib import Path

from dowse.store.sharded import CLUSTER, SHARDS

__all__ = ["ground_of", "shard_folder"]


def ground_of(folder: Path) -> Path:
    """The common ground of a crawl in a folder."""
    return folder / CLUSTER


def shard_folder(folder: Path, shard: int) -> Path:
    """Where a shard keeps its part.

    >>> shard_folder(Path("crawl"), 3).as_posix()
    'crawl/shards/03'
    """
    return folder / SHARDS / f"{shard:02d}"
