"""The robots.txt rules of a crawl's sites, for as long as they hold, and as many as fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dowse.fetch import Rules

__all__ = ["AGE_S", "KnownRules"]

AGE_S = 24 * 3600.0  # RFC 9309, section 2.4: no longer than a day
_MOST_RULES = 2_000_000  # over all sites: some 150 MB


@dataclass(frozen=True, slots=True)
class _Known:
    rules: Rules
    read_at: float


class KnownRules:
    """What each site's robots.txt says. A file can have tens of thousands of rules, and a crawl as many sites: beyond a
    number of rules those that were read first are forgotten, and read again when they are needed."""

    def __init__(self, most_rules: int = _MOST_RULES) -> None:
        self._most = most_rules
        self._known: dict[int, _Known] = {}  # by site, in the order in which they were read
        self._tries: dict[int, int] = {}  # site -> how often its robots.txt could not be had, in a row
        self._rules = 0

    def of(self, site: int, now: float) -> Rules | None:
        """The rules of a site; None: they must be read (again) first."""
        known = self._known.get(site)
        return None if known is None or now - known.read_at > AGE_S else known.rules

    def keep(self, site: int, rules: Rules, now: float) -> None:
        """A robots.txt was read."""
        self._forget(site)
        self._tries.pop(site, None)
        self._known[site] = _Known(replace(rules, sitemaps=()), now)
        self._rules += rules.count
        while self._rules > self._most and len(self._known) > 1:
            self._forget(next(iter(self._known)))

    def failed(self, site: int) -> int:
        """It could not be had; how often so far."""
        self._forget(site)
        self._tries[site] = self._tries.get(site, 0) + 1
        return self._tries[site]

    def _forget(self, site: int) -> None:
        known = self._known.pop(site, None)
        if known is not None:
            self._rules -= known.rules.count
