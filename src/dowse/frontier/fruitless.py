"""Places that stay without a relevant page are given less and less.

Counted by site, and by pattern within a site: the pages since the last relevant one. Each time their number has grown
by two ``max_pattern_run`` (a site's by 32), only half as many new URLs of that place are taken up as before: all, then
every second, every fourth. Those that wait are asked the same, two halvings later, when their turn comes: many may have
come in before the first was judged. A relevant page opens the place again, and a URL that was not taken up may come in
by another page. So a site whose relevant pages lie deep is still followed to them, while a calendar costs as much as
the logarithm of its length. A site that is the only one of its crawl loses nothing to others: of that, only patterns
are counted.
"""

from __future__ import annotations

from collections.abc import Mapping

import xxhash

__all__ = ["Fruitless"]

_RUNS_OF_PATTERN, _RUNS_OF_SITE = 2, 32
_PATIENCE = 2  # a URL that waits is final when it is left out: that begins so many halvings later
_MOST_PATTERNS = 256  # of a site, the latest: others begin anew
_OF_SITE = 0  # instead of a pattern: all pages of the site


class Fruitless:
    """Pages since the last relevant one, by site and pattern. Patterns are 64-bit hashes, ``run`` is
    ``max_pattern_run``, and with ``hash_seed`` nobody can choose URLs that are never left out."""

    def __init__(self, run: int, hash_seed: int = 0) -> None:
        self._run = run
        self._hash_seed = hash_seed
        self._pages: dict[int, dict[int, int]] = {}  # site -> pattern -> pages; relevant ones leave no entry

    def judged(self, site: int, pattern: int, relevant: bool) -> None:
        """A page of this pattern (0: of none that others share) was judged."""
        pages = self._pages.setdefault(site, {})
        for place in dict.fromkeys((_OF_SITE, pattern)):
            before = pages.pop(place, 0)  # put in again, as the latest
            if not relevant:
                pages[place] = before + 1
        if len(pages) > _MOST_PATTERNS:
            del pages[next(place for place in pages if place != _OF_SITE)]

    def rule_against(
        self, site: int, pattern: int, url: str, *, only_site: bool = False, waits: bool = False
    ) -> str | None:
        """The rule by which a new URL, or one that ``waits``, is left out; None: it may come in, or go."""
        pages = self._pages.get(site)
        if pages is None:
            return None
        of_pattern = pages.get(pattern, 0) // (_RUNS_OF_PATTERN * self._run) if pattern != _OF_SITE else 0
        of_site = 0 if only_site else pages.get(_OF_SITE, 0) // (_RUNS_OF_SITE * self._run)
        if waits:
            of_pattern, of_site = max(of_pattern - _PATIENCE, 0), max(of_site - _PATIENCE, 0)
        if not of_pattern and not of_site:
            return None
        dice = xxhash.xxh3_64_intdigest(url.encode(), self._hash_seed)
        if dice & ((1 << of_pattern) - 1):
            return "fruitless-pattern"
        return "fruitless-host" if dice & ((1 << of_site) - 1) else None

    def of_site(self, site: int) -> int:
        """Pages of a site since the last relevant one."""
        return self._pages.get(site, {}).get(_OF_SITE, 0)

    def take(self, site: int, pages: int) -> None:
        """Another shard has judged so many pages of a site since the last relevant one."""
        if pages:
            self._pages.setdefault(site, {})[_OF_SITE] = pages

    def state(self, site: int) -> dict[str, int]:
        """What is known of a site, for :meth:`load`."""
        return {str(pattern): pages for pattern, pages in self._pages.get(site, {}).items()}

    def load(self, site: int, state: Mapping[str, int]) -> None:
        """Go on from a saved :meth:`state`."""
        self._pages[site] = {int(pattern): pages for pattern, pages in state.items()}
