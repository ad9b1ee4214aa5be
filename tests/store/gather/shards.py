"""Crawls that two real engines share, with nothing between them but their letters: on a web in this process."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.assembly import Assembly
from dowse.loopback import LoopbackServer, Site, Web
from dowse.model.share import Share
from dowse.model.topic import Seeds, Topic
from dowse.store.outbox import Outbox
from tests.engine.servers import crawl_all, page, topic_for

__all__ = ["HOSTS", "Half", "crawl_both_ways", "crawl_in_shards", "knotted"]

HOSTS, PAGES = 6, 6


class Half:
    """Hosts with an even number are shard 0's."""

    def __init__(self, number: int) -> None:
        self._number = number

    def owner(self, url: str) -> int | None:
        shard = int(url.removeprefix("http://h")[0]) % 2
        return None if shard == self._number else shard

    def may_ask(self, address: str) -> bool:
        return True

    def is_current(self) -> bool:
        return True


def knotted(pages: int = PAGES) -> Web:
    """Each page links to the next of its host and to pages of two others; one in three is about bread."""

    def links(host: int, n: int) -> list[str]:
        return [f"/{n + 1}", f"http://h{(host + 1) % HOSTS}.test/{n}", f"http://h{(host + 3) % HOSTS}.test/{n + 1}"]

    return Web.of(*(
        Site(f"h{host}.test", {
            f"/{n}": page(f"h{host}n{n}", "bread" if (host + n) % 3 == 2 else "solar", links(host, n))
            for n in range(pages)
        })
        for host in range(HOSTS)
    ))  # fmt: skip


def share_of(topic: Topic, number: int) -> Share:
    """What a shard is told."""
    return Share("a-crawl-of-two", number, seeds=topic.seeds.urls)


def _deliver(sender: Assembly, receiver: Assembly, after: int) -> int:
    """Hand over the letters after that number; the last of them."""
    letters = Outbox(sender.store).after(after, 1000)
    receiver.life.admit_letters(letters)
    receiver.engine.tasks.wake()
    return letters[-1].number if letters else after


async def crawl_in_shards(topic: Topic, folder: Path) -> None:
    """Crawl in ``folder``, which becomes that of a sharded crawl, until neither half has anything to do."""
    (folder / "shards").mkdir(parents=True)
    (folder / "cluster.json").write_text("{}")
    async with AsyncExitStack() as open_:
        shards = []
        for number in range(2):
            place = folder / "shards" / f"{number:02d}"
            shards.append(await assemble(topic, place, others=Half(number), share=share_of(topic, number)))
            open_.push_async_callback(shards[-1].close)
        running = [asyncio.create_task(shard.run()) for shard in shards]
        seen, quiet = [0, 0], 0
        while quiet < 3:
            await asyncio.sleep(0.02)
            now = [_deliver(shards[n], shards[1 - n], seen[n]) for n in range(2)]
            idle = all(shard.engine.reason_to_stop() for shard in shards)
            committed = all(shard.life.journal.due_in() >= 1.0 for shard in shards)
            quiet = quiet + 1 if now == seen and idle and committed else 0
            seen = now
        for shard in shards:
            shard.engine.stop("empty", "no URL is left to fetch")
        await asyncio.gather(*running)


def crawl_both_ways(folder: Path, **changes: object) -> tuple[Path, Path]:
    """The folder of a sharded crawl, and that of one engine, of the same web."""

    async def main() -> None:
        async with LoopbackServer(knotted()) as server:
            topic = replace(topic_for(server.address, [], **changes), seeds=Seeds(urls=("http://h0.test/0",)))
            await crawl_all(topic, folder / "one")
            await crawl_in_shards(topic, folder / "shared")

    asyncio.run(main())
    return folder / "shared", folder / "one"
