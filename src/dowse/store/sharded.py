"""The folder of a crawl that several engines share::

    cluster.sqlite         what the shards must agree on (or cluster.json, which tells where that is kept)
    cluster.lock           held by whoever runs the shards
    shards/00, 01, ...     the shards: each an ordinary folder of one engine, with its records and WARC files
    dowse.sqlite           the records of all shards as one crawl, for whoever reads: see ``gather``

Records name a WARC file by its path in the folder: ``shards/01/dowse-00000.warc.gz``. Nothing below ``shards`` may be a
link: the folder may come from anybody.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from pathlib import Path

from dowse.model.errors import NotPlain, StoreError
from dowse.store.trust import DATABASE

__all__ = [
    "CLUSTER", "CLUSTER_AT", "CLUSTER_LOCK", "SHARDS", "archive_path", "check_archive_name", "holds_crawl",
    "is_sharded", "parts_of", "shard_folders", "shard_number", "whole_of",
]  # fmt: skip

SHARDS, CLUSTER, CLUSTER_AT, CLUSTER_LOCK = "shards", "cluster.sqlite", "cluster.json", "cluster.lock"
_is_shard = re.compile(r"\d{2,5}", re.ASCII).fullmatch
_is_name = re.compile(rf"(?:{SHARDS}/\d{{2,5}}/)?[^/\0]+", re.ASCII).fullmatch


def is_sharded(folder: Path) -> bool:
    """Do several engines share the crawl in this folder?"""
    return (folder / SHARDS).is_dir() and any((folder / name).is_file() for name in (CLUSTER, CLUSTER_AT))


def shard_folders(folder: Path) -> list[Path]:
    """The folders of its shards, by their numbers; none where there are none. NotPlain where one is a link."""
    place = folder / SHARDS
    if not _is_folder(place):
        return []
    found = (path for path in place.iterdir() if _is_shard(path.name))
    return sorted((path for path in found if _is_folder(path)), key=shard_number)


def shard_number(shard: Path) -> int:
    """Which shard a folder is of."""
    return int(shard.name)


def _is_folder(path: Path) -> bool:
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISLNK(found.st_mode):
        raise NotPlain(f"{path} is a link: Dowse opens only plain files in a crawl's folder")
    return stat.S_ISDIR(found.st_mode)


def parts_of(folder: Path) -> Sequence[Path]:
    """The folders that hold the WARC files of a crawl, or of a corpus: itself, and its shards."""
    return (folder, *shard_folders(folder)) if is_sharded(folder) else (folder,)


def whole_of(folder: Path) -> Path:
    """The folder of the crawl that a folder belongs to: of a shard that in which all shards are; else itself."""
    place = folder.absolute().parent
    return place.parent if place.name == SHARDS and is_sharded(place.parent) else folder


def holds_crawl(folder: Path) -> bool:
    """Is there a crawl in this folder, of one engine or of several? Nothing is opened."""
    return (folder / DATABASE).is_file() or is_sharded(folder)


def check_archive_name(file: object) -> str:
    """The name of an archive file as the records have it; StoreError when it leads out of the folder."""
    if not isinstance(file, str) or not _is_name(file) or file.rpartition("/")[2] in (".", ".."):
        raise StoreError(f"the records name {file!r:.80} as a file of the archive: they are damaged")
    return file


def archive_path(folder: Path, file: object) -> Path:
    """Where that file is. StoreError when it is out of the folder, NotPlain where a link leads to it."""
    path = folder / check_archive_name(file)
    if path.parent != folder:
        _is_folder(path.parent.parent)
        _is_folder(path.parent)
    return path
