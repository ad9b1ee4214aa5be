"""The common log format and the combined one, which adds referrer and browser; Apache's, nginx's and many others'.

The user is the name that somebody has logged in with; else the address, and with it the browser where the log tells it:
people behind one address mostly differ in that. A line may begin with the host that was asked
(``www.example.org:443``, Apache's ``vhost_combined``). Of a log of one site without that, the site must be said.
"""

from __future__ import annotations

import re

from dowse.traces.access import Access, Bad, LineReader
from dowse.traces.readers.moments import common_time

__all__ = ["common_reader"]

_TEXT = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_LINE = re.compile(
    rb'(\S++) (\S++) ([^\[]{1,300}?) \[([^\]]{1,40}+)\] "(%b)" ([0-9]{3}|-) \S++(?: "%b" "(%b)")?'
    % (_TEXT, _TEXT, _TEXT)
).match
_HOST = re.compile(rb"([A-Za-z0-9.\-]++):([0-9]{1,5})").fullmatch
_SCHEMES = {b"80": b"http://", b"443": b"https://"}


def common_reader(site: bytes) -> LineReader:
    """Reads lines of both formats. ``site`` is what stands before a path (``https://www.example.org``); empty: lines
    with a path alone are bad ones."""

    def read(line: bytes) -> Access | Bad | None:
        found = _LINE(line)
        if found is None:
            return Bad.FIELDS
        client, ident, name, time, request, status, agent = found.groups(b"")
        start = site
        if b":" in client and (host := _HOST(client)) is not None:
            client, name = ident, name.partition(b" ")[2] or b"-"
            scheme = _SCHEMES.get(host[2])
            start = site or (b"http://" + host[0] if scheme is None else scheme + host[1])
        asked = request.split()
        at = common_time(time)
        if not at:
            return Bad.TIME
        if not 2 <= len(asked) <= 3:  # what no browser sends: scanners do
            return Bad.URL
        url = asked[1]
        if url[:1] == b"/":
            if not start:
                return Bad.SITE
            url = start + url
        method = asked[0]
        if name != b"-":
            return Access(at, name, url, method, status, b"", agent)
        if client == b"-":
            return Bad.USER
        return Access(at, client + b" " + agent if agent else client, url, method, status, b"", agent)

    return read
