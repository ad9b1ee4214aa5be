"""The WARC files of one crawl: ``dowse-00000.warc.gz``, ``dowse-00001.warc.gz``, ...

A file only grows. Bytes count once a transaction of the records has named the file's length; until then they are a
tail, cut when the transaction fails and again when the folder is next opened. So at every instant each recorded
offset holds a whole record, whatever was being written when the power went.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dowse.model.errors import StoreError
from dowse.model.files import PRIVATE_FILE, check_plain, open_plain
from dowse.store.sharded import SHARDS, parts_of
from dowse.store.warc import warcinfo

__all__ = ["FILE_BYTES", "NOWHERE", "Archive", "Place", "all_archive_files", "archive_files", "check_archive"]

FILE_BYTES = 1_000_000_000
_NAME = re.compile(r"dowse-(\d{5,18})\.warc\.gz", re.ASCII)


class Place(NamedTuple):
    """Where a response record lies."""

    file: str | None
    offset: int | None
    length: int | None


NOWHERE = Place(None, None, None)


def archive_files(folder: Path) -> dict[str, int]:
    """The files in ``folder`` that bear our name, with their number."""
    found = ((name, _NAME.fullmatch(name)) for name in sorted(os.listdir(folder)))
    return {name: int(match[1]) for name, match in found if match}


def all_archive_files(folder: Path) -> list[str]:
    """The WARC files of a crawl, as its records name them: those of its shards included."""
    return [
        name if place == folder else f"{SHARDS}/{place.name}/{name}"
        for place in parts_of(folder)
        for name in archive_files(place)
    ]


def check_archive(folder: Path, committed: Mapping[str, int]) -> None:
    """Can the archive be brought back to ``committed``? StoreError when a file lacks bytes, or a name is none of ours:
    whoever made the records may have named any file of this machine. Nothing is changed."""
    present = archive_files(folder)
    for name, length in committed.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or type(length) is not int or length < 0:
            raise StoreError(f"the records in {folder} are damaged: {name!r:.60} is no file of the archive")
        path = folder / name
        size = path.stat().st_size if name in present and check_plain(path, writes=True) else -1
        if size < length:
            state = "is gone" if size < 0 else f"has {size} bytes of the {length} recorded"
            raise StoreError(f"{path} {state}: put the file back to go on with this crawl")


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _shorten(path: Path, length: int) -> None:
    if path.stat().st_size > length:
        fd = open_plain(path, os.O_WRONLY)
        try:
            os.ftruncate(fd, length)
        finally:
            os.close(fd)


class Archive:
    """Appends gzip members. Life of a batch: :meth:`append`..., :meth:`sync`, the transaction with :attr:`lengths`;
    or, when anything of that fails, :meth:`cut`.

    ``committed`` is the length of each file by the last transaction; a new file starts once one holds ``file_bytes``.
    """

    def __init__(self, folder: Path, committed: Mapping[str, int], about: Mapping[str, Any],
                 file_bytes: int = FILE_BYTES) -> None:  # fmt: skip
        self._folder = folder
        self._about = about
        self._file_bytes = file_bytes
        self._fd: int | None = None
        self._file = ""  # the one being written
        self._pending: list[bytes] = []  # appended, not yet written
        self._lengths: dict[str, int] = {}
        self.cut(committed)

    @property
    def lengths(self) -> dict[str, int]:
        """Bytes of each file, everything appended included."""
        return self._lengths

    def append(self, members: Sequence[bytes], response: int, at: float) -> Place:
        """Take up the members of one page (never split over two files); where the ``response``-th will lie."""
        if not self._file or self._lengths[self._file] >= self._file_bytes:
            self._start_file(at)
        start = self._lengths[self._file] + sum(map(len, members[:response]))
        self._pending.extend(members)
        self._lengths[self._file] += sum(map(len, members))
        return Place(self._file, start, len(members[response]))

    def sync(self) -> None:
        """Put everything appended on the disk."""
        if not self._pending:
            return
        data = memoryview(b"".join(self._pending))
        if self._fd is None:
            self._fd = open_plain(self._folder / self._file, os.O_WRONLY)
        position = self._lengths[self._file] - len(data)
        while data:
            written = os.pwrite(self._fd, data, position)
            data, position = data[written:], position + written
        os.fsync(self._fd)
        self._pending.clear()

    def cut(self, committed: Mapping[str, int]) -> None:
        """Back to ``committed``: tails are cut, files that began after it are removed."""
        self.close()
        self._pending.clear()
        check_archive(self._folder, committed)
        present = archive_files(self._folder)
        last = max((number for name, number in present.items() if name in committed), default=-1)
        for name, length in committed.items():
            _shorten(self._folder / name, length)
        for name, number in present.items():
            if name not in committed and number > last:
                (self._folder / name).unlink()
        self._lengths = dict(committed)
        self._file = max(committed, key=lambda name: present[name], default="")

    def close(self) -> None:
        """Let go of the file; what was not synced is lost."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _start_file(self, at: float) -> None:
        number = max(archive_files(self._folder).values(), default=-1) + 1
        self.sync()
        self.close()
        file = f"dowse-{number:05d}.warc.gz"
        self._fd = os.open(self._folder / file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        _sync_folder(self._folder)
        self._file = file
        info = warcinfo(file, at, self._about)
        self._pending.append(info)
        self._lengths[file] = len(info)
