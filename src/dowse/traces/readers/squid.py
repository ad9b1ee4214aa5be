"""Squid's native log: ``time elapsed client result/status bytes method url name peer type``.

The user is the name that somebody has logged in with, else the client's address.
"""

from __future__ import annotations

from dowse.traces.access import Access, Bad
from dowse.traces.readers.moments import seconds_time

__all__ = ["read_squid"]

_FIELDS = 10
_NOTHING = (b"-", b"")


def read_squid(line: bytes) -> Access | Bad | None:
    """
    >>> read_squid(b"1286536308.779 180 192.168.0.2 TCP_MISS/200 411 GET http://a.org/ - DIRECT/1.2.3.4 text/html")[:5]
    (1286536308, b'192.168.0.2', b'http://a.org/', b'GET', b'200')
    """
    fields = line.split()
    if len(fields) < _FIELDS:
        return Bad.FIELDS
    _, _, status = fields[3].partition(b"/")
    if not status.isdigit():
        return Bad.FIELDS
    at = seconds_time(fields[0])
    if not at:
        return Bad.TIME
    user = fields[2] if fields[7] in _NOTHING else fields[7]
    if user in _NOTHING:
        return Bad.USER
    return Access(at, user, fields[6], fields[5], status, fields[9])
