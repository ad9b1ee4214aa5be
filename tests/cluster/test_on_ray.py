"""Shards on a Ray cluster of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.cluster.errand import opened
from dowse.cluster.ground import create_ground
from dowse.cluster.kept import Kept
from dowse.cluster.on_ray import RayShards, connect
from dowse.cluster.shared_folder import place_of
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer
from dowse.model.errors import UserError
from tests.cluster.webs import ALL, at, knotted, pages_asked

ray = pytest.importorskip("ray")


def test_no_cluster_where_there_is_none() -> None:
    with pytest.raises(UserError, match=r"no Ray cluster at 127\.0\.0\.1:9"):
        connect("127.0.0.1:9")


async def nothing(crawl: RayShards) -> None:
    """Nothing happens beside the crawl."""


async def kill(crawl: RayShards) -> None:
    """Once some pages are there, kill the process of an actor."""
    while crawl.progress().pages < 10:  # noqa: ASYNC110 - nothing here tells
        await asyncio.sleep(0.05)
    os.kill(ray.get(crawl.actors[0].holder.remote()), signal.SIGKILL)


async def crawled(folder: Path, latency_s: float, beside: Callable[[RayShards], Coroutine[Any, Any, None]]) -> int:
    """A crawl with two shards; at most how often a page was asked for."""
    async with LoopbackServer(knotted(latency_s)) as server:
        topic = at(server)
        topic = replace(topic, network=replace(topic.network, concurrency=2))
        place = place_of(folder)
        assert isinstance(place.where, Path)
        create_ground(place.where, shards=2, budget=topic.budget, settings={}, wall=time.time).close()
        with opened(place) as ground:
            crawl = RayShards(ray, Kept(topic, 2, "host"), folder, place, ground, lambda *message: None)
            other = asyncio.create_task(beside(crawl))
            stop = await crawl.run()
            other.cancel()
            with suppress(asyncio.CancelledError):
                await other
        assert stop == Stop("empty", "no URL is left to fetch")
        asked = pages_asked(server.log)
        assert len(asked) == ALL
        return max(asked.values())


@pytest.fixture
def cluster() -> Iterator[None]:
    """A Ray cluster of this machine."""
    connect("")
    yield
    ray.shutdown()


@pytest.mark.soak  # Ray gives up where a busy machine takes long to start it
@pytest.mark.timeout(300)
def test_shards_are_actors(cluster: None, tmp_path: Path) -> None:
    assert asyncio.run(crawled(tmp_path, 0.0, nothing)) == 1


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_shard_whose_actor_is_killed_goes_on(cluster: None, tmp_path: Path) -> None:
    """Ray starts the actor again, and the actor the shard, from its folder."""
    assert asyncio.run(crawled(tmp_path, 0.15, kill)) <= 2


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_shards_of_a_node_that_is_lost_go_on_elsewhere(tmp_path: Path) -> None:
    """Its processes are killed, as when a machine loses its power; the folder is on a disk that others reach."""
    from ray.cluster_utils import Cluster

    nodes: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    lost, _ = (nodes.add_node(num_cpus=2) for _ in range(2))  # one shard on each
    connect(nodes.address)

    async def lose(crawl: RayShards) -> None:
        while crawl.progress().pages < 10:  # noqa: ASYNC110 - nothing here tells
            await asyncio.sleep(0.05)
        nodes.remove_node(lost, allow_graceful=False)

    try:
        assert asyncio.run(crawled(tmp_path, 0.4, lose)) <= 2
    finally:
        ray.shutdown()
        nodes.shutdown()
