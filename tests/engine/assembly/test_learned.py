"""A crawl that starts from what another has learned."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.assembly.learned import LEARNED, kept_learned, learned_from, statistics_of_crawl, write_statistics
from dowse.loopback import LoopbackServer, Web
from dowse.model.budget import Budget
from dowse.model.errors import NotACrawl, TopicError
from dowse.model.topic import StrategyChoice
from dowse.predict.learning import Statistics, read_statistics
from dowse.store import CrawlReader, CrawlStore
from tests.engine.servers import chain, crawl_all, topic_for

LEARNING = StrategyChoice("learning")
WEB = Web.of(*(chain(host, 20) for host in ("a.test", "b.test", "c.test")))


def crawled(folder: Path, seed: str, strategy: StrategyChoice, pages: int = 15, *, then: int = 0) -> Path:
    """A crawl, and perhaps its resume with a larger budget."""

    async def run() -> None:
        async with LoopbackServer(WEB) as server:
            topic = topic_for(server.address, [seed], strategy=strategy, budget=Budget(pages=pages))
            await crawl_all(topic, folder)

    asyncio.run(run())
    if then:
        goes_on(folder, then)
    return folder


def goes_on(folder: Path, pages: int) -> None:
    async def run() -> None:
        async with LoopbackServer(WEB) as server:
            resolve = topic_for(server.address, []).network.resolve
            topic = read_settings(folder)
            network = replace(topic.network, resolve=resolve)
            await crawl_all(replace(topic, budget=Budget(pages=pages), network=network), folder, resume=True)

    asyncio.run(run())


def of(folder: Path) -> Statistics:
    with CrawlReader(folder) as crawl:
        return statistics_of_crawl(crawl)


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("crawls") / "earlier", "http://a.test/0", LEARNING)


def test_statistics_come_from_the_records(earlier: Path) -> None:
    found = of(earlier)
    assert found.pages == 15
    assert set(found.hosts) == {"a.test"}
    assert 0 < found.value < 15
    assert len(found.words) > 40
    assert sum(mix.examples for mix in found.mixes.values()) == 14


def test_a_crawl_starts_from_them_and_keeps_a_copy(earlier: Path, tmp_path: Path) -> None:
    gone = shutil.copytree(earlier, tmp_path / "gone")
    later = crawled(tmp_path / "later", "http://b.test/0", replace(LEARNING, learn_from=(str(gone),)), 6)
    assert kept_learned(later) == of(gone)
    shutil.rmtree(gone)
    found = of(later)
    assert found.pages == 6 + 15
    assert set(found.hosts) == {"a.test", "b.test"}


def test_a_resume_does_not_depend_on_where_it_came_from(earlier: Path, tmp_path: Path) -> None:
    file = tmp_path / "statistics.json.gz"
    write_statistics(of(earlier), file)
    choice = replace(LEARNING, learn_from=(str(file),))
    whole = crawled(tmp_path / "whole", "http://b.test/0", choice, 12)
    halves = crawled(tmp_path / "halves", "http://b.test/0", choice, 5, then=12)
    assert replace(of(halves), crawls={}) == replace(of(whole), crawls={})


@pytest.mark.parametrize("params", [{"form": "paper"}, {"combine": "logs"}])
def test_interest_ratios_start_from_those_of_their_own_form(tmp_path: Path, params: dict[str, str]) -> None:
    """Content, tokens and links: what an earlier crawl counted goes into the next, over a file and over a resume."""
    choice = StrategyChoice("learning", params)
    [form] = params.values()
    first = of(crawled(tmp_path / "first", "http://a.test/0", choice, 12))
    events = first.events[form]
    assert (first.pages, events.pages) == (12, 12)
    assert len(events.words) > 40
    assert len(events.tokens) > 10
    assert sum(events.pairs) >= 11, "each page but the seed is linked to by one at least"
    assert set(first.hosts) == {"a.test"}
    file = tmp_path / "first.json.gz"
    write_statistics(first, file)
    assert read_statistics(file) == first
    later = replace(choice, learn_from=(str(file),))
    whole = crawled(tmp_path / "whole", "http://b.test/0", later, 12)
    file.unlink()
    found = of(whole)
    assert (found.pages, found.events[form].pages) == (24, 24)
    assert set(found.hosts) == {"a.test", "b.test"}
    write_statistics(first, file)
    halves = crawled(tmp_path / "halves", "http://b.test/0", later, 5, then=12)
    assert replace(of(halves), crawls={}) == replace(found, crawls={})
    with pytest.raises(TopicError, match="choose that form"):
        crawled(tmp_path / "other", "http://b.test/0", replace(LEARNING, learn_from=(str(file),)), 3)


def test_several_are_merged(earlier: Path, tmp_path: Path) -> None:
    assert learned_from([]) is None
    other = crawled(tmp_path / "other", "http://b.test/0", LEARNING, 6)
    both = learned_from([earlier, str(other)])
    assert both is not None
    assert both.pages == 21
    assert [crawl.pages for crawl in sorted(both.crawls.values())] == [6, 15]
    write_statistics(both, tmp_path / "both.json")
    assert read_statistics(tmp_path / "both.json") == both


def test_no_page_counts_twice(earlier: Path, tmp_path: Path) -> None:
    """However it comes in again: as it was, as it went on, or as a part of something else."""
    growing = crawled(tmp_path / "growing", "http://b.test/0", LEARNING, 4)
    third = crawled(tmp_path / "third", "http://c.test/0", LEARNING, 4)
    saved = {name: tmp_path / f"{name}.json" for name in ("before", "two", "others")}
    write_statistics(of(growing), saved["before"])
    write_statistics(of(earlier).merged(of(growing)), saved["two"])
    write_statistics(of(growing).merged(of(third)), saved["others"])
    goes_on(growing, 9)
    copy = shutil.copytree(growing, tmp_path / "copy")
    with CrawlStore.open(copy) as store:
        store.name_anew()
    heir = crawled(tmp_path / "heir", "http://c.test/0", replace(LEARNING, learn_from=(str(earlier),)), 3)
    for sources, left_out in (
        ([growing, saved["before"]], saved["before"]),
        ([saved["before"], growing], saved["before"]), ([saved["two"], earlier], earlier),
        ([growing, saved["two"]], growing), ([heir, earlier], earlier),
        ([growing, copy], copy),
    ):  # fmt: skip
        with pytest.raises(TopicError, match=f"would count twice: leave out {left_out}$"):
            learned_from(sources)
    with pytest.raises(TopicError, match="is named twice, and its pages would count twice: name it once"):
        learned_from([earlier, f"{earlier}/../{earlier.name}"])
    with pytest.raises(TopicError, match="nothing takes them apart again, so merge what they were made of"):
        learned_from([saved["two"], saved["others"]])
    with pytest.raises(TopicError, match="would count twice"):
        crawled(tmp_path / "none", "http://b.test/0", replace(LEARNING, learn_from=(str(heir), str(earlier))), 3)


def test_what_cannot_be_learned_from(tmp_path: Path) -> None:
    other = crawled(tmp_path / "other", "http://a.test/0", StrategyChoice("best-first"), 3)
    with pytest.raises(TopicError, match="its strategy was best-first: statistics are kept by crawls with"):
        learned_from([other])
    with pytest.raises(NotACrawl):
        learned_from([tmp_path])
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(TopicError, match="holds no statistics"):
        learned_from([tmp_path / "notes.txt"])
    assert kept_learned(other) is None
    assert not (other / LEARNED).exists()
