"""Times as logs write them, in seconds since 1970. 0: that is no time, or beyond what is stored (1970 to 2106)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

__all__ = ["common_time", "iso_time", "seconds_time"]

_LAST = (1 << 32) - 1
_SECONDS, _REST = slice(18, 20), 20  # of 10/Oct/2000:13:55:36 -0700
_MINUTE = 17


def seconds_time(text: bytes) -> int:
    """
    >>> seconds_time(b"1286536308.779"), seconds_time(b"never"), seconds_time(b"nan")
    (1286536308, 0, 0)
    """
    whole = text.partition(b".")[0]
    if whole.isdigit() and len(whole) <= 10:
        at = int(whole)
        return at if at <= _LAST else 0
    return 0


def common_time(text: bytes) -> int:
    """
    >>> common_time(b"10/Oct/2000:13:55:36 -0700")
    971211336
    """
    seconds = text[_SECONDS]
    minute = _minute(text[:_MINUTE], text[_REST:])  # hundreds of lines are of one minute
    if not minute or not seconds.isdigit() or text[_MINUTE : _MINUTE + 1] != b":":
        return 0
    return minute + int(seconds)


@lru_cache(1024)
def _minute(minute: bytes, zone: bytes) -> int:
    try:
        at = datetime.strptime((minute + zone).decode("ascii"), "%d/%b/%Y:%H:%M %z").timestamp()
    except (ValueError, OverflowError):
        return 0
    return int(at) if 0 < at <= _LAST - 100 else 0


def iso_time(text: bytes) -> int:
    """ISO 8601, UTC unless it says otherwise; or seconds since 1970.

    >>> iso_time(b"2000-10-10T20:55:36Z"), iso_time(b"2000-10-10 13:55:36-07:00"), iso_time(b"971211336.5")
    (971211336, 971211336, 971211336)
    """
    if len(text) < 14 and (found := seconds_time(text)):
        return found
    try:
        moment = datetime.fromisoformat(text.decode("ascii").strip())
        at = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0
    return at if 0 < at <= _LAST else 0
