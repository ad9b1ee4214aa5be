"""A crawl that is led by people: to pages that no page links to, within the same bounds as any other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.cli.why import explain
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.assembly.learned import (
    learned_from,
    statistics_of_crawl,
    unrecognised,
    write_statistics,
)
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.budget import Budget
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Scope, StrategyChoice
from dowse.predict import build_strategy
from dowse.predict.learning import KeepsStatistics, Statistics
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.statistics import Sums
from dowse.store import CrawlReader
from dowse.traces import Pages, UserKey, import_logs, load_traces
from tests.engine.servers import crawl_all, page, topic_for

ISLANDS = 12
LOG = "{at}.0 18 {user} TCP_MISS/200 4111 GET {url} - HIER_DIRECT/192.0.2.1 text/html\n"


def _web() -> Web:
    """A page that links to one other; and islands that nobody links to, one in three of them about bread."""
    resources = {"/": page("start", "solar", ["/linked"]), "/linked": page("linked", "solar", [])}
    resources |= {f"/i{n}": page(f"island{n}", "solar" if n % 3 else "bread", []) for n in range(ISLANDS)}
    hidden = {"/robots.txt": Resource(b"User-agent: *\nDisallow: /\n", "text/plain"),
              "/": page("hidden", "solar", [])}  # fmt: skip
    return Web.of(Site("a.test", resources), Site("no.test", hidden), Site("far.test", {"/": page("far", "solar", [])}))


def _traces(folder: Path) -> Path:
    """People who came from the start to islands; and to a host that forbids it, to one out of scope, and to a trap."""
    rows = []
    for user in range(6):
        read = ["http://a.test/", *(f"http://a.test/i{n}" for n in range(ISLANDS) if n % 2 == user % 2)]
        read[1:1] = ["http://no.test/", "http://far.test/", "http://a.test/x/x/x/x/x/x/x/x"][user % 3 :][:1]
        rows += [LOG.format(at=1_700_000_000 + 20 * step, user=f"10.0.0.{user}", url=url) for step, url in
                 enumerate(read)]  # fmt: skip
    (folder / "log").write_text("".join(rows))
    import_logs([folder / "log"], folder / "traces", UserKey(b"k" * 32), Pages(), lambda *_: None)
    return folder / "traces"


def _crawled(folder: Path, choice: StrategyChoice, pages: int, then: int = 0) -> Path:
    async def run() -> None:
        async with LoopbackServer(_web()) as server:
            scope = Scope(reach="any", exclude_hosts=("far.test",))
            topic = topic_for(
                server.address, ["http://a.test/"], strategy=choice, budget=Budget(pages=pages), scope=scope
            )
            await crawl_all(topic, folder)
            if then:
                await crawl_all(replace(read_settings(folder), budget=Budget(pages=then)), folder, resume=True)

    asyncio.run(run())
    return folder


def _order(folder: Path) -> list[str]:
    with CrawlReader(folder) as crawl:
        return [view.url for view in crawl.judged_pages()]


@pytest.mark.parametrize(
    ("name", "form"),
    [("traces", "robust"), ("traces", "paper"), ("combined", "robust"), ("combined", "paper"), ("learning", "robust")],
)
def test_people_lead_to_pages_that_nobody_links_to(tmp_path: Path, name: str, form: str) -> None:
    choice = StrategyChoice(name, {"form": form}, traces=str(_traces(tmp_path)))
    folder = _crawled(tmp_path / "crawl", choice, pages=100)
    fetched = _order(folder)
    assert set(fetched) == {"http://a.test/", "http://a.test/linked", *(f"http://a.test/i{n}" for n in range(ISLANDS))}
    if name == "traces":
        assert fetched[-1] == "http://a.test/linked", "nobody went there"
    with CrawlReader(folder) as crawl:
        island = crawl.candidate("http://a.test/i2")
        assert island is not None
        assert island.parent is not None
        assert island.depth >= 1
        assert island.priority < 1e6
        assert crawl.parents(island.id) == []
        states = {url: state.shown for url, state in crawl.urls()}
        refused = {refusal.rule for refusal in crawl.refusals()}
    assert states["http://no.test/"] == "refused", "robots.txt holds"
    assert "http://far.test/" not in states, "scope holds"
    assert "http://a.test/x/x/x/x/x/x/x/x" not in states, "the rules against endless sites hold"
    assert {"excluded-host", "repeated-segments"} <= refused
    told = explain(folder, "http://a.test/i2")
    assert f"found: proposed by the strategy {name}, which was led here from a page that has no link to it:" in told
    assert "people who went there = 3" in told
    assert "10.0.0." not in told
    assert "found: 1 link from a seed, on" in explain(folder, "http://a.test/linked")


@pytest.mark.parametrize("name", ["traces", "combined", "learning"])
def test_a_stop_changes_nothing(tmp_path: Path, name: str) -> None:
    choice = StrategyChoice(name, traces=str(_traces(tmp_path)))
    whole = _crawled(tmp_path / "whole", choice, pages=9)
    stopped = _crawled(tmp_path / "stopped", choice, pages=4, then=9)
    assert _order(stopped) == _order(whole)
    waiting = next(url for url in (f"http://a.test/i{n}" for n in range(ISLANDS)) if url not in _order(whole))
    assert "people who went there = 3" in explain(whole, waiting)
    told = [explain(folder, waiting).split("its site:")[0] for folder in (stopped, whole)]
    assert told[0] == told[1]


def _met(fetched: list[str]) -> list[tuple[float, float]]:
    """Of each person of the log, how many of these pages he went to, and how many of those are not about bread."""
    counts = []
    for user in range(6):
        read = {"http://a.test/", *(f"http://a.test/i{n}" for n in range(ISLANDS) if n % 2 == user % 2)}
        met = [url for url in fetched if url in read]
        counts.append((float(len(met)), float(sum(not _bread(url) for url in met))))
    return sorted(counts)


def _bread(url: str) -> bool:
    return url.startswith("http://a.test/i") and int(url.removeprefix("http://a.test/i")) % 3 == 0


@pytest.mark.parametrize("name", ["traces", "combined", "learning"])
def test_who_was_met_is_known_again(tmp_path: Path, name: str) -> None:
    traces = _traces(tmp_path)
    key = load_traces(traces).key
    first = _crawled(tmp_path / "first", StrategyChoice(name, traces=str(traces)), pages=9)
    with CrawlReader(first) as crawl:
        found = statistics_of_crawl(crawl)
    readers = found.people[key]
    assert sorted(map(tuple, readers.users.sums.tolist())) == _met(_order(first))
    assert (readers.pages, found.pages) == (9, 9)
    write_statistics(found, tmp_path / "kept.json")
    assert learned_from([tmp_path / "kept.json"]) == found
    both = found.merged(found)
    assert (both.people[key].users.sums == 2 * readers.users.sums).all()

    again = _crawled(tmp_path / "again", StrategyChoice(name, traces=str(traces), learn_from=(str(first),)), pages=2)
    with CrawlReader(again) as crawl:
        after = statistics_of_crawl(crawl).people[key]
    counted = np.array(_met(_order(first))).sum(axis=0) + np.array(_met(_order(again))).sum(axis=0)
    assert after.users.sums.sum(axis=0).tolist() == counted.tolist()
    assert after.pages == 11


def test_nobody_is_known_under_another_key(tmp_path: Path) -> None:
    traces = load_traces(_traces(tmp_path))
    users = Sums(traces.users[:3], np.ones((3, 2)))
    assert unrecognised(Statistics(people={traces.key: Readers(1, 1, users)}), traces) is None
    assert unrecognised(None, traces) is None
    assert unrecognised(Statistics(), None) is None
    told = unrecognised(Statistics(people={"other": Readers(1, 1, users)}), traces)
    assert told is not None
    assert "under another key" in told
    assert "says nothing of people" in str(unrecognised(Statistics(), traces))
    strategy = build_strategy(
        StrategyChoice("traces"), seed_number=1, traces=traces,
        before=Statistics(people={"other": Readers(1, 1, users)}),
    )  # fmt: skip
    assert isinstance(strategy, KeepsStatistics)
    kept = strategy.statistics().people
    assert len(kept[traces.key].users) == 0
    assert len(kept["other"].users) == 3, "it is handed on"


def test_statistics_of_a_crawl_are_of_the_traces_that_it_went_by(tmp_path: Path) -> None:
    traces = _traces(tmp_path)
    crawl = _crawled(tmp_path / "crawl", StrategyChoice("traces", traces=str(traces)), pages=4)
    (tmp_path / "log").write_text(LOG.format(at=1_700_000_000, user="10.0.0.9", url="http://a.test/"))
    import_logs([tmp_path / "log"], traces, UserKey(b"k" * 32), Pages(), lambda *_: None, force=True)
    with CrawlReader(crawl) as reader, pytest.raises(TopicError, match="did not go by the traces that are in"):
        statistics_of_crawl(reader)


def test_what_is_missing_is_told_before_anything_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="name some with --traces"):
        _crawled(tmp_path / "one", StrategyChoice("traces"), pages=3)
    with pytest.raises(UserError, match="holds no traces"):
        _crawled(tmp_path / "two", StrategyChoice("traces", traces=str(tmp_path)), pages=3)
