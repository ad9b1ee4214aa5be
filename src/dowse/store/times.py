"""Times as text: ISO 8601 in UTC with microseconds, always 27 characters, so that text order is time order.

Chosen over a number since every reader of the records (SQL, pandas, a person) understands it without being told.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from math import modf

__all__ = ["iso", "seconds"]


def iso(at: float) -> str:
    """Seconds since 1970 as text.

    >>> iso(1700000000.25)
    '2023-11-14T22:13:20.250000Z'
    """
    part, whole = modf(at)
    micros = round(part * 1e6)  # as datetime does it, half to even
    if 0 <= micros < 1_000_000:
        return f"{_second(whole)}.{micros:06d}Z"
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


@lru_cache(256)
def _second(at: float) -> str:
    """Times come in the order of the crawl: hundreds of them within a second."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")[:-6]


def seconds(text: str) -> float:
    """Back to seconds since 1970.

    >>> seconds("2023-11-14T22:13:20.250000Z")
    1700000000.25
    """
    return datetime.fromisoformat(text).timestamp()
