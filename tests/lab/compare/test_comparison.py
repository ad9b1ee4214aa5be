from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dowse.lab.compare.comparison import compare, fitting_labels
from dowse.lab.compare.each_topic import topic_and_seeds
from dowse.lab.compare.plan import REFERENCES, Plan
from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.topic_runs import TopicRuns, crawl_run
from dowse.lab.corpus import Corpus, Digests, LabTopic, Unfit, make_seeds, make_topic, open_corpus
from dowse.lab.measure.link_graph import LinkGraph
from dowse.lab.measure.run import Request
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.lab.replay.recorded_transport import Exchange
from dowse.lab.replay.replay import replay
from dowse.model.errors import UserError
from dowse.model.http import Response
from dowse.model.page import Digest
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.best_first import BestFirst
from tests.lab.compare.webs import PAGES, write_labelled
from tests.lab.measure.orders import bfs_order

PLAN = Plan(("best-first",), budget="50%", seed_sets=2, seeds=2, examples=4, min_pages=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return open_corpus(folder, jobs=1)


def by_strategy(runs: list[RunResult]) -> dict[str, float]:
    names = {run["strategy"] for run in runs}
    return {name: float(np.mean([run["auc"] for run in runs if run["strategy"] == name])) for name in names}


def test_a_comparison_ranks_strategies_as_they_deserve(folder: Path, corpus: Corpus) -> None:
    assert fitting_labels(corpus, PLAN) == ["bread", "solar cells"]
    told: list[tuple[int, int]] = []
    found = compare(folder, PLAN, ["solar cells"], told=lambda done, total: told.append((done, total)))
    assert told == [(1, 1)]
    assert found.unfit == []
    assert {run["strategy"] for run in found.runs} == {"best-first", *REFERENCES}
    area = by_strategy(found.runs)
    assert area["knapsack"] >= area["oracle-path"] >= area["best-first"] > area["random"]
    for run in found.runs:
        assert run["budget_requests"] == PAGES // 2
        assert run["requests"] <= PAGES // 2
        assert run["targets"] == PAGES // 3 - 4
    assert json.loads(json.dumps(found.runs)) == found.runs


def test_what_was_run_is_kept_and_other_processes_find_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compare(folder, PLAN, ["solar cells", "bread"])
    fresh = compare(folder, PLAN, ["solar cells", "bread"], jobs=2, keep=False)
    assert fresh.runs == first.runs

    def never(*_: object) -> None:
        raise AssertionError("it was run again")

    monkeypatch.setattr(TopicRuns, "run", never)
    assert compare(folder, PLAN, ["solar cells", "bread"]).runs == first.runs
    with pytest.raises(AssertionError, match="run again"):
        compare(folder, Plan(("best-first",), budget="51%", seed_sets=2, seeds=2, examples=4, min_pages=20), ["bread"])


class OtherHands:
    """A thread, which stands for many machines."""

    places = 5

    @contextmanager
    def pool(self, died: str) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(1) as pool:
            yield pool


def test_strategies_of_a_topic_may_be_run_apart(folder: Path) -> None:
    """Where there are more hands than topics; the table is the same, and so is what is told."""
    plan = replace(PLAN, strategies=("best-first", "dfs"))
    told: list[tuple[int, int]] = []
    labels = ["bread", "rare", "solar cells"]
    apart = compare(folder, plan, labels, keep=False, hands=OtherHands(), told=lambda *at: told.append(at))
    assert apart == compare(folder, plan, labels, keep=False)
    assert (told[0], told[-1]) == ((0, 3), (3, 3))


def test_labels_that_cannot_take_part(folder: Path) -> None:
    found = compare(folder, PLAN, ["rare"])
    assert found.runs == []
    assert "20 are asked for" in found.unfit[0].reason
    with pytest.raises(UserError, match="has the label 'none'"):
        compare(folder, PLAN, ["none"])
    with pytest.raises(UserError, match="no label takes part"):
        compare(folder, PLAN, [])


def solar(corpus: Corpus) -> LabTopic:
    topic = make_topic(corpus, "solar cells", examples=4, min_pages=20)
    assert isinstance(topic, LabTopic)
    return topic


def test_the_engine_goes_breadth_first_as_the_graph_does(corpus: Corpus) -> None:
    """With one host and nothing refused, the engine's order is that of a plain search over the links."""
    topic = solar(corpus)
    plan = Plan(("bfs",), budget="1000r", seed_sets=1, seeds=1, examples=4, min_pages=20, inside=True)
    seeds = make_seeds(corpus, topic, "near", sets=1, pages=1)
    assert isinstance(seeds, tuple)
    replayed = TopicRuns(corpus, CorpusWeb(corpus), plan, topic).replay(seeds[0], "bfs")
    visited = [exchange.page for exchange in replayed.exchanges if exchange.is_page]
    links = page_order(corpus)
    assert visited == bfs_order(links, seeds[0].pages).tolist()
    assert str(replayed.stop) == "empty: no URL is left to fetch"


def page_order(corpus: Corpus) -> LinkGraph:
    """The links in the order of their pages, which the graph of a corpus does not keep."""
    columns = corpus.pages.columns
    rows = [columns["targets"][corpus.pages.bounds("row_ends", page)] for page in range(len(corpus))]
    urls = corpus.pages.strings["urls"]
    links = [
        (page, target)
        for page, own in enumerate(rows)
        for target in (corpus.number(urls[int(number)]) for number in own)
        if target is not None
    ]
    return LinkGraph.of(len(corpus), [source for source, _ in links], [target for _, target in links])


def test_links_that_leave_are_charged_unless_told_otherwise(corpus: Corpus) -> None:
    topic = solar(corpus)
    seeds = make_seeds(corpus, topic, "near", sets=1)
    assert isinstance(seeds, tuple)
    results = {}
    for inside in (False, True):
        plan = Plan(("bfs",), budget="1000r", examples=4, min_pages=20, inside=inside)
        results[inside] = TopicRuns(corpus, CorpusWeb(corpus), plan, topic).run(seeds[0], "bfs")
    assert results[False]["without_page"] == {"robots": 2, "missing": 1}
    assert results[True]["without_page"] == {"robots": 1}
    assert results[False]["recall"] == results[True]["recall"] == 1.0


def test_a_run_has_what_ended_in_that_order_and_counts_a_page_once() -> None:
    relevant: NDArray[np.bool_] = np.array([True, False, True])
    exchanges = [
        Exchange("http://w.test/robots.txt", -1, 404, False, 10, 0.0, 0.1),
        Exchange("http://w.test/slow", 0, 200, True, 20, 0.1, 9.0),
        Exchange("http://w.test/quick", 2, 200, True, 30, 0.1, 1.0),
        Exchange("http://w.test/quick", 2, 200, True, 30, 1.0, 2.0),
        Exchange("http://w.test/moved", 1, 301, False, 0, 2.0, 3.0),
        Exchange("http://w.test/broken", 1, 500, False, 0, 3.0, 4.0),
        Exchange("http://away.test/", -1, 404, False, 1, 4.0, 5.0),
    ]
    run = crawl_run(exchanges, relevant, relevant)
    assert run.brought.tolist() == [
        Request.ROBOTS, Request.PAGE, Request.PAGE, Request.REDIRECT, Request.ERROR, Request.MISSING, Request.PAGE,
    ]  # fmt: skip
    assert run.relevant.tolist() == [False, True, False, False, False, False, True]
    assert run.wire_bytes.sum() == 91


class Cheat(BestFirst):
    """A strategy that takes everything it can lay its hands on: whatever its arguments lead to, however far."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        reached: dict[int, object] = {}
        ahead: list[object] = [page, links]
        while ahead:
            thing = ahead.pop()
            if id(thing) in reached or isinstance(thing, type):
                continue
            reached[id(thing)] = thing
            ahead += gc.get_referents(thing)
        secrets = (Corpus, CorpusWeb, Digests, Digest, Response, str)
        self.found |= {type(thing).__name__ for thing in reached.values() if isinstance(thing, secrets)}
        return super().rank(page, links)


def test_a_strategy_cannot_reach_what_was_not_paid_for(corpus: Corpus) -> None:
    topic = solar(corpus)
    seeds = make_seeds(corpus, topic, "near", sets=1)
    assert isinstance(seeds, tuple)
    runs = TopicRuns(corpus, CorpusWeb(corpus), PLAN, topic)
    cheat = Cheat()
    told = runs.topic_for(seeds[0], "best-first")
    cheated = replay(runs.web, runs.workers, told, runs.scope, strategy=cheat)
    assert cheat.found == set()  # neither the corpus, nor a page, nor so much as a URL
    assert cheated.exchanges == runs.replay(seeds[0], "best-first").exchanges


def test_by_query_the_crawler_knows_nothing_of_the_examples(corpus: Corpus) -> None:
    topic = solar(corpus)
    seeds = make_seeds(corpus, topic, "near", sets=1)
    assert isinstance(seeds, tuple)
    told = TopicRuns(corpus, CorpusWeb(corpus), replace(PLAN, by_query=True), topic).topic_for(seeds[0], "bfs")
    assert told.examples == ()
    assert told.query == "solar cells"
    assert len(TopicRuns(corpus, CorpusWeb(corpus), PLAN, topic).topic_for(seeds[0], "bfs").examples) == 4


def test_a_label_without_a_word_to_look_for_is_left_out_by_query(corpus: Corpus) -> None:
    corpus.labels.pages["!?"] = corpus.labels.pages["bread"]
    try:
        found = topic_and_seeds(corpus, replace(PLAN, by_query=True), "!?")
    finally:
        del corpus.labels.pages["!?"]
    assert isinstance(found, Unfit)
    assert "no word to look for" in found.reason
