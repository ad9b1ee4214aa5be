"""Times as text: ISO 8601 in UTC with microseconds, always 27 characters, so that text order is time order.

Chosen over a number since every reader of the records (SQL, pandas, a person) understands it without being told.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from math import modf

__all__ = ["SECONDS", "iso", "seconds"]

SECONDS = "(julianday({}) - 2440587.5) * 86400.0"
"""Seconds since 1970 of a column, in SQL: to a millisecond. Python takes ten times as long."""

_FIRST, _LAST = -62135596800.0, 253402300799.0  # the years 1 to 9999, which have four digits


def iso(at: float) -> str:
    """Seconds since 1970 as text. A clock that is set beyond the years 1 to 9999 shows their first or last second.

    >>> iso(1700000000.25), iso(1e300), iso(-1e300)
    ('2023-11-14T22:13:20.250000Z', '9999-12-31T23:59:59.000000Z', '0001-01-01T00:00:00.000000Z')
    """
    if not _FIRST <= at <= _LAST:
        at = _FIRST if at < _FIRST else _LAST if at > _LAST else 0.0  # the last: no number at all
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
    """Back to seconds since 1970. ValueError when it is no time.

    >>> seconds("2023-11-14T22:13:20.250000Z")
    1700000000.25
    """
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
