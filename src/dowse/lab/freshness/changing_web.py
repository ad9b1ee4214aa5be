"""A web whose pages have versions: what stands at an address depends on the date."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import xxhash

from dowse.model.clock import SystemClock
from dowse.model.http import Failure, Meter, Request, Resolved, Response

__all__ = ["Answer", "ChangingTransport", "ChangingWeb", "DatedClock", "Version"]

Version = tuple[float, bytes | None]
"""From when on (seconds since 1970), and what; None: there is nothing any more."""

_HTML = (("Content-Type", "text/html; charset=utf-8"),)


class ChangingWeb:
    """Pages by URL, each with its versions in order of time."""

    def __init__(self, versions: Mapping[str, Iterable[Version]]) -> None:
        self.versions: dict[str, list[Version]] = {url: sorted(found, key=_when) for url, found in versions.items()}

    def at(self, url: str, when: float) -> bytes | None:
        """What stands there at a date."""
        found = self.versions.get(url, [])
        place = bisect_right(found, when, key=_when)
        return found[place - 1][1] if place else None

    def changes(self, url: str, start: float, end: float) -> Sequence[Version]:
        """The versions that begin between two dates."""
        return [version for version in self.versions.get(url, ()) if start < version[0] <= end]


def _when(version: Version) -> float:
    return version[0]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was given for a page."""

    url: str
    at: float
    body: bytes | None  # what the crawl has from now on; None: there was nothing


class DatedClock(SystemClock):
    """A clock that shows the date it was set to."""

    def __init__(self, date: float = 0.0) -> None:
        self.date = date

    def wall(self) -> float:
        return self.date


class ChangingTransport:
    """The way out to a web as it is at the clock's date. It knows what it showed last (``ETag``), and keeps a log."""

    def __init__(self, web: ChangingWeb, clock: DatedClock) -> None:
        self._web = web
        self._clock = clock
        self.log: list[Answer] = []

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        return Resolved(host, ("192.0.2.1",))

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        now = self._clock.wall()
        body = self._web.at(request.url, now)
        if not request.url.endswith("/robots.txt"):
            self.log.append(Answer(request.url, now, body))
        if body is None:
            return Response(request.url, 404, _HTML, b"<title>Not found</title>", "Not Found", wire_bytes=100)
        etag = f'"{xxhash.xxh3_64_hexdigest(body)}"'
        headers = (*_HTML, ("ETag", etag))
        if request.etag == etag:
            return Response(request.url, 304, headers, reason="Not Modified", wire_bytes=100)
        return Response(request.url, 200, headers, body, "OK", wire_bytes=len(body))

    async def close(self) -> None:
        """Nothing is open."""
