"""Sites that differ in speed, for recordings that tell no times.

Where all sites answer alike, value over cost is little more than value, and a figure of it says nothing. So each host
gets a latency and a speed of its own: its name decides, and nothing else, so that every replay has the same ones. A
page of 4 kB then costs more than MINC at most hosts, and one of 40 kB less than MAXC at all.
"""

from __future__ import annotations

import math

import xxhash

from dowse.lab.replay.recorded_transport import FrozenWeb, Recorded
from dowse.model.url import split

__all__ = ["FASTEST", "SLOWEST", "UnevenSites"]

FASTEST = (0.05, 100_000.0)
"""Seconds to the first byte and bytes a second, of the best host."""
SLOWEST = (2.0, 2_000.0)


class UnevenSites:
    """A web whose hosts lie anywhere between :data:`FASTEST` and :data:`SLOWEST`, evenly on a scale of logarithms; what
    was recorded of a host stays. Implements :class:`~dowse.lab.replay.recorded_transport.FrozenWeb`."""

    def __init__(self, web: FrozenWeb) -> None:
        self._web = web
        self._made: dict[str, tuple[float, float]] = {}

    def usual(self, url: str) -> tuple[float, float]:
        recorded = self._web.usual(url)
        if not math.isnan(recorded[0]):
            return recorded
        host = split(url).host
        if host not in self._made:
            latency_s, bytes_per_s = (
                fast * (slow / fast) ** _lot(host, of)
                for of, (fast, slow) in enumerate(zip(FASTEST, SLOWEST, strict=True))
            )
            self._made[host] = latency_s, bytes_per_s
        return self._made[host]

    def find(self, url: str) -> Recorded | None:
        return self._web.find(url)

    def body(self, page: int) -> bytes:
        return self._web.body(page)


def _lot(host: str, of: int) -> float:
    """From 0 to 1: latency and speed are drawn apart, since a distant site may have a broad line."""
    return xxhash.xxh3_64_intdigest(host.encode(), of) / 2.0**64
