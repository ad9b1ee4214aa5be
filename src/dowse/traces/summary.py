"""Traces in figures, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dowse.model.traces import IDLE_S, Traces
from dowse.model.url import fingerprint

__all__ = ["Coverage", "Figures", "covered", "describe"]

_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a set of traces. ``first`` and ``last`` are seconds since 1970; both 0 where there is no access."""

    users: int
    sessions: int
    accesses: int
    pages: int
    hosts: int
    first: int
    last: int
    top_hosts: tuple[tuple[str, int], ...]  # with their accesses
    bytes_per_access: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a crawl people went to."""

    fetched: int
    fetched_in_traces: int
    waiting: int
    waiting_in_traces: int


def describe(traces: Traces, top: int) -> Figures:
    """The figures, with so many of the hosts that people went to most."""
    hosts: Counter[str] = Counter()
    for url, times in zip(traces.urls, np.diff(traces.page_starts).tolist(), strict=True):
        if times:
            hosts[url.split("/", 3)[2] if url.count("/") > 2 else ""] += times
    size = sum(int(getattr(traces, name).nbytes) for name in (
        "users", "starts", "at", "page", "fingerprints", "by_page", "page_starts"
    )) + traces.urls.nbytes  # fmt: skip
    count = len(traces)
    return Figures(
        users=len(traces.users), sessions=_sessions(traces), accesses=count,
        pages=int((np.diff(traces.page_starts) > 0).sum()), hosts=len(hosts),
        first=int(traces.at.min()) if count else 0, last=int(traces.at.max()) if count else 0,
        top_hosts=tuple(sorted(hosts.items(), key=lambda row: (-row[1], row[0]))[:top]),
        bytes_per_access=size / count if count else 0.0,
    )  # fmt: skip


def _sessions(traces: Traces) -> int:
    """A user's accesses, cut where nothing came for half an hour."""
    found = int((np.diff(traces.starts) > 0).sum())
    firsts = np.unique(traces.starts[1:-1])
    for start in range(0, len(traces) - 1, _AT_ONCE):
        at = traces.at[start : start + _AT_ONCE + 1].astype(np.int64)
        idle = np.abs(np.diff(at)) > IDLE_S
        inside = firsts[np.searchsorted(firsts, start + 1) : np.searchsorted(firsts, start + len(idle), "right")]
        idle[inside - start - 1] = False  # another user, counted already
        found += int(idle.sum())
    return found


def covered(traces: Traces, urls: Iterable[tuple[str, bool]]) -> Coverage:
    """How many of a crawl's URLs, each with whether it was fetched, are in traces."""
    counts = np.zeros((2, 2), np.int64)
    gathered: list[tuple[int, bool]] = []

    def count() -> None:
        if gathered:
            marks, fetched = zip(*gathered, strict=True)
            there = traces.numbers(np.array(marks, np.uint64)) >= 0
            np.add.at(counts, (np.array(fetched, int), there.astype(int)), 1)
            gathered.clear()

    for url, fetched in urls:
        gathered.append((fingerprint(url), fetched))
        if len(gathered) >= 10_000:
            count()
    count()
    (waiting, waiting_there), (done, done_there) = counts.tolist()
    return Coverage(done + done_there, done_there, waiting + waiting_there, waiting_there)
