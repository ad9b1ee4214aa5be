"""What a running crawl counts as it goes."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

__all__ = ["Tally"]

_WINDOW_PAGES = 100
_RATE_WINDOW_S = 10.0


@dataclass(slots=True)
class Tally:
    """What the engine counts as it goes."""

    pages: int = 0
    relevant: int = 0
    value: float = 0.0
    saved_pages: int = 0
    saved_bytes: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)  # to pages that were fetched before: what came of them
    by_host: dict[str, list[int]] = field(default_factory=dict)  # host -> [relevant, pages]
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=_WINDOW_PAGES))
    _times: deque[float] = field(default_factory=deque)

    def ended(self, outcome: str) -> None:
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def judged(self, host: str, score: float, relevant: bool, now: float) -> None:
        """A page was fetched and judged (duplicates count as not relevant: they add nothing)."""
        self.pages += 1
        self.value += score
        counts = self.by_host.setdefault(host, [0, 0])
        counts[1] += 1
        if relevant:
            self.relevant += 1
            counts[0] += 1
        self._recent.append(relevant)
        self._times.append(now)
        while self._times and self._times[0] < now - _RATE_WINDOW_S:
            self._times.popleft()

    def judged_again(self, host: str, relevant: bool) -> None:
        """A page has the other verdict from now on."""
        more = 1 if relevant else -1
        self.relevant += more
        self.by_host[host][0] += more

    def visited(self, what: str) -> None:
        """A page was visited again."""
        self.visits[what] = self.visits.get(what, 0) + 1

    def saved(self, pages: int, wire_bytes: int) -> None:
        """So much was taken from a cache and not downloaded."""
        self.saved_pages += pages
        self.saved_bytes += wire_bytes

    def restore_host(self, host: str, relevant: int, pages: int) -> None:
        """Add what an earlier run found at a host."""
        counts = self.by_host.setdefault(host, [0, 0])
        counts[0] += relevant
        counts[1] += pages

    def harvest(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0

    def harvest_now(self) -> float:
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def pages_per_s(self, now: float, started: float) -> float:
        recent = sum(1 for at in self._times if at >= now - _RATE_WINDOW_S)
        span = min(_RATE_WINDOW_S, now - started)
        return recent / span if span > 0 else 0.0

    def best_sites(self, most: int = 5) -> list[tuple[str, int, int]]:
        ranked = heapq.nsmallest(most, self.by_host.items(), key=lambda item: (-item[1][0], item[1][1], item[0]))
        return [(host, relevant, pages) for host, (relevant, pages) in ranked if relevant]
