"""Slots that move while their shards crawl, at the servers: what arrives there, whoever is killed when."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dowse.cluster.errand import opened
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.shared_folder import place_of, shard_folder
from dowse.cluster.slots import slot_of
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer, Site, Web
from dowse.model.budget import Budget
from dowse.model.records import CandidateState
from dowse.model.topic import Politeness, Seeds, Topic
from dowse.store import CrawlReader
from tests.cluster.crawls import Told, crawled, crawled_apart, spent_pages, until
from tests.cluster.webs import pages_asked
from tests.engine.servers import page, topic_for

SHARDS, PAGES = 2, 16


def of_first(most: int) -> list[str]:
    """Names of hosts that all are shard 0's at the beginning."""
    names = (f"h{number}.test" for number in range(10_000))
    return [name for name in names if slot_of(f"http://{name}/", "host") % SHARDS == 0][:most]


HOSTS = of_first(8)
ALL = len(HOSTS) * PAGES


def uneven(latency_s: float = 0.0) -> Web:
    """Each page links to the next of its host, and to one of another."""

    def links(host: int, n: int) -> list[str]:
        found = [(host, n + 1), ((host + 1) % len(HOSTS), n), ((host + 3) % len(HOSTS), n + 1)]
        return [f"http://{HOSTS[h]}/{m}" for h, m in found if m < PAGES]

    return Web.of(*(
        Site(name, {f"/{n}": page(f"h{host}n{n}", "solar", links(host, n)) for n in range(PAGES)}, latency_s=latency_s)
        for host, name in enumerate(HOSTS)
    ))  # fmt: skip


def at(server: LoopbackServer) -> Topic:
    """All but the last pages of each host are seeds, so that much waits from the beginning."""
    seeds = tuple(f"http://{name}/{n}" for n in range(PAGES - 1) for name in HOSTS)
    return replace(topic_for(server.address, []), seeds=Seeds(urls=seeds))


def moves(folder: Path) -> tuple[list[str], list[str]]:
    """What slots were given and taken, by the shards' records."""
    found: dict[str, list[str]] = {"slot given": [], "slot taken": []}
    for shard in range(SHARDS):
        with CrawlReader(shard_folder(folder, shard)) as crawl:
            for event in crawl.events():
                if event.kind in found:
                    found[event.kind].append(event.detail)
    return found["slot given"], found["slot taken"]


def pages_of(folder: Path, shard: int) -> int:
    with CrawlReader(shard_folder(folder, shard)) as crawl:
        return crawl.summary().pages


def check_read_as_one(folder: Path) -> None:
    """Sites of which two shards have records are one site; each URL has one page."""
    with CrawlReader(folder) as crawl:
        assert crawl.summary().pages == ALL
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:

        def asked(sql: str) -> list[object]:
            return [row[0] for row in records.execute(sql)]

        urls = asked("SELECT url FROM pages")
        assert len(urls) == len(set(urls)) == ALL
        assert asked("SELECT DISTINCT state FROM candidates") == [int(CandidateState.FETCHED)]
        assert asked("SELECT host FROM sites ORDER BY host") == sorted(HOSTS)
        assert asked("SELECT sum(pages) FROM sites") == [ALL]


def test_sites_go_to_who_has_less_and_each_page_is_fetched_once(tmp_path: Path) -> None:
    folder = tmp_path / "c"

    async def main() -> None:
        async with LoopbackServer(uneven(0.2)) as server:
            topic = at(server)
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            assert await crawled(topic, folder, SHARDS, moving=True) == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (ALL, {1})

    asyncio.run(main())
    given, taken = moves(folder)
    assert len(given) == len(taken) > 0
    assert spent_pages(folder, SHARDS) == ALL
    assert pages_of(folder, 1) > 0, "of hosts that were all shard 0's"
    with opened(place_of(folder)) as ground:
        standings = ground.standings()
    assert [one.leaving for one in standings] == [0, 0]
    assert standings[1].came > 0
    check_read_as_one(folder)


def test_a_budget_is_exact_while_slots_move(tmp_path: Path) -> None:
    folder = tmp_path / "c"

    async def main() -> None:
        async with LoopbackServer(uneven(0.1)) as server:
            topic = replace(at(server), budget=Budget(pages=60))
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            assert (await crawled(topic, folder, SHARDS, moving=True)).kind == "budget"
            assert sum(pages_asked(server.log).values()) == spent_pages(folder, SHARDS) == 60
            more = replace(topic, budget=Budget(pages=1000))
            assert (await crawled(more, folder, SHARDS)).kind == "empty"
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (ALL, {1}), "and the rest in another run"

    asyncio.run(main())
    assert moves(folder)[1]


def test_no_delay_is_shortened_by_a_move(tmp_path: Path) -> None:
    """All hosts are at one address, whose delay they share, whoever asks."""
    delay_s = 0.06

    async def main() -> None:
        async with LoopbackServer(uneven()) as server:
            topic = replace(at(server), politeness=Politeness(delay_s=delay_s), budget=Budget(pages=70))
            assert (await crawled(topic, tmp_path / "c", SHARDS, moving=True)).kind == "budget"
            assert set(pages_asked(server.log).values()) == {1}
            times = sorted(hit.time for hit in server.log)
            assert min(later - sooner for sooner, later in pairwise(times)) >= delay_s * 0.95
            of_host = defaultdict(list)
            for hit in server.log:
                of_host[hit.host].append(hit.time)
            assert len(of_host) == len(HOSTS)

    asyncio.run(main())
    assert moves(tmp_path / "c")[1]


@pytest.mark.parametrize("who", [0, 1], ids=["giver", "taker"])
def test_who_is_killed_while_slots_move_loses_nothing(tmp_path: Path, who: int) -> None:
    folder, told = tmp_path / "c", Told()

    def begun(kind: str) -> Callable[[], bool]:
        return lambda: any(fields.get("event") == kind for _, what, fields in told if what == "event")

    async def kill(crawl: LocalShards) -> None:
        for kind in ("slot given", "slot taken"):
            await until(begun(kind))
            child = crawl.children[who]
            before = child.restarts
            os.kill(child.pid or 0, signal.SIGKILL)
            await until(lambda child=child, before=before: child.restarts > before)  # type: ignore[misc]
            await until(lambda child=child: child.pid is not None)  # type: ignore[misc]
            await asyncio.sleep(1.0)

    async def main() -> None:
        async with LoopbackServer(uneven(0.2)) as server:
            topic = at(server)
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            stop = await crawled_apart(topic, folder, SHARDS, kill, told, moving=True)
            assert stop == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert len(asked) == ALL
            assert sum(asked.values()) <= ALL + 2 * (2 + 2 * 10), "what was under way, or asked since the last commit"

    asyncio.run(main())
    assert spent_pages(folder, SHARDS) >= ALL
    given, taken = moves(folder)
    assert len(given) == len(taken) > 0
    check_read_as_one(folder)
