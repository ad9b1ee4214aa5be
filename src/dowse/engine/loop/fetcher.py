"""Where a page comes from: a cache, or its site, which may be asked with HEAD first."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from dowse.engine.exchange.exchange import Exchange
from dowse.engine.life import Life
from dowse.engine.loop.tasks import Tasks
from dowse.engine.page.again import Again
from dowse.engine.page.cached import FromCache
from dowse.engine.page.disposition import Disposition
from dowse.engine.page.heads import Heads
from dowse.engine.page.pages import Fetched
from dowse.frontier import Lease
from dowse.model.http import Request
from dowse.model.topic import Topic
from dowse.model.wanted_types import wanted_types

__all__ = ["Fetcher", "OnPage"]

OnPage = Callable[[Fetched], Coroutine[Any, Any, None]]


class Fetcher:
    """Starts a task for each leased page, that ends with the page's life."""

    def __init__(
        self, topic: Topic, life: Life, exchange: Exchange, disposition: Disposition, again: Again, tasks: Tasks, *,
        cache: FromCache | None = None, on_page: OnPage | None = None,
    ) -> None:  # fmt: skip
        self._topic = topic
        self._wanted = wanted_types(topic.scope)
        self._life = life
        self._exchange = exchange
        self._disposition = disposition
        self._again = again
        self._tasks = tasks
        self._heads = Heads(topic, life, exchange, disposition) if topic.cost.head else None
        self._on_page = on_page
        self.cache = cache

    @property
    def has_room(self) -> bool:
        """May another page be started, as far as the cache is concerned?"""
        return self.cache is None or self.cache.has_room

    def start(self, lease: Lease) -> bool:
        """Fetch a leased page beside the loop. False: the budget forbids it, so the page was put back."""
        if self.cache is not None and self.cache.begin(lease.url):
            self._life.sites.cancel(lease)
            self._life.begin(lease, requests=0)
            self._tasks.background(self._hand_over(self.cache.page, lease))
            return True
        again = lease.candidate in self._life.visits
        head = self._heads is not None and not again and self._heads.wanted(lease)
        if not self._exchange.reserve(page=not head):
            self._life.put_back(lease)
            return False
        if self._heads is not None:
            self._heads.leaves(lease.candidate, head=head)
            if head:
                self._tasks.start(self._tasks.occupied(self._heads.ask, lease))
                return True
        self._life.begin(lease)
        self._tasks.start(self._hand_over(self._download, lease))
        return True

    async def _download(self, lease: Lease) -> Fetched | None:
        """Ask the site for a page; it is kept, or its reservation is free again. A visit to one that the crawl has
        counts as a page, whatever comes of it."""
        page, again = None, lease.candidate in self._life.visits
        try:
            limits, addresses = self._topic.limits, self._exchange.addresses
            request = Request(
                lease.url, accept_types=self._wanted.at(lease.url), max_wire_bytes=limits.max_wire_bytes,
                max_body_bytes=limits.max_body_bytes,
            )  # fmt: skip
            if again:
                request = self._again.conditional(lease, request)
            try:
                result, at = await self._exchange.make(lease, request, self._life.worth.measured)
            finally:
                self._tasks.answered()
            page = await self._disposition.of(lease, addresses.with_lookup(lease.site, result), at)
        finally:
            visited = again and lease.candidate not in self._life.visits
            self._exchange.purse.page_over(kept=visited or page is not None)
        return page

    async def _hand_over(self, get: Callable[[Lease], Coroutine[Any, Any, Fetched | None]], lease: Lease) -> None:
        """Give a page, once it has come, to whoever wants it."""
        page = await get(lease)
        if page is not None and self._on_page is not None:
            await self._on_page(page)
