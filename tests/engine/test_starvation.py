"""No host waits for a larger one: the order of requests, measured at the servers of a real crawl."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.loopback import Hit, LoopbackServer, Site, Web
from dowse.model.budget import Budget
from dowse.model.topic import Network, Politeness, StrategyChoice
from tests.engine.servers import page, topic_for

BIG, HOSTS, PAGES = 2000, 40, 8


def full(host: str, pages: int, kind: str) -> Site:
    """A host whose first page links to all the others."""
    links = [f"/{n}" for n in range(1, pages)]
    name = host.partition(".")[0]
    return Site(host, {f"/{n}": page(f"{name}x{n}", kind, [] if n else links) for n in range(pages)})


@pytest.mark.parametrize(
    ("strategy", "budget"),
    [
        ("bfs", Budget(seconds=60)),
        ("dfs", Budget(seconds=60)),
        ("best-first", Budget(seconds=60)),
        ("bfs", Budget(pages=1500)),
    ],
)
def test_small_hosts_are_done_early(tmp_path: Path, strategy: str, budget: Budget) -> None:
    """The large host is first among the seeds and the better one by the judge's lights."""
    sites = [full("big.test", BIG, "solar"), *(full(f"s{n}.test", PAGES, "bread") for n in range(HOSTS))]
    got: Counter[bool] = Counter()
    done = asyncio.Event()

    def count(hit: Hit) -> None:
        got[hit.host == "big.test"] += hit.target != "/robots.txt"
        if got[False] == HOSTS * PAGES or got[True] == HOSTS * PAGES:
            done.set()

    async def main() -> None:
        async with AsyncExitStack() as running:
            servers = [LoopbackServer(Web.of(s), host=f"127.4.0.{n + 1}", on_hit=count) for n, s in enumerate(sites)]
            for server in servers:
                await running.enter_async_context(server)
            resolve = {site.host: server.address for site, server in zip(sites, servers, strict=True)}
            topic = topic_for(
                "", [f"http://{site.host}/0" for site in sites], strategy=StrategyChoice(strategy), budget=budget,
                politeness=Politeness(delay_s=0.1), network=Network(allow_private=True, resolve=resolve),
            )  # fmt: skip
            assembly = await assemble(topic, tmp_path / "c")
            crawl = asyncio.create_task(assembly.run())
            await asyncio.wait([asyncio.create_task(done.wait()), crawl], return_when=asyncio.FIRST_COMPLETED)
            assembly.engine.stop("interrupted")
            await crawl
            await assembly.close()

    asyncio.run(main())
    assert got[False] == HOSTS * PAGES
    assert got[True] <= 3 * PAGES
