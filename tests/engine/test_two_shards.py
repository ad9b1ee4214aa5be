"""Two engines that share a crawl, with nothing between them but their letters: at the servers."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.assembly import Assembly
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import Seeds
from dowse.store.outbox import Outbox
from tests.engine.servers import page, topic_for

HOSTS, PAGES = 6, 8


class Half:
    """Hosts with an even number are shard 0's."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.current = True

    def owner(self, url: str) -> int | None:
        shard = int(url.removeprefix("http://h")[0]) % 2
        return None if shard == self._number else shard

    def may_ask(self, address: str) -> bool:
        return True

    def is_current(self) -> bool:
        return self.current


def knotted() -> Web:
    """Each page links to the next of its host and to pages of two others."""

    def links(host: int, n: int) -> list[str]:
        return [f"/{n + 1}", f"http://h{(host + 1) % HOSTS}.test/{n}", f"http://h{(host + 3) % HOSTS}.test/{n + 1}"]

    return Web.of(*(
        Site(f"h{host}.test", {f"/{n}": page(f"h{host}n{n}", "solar", links(host, n)) for n in range(PAGES)})
        for host in range(HOSTS)
    ))  # fmt: skip


def deliver(sender: Assembly, receiver: Assembly, after: int) -> int:
    """Hand over the letters after that number; the last of them."""
    letters = Outbox(sender.store).after(after, 1000)
    receiver.life.admit_letters(letters)
    receiver.engine.tasks.wake()
    return letters[-1].number if letters else after


def test_every_page_is_fetched_once_by_its_owner_and_nobody_ends_by_itself(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(knotted()) as server, AsyncExitStack() as open_:
            topic = replace(topic_for(server.address, []), seeds=Seeds(urls=("http://h0.test/0",)))
            shards = []
            for number in range(2):
                shards.append(await assemble(topic, tmp_path / str(number), others=Half(number)))
                open_.push_async_callback(shards[-1].close)
            running = [asyncio.create_task(shard.run()) for shard in shards]
            seen, quiet = [0, 0], 0
            while quiet < 3:
                await asyncio.sleep(0.05)
                now = [deliver(shards[n], shards[1 - n], seen[n]) for n in range(2)]
                idle = all(shard.engine.reason_to_stop() for shard in shards)
                committed = all(shard.life.journal.due_in() >= 1.0 for shard in shards)
                quiet = quiet + 1 if now == seen and idle and committed else 0
                seen = now
            assert not any(task.done() for task in running), "the others may have more"
            for shard in shards:
                shard.engine.stop("empty", "no URL is left to fetch")
            assert {str(await task) for task in running} == {"empty: no URL is left to fetch"}
            asked = Counter((hit.host, hit.target) for hit in server.log)
            assert set(asked.values()) == {1}
            pages = {(host, target) for host, target in asked if target != f"/{PAGES}" and target != "/robots.txt"}
            assert len(pages) == HOSTS * PAGES

    asyncio.run(main())


def test_a_shard_that_the_others_take_for_dead_asks_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        web = Web.of(Site("h0.test", {"/": Resource(b"hello")}))
        async with LoopbackServer(web) as server:
            half = Half(0)
            half.current = False
            assembly = await assemble(topic_for(server.address, ["http://h0.test/"]), tmp_path / "0", others=half)
            running = asyncio.create_task(assembly.run())
            await asyncio.sleep(0.3)
            assert not server.log
            assembly.engine.stop("failed", "lost")
            await running
            await assembly.close()

    asyncio.run(main())


class Lapsing(Half):
    """After so many requests the lease runs out whenever one has been counted and not left yet, until ``renewed``."""

    def __init__(self, after: int) -> None:
        super().__init__(0)
        self.after = after
        self.asked = 0
        self.renewed = asyncio.Event()

    def is_current(self) -> bool:
        self.asked += 1
        return self.renewed.is_set() or self.asked <= 2 * self.after or self.asked % 2 == 1


@pytest.mark.parametrize("after", [0, 1], ids=["robots.txt", "page"])
def test_a_request_does_not_leave_when_the_lease_runs_out_while_it_connects(tmp_path: Path, after: int) -> None:
    """It is asked for later, as if nothing had been tried."""

    async def main() -> None:
        pages = {f"/{n}": page(f"n{n}", "solar", [f"/{n + 1}"]) for n in range(3)}
        async with LoopbackServer(Web.of(Site("h0.test", pages))) as server:
            lease = Lapsing(after)
            topic = topic_for(server.address, ["http://h0.test/0"])
            assembly = await assemble(topic, tmp_path / "0", others=lease)
            running = asyncio.create_task(assembly.run())
            while lease.asked < 20:  # noqa: ASYNC110 - what it is asked sets no event
                await asyncio.sleep(0.01)
            assert len(server.log) == after
            lease.renewed.set()
            while len(server.log) < 5:  # noqa: ASYNC110 - nor does the server
                await asyncio.sleep(0.01)
            assembly.engine.stop("interrupted", "by hand")
            await running
            assert Counter(hit.target for hit in server.log) == Counter(["/robots.txt", "/0", "/1", "/2", "/3"])
            assert assembly.life.tally.pages == 3
            await assembly.close()

    asyncio.run(main())
