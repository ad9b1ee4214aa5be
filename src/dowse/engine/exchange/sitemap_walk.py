"""Seeds from sitemaps: those the topic names, and those that robots.txt of the seed hosts name."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.engine.exchange.site_rules import Robots
from dowse.engine.life import Life
from dowse.engine.workers.job import Lost
from dowse.engine.workers.port import Workers
from dowse.model.http import Failure, Request
from dowse.model.statistic_names import WALKED
from dowse.model.url import canonical, split
from dowse.seeds import Sitemap, expand, read_sitemap

__all__ = ["Sitemaps"]

_MOST_BYTES = 50_000_000
_USELESS_AT_MOST = 5
_AT_ONCE = 500  # seeds taken up before others get a turn: some 20 ms where they are long


class Sitemaps:
    """Walks sitemaps under the crawl's politeness, robots rules and budget, and takes up what they list as seeds."""

    def __init__(self, life: Life, exchange: Exchange, robots: Robots, workers: Workers, walked: list[str]) -> None:
        """``walked``: in earlier runs."""
        self._life = life
        self._exchange = exchange
        self._robots = robots
        self._workers = workers
        self._walked = exchange.sites.walked
        self._walked += walked
        self._begun: set[str] = set()
        self._useless: Counter[str] = Counter()  # host -> sitemaps in a row that gave nothing

    async def walk(self, sources: tuple[str, ...]) -> None:
        """Walk these sitemaps (addresses or files), each once in the life of a crawl."""
        done = self._begun.union(self._walked)
        new = [source for source in sources if source not in done and self._is_ours(source)]
        if not new:
            return
        self._begun.update(new)
        walking = self._exchange.sites.walking
        origins = Counter(split(url).origin for url in map(canonical, filter(_is_address, new)) if url is not None)
        walking.update(origins)
        try:
            await self._walk(new)
        finally:
            walking.subtract(origins)

    async def _walk(self, new: list[str]) -> None:
        found = await expand(new, self._read)
        urls = list(found.pages)
        taken = 0
        for start in range(0, len(urls), _AT_ONCE):
            taken += self._life.admit_seeds(urls[start : start + _AT_ONCE])
            await asyncio.sleep(0)
        if self._exchange.closed:
            return  # cut short: the next run walks them again
        self._walked += new
        journal = self._life.journal
        journal.statistic(WALKED, self._walked)
        journal.event("sitemaps", f"{len(new)} gave {len(urls)} URLs, {taken} taken up as seeds")
        for problem in found.problems:
            journal.event("sitemap problem", problem)

    def _is_ours(self, source: str) -> bool:
        """Is it not another shard's, which was given the same?"""
        others, url = self._exchange.sites.others, canonical(source) if _is_address(source) else None
        return others is None or url is None or others.owner(url) is None

    async def _read(self, source: str) -> Sitemap | str:
        """One sitemap, read by a worker: what is in it decides how long that takes."""
        if self._useless[_host(source)] >= _USELESS_AT_MOST:
            return f"left out: {_USELESS_AT_MOST} sitemaps of its host in a row gave nothing"
        body = await self._fetch(source)
        if isinstance(body, str):
            return body
        sitemap = await self._workers.call(source, read_sitemap, body, source)
        is_useless = isinstance(sitemap, Lost) or not (sitemap.pages or sitemap.children)
        self._useless[_host(source)] = self._useless[_host(source)] + 1 if is_useless else 0
        return f"cannot be read: {sitemap.reason}" if isinstance(sitemap, Lost) else sitemap

    async def _fetch(self, source: str) -> bytes | str:
        """One sitemap, redirects followed; or why it could not be had."""
        if not _is_address(source):
            return _read(source)
        url = canonical(source)
        if url is None:
            return "not a web address"
        request = Request(url, max_wire_bytes=_MOST_BYTES, max_body_bytes=_MOST_BYTES)
        result = await self._exchange.follow(request, permits=self._robots.forbids)
        if result is None:
            return "not asked for: the crawl stops"
        if isinstance(result, DeadEnd):
            return result.reason
        if isinstance(result, Failure):
            return f"{result.kind.value}: {result.detail}"
        return result.body if result.status == 200 else f"http {result.status}"


def _is_address(source: str) -> bool:
    return "://" in source


def _host(source: str) -> str:
    return source.partition("://")[2].partition("/")[0]


def _read(path: str) -> bytes | str:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        return f"cannot be read: {(error.strerror or 'unknown error').lower()}"
