"""What becomes of memory that was freed. The C library keeps it for the next one who asks, and when a crawl has met a
few large pages, that is tens of megabytes in each process. Where it is glibc's, it can be told to keep less."""

from __future__ import annotations

import ctypes
from contextlib import suppress

__all__ = ["LARGE_BYTES", "give_back", "keep_less"]

LARGE_BYTES = 500_000  # a page of this size, one in hundreds, is worth a call of give_back
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of mallopt(3)
_LARGE_BLOCK = 256 << 10  # bytes
_MOST_AT_END = 8 << 20  # bytes: more than a usual page takes, or each would have to ask the system again


def keep_less() -> None:
    """From now on, a large block comes from the system and goes back there when it is freed. By itself the library
    does so only until the first one was freed; then blocks of that size share the heap with everything else, where one
    small survivor above keeps all below it. To be called by a program of Dowse's own, not by one that uses it."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _MOST_AT_END)


def give_back() -> None:
    """Return to the system what is free just now, wherever it lies; takes some milliseconds."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
