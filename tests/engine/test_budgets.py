"""Hard budgets, counted at the server: with many exchanges at a time, retries, redirects, errors and restarts."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.loopback import LoopbackServer, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.topic import StrategyChoice, Target
from tests.engine.servers import crawl_all, page, topic_for

HOSTS = [f"h{n}.test" for n in range(6)]
FRONT = "http://front.test/"


def troubled(host: str) -> Site:
    """Pages, redirects to pages, errors that are retried and some that are not, all linked from the first."""
    resources: dict[str, Resource] = {}
    for n in range(30):
        onward = [f"/{n + 1}", f"/r{n}", f"/e{n}", f"/g{n}"]
        resources[f"/{n}"] = page(f"{host[:2]}p{n}", "solar" if n % 2 else "bread", onward)
        resources[f"/r{n}"] = redirect(f"/t{n}")
        resources[f"/t{n}"] = page(f"{host[:2]}t{n}", "solar", [])
        resources[f"/e{n}"] = Resource(b"sorry", status=503)
        resources[f"/g{n}"] = Resource(b"gone", status=410)
    return Site(host, resources, latency_s=0.002)


def troubled_web() -> Web:
    front = Site("front.test", {"/": page("front", "solar", [f"http://{host}/0" for host in HOSTS])})
    return Web.of(front, *(troubled(host) for host in HOSTS))


LIMITS = {
    "pages": [Budget(pages=n) for n in (7, 25, 60)],
    "requests": [Budget(requests=n) for n in (15, 50, 120)],
    "bytes": [Budget(bytes=n) for n in (4_000, 15_000, 40_000)],
    "a mix": [
        Budget(pages=p, requests=r, bytes=b) for p, r, b in ((20, 20, 8_000), (30, 70, 30_000), (50, 200, 50_000))
    ],
}


@pytest.mark.parametrize("strategy", [StrategyChoice("bfs"), StrategyChoice("hybrid", maximise="efficiency")], ids=str)
@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_no_limit_is_passed_in_three_runs(tmp_path: Path, limits: list[Budget], strategy: StrategyChoice) -> None:
    async def main() -> None:
        async with LoopbackServer(troubled_web()) as server:
            topic = topic_for(server.address, [FRONT], strategy=strategy)
            topic = replace(
                topic, network=replace(topic.network, concurrency=16),
                politeness=replace(topic.politeness, connections_per_host=4),
            )  # fmt: skip
            for run, budget in enumerate(limits):
                stop = await crawl_all(replace(topic, budget=budget), tmp_path / "c", resume=run > 0)
                assert stop.kind == "budget"
                hits = [hit for hit in server.log if hit.target != "/robots.txt" or budget.requests is not None]
                if budget.requests is not None:
                    assert len(hits) <= budget.requests
                with closing(sqlite3.connect(tmp_path / "c" / "dowse.sqlite")) as crawl:
                    [(pages, size)] = crawl.execute(
                        "SELECT count(*) FILTER (WHERE outcome = 'fetched'), sum(bytes) FROM pages"
                    )
                    [(spent,)] = crawl.execute("SELECT requests FROM totals")
                assert spent == len(server.log), "every request counts, and nothing else does"
                if budget.pages is not None:
                    assert pages <= budget.pages
                if budget.bytes is not None:
                    assert size <= budget.bytes
                exact = budget.pages == pages or budget.requests == spent
                assert exact or budget.bytes is not None, "a budget is spent to its end"

    asyncio.run(main())


def test_the_time_budget_holds_over_restarts(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(Web.of(*(replace(troubled(host), latency_s=0.1) for host in HOSTS))) as server:
            topic = topic_for(server.address, [f"http://{host}/0" for host in HOSTS])
            for run, seconds in enumerate((0.4, 0.8)):
                server.log.clear()
                stop = await crawl_all(replace(topic, budget=Budget(seconds=seconds)), tmp_path / "c", resume=run > 0)
                assert stop.detail.startswith("seconds")
                times = [hit.time for hit in server.log]
                assert max(times) - min(times) < 1.5, "it would go on for many seconds"

    asyncio.run(main())


def test_a_target_ends_the_crawl_before_the_budget_does(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(troubled_web()) as server:
            topic = topic_for(server.address, [FRONT], target=Target(relevant=10), budget=Budget(requests=400))
            stop = await crawl_all(topic, tmp_path / "c")
            assert stop.kind == "target"
            assert len(server.log) < 200

    asyncio.run(main())


def test_the_last_requests_are_for_pages(tmp_path: Path) -> None:
    """A front page links to many hosts and to pages of its own: no robots.txt is read that no page could follow."""
    own = {f"/{n}": page(f"own{n}", "solar", []) for n in range(9)}
    links = [*(f"http://{host}/0" for host in HOSTS), *own]
    front = Site("front.test", {"/": page("front", "solar", links), **own})
    web = Web.of(front, *(troubled(host) for host in HOSTS))

    async def main() -> None:
        async with LoopbackServer(web) as server:
            topic = topic_for(server.address, [FRONT], budget=Budget(requests=10))
            stop = await crawl_all(topic, tmp_path / "c")
            assert stop.kind == "budget"
            paths = [hit.url.partition("://")[2] for hit in server.log]
            assert len(paths) == 10
            opened = {path.partition("/")[0] for path in paths if path.endswith("/robots.txt")}
            asked = {path.partition("/")[0] for path in paths if not path.endswith("/robots.txt")}
            assert opened == asked

    asyncio.run(main())
