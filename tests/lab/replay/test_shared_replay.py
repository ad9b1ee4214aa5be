"""Shards in virtual time: what one engine fetches, they fetch together, each page once and always in the same way."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cluster.slots import slot_of
from dowse.frontier.scope import StaticScope
from dowse.lab.replay.replay import replay
from dowse.lab.replay.shared_replay import SharedReplayed, Sharing, replay_shared
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, Seeds, StrategyChoice, Topic
from dowse.model.url import split
from tests.lab.replay.frozen import Frozen, Host, Reader

HOSTS = {f"h{number}.test": Host(score=0.2 + 0.1 * number) for number in range(6)}
TOPIC = Topic(
    query="solar", seeds=Seeds(urls=("http://front.test/",)), strategy=StrategyChoice("best-first"),
    politeness=Politeness(delay_s=0.5, obey_robots=False),
)  # fmt: skip


def shared(folder: Path, sharing: Sharing, topic: Topic = TOPIC, pages: int = 12) -> SharedReplayed:
    web = Frozen(HOSTS, pages=pages)
    return replay_shared(web, Reader(web), topic, StaticScope(topic.scope), sharing, folder)


@pytest.mark.parametrize("strategy", ["best-first", "learning"])
@pytest.mark.parametrize("shards", [1, 2, 4])
def test_together_they_fetch_each_page_once(tmp_path: Path, shards: int, strategy: str) -> None:
    topic = replace(TOPIC, strategy=StrategyChoice(strategy))
    web = Frozen(HOSTS, pages=12)
    alone = replay(web, Reader(web), topic, StaticScope(topic.scope))
    done = shared(tmp_path, Sharing(shards), topic)
    asked = Counter(exchange.url for exchange in done.exchanges)
    assert set(asked.values()) == {1}
    assert set(asked) == {exchange.url for exchange in alone.exchanges}
    assert done.stop == alone.stop


def test_the_same_crawl_takes_the_same_course(tmp_path: Path) -> None:
    topic = replace(TOPIC, strategy=StrategyChoice("learning"), budget=Budget(pages=40))
    first, again = (shared(tmp_path / name, Sharing(3), topic) for name in ("first", "again"))
    assert first.exchanges == again.exchanges


@pytest.mark.parametrize("learning", [True, False])
@pytest.mark.parametrize("promises", [True, False])
def test_a_budget_is_one_for_all(tmp_path: Path, promises: bool, learning: bool) -> None:
    topic = replace(TOPIC, budget=Budget(pages=30))
    done = shared(tmp_path, Sharing(3, promises=promises, learning=learning), topic)
    assert sum(exchange.is_page for exchange in done.exchanges) == 30
    assert done.stop.kind == "budget"


def test_each_shard_keeps_the_records_of_its_own_sites(tmp_path: Path) -> None:
    done = shared(tmp_path, Sharing(2))
    assert {int(path.name) for path in tmp_path.iterdir()} == {0, 1}
    owners = {split(exchange.url).host: slot_of(exchange.url, "host") % 2 for exchange in done.exchanges}
    assert set(owners.values()) == {0, 1}, "else nothing was shared"
