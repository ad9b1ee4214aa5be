"""An endless calendar beside a site that is worth reading, crawled by real requests."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.loopback import Site, Web, in_thread
from dowse.loopback.web import Ask, Resource
from dowse.model.budget import Budget
from dowse.model.topic import StrategyChoice
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_engine import rows

_PLACE = re.compile(r"/calendar/(\d+)(?:/(\d+))?")
_DAYS = 28
_STORIES, _EVERY = 400, 50


def calendar(ask: Ask) -> Resource | None:
    """Each month leads to the next one and to its days; it never ends."""
    found = _PLACE.fullmatch(ask.target)
    if found is None:
        return None
    month = int(found[1])
    days = [f"/calendar/{month}/{day}" for day in range(1, _DAYS + 1)]
    return page(f"on{month}x{found[2] or 0}", "bread", [f"/calendar/{month + 1}", *days])


def archive() -> Site:
    """Lists of stories, each leading to the next one last; every fiftieth story is on the topic, none of the first
    hundred."""
    names = [f"/list{chr(ord('a') + at)}" for at in range(_STORIES // 100)]
    lists = {
        name: page(name[1:], "bread", [*(f"/story/{at * 100 + n}" for n in range(100)), *names[at + 1 : at + 2]])
        for at, name in enumerate(names)
    }
    stories = {
        f"/story/{n}": page(f"story{n}", "solar" if n >= 100 and n % _EVERY == 0 else "bread", [])
        for n in range(_STORIES)
    }
    return Site("archive.test", {"/0": page("door", "bread", names[:1]), **lists, **stories})


@pytest.mark.parametrize("strategy", ["learning", "bfs"])
def test_a_calendar_is_given_less_and_less_and_an_archive_keeps_its_deep_pages(tmp_path: Path, strategy: str) -> None:
    town = Site("town.test", {"/0": page("town", "bread", ["/calendar/1"])}, {"/calendar/": calendar})
    with in_thread(Web.of(town, archive())) as server:
        topic = topic_for(
            server.address, ["http://town.test/0", "http://archive.test/0"], strategy=StrategyChoice(strategy),
            budget=Budget(pages=3_000),
        )  # fmt: skip
        one_by_one = replace(topic, network=replace(topic.network, concurrency=1))
        asyncio.run(crawl_all(one_by_one, tmp_path / "c", hash_seed=1))  # which URLs are left out goes by this seed
    pages = rows(tmp_path / "c", "SELECT url, relevant FROM pages WHERE outcome = 'fetched'")
    of_host = Counter("calendar" if "/calendar/" in url else "archive" for url, _ in pages)
    assert of_host["calendar"] < 550, "65 months have 1,820 days"
    assert sum(bool(relevant) for _, relevant in pages) >= 5, "of 6, none of which is among the first 100 stories"
    refused = dict(rows(tmp_path / "c", "SELECT rule, count FROM refusals"))
    assert refused["fruitless-pattern"] > 50
