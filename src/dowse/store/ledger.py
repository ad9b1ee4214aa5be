"""Counters that survive ``kill -9``: a file of one page, mapped into memory.

A budget must hold over a crash, so each request is counted before it leaves; a transaction each time would cost more
than the request. A store into mapped memory costs a fraction of a microsecond, and the kernel keeps it when the
process dies. (After a power cut the figures of the last transaction count, see ``CrawlStore.spent``.)

Each counter is one aligned 8-byte store, so a kill cannot leave half a number behind.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from pathlib import Path

from dowse.model.budget import Spent
from dowse.model.files import open_plain

__all__ = ["LEDGER", "Ledger"]

LEDGER = "dowse.ledger"

_MAGIC = b"dowse\x00\x001"
_SIZE = 40  # magic, requests, pages, bytes, seconds


_GREATEST = 1 << 63


def _is_ledger(data: bytes) -> bool:
    if len(data) != _SIZE or not data.startswith(_MAGIC):
        return False
    requests, pages, size, seconds = struct.unpack("=QQQd", data[8:])
    return bool(max(requests, pages, size) < _GREATEST and 0.0 <= seconds < math.inf)


class Ledger:
    """The counters of one folder. A file that is not a ledger starts at zero."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        fd = open_plain(path, os.O_RDWR | os.O_CREAT)
        try:
            found = os.pread(fd, _SIZE + 1, 0)
            if fresh or not _is_ledger(found):
                # Written in full, since storing into a hole of a mapped file on a full disk kills the process.
                os.ftruncate(fd, 0)
                os.pwrite(fd, _MAGIC.ljust(_SIZE, b"\x00"), 0)
                os.fsync(fd)
            self._map = mmap.mmap(fd, _SIZE)
        finally:
            os.close(fd)
        self._view = memoryview(self._map)
        self._counts = self._view.cast("Q")
        self._reals = self._view.cast("d")

    def note(self, spent: Spent) -> None:
        """Write the counters down."""
        counts = self._counts
        counts[1] = spent.requests
        counts[2] = spent.pages
        counts[3] = spent.bytes
        self._reals[4] = spent.seconds

    def read(self) -> Spent:
        """What was written down last."""
        counts = self._counts
        return Spent(requests=counts[1], pages=counts[2], bytes=counts[3], seconds=self._reals[4])

    def close(self) -> None:
        """Unmap the file; :meth:`note` must not be called any more."""
        for view in (self._counts, self._reals, self._view):
            view.release()
        self._map.close()
