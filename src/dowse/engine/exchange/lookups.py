"""Which names may be looked up now. A look-up can take half a minute to fail, and a page can link to thousands of names
that do: so there is a bound on all look-ups, and a smaller one on those that one domain brings about, by links on its
pages or by names of its own."""

from __future__ import annotations

from collections import Counter

from dowse.frontier import Frontier, Site
from dowse.frontier.scope import registered_domain

__all__ = ["Lookups"]

_AT_ONCE = 24  # fewer than the system's look-ups have threads
_FROM_ONE_DOMAIN = 6
_WITHIN_ONE_DOMAIN = 4
_ALL = ""  # the line of all domains together
_USUAL_S = 0.05  # what one takes, as long as nothing else is known
_LONGEST_WAIT_S = 60.0
_NEWEST = 0.2  # the weight of the last one in what they usually take


class _Domain:
    """What a domain's look-ups usually take, and when the next that has to wait may begin."""

    __slots__ = ("next_at", "usual_s")

    def __init__(self) -> None:
        self.usual_s = _USUAL_S
        self.next_at = 0.0


class Lookups:
    """Lets look-ups begin, or tells how long they have to wait. Who waits has a place in a line, so that thousands that
    wait are not asked about again and again."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._running: dict[int, tuple[float, str, str]] = {}  # site -> since when, from which domain, within which
        self._from: Counter[str] = Counter()
        self._within: Counter[str] = Counter()
        self._domains: dict[str, _Domain] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, site: Site, now: float) -> float:
        """0.0: the look-up begins, and :meth:`end` must follow; else how many seconds it has to wait."""
        within = registered_domain(site.host)
        parent = self._frontier.introduced_by(site)
        source = within if parent is None else registered_domain(parent.host)
        if len(self._running) >= _AT_ONCE:
            return self._in_line(_ALL, _AT_ONCE, now)
        if self._from[source] >= _FROM_ONE_DOMAIN:
            return self._in_line(source, _FROM_ONE_DOMAIN, now)
        if self._within[within] >= _WITHIN_ONE_DOMAIN:
            return self._in_line(within, _WITHIN_ONE_DOMAIN, now)
        self._running[site.id] = now, source, within
        self._from[source] += 1
        self._within[within] += 1
        return 0.0

    def end(self, site: Site, now: float) -> None:
        since, source, within = self._running.pop(site.id)
        for counts, domain in ((self._from, source), (self._within, within)):
            counts[domain] -= 1
            if not counts[domain]:
                del counts[domain]
        for domain in {source, within, _ALL} & self._domains.keys():
            known = self._domains[domain]
            known.usual_s += _NEWEST * (now - since - known.usual_s)
            if domain not in self._from and domain not in self._within and known.next_at <= now:
                del self._domains[domain]

    def _in_line(self, domain: str, at_once: int, now: float) -> float:
        """The next place in a domain's line."""
        known = self._domains.setdefault(domain, _Domain())
        known.next_at = max(known.next_at, now) + max(known.usual_s, _USUAL_S) / at_once
        return min(known.next_at - now, _LONGEST_WAIT_S)
