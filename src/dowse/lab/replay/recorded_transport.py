"""The frozen web as a way out: the engine asks, the recording answers, virtual time passes."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from typing import Protocol

from dowse.model.clock import Clock
from dowse.model.http import Failure, Meter, Request, Resolved, Response, Timings, Truncation, is_unwanted

__all__ = ["Exchange", "FrozenWeb", "NetworkModel", "Recorded", "ReplayTransport"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer. Times are NaN where the recording does not tell."""

    page: int  # its number in the corpus
    status: int
    headers: tuple[tuple[str, str], ...]
    wire_bytes: int
    latency_s: float = math.nan
    download_s: float = math.nan
    is_page: bool = True  # its digest is known, so nobody needs its body

    @property
    def content_type(self) -> str:
        """As declared; empty when it was not."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


class FrozenWeb(Protocol):
    """What a replay needs of a corpus to answer requests."""

    def usual(self, url: str) -> tuple[float, float]:
        """Seconds to the first byte and bytes a second that are usual at a URL's host; NaN where none is known."""
        ...

    def find(self, url: str) -> Recorded | None:
        """The answer to a request for a canonical URL; None when it was not recorded."""
        ...

    def body(self, page: int) -> bytes:
        """The recorded body, content-decoded."""
        ...


@dataclass(frozen=True, slots=True)
class NetworkModel:
    """How long an exchange takes where the recording tells nothing of its host, and what a miss costs."""

    latency_s: float = 0.2
    bytes_per_s: float = 500_000.0
    miss_bytes: int = 1_000

    def times(self, answer: Recorded | None, usual: tuple[float, float]) -> tuple[float, float]:
        """Seconds to the first byte, and from there to the last: as recorded, else as usual at the host, else as the
        model has it."""
        latency_s, bytes_per_s = usual
        latency_s = self.latency_s if math.isnan(latency_s) else latency_s
        bytes_per_s = self.bytes_per_s if math.isnan(bytes_per_s) else bytes_per_s
        if answer is None:
            return latency_s, self.miss_bytes / bytes_per_s
        if math.isnan(answer.latency_s):
            return latency_s, answer.wire_bytes / bytes_per_s
        return answer.latency_s, answer.download_s


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request of a replay, in the order they left."""

    url: str
    page: int  # in the corpus; -1 for what was not recorded
    status: int
    is_page: bool  # it brought a document that was judged
    wire_bytes: int
    started_s: float
    ended_s: float
    method: str = "GET"
    latency_s: float = 0.0  # to the first byte


@dataclass(slots=True)
class ReplayTransport:
    """Implements :class:`dowse.model.http.Transport`. A page comes without its body: its digest was made beforehand."""

    web: FrozenWeb
    clock: Clock
    model: NetworkModel = field(default_factory=NetworkModel)
    log: list[Exchange] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        """Every host has an address of its own, so that each keeps its own delay."""
        return Resolved(host, (host,))

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        """The recorded answer, or a plain 404 for what was never recorded, after the time it takes."""
        answer = self.web.find(request.url)
        latency_s, download_s = self.model.times(answer, self.web.usual(request.url))
        started_s = self.clock.now()
        place = len(self.log)
        self.log.append(Exchange(request.url, -1, 0, False, 0, started_s, started_s, request.method))
        wanted = self.model.miss_bytes if answer is None else answer.wire_bytes
        truncated = Truncation.NONE
        if request.method == "HEAD":
            wanted = 0
        elif answer is not None and is_unwanted(answer.content_type, request.accept_types):
            wanted, truncated = 0, Truncation.TYPE
        wire_bytes = min(wanted, request.max_wire_bytes)
        if wire_bytes < wanted:
            truncated = Truncation.LENGTH
        paid = wire_bytes if meter is None else meter.grant(wire_bytes)
        if paid < wire_bytes:
            truncated = Truncation.BUDGET
        await asyncio.sleep(latency_s + (download_s * paid / wanted if wanted else 0.0))
        page, status, headers = (-1, 404, ()) if answer is None else (answer.page, answer.status, answer.headers)
        ended_s = self.clock.now()
        is_page = answer is not None and answer.is_page and not truncated and request.method == "GET"
        self.log[place] = Exchange(
            request.url, page, status, is_page, paid, started_s, ended_s, request.method, latency_s
        )
        if request.method == "HEAD" and answer is not None:  # what the body would weigh, as most servers tell
            headers = (*headers, ("Content-Length", str(answer.wire_bytes)))
        bare = answer is None or answer.is_page or status != 200 or truncated or request.method == "HEAD"
        body = b"" if bare else self.web.body(page)
        return Response(
            request.url, status, headers, body, wire_bytes=paid, truncated=truncated,
            timings=Timings(0.0, 0.0, latency_s, ended_s - started_s), method=request.method,
        )  # fmt: skip

    async def close(self) -> None:
        """Nothing to close."""
