"""What is known of an exchange while it runs, and the text that goes into and comes out of its headers."""

from __future__ import annotations

import re
from contextvars import ContextVar
from time import perf_counter

from dowse.model.http import Request, Timings

__all__ = ["Exchange", "Refused", "Spent", "Unresolved", "clean", "conditions", "current", "header_text"]

_SENDABLE = re.compile(r"[\x20-\x7e]+").fullmatch


class Refused(OSError):
    """The address guard said no."""


class Unresolved(OSError):
    """The name has no address."""


class Spent(OSError):
    """The byte budget ended before there was an answer."""


class Exchange:
    """What happened so far in one exchange."""

    __slots__ = ("address", "connect_s", "connected", "dns_s", "fresh", "resolving", "started", "wanted", "wire_bytes")

    def __init__(self, wanted: str = "") -> None:
        self.started = perf_counter()
        self.wanted = wanted  # the address that is to be asked; "": the host's best
        self.dns_s = 0.0
        self.connect_s = 0.0
        self.resolving = False
        self.fresh = False  # a socket was opened for it
        self.connected = False
        self.address = ""
        self.wire_bytes = 0

    @property
    def elapsed_s(self) -> float:
        return perf_counter() - self.started

    def timings(self, first_byte_s: float = 0.0) -> Timings:
        return Timings(self.dns_s, self.connect_s, first_byte_s, self.elapsed_s)


current: ContextVar[Exchange] = ContextVar("exchange")
"""The exchange of the running task: the way connector hooks learn whose connection they are making."""


def conditions(request: Request) -> dict[str, str] | None:
    """The conditional headers. Validators come from servers: one that cannot stand in a header is left out."""
    if request.etag is None and request.last_modified is None:
        return None
    wanted = {"If-None-Match": request.etag, "If-Modified-Since": request.last_modified}
    return {name: value for name, value in wanted.items() if value is not None and _SENDABLE(value)}


def header_text(raw: bytes) -> str:
    """A header's bytes as text: UTF-8 where they are, else Latin-1, which every byte string is."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def clean(text: str) -> str:
    """Text that can be stored anywhere: a lone surrogate (an unreadable byte) becomes a replacement character."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
