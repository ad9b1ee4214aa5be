"""What goes out to the web and what comes back.

A :class:`Transport` turns a :class:`Request` into a :class:`Response` or a :class:`Failure`. It never follows
redirects, never retries and never raises for a fault of the web: those decisions belong to the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Protocol

from dowse.model.columns import Stored

__all__ = [
    "NO_SECRETS",
    "REDIRECTS",
    "Failure",
    "FailureKind",
    "Meter",
    "Request",
    "Resolved",
    "Response",
    "Secrets",
    "Timings",
    "Transport",
    "Truncation",
    "is_unwanted",
]


REDIRECTS = frozenset((301, 302, 303, 307, 308))
"""Statuses that lead elsewhere when they come with a Location."""


class FailureKind(StrEnum):
    """Why no response came."""

    DNS = "dns"  # the name does not resolve
    ADDRESS = "address"  # the address guard refused every address of the host
    CONNECT = "connect"  # nobody answers, or the connection was refused
    TLS = "tls"  # handshake or certificate
    TIMEOUT = "timeout"  # no usable answer in time
    RESET = "reset"  # the connection broke before the headers were complete
    PROTOCOL = "protocol"  # what came is not HTTP, or headers beyond every limit
    BUDGET = "budget"  # the byte budget ran out before the headers were complete
    CANCELLED = "cancelled"  # the crawl was stopped while waiting, or the request was no longer wanted


class Truncation(StrEnum):
    """Why a body is only a usable prefix (the WARC-Truncated vocabulary, plus our own reasons)."""

    NONE = ""
    LENGTH = "length"  # a cap on wire or decoded bytes
    TIME = "time"  # a cap on seconds
    DISCONNECT = "disconnect"  # the server closed early
    ENCODING = "encoding"  # the content-encoding is false or broken from here on
    TYPE = "type"  # not a wanted content type: the body was not read at all
    BUDGET = "budget"  # the byte budget ran out


class Meter(Protocol):
    """Counts the bytes that come, so that a byte budget holds whatever is in flight."""

    def grant(self, wanted: int) -> int:
        """How many of so many bytes that have come may be used; fewer: the budget is spent."""
        ...


@dataclass(frozen=True, slots=True)
class Secrets:
    """A key that goes with one request: in headers, or in parameters behind the address. It is in no record, no message
    and no answer, and no other origin gets it."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    query: str = field(default="", repr=False)  # as it stands in a URL: a=b&c=d

    def __bool__(self) -> bool:
        return bool(self.headers or self.query)

    def behind(self, target: str) -> str:
        """A path and query as they are sent."""
        return f"{target}{'&' if '?' in target else '?'}{self.query}" if self.query else target


NO_SECRETS = Secrets()


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``accept_types`` are content-type prefixes; a body of another type is not read. ``address`` is the
    one of the host's that is to be asked, since its delay is kept; where none is named, the best one is. ``may_leave``
    is asked once there is a connection, directly before the first byte: where it says no, nothing is sent."""

    url: str
    method: str = "GET"
    etag: str | None = None  # sent as If-None-Match
    last_modified: str | None = None  # sent as If-Modified-Since
    accept_types: tuple[str, ...] = ()
    max_wire_bytes: int = 10_000_000
    max_body_bytes: int = 20_000_000
    timeout_s: float = 30.0
    address: str = ""
    secrets: Secrets = NO_SECRETS
    may_leave: Callable[[], bool] | None = None


def is_unwanted(content_type: str | None, accept_types: tuple[str, ...]) -> bool:
    """Is a body not worth reading, since its declared type is none of these? An undeclared one is left to those who can
    sniff it, and no types at all are all types.

    >>> is_unwanted(" Text/HTML; charset=utf-8", ("text/",)), is_unwanted("image/png", ("text/",))
    (False, True)
    """
    declared = (content_type or "").strip().lower()
    return bool(declared and accept_types) and not declared.startswith(accept_types)


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of one exchange. A reused connection has ``dns_s`` and ``connect_s`` of 0."""

    dns_s: Annotated[float, Stored("Looking up the name; counted with the first page of a site.")] = 0.0
    connect_s: Annotated[float, Stored("Setting up TCP and TLS; 0 if the connection was already open.")] = 0.0
    first_byte_s: Annotated[float, Stored("From the start to the response's headers.")] = 0.0
    total_s: Annotated[float, Stored("From the start to the last byte.")] = 0.0


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response with any status. ``body`` is content-decoded; ``headers`` are as received."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    reason: str = ""
    wire_bytes: int = 0  # all that came over the wire: headers, body as it was encoded, and what framed it
    truncated: Truncation = Truncation.NONE
    timings: Timings = field(default_factory=Timings)
    address: str = ""
    request_headers: tuple[tuple[str, str], ...] = ()
    method: str = "GET"
    cached_from: str = ""  # the earlier crawl's folder that held it; empty: it came over the network now

    def header(self, name: str) -> str | None:
        """The first value of a header, name in any case; None when absent."""
        wanted, size = name.lower(), len(name)
        for key, value in self.headers:  # asked for a dozen times a page: the length tells most of them apart
            if len(key) == size and key.lower() == wanted:
                return value
        return None

    def header_values(self, name: str) -> list[str]:
        """Every value of a header, in order."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]


@dataclass(frozen=True, slots=True)
class Failure:
    """No response: what kind of fault, and one line of detail."""

    url: str
    kind: FailureKind
    detail: str = ""
    wire_bytes: int = 0
    timings: Timings = field(default_factory=Timings)
    address: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The addresses a host may be reached at (already through the address guard), best first."""

    host: str
    addresses: tuple[str, ...]

    @property
    def key(self) -> str:
        """What politeness is shared by: the address that is to be asked."""
        return self.addresses[0]


class Transport(Protocol):
    """The way out to the web; live, replay and browser each have one."""

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        """Look the host up and pass its addresses through the address guard. Cached."""
        ...

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        """One exchange, redirects not followed."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
