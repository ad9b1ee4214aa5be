"""Links of a low priority are not taken up, until a better page mentions them (ExpandList; METHODS, section 4)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.cli.why import explain
from dowse.engine.assembly.kept_settings import read_settings
from dowse.frontier.frontier import Frontier
from dowse.loopback import Site, Web, in_thread
from dowse.model.budget import Budget
from dowse.model.topic import StrategyChoice, Topic
from dowse.model.topicfile import topic_from_json, topic_to_json
from dowse.store import CrawlReader
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_engine import rows

LOWEST = 0.3
"""Between the score of a page about solar cells and that of one about bread."""

WEB = Web.of(Site("a.test", {
    "/": page("front", "solar", ["/hub", "/good"]),
    "/hub": page("hub", "bread", ["/x", "/y", "/z"]),
    "/good": page("good", "solar", ["/x", "/moved"]),
    "/x": page("x", "solar", ["/y"]), "/y": page("y", "bread", ["/last"]), "/z": page("z", "solar", []),
    "/last": page("last", "solar", []),
}))  # fmt: skip


def crawled(folder: Path, strategy: StrategyChoice, pages: int, *, then: int = 0) -> dict[str, str]:
    """How each URL ended."""
    with in_thread(WEB) as server:
        topic = topic_for(server.address, ["http://a.test/"], strategy=strategy, budget=Budget(pages=pages))
        asyncio.run(crawl_all(topic, folder))
        if then:
            more = replace(read_settings(folder), budget=Budget(pages=then))
            asyncio.run(crawl_all(more, folder, resume=True))
    with CrawlReader(folder) as crawl:
        found = [crawl.candidate(url) for (url,) in rows(folder, "SELECT url FROM candidates")]
    return {one.url.removeprefix("http://a.test/"): one.state.name.lower() for one in found if one is not None}


BEST = StrategyChoice("best-first", min_priority=LOWEST)


def test_a_link_comes_in_when_a_better_page_mentions_it(tmp_path: Path) -> None:
    """The hub is about bread: x, y and z are not worth a request. Then a good page mentions x, and x mentions y."""
    early = crawled(tmp_path / "early", BEST, 2)
    assert {name for name, state in early.items() if state == "below"} == {"x", "y", "z"}
    with CrawlReader(tmp_path / "early") as crawl:
        [refusal] = [refusal for refusal in crawl.refusals() if refusal.rule == "min-priority"]
        assert (refusal.count, refusal.samples) == (3, ("http://a.test/x",))
        assert ("refused", "min-priority", 3) in {
            (one.state, one.reason, one.count) for one in crawl.summary().outcomes
        }
    told = explain(tmp_path / "early", "http://a.test/y")
    assert "refused: its priority, 0, is below min_priority = 0.3; a better mention may change that" in told
    assert "http://a.test/hub (score 0.000)" in told
    ends = crawled(tmp_path / "whole", BEST, 99)
    assert [name for name, state in ends.items() if state == "below"] == ["z", "last"], "only bread speaks for them"
    assert ends["x"] == ends["y"] == ends[""] == "fetched", "a seed needs no priority"


def test_over_a_stop_it_is_the_same_crawl(tmp_path: Path) -> None:
    whole = crawled(tmp_path / "whole", BEST, 99)
    for pages in (1, 2, 3, 4):
        folder = tmp_path / str(pages)
        assert crawled(folder, BEST, pages, then=99) == whole
        counted = [rows(at, "SELECT rule, count FROM refusals") for at in (folder, tmp_path / "whole")]
        assert counted[0] == counted[1]


@pytest.mark.parametrize(
    ("name", "lowest"),
    [("learning", 0.2), ("learning:form=paper", -0.5), ("tunnel", 0.2), ("tunnel:form=max", 0.2), ("weighted", 0.1)],
)
def test_it_holds_for_every_strategy_in_its_own_measure(tmp_path: Path, name: str, lowest: float) -> None:
    """What is fetched was worth as much when it was mentioned; nothing below is."""
    text, _, param = name.partition(":")
    params = dict([param.split("=")]) if param else {}
    choice = StrategyChoice(text, params, min_priority=lowest)
    crawled(tmp_path / "c", choice, 99)
    low = rows(tmp_path / "c", "SELECT url, priority FROM candidates WHERE state = 5")
    assert all(priority < lowest for _, priority in low)
    fetched = rows(tmp_path / "c", "SELECT priority FROM candidates WHERE state = 2")
    assert len(fetched) >= 3
    for url, _ in low:
        assert f"is below min_priority = {lowest:g}" in explain(tmp_path / "c", url)


def test_a_bound_on_depth_is_one_on_the_priorities_of_breadth_first(tmp_path: Path) -> None:
    shallow = crawled(tmp_path / "c", StrategyChoice("bfs", min_priority=-1), 99)
    assert {name for name, state in shallow.items() if state == "fetched"} == {"", "hub", "good"}


def test_the_key_goes_into_the_settings_and_back() -> None:
    topic = Topic(query="solar cells", strategy=StrategyChoice("bfs", min_priority=-2.5))
    assert topic_from_json(topic_to_json(topic)).strategy == topic.strategy


mentions = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 8).map(float)), max_size=40)


@settings(max_examples=80, deadline=None)
@given(mentions, st.integers(0, 8))
def test_what_waits_is_what_had_a_high_priority_once(found: list[tuple[int, float]], lowest: int) -> None:
    """Each mention gives a URL its priority: literally, it waits from the first one on that is high enough."""
    frontier, known = Frontier(delay_s=0.0, lowest=float(lowest)), dict[int, int]()
    wait: set[int] = set()
    for number, priority in found:
        one = np.array([priority])
        if number not in known:
            url = f"http://h{number % 3}.test/{number}"
            ids = frontier.add([url], frontier.fingerprints([url]), depth=1, parent=0, priorities=one, now=0.0)
            known[number] = int(ids[0])
        else:
            ids = np.array([known[number]])
            frontier.update(ids, one, 0.0)
            frontier.rise(ids, 0.0)
        wait |= {number} if priority >= lowest else set()
        everything = np.array(sorted(known.values()), np.int64)
        assert set(everything[frontier.is_waiting(everything)].tolist()) == {known[number] for number in wait}
        assert frontier.waiting == len(wait) == sum(site.waiting for site in frontier.sites)
        assert frontier.priority(known[number]) == priority
