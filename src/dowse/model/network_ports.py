"""Ports at which something else answers than a web server: mail, shells, chats, databases of names.

A page can name any port, and what a crawler sends there may mean something to whoever listens: a request is a message
to a mail server that takes what it understands of it. So browsers refuse these, and so do we.
"""

from __future__ import annotations

from collections.abc import Container

__all__ = ["BAD_PORTS", "is_refused_port", "port_of"]

# The "bad ports" of the Fetch standard ("Port blocking", fetch.spec.whatwg.org), with port 0.
BAD_PORTS = frozenset(
    (
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    )
)  # fmt: skip


def is_refused_port(port: int, allowed: Container[int] = ()) -> bool:
    """May nothing be asked at this port, when the user allows these besides those of web servers? 0 is no port.

    >>> is_refused_port(8080), is_refused_port(22), is_refused_port(22, (22,)), is_refused_port(0, (0,))
    (False, True, False, True)
    """
    return port in BAD_PORTS and (port == 0 or port not in allowed)


def port_of(origin: str) -> int:
    """The port of ``scheme://host[:port]``, the scheme's own where none is named."""
    tail = origin.rpartition(":")[2]
    return int(tail) if tail.isdigit() else (443 if origin.startswith("https:") else 80)
