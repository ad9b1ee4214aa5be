"""Slots that move between shards, in virtual time: each page is fetched once, and no host sooner than its delay."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dowse.cluster.slots import slot_of
from dowse.frontier.scope import StaticScope
from dowse.lab.replay.replay import replay
from dowse.lab.replay.shared_replay import SharedReplayed, Sharing, replay_shared
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, Seeds, StrategyChoice, Topic
from dowse.model.url import split
from dowse.store import CrawlReader
from tests.lab.replay.frozen import Frozen, Host, Reader

SHARDS, DELAY_S, PAGES = 4, 0.5, 90


def of_shard(shard: int, most: int) -> list[str]:
    """Names of hosts that a shard has at the beginning."""
    names = (f"h{number}.test" for number in range(10_000))
    return [name for name in names if slot_of(f"http://{name}/", "host") % SHARDS == shard][:most]


HOSTS = {name: Host(score=0.45 + 0.03 * at) for at, name in enumerate([*of_shard(0, 12), *of_shard(1, 1)])}
SEEDS = tuple(f"http://{name}/{page}" for page in range(0, PAGES, 10) for name in HOSTS)
TOPIC = Topic(
    query="solar", seeds=Seeds(urls=SEEDS), strategy=StrategyChoice("best-first"),
    politeness=Politeness(delay_s=DELAY_S),
)  # fmt: skip


def shared(folder: Path, sharing: Sharing, topic: Topic = TOPIC) -> SharedReplayed:
    web = Frozen(HOSTS, pages=PAGES)
    return replay_shared(web, Reader(web), topic, StaticScope(topic.scope), sharing, folder)


def events(folder: Path, kind: str) -> list[str]:
    found = []
    for shard in range(SHARDS):
        with CrawlReader(folder / str(shard)) as crawl:
            found += [event.detail for event in crawl.events() if event.kind == kind]
    return found


@pytest.mark.parametrize("strategy", ["best-first", "learning", "bfs"])
def test_slots_go_to_who_has_less_and_each_page_is_fetched_once(tmp_path: Path, strategy: str) -> None:
    topic = replace(TOPIC, strategy=StrategyChoice(strategy))
    web = Frozen(HOSTS, pages=PAGES)
    alone = replay(web, Reader(web), topic, StaticScope(topic.scope))
    done = shared(tmp_path, Sharing(SHARDS, moving=True), topic)
    asked = Counter(exchange.url for exchange in done.exchanges if exchange.is_page)
    assert set(asked.values()) == {1}
    assert set(asked) == {exchange.url for exchange in alone.exchanges if exchange.is_page}
    assert done.stop == alone.stop
    given = events(tmp_path, "slot given")
    assert len(given) >= 4
    assert len(given) == len(events(tmp_path, "slot taken"))
    times = defaultdict(list)
    for exchange in done.exchanges:
        times[split(exchange.url).host].append(exchange.started_s)
    for host, asked_at in times.items():
        gaps = [later - sooner for sooner, later in pairwise(sorted(asked_at))]
        assert min(gaps, default=DELAY_S) >= DELAY_S - 1e-6, host


def test_the_same_crawl_takes_the_same_course(tmp_path: Path) -> None:
    topic = replace(TOPIC, strategy=StrategyChoice("learning"), budget=Budget(pages=400))
    first, again = (shared(tmp_path / name, Sharing(SHARDS, moving=True), topic) for name in ("first", "again"))
    assert first.exchanges == again.exchanges
    assert events(tmp_path / "first", "slot given") == events(tmp_path / "again", "slot given") != []
    assert sum(exchange.is_page for exchange in first.exchanges) == 400
    assert first.stop.kind == "budget"
