"""One small crawl of the demo's web, made once, for every test that needs real results."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.loopback import in_thread
from dowse.loopback.demo import DEMO_SEEDS, demo_topic, demo_web
from dowse.loopback.demo_sites import LAB, MIRROR
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, Seeds, StrategyChoice, Topic


async def _crawl(topic: Topic, folder: Path) -> None:
    assembly = await assemble(topic, folder)
    try:
        await assembly.run()
    finally:
        await assembly.close()


@pytest.fixture(scope="session")
def web() -> Iterator[str]:
    """The address the demo's web is served at."""
    with in_thread(demo_web()) as server:
        yield server.address


@pytest.fixture(scope="session")
def crawl(web: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawl with duplicates, redirects, dead links and refusals in it."""
    folder = tmp_path_factory.mktemp("docs") / "my-crawl"
    seeds = Seeds(urls=(*DEMO_SEEDS, f"http://{LAB}/", f"http://{MIRROR}/"))
    topic = replace(
        demo_topic(web),
        seeds=seeds,
        strategy=StrategyChoice("bfs"),
        budget=Budget(pages=200),
        politeness=Politeness(delay_s=0.0),
        workers=0,
    )
    asyncio.run(_crawl(topic, folder))
    return folder
