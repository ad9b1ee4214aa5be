"""The made listings as a whole, on any day: sites to serve, and pages to walk through."""

from __future__ import annotations

from functools import lru_cache

from dowse.loopback.listings.html import written
from dowse.loopback.listings.site import ListedPage, site_pages
from dowse.loopback.listings.traits import draw_traits, lists_event
from dowse.loopback.listings.truth import Event, Truth
from dowse.loopback.web import Ask, Made, Resource, Site, Web

__all__ = ["Listings"]


class Listings:
    """Some sites that list about ``current`` events. The same numbers give the same web."""

    def __init__(self, sites: int = 300, current: int = 20_000, seed: int = 7) -> None:
        self.truth = Truth(current, seed)
        self._seed = seed
        self._traits = [draw_traits(number, seed, self.truth) for number in range(sites)]
        self.hosts = [traits.host for traits in self._traits]

    def pages(self, host: str, today: int) -> dict[str, ListedPage]:
        """The pages of a site on a day, by path."""
        traits = self._traits[self.hosts.index(host)]
        shown = [event for event in self._known(today) if lists_event(traits, event, today, self._seed)]
        return site_pages(traits, shown, today, self._seed)

    @lru_cache(maxsize=4)  # noqa: B019 -- a few days of one web
    def _known(self, today: int) -> list[Event]:
        """What was announced by a day and may still be shown."""
        found = [event for event in self.truth.events if event.announced <= today < event.withdrawn + 60]
        return sorted(found, key=lambda event: (event.day, event.number))

    def web(self, today: int) -> Web:
        """To be served."""
        return Web.of(*(Site(host, made={"/": self._maker(host, today)}) for host in self.hosts))

    def _maker(self, host: str, today: int) -> Made:
        pages: dict[str, ListedPage] = {}

        def make(ask: Ask) -> Resource | None:
            if not pages:  # made when it is first asked for
                pages.update(self.pages(host, today))
            page = pages.get(ask.target)
            return None if page is None else Resource(written(page).encode())

        return make
