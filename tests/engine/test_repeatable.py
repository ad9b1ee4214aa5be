"""docs/strategies.md, "What is repeatable": one request at a time, the order of a live crawl does not depend on how
long things take. Measured at the servers."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.loopback import Ask, Hit, LoopbackServer, Resource, Site, Web
from dowse.model.budget import Budget
from dowse.model.topic import Limits, Network, Politeness, StrategyChoice
from tests.engine.servers import crawl_all, page, topic_for

HOSTS, PAGES = 4, 12


def unavailable(_: Ask) -> Resource:
    return Resource(b"", status=503)


def sites() -> list[Site]:
    """Hosts whose pages link to each other's, at random; a page of each is never available."""
    dice = random.Random(3)
    urls = [f"http://r{host}.test/{n}" for host in range(HOSTS) for n in range(PAGES)]
    return [
        Site(
            f"r{host}.test",
            {
                f"/{n}": page(f"r{host}x{n}", dice.choice(("solar", "bread")), dice.sample(urls, 6))
                for n in range(PAGES - 1)
            },
            made={f"/{PAGES - 1}": unavailable},
        )
        for host in range(HOSTS)
    ]


def requests(folder: Path, latencies_s: list[float], strategy: str, workers: int) -> list[tuple[str, str]]:
    """What the servers were asked for, in order, when they answer after so long."""
    log: list[tuple[str, str]] = []

    def note(hit: Hit) -> None:
        log.append((hit.host, hit.target))

    async def main() -> None:
        async with AsyncExitStack() as running:
            resolve = {}
            for n, (site, latency_s) in enumerate(zip(sites(), latencies_s, strict=True)):
                web = Web.of(replace(site, latency_s=latency_s))
                server = LoopbackServer(web, host=f"127.5.0.{n + 1}", on_hit=note)
                await running.enter_async_context(server)
                resolve[site.host] = server.address
            await crawl_all(
                topic_for(
                    "", ["http://r0.test/0", "http://r1.test/0"], strategy=StrategyChoice(strategy), workers=workers,
                    budget=Budget(pages=30), politeness=Politeness(delay_s=0.02), seed_number=7,
                    limits=Limits(retry_wait_s=0.05, max_retries=1),
                    network=Network(allow_private=True, resolve=resolve, concurrency=1),
                ),
                folder,
            )  # fmt: skip

    asyncio.run(main())
    return log


@pytest.mark.parametrize(("strategy", "workers"), [("learning", 1), ("best-first", 0), ("random", 0)])
def test_one_at_a_time_the_order_is_the_same_however_slow_the_hosts(
    tmp_path: Path, strategy: str, workers: int
) -> None:
    """No host is left waiting for one that is quicker just now, and no page is chosen before the last is learned
    from."""
    one = requests(tmp_path / "one", [0.0, 0.0, 0.03, 0.06], strategy, workers)
    other = requests(tmp_path / "other", [0.06, 0.03, 0.0, 0.0], strategy, workers)
    assert one == other
    assert len({host for host, _ in one}) == HOSTS
