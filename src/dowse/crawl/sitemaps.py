"""Seeds from sitemaps: those the topic names, and those that robots.txt of the seed hosts name."""

from __future__ import annotations

from dowse.crawl.intake import Intake
from dowse.crawl.recorder import Recorder
from dowse.frontier import Frontier, Lease, Site
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Request, Response, Transport
from dowse.model.topic import Topic
from dowse.model.url import Base, canonical
from dowse.seeds import expand

__all__ = ["Sitemaps"]

_MOST_BYTES = 50_000_000
_HOPS = 5


class Sitemaps:
    """Walks sitemaps under the crawl's politeness and budget, and takes up what they list as seeds."""

    def __init__(
        self, topic: Topic, frontier: Frontier, transport: Transport, purse: Purse, recorder: Recorder,
        intake: Intake, clock: Clock, notes: list[str], *, resume: bool,
    ) -> None:  # fmt: skip
        self._given = () if resume else topic.seeds.sitemaps
        self._timeout_s = topic.limits.timeout_s
        self._frontier = frontier
        self._transport = transport
        self._purse = purse
        self._recorder = recorder
        self._intake = intake
        self._clock = clock
        self._notes = notes
        self._seen: set[str] = set()

    async def expand_given(self) -> None:
        """The sitemaps the topic names (addresses or files)."""
        await self._expand(list(self._given))

    async def expand_named(self, site: Site, urls: tuple[str, ...]) -> None:
        """The sitemaps a site's robots.txt names, each once."""
        await self._expand([url for url in urls if url not in self._seen])

    async def _expand(self, sources: list[str]) -> None:
        if not sources:
            return
        self._seen.update(sources)
        found = await expand(sources, self._fetch)
        taken = self._intake.seeds([entry.url for entry in found.urls], self._clock.now())
        self._recorder.event("sitemaps", f"{len(sources)} sitemaps gave {len(found.urls)} URLs, {taken} taken up")
        for problem in found.problems:
            self._recorder.event("sitemap problem", problem)

    async def _fetch(self, url: str) -> bytes | None:
        """One sitemap, redirects followed, each request charged and in its site's turn."""
        target = canonical(url)
        for _ in range(_HOPS + 1):
            if target is None:
                return None
            result = await self._ask(target)
            if not isinstance(result, Response):
                return None
            if result.status in (301, 302, 303, 307, 308):
                target = Base(target).join(result.header("Location") or "")
                continue
            return result.body if result.status == 200 else None
        return None

    async def _ask(self, url: str) -> object:
        site = self._frontier.site_of_url(url)
        while not isinstance(hold := self._frontier.try_hold(site, self._clock.now()), Lease):
            await self._clock.sleep(hold)
        try:
            if not self._purse.reserve(page=False):
                return None
            self._recorder.note_spent()
            request = Request(url, max_wire_bytes=_MOST_BYTES, max_body_bytes=_MOST_BYTES, timeout_s=self._timeout_s)
            result = await self._transport.fetch(request, self._purse)
            row = self._recorder.site(site.id)
            row.requests += 1
            row.wire_bytes += result.wire_bytes
            return result
        finally:
            self._frontier.release(hold, self._clock.now())
