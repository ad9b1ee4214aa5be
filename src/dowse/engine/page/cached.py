"""Pages that earlier crawls hold: they end like any other, but nobody is asked for them.

A held page is read in a thread beside the loop, a few at a time, so that a cache of thousands neither holds up answers
nor fills the memory: the rest waits in the frontier. What cannot be used after all (aged, damaged, ``no-store``) waits
again and is then downloaded.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from dowse.engine.life import Life
from dowse.engine.page.disposition import Disposition
from dowse.engine.page.pages import Fetched
from dowse.frontier import Lease
from dowse.model.clock import Clock
from dowse.model.errors import NotACrawl, NotPlain, UserError
from dowse.model.http import Response, Truncation, is_unwanted
from dowse.model.topic import Cache, Topic
from dowse.model.wanted_types import wanted_types
from dowse.store import MOST_BYTES, CrawlReader, HeldPages
from dowse.store.archive import all_archive_files
from dowse.store.held import Held

__all__ = ["FromCache", "Holder", "absolute_folders", "open_cache"]

_HEADERS = 1 << 20  # bytes of a record that are none of its body, at the most
_AT_ONCE = 8  # bodies being read: enough to keep the thread busy between two turns of the loop


class Holder(Protocol):
    """Pages that need not be downloaded, by their canonical URLs: :class:`~dowse.store.held.HeldPages`, or others."""

    def __len__(self) -> int: ...

    def holds(self, url: str) -> bool: ...

    def forget(self, url: str) -> None: ...

    def read(self, url: str, now_wall: float) -> Held | None: ...

    def close(self) -> None: ...


class FromCache:
    """Takes leased pages from the cache."""

    def __init__(self, topic: Topic, pages: Holder, life: Life, disposition: Disposition, clock: Clock) -> None:
        self._topic = topic
        self._wanted = wanted_types(topic.scope)
        self._pages = pages
        self._life = life
        self._disposition = disposition
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, "cache")  # one: it reads from the disk, and SQLite serves one at a time
        self._reading = 0

    def __len__(self) -> int:
        """How many URLs are held."""
        return len(self._pages)

    @property
    def has_room(self) -> bool:
        """May another page be taken now?"""
        return self._reading < _AT_ONCE

    def begin(self, url: str) -> bool:
        """Is there a copy that seems usable? Then :meth:`page` must follow, which takes up room from now on."""
        held = self._pages.holds(url)
        self._reading += held
        return held

    async def page(self, lease: Lease) -> Fetched | None:
        """Take the copy that is held for the leased page; the lease on its site was cancelled. None: it was no page to
        keep, or it waits to be downloaded."""
        try:
            loop = asyncio.get_running_loop()
            held = await loop.run_in_executor(self._thread, self._pages.read, lease.url, self._clock.wall())
        finally:
            self._reading -= 1
        if held is None:
            self._pages.forget(lease.url)
            self._life.wait(lease)
            return None
        return await self._disposition.of(lease, self._as_asked(held.response), held.fetched_at)

    def close(self) -> None:
        """Wait for what is being read, and let go of the folders."""
        self._thread.shutdown()
        self._pages.close()

    def _as_asked(self, response: Response) -> Response:
        """The answer as this topic would have got it: no body of an unwanted type, none beyond its limit."""
        if is_unwanted(response.header("Content-Type"), self._wanted.at(response.url)):
            return replace(response, body=b"", wire_bytes=0, truncated=Truncation.TYPE)
        most = self._topic.limits.max_body_bytes
        if len(response.body) > most:
            return replace(response, body=response.body[:most], truncated=Truncation.LENGTH)
        return response


def absolute_folders(topic: Topic) -> Topic:
    """The topic with its caches named so that they are found from anywhere, as a later resume needs it."""
    folders = tuple(dict.fromkeys(str(Path(folder).expanduser().absolute()) for folder in topic.cache.folders))
    return replace(topic, cache=replace(topic.cache, folders=folders))


def open_cache(
    cache: Cache, folder: Path, now_wall: float, notes: list[str], known: tuple[str, ...] = (),
    most_bytes: int = MOST_BYTES,
) -> HeldPages | None:  # fmt: skip
    """The pages that a crawl in ``folder`` need not download; None without a cache. A folder that is no crawl is the
    user's mistake, except a ``known`` one, which was there when the crawl began: that is noted. A page whose body has
    more than ``most_bytes`` is downloaded. Blocks for seconds where a folder holds a million pages."""
    usable = []
    for name in cache.folders:
        if Path(name).resolve() == folder.resolve():
            raise UserError(f"cache: {name} is the crawl's own folder: name one of an earlier crawl")
        try:
            CrawlReader(name).close()
            usable.append(Path(name))
        except (NotACrawl, NotPlain) as error:
            if name not in known:
                raise UserError(f"cache: {error}") from None
            notes.append(f"cache: {error}: its pages are downloaded")
    if usable and not cache.max_age_s:
        notes.append("cache: not used, since its greatest age is 0")
    if not usable or not cache.max_age_s:
        return None
    pages = HeldPages(usable, cache.max_age_s, now_wall, most_bytes + _HEADERS)
    held = zip(usable, pages.counts, strict=True)
    notes += [f"cache: {place} {_why_nothing(place)}" for place, count in held if not count]
    return pages


def _why_nothing(folder: Path) -> str:
    return (
        "holds nothing that is fresh enough" if all_archive_files(folder) else "holds no pages: its WARC files are gone"
    )
