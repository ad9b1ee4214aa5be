from __future__ import annotations

import random
from collections import deque
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import LabTopic, SeedSet, open_corpus
from dowse.lab.measure.link_graph import UNREACHED, LinkGraph, path_lengths
from dowse.lab.measure.oracles import oracle_greedy, oracle_path
from dowse.lab.measure.run import NO_PATH
from dowse.lab.replay.corpus_web import CorpusWeb
from tests.lab.corpus.made import Page, write_warc
from tests.lab.measure.orders import bfs_order, random_order


@st.composite
def graphs(draw: st.DrawFn, most: int = 12) -> LinkGraph:
    pages = draw(st.integers(1, most))
    number = st.integers(0, pages - 1)
    links = draw(st.lists(st.tuples(number, number), max_size=3 * most))
    return LinkGraph.of(pages, [source for source, _ in links], [target for _, target in links])


def naive_distance(graph: LinkGraph, start: int) -> list[int]:
    distance = {start: 0}
    queue = deque([start])
    while queue:
        page = queue.popleft()
        for target in graph.links_of(page).tolist():
            if target not in distance:
                distance[target] = distance[page] + 1
                queue.append(target)
    return [distance.get(page, UNREACHED) for page in range(len(graph))]


def test_links_keep_their_order() -> None:
    graph = LinkGraph.of(3, [2, 0, 2, 0, 2], [1, 2, 0, 1, 1])
    assert [graph.links_of(page).tolist() for page in range(3)] == [[2, 1], [], [1, 0, 1]]
    assert [graph.reversed().links_of(page).tolist() for page in range(3)] == [[2], [0, 2, 2], [0]]
    assert graph.distinct().links_of(2).tolist() == [0, 1]
    assert len(LinkGraph.of(0, [], [])) == 0
    assert len(LinkGraph.of(0, [], []).distinct().reversed()) == 0


@given(graphs(), st.sets(st.integers(0, 11)))
def test_distances_are_those_of_the_nearest_start(graph: LinkGraph, starts: set[int]) -> None:
    starts = {start for start in starts if start < len(graph)}
    distance, nearest = graph.nearest(sorted(starts))
    single = {start: naive_distance(graph, start) for start in starts}
    for page in range(len(graph)):
        assert distance[page] == min((single[start][page] for start in starts), default=UNREACHED)
        if distance[page] < UNREACHED:
            assert single[int(nearest[page])][page] == distance[page]
        else:
            assert nearest[page] == -1


@given(graphs(), st.sets(st.integers(0, 11)))
def test_what_leads_there_and_what_leads_back(graph: LinkGraph, pages: set[int]) -> None:
    pages = {page for page in pages if page < len(graph)}
    away = [naive_distance(graph, page) for page in range(len(graph))]  # away[a][b]: from a to b
    forward = [min((away[page][other] for page in pages), default=UNREACHED) for other in range(len(graph))]
    assert graph.distances(pages).tolist() == forward
    assert graph.reachable(pages).tolist() == [distance < UNREACHED for distance in forward]
    assert graph.distances_to(pages).tolist() == [min((own[page] for page in pages), default=UNREACHED) for own in away]
    core = np.flatnonzero(graph.core()).tolist()
    assert core
    assert all(away[page][other] < UNREACHED for page in core for other in core)


@given(graphs())
def test_backward_twice_is_the_same(graph: LinkGraph) -> None:
    def links(one: LinkGraph) -> list[tuple[int, int]]:
        return sorted(zip(one.sources().tolist(), one.targets.tolist(), strict=True))

    assert links(graph.reversed().reversed()) == links(graph)
    assert links(graph.reversed()) == sorted((b, a) for a, b in links(graph))
    assert links(graph.distinct()) == sorted(set(links(graph)))
    assert np.diff(graph.starts).sum() == len(graph.targets)


def naive(graph: LinkGraph, seeds: list[int], order: list[int]) -> list[int]:
    """By the definition: one more than the first page, of those fetched before, that links to it."""
    lengths: list[int] = []
    for place, page in enumerate(order):
        before = list(zip(order[:place], lengths, strict=True))
        leading = [length for other, length in before if length != NO_PATH and page in graph.links_of(other)]
        lengths.append(0 if page in seeds else 1 + leading[0] if leading else NO_PATH)
    return lengths


@given(graphs(), st.randoms(use_true_random=False), st.integers(0, 3))
def test_any_order_by_the_definition(graph: LinkGraph, dice: random.Random, count: int) -> None:
    pages = list(range(len(graph)))
    dice.shuffle(pages)
    seeds, order = pages[:count], pages[count // 2 :]  # seeds may come late, or not at all
    dice.shuffle(order)
    assert path_lengths(graph, seeds, np.array(order, np.int64)).tolist() == naive(graph, seeds, order)


@given(graphs(), st.sets(st.integers(0, 11), min_size=1, max_size=3), st.integers(0, 99))
def test_a_crawl_knows_a_way_to_every_page_and_breadth_first_the_shortest(
    graph: LinkGraph, starts: set[int], lot: int
) -> None:
    seeds = sorted({start % len(graph) for start in starts})
    value = np.arange(len(graph)) % 3 == 0
    shortest = np.min([naive_distance(graph, seed) for seed in seeds], axis=0)
    orders = [
        oracle_path(graph, seeds, value), oracle_greedy(graph, seeds, value),
        random_order(graph, seeds, np.random.default_rng(lot)), bfs_order(graph, seeds),
    ]  # fmt: skip
    for order in orders:
        lengths = path_lengths(graph, seeds, order)
        assert (lengths >= shortest[order]).all()
        assert (lengths == 0).sum() == len(seeds)
    assert lengths.tolist() == shortest[orders[-1]].tolist()


def test_no_pages_and_no_seeds() -> None:
    graph = LinkGraph.of(2, [0], [1])
    assert path_lengths(graph, [0], np.zeros(0, np.int64)).tolist() == []
    assert path_lengths(graph, [], np.array([0, 1])).tolist() == [NO_PATH, NO_PATH]


def test_a_redirect_adds_nothing_and_oracles_are_measured_alike(tmp_path: Path) -> None:
    """The way from the home page to d leads over two redirects and one page; the only way to e over d."""

    def page(name: str, body: str) -> Page:
        return Page(f"http://a.test/{name}", f"<title>{name}</title><p>solar cells {name} and more<p>{body}".encode())

    def moved(name: str, target: str) -> Page:
        return Page(f"http://a.test/{name}", status="301 Moved", headers=(("Location", target),))

    pages = [page("", "<a href=b>b</a> <a href=gone>g</a>"), page("b", "<a href=old>c</a>"), moved("old", "/older"),
             moved("older", "/d"), page("d", "<a href=e>e</a>"), page("e", "<a href=/>home</a>")]  # fmt: skip
    write_warc(tmp_path / "x.warc.gz", pages)
    corpus = open_corpus(tmp_path, jobs=1)
    targets = frozenset((1, 4, 5))
    topic = LabTopic("solar", 0, "solar cells", (0,), targets, targets | {0})
    runs = TopicRuns(corpus, CorpusWeb(corpus), Plan(("bfs",), budget="99r"), topic)
    seeds = SeedSet("near", 0, (0,), 3)
    for strategy in ("bfs", "best-first", "oracle-path", "oracle-greedy"):
        assert runs.run(seeds, strategy)["target_distances"] == [1, 2, 3], strategy
    assert runs.run(seeds, "bfs")["without_page"] == {"robots": 1, "redirect": 2, "missing": 1}
    assert runs.run(seeds, "knapsack")["target_distances"] is None
