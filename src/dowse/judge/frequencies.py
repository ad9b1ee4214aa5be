"""How many of the fetched pages have a term: what makes rare terms weigh more (idf).

The counts are kept by a hash of the term, in a file that every worker of a crawl maps into its memory. So they agree
about what is rare, whoever judged which page, and a resumed crawl goes on with them. Two workers that count the same
term at the same instant may lose one of the two: rarity is not that exact a thing.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.files import check_plain, open_plain

__all__ = ["TERMS", "Frequencies", "is_whole"]

TERMS = "dowse.terms"
"""The file's name in a crawl's folder."""

_BUCKETS = 1 << 18  # a megabyte; terms that share one look a little more frequent than they are
_SIZE = 4 * (_BUCKETS + 1)


def is_whole(path: Path) -> bool:
    """Is there such a file, and nothing missing of it?"""
    return check_plain(path, writes=False) and path.stat().st_size == _SIZE


class Frequencies:
    """Pages seen, and of these how many have each term. Without a path they live in this process alone."""

    def __init__(self, path: Path | None = None, *, writable: bool = True) -> None:
        self._path = path
        self._writable = writable
        self._counts: NDArray[np.uint32] | None = None if path is not None else np.zeros(_BUCKETS + 1, np.uint32)

    @classmethod
    def together(cls, paths: Sequence[Path]) -> Frequencies:
        """What several files have counted, in this process alone."""
        found = cls()
        for path in paths:
            found._all()[:] += cls(path, writable=False)._all()
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        assert self._writable, "only those who look open them otherwise, and nobody sends them anywhere"
        return Frequencies, (self._path,)

    def prepare(self, *, fresh: bool) -> bool:
        """Make the file before anybody maps it; unless ``fresh``, one that is there goes on to count. False: nothing is
        known, since there was none, or it was damaged."""
        if self._path is None or (not fresh and is_whole(self._path)):
            return True
        fd = open_plain(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with open(fd, "wb") as file:  # in full: a store into a hole on a full disk would kill the process
            file.write(bytes(_SIZE))
            file.flush()
            os.fsync(file.fileno())
        return False

    def start_over(self) -> None:
        """Forget everything."""
        self._all()[:] = 0

    def _all(self) -> NDArray[np.uint32]:
        if self._counts is None:
            assert self._path is not None
            with open(open_plain(self._path, os.O_RDWR if self._writable else os.O_RDONLY), "rb") as file:
                access = mmap.ACCESS_WRITE if self._writable else mmap.ACCESS_READ
                self._counts = np.frombuffer(mmap.mmap(file.fileno(), _SIZE, access=access), np.uint32)
        return self._counts

    @property
    def pages(self) -> int:
        return int(self._all()[_BUCKETS])

    def learn(self, hashes: NDArray[np.uint64]) -> None:
        """A page with these distinct terms was fetched."""
        counts = self._all()
        counts[hashes % np.uint64(_BUCKETS)] += np.uint32(1)
        counts[_BUCKETS] += np.uint32(1)

    def idf(self, hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
        """``1 + log((N + 1) / (n + 1))``: at least 1, and 1 for all before the first page."""
        counts = self._all()
        seen = np.minimum(counts[hashes % np.uint64(_BUCKETS)], counts[_BUCKETS]).astype(np.float64)
        return np.asarray(1.0 + np.log((float(counts[_BUCKETS]) + 1) / (seen + 1)))
