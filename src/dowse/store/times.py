"""Times as text: ISO 8601 in UTC with microseconds, always 27 characters, so that text order is time order.

Chosen over a number since every reader of the records (SQL, pandas, a person) understands it without being told.
"""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["iso", "seconds"]


def iso(at: float) -> str:
    """Seconds since 1970 as text.

    >>> iso(1700000000.25)
    '2023-11-14T22:13:20.250000Z'
    """
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def seconds(text: str) -> float:
    """Back to seconds since 1970.

    >>> seconds("2023-11-14T22:13:20.250000Z")
    1700000000.25
    """
    return datetime.fromisoformat(text).timestamp()
