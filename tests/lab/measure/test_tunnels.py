"""The ways of crawls, and the tunnels on them, against the paper's definitions on random webs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import LabTopic, SeedSet, open_corpus
from dowse.lab.measure.link_graph import LinkGraph
from dowse.lab.measure.oracles import oracle_greedy, oracle_path
from dowse.lab.measure.run import NO_PATH, Ints, Run
from dowse.lab.measure.tunnels import ways
from dowse.lab.replay.corpus_web import CorpusWeb
from tests.lab.corpus.made import Page, write_warc
from tests.lab.measure.orders import bfs_order, random_order
from tests.lab.measure.test_link_graph import graphs, naive_distance


def lengths_of(graph: LinkGraph, seeds: Iterable[int], order: Ints) -> Ints:
    return ways(graph, seeds, order, np.zeros(len(graph), np.bool_), lambda *_: False).distance


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
    assert lengths_of(graph, seeds, np.array(order, np.int64)).tolist() == naive(graph, seeds, order)


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
        lengths = lengths_of(graph, seeds, order)
        assert (lengths >= shortest[order]).all()
        assert (lengths == 0).sum() == len(seeds)
    assert lengths.tolist() == shortest[orders[-1]].tolist()


def test_no_pages_and_no_seeds() -> None:
    graph = LinkGraph.of(2, [0], [1])
    assert lengths_of(graph, [0], np.zeros(0, np.int64)).tolist() == []
    assert lengths_of(graph, [], np.array([0, 1])).tolist() == [NO_PATH, NO_PATH]


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


# -- tunnels -----------------------------------------------------------------------------------------------------------


def way_to(graph: LinkGraph, seeds: list[int], order: list[int], page: int) -> list[int] | None:
    """From a seed to a page, over the page on which the crawl discovered each; None: there is none."""
    if page in seeds:
        return [page]
    for other in order[: order.index(page)]:
        if page in graph.links_of(other):
            before = way_to(graph, seeds, order, other)
            if before is not None:
                return [*before, page]
    return None


def tunnel_to(way: list[int], relevant: list[bool]) -> list[int]:
    """Definition 1: ``n_1, ..., n_k``, "web pages which have links but the whole irrelevant to the topic", with a link
    from ``n_k`` to ``p``."""
    chain: list[int] = []
    for page in reversed(way[:-1]):
        if relevant[page]:
            break
        chain.insert(0, page)
    return chain


def is_gray(chain: list[int], page: int, in_block: set[tuple[int, int]]) -> bool:
    """Definition 3: for each ``n_i`` and the next, the content block of the link between them is relevant."""
    ends = [*chain, page]
    return bool(chain) and all((ends[i], ends[i + 1]) in in_block for i in range(len(chain)))


@given(st.data(), graphs(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_tunnels_are_those_of_the_definitions(
    data: st.DataObject, graph: LinkGraph, dice: random.Random, count: int
) -> None:
    pages = list(range(len(graph)))
    relevant = data.draw(st.lists(st.booleans(), min_size=len(graph), max_size=len(graph)))
    links = sorted(set(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True)))
    in_block = data.draw(st.sets(st.sampled_from(links))) if links else set()
    seeds = pages[:count]
    dice.shuffle(pages)
    found = ways(
        graph, seeds, np.array(pages, np.int64), np.array(relevant), lambda source, target: (source, target) in in_block
    )
    for place, page in enumerate(pages):
        way = way_to(graph, seeds, pages, page)
        if way is None or page in seeds or not relevant[page]:
            assert (found.tunnel[place], found.gray[place]) == (NO_PATH, False)
        else:
            chain = tunnel_to(way, relevant)
            assert (found.tunnel[place], found.gray[place]) == (len(chain), is_gray(chain, page, in_block))


def test_a_tunnel_is_gray_by_the_blocks_of_its_links(tmp_path: Path) -> None:
    """Two chains of two pages lead from the home page: one over blocks on solar cells, the last link a redirect, and
    one whose second link stands among bread."""
    solar, bread = "<li>solar cells of perovskite", "<li>bread and soup for a rainy week and a long winter"

    def page(name: str, *lists: str) -> Page:
        blocks = "".join(f"<div><ul>{text}</ul></div>" for text in lists)
        text = f"<title>{name}</title><body><p>{'flour yeast salt water ' * 30}{name}</p><div>{blocks}</div>"
        return Page(f"http://a.test/{name}", text.encode())

    pages = [
        page("", f"{solar}<li><a href=g>g</a>", f"{bread}<li><a href=b>b</a>"),
        page("g", f"{solar}<li><a href=old>old</a>", f"{bread}<li><a href=/>home</a>"),
        page("b", f"{solar}<li><a href=/>home</a>", f"{bread}<li><a href=q>q</a>"),
        Page("http://a.test/old", status="301 Moved", headers=(("Location", "/p"),)),
        page("p", "<li>perovskite solar cells"), page("q", "<li>solar cells of perovskite"),
    ]  # fmt: skip
    write_warc(tmp_path / "x.warc.gz", pages)
    corpus = open_corpus(tmp_path, jobs=1)
    topic = LabTopic("solar", 0, "perovskite solar cells", (), frozenset((4, 5)), frozenset((4, 5)))
    plan = Plan(("bfs",), budget="99r", examples=0)
    runs = TopicRuns(corpus, CorpusWeb(corpus), plan, topic)
    seeds = SeedSet("near", 0, (0,), 2)
    for strategy in ("bfs", "tunnel:form=paper,alpha=1", "oracle-path"):
        run = runs.measured(seeds, strategy)
        assert sorted(run.tunnel[run.target].tolist()) == [2, 2], strategy
        assert run.gray[run.target].tolist().count(True) == 1
    result = runs.run(seeds, "bfs")
    assert (result["tunnels"], result["gray_tunnels"]) == ([2, 2], [2])
    assert runs.run(seeds, "knapsack")["tunnels"] == []


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"tunnel": [0, -2]}, "length of at least 0"),
        ({"tunnel": [1, -1], "relevant": [False, True]}, "to relevant pages only"),
        ({"tunnel": [0, -1], "gray": [True, False]}, "only a tunnel can be gray"),
    ],
)
def test_columns_that_are_no_tunnels_are_told(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Run.of(**{"relevant": [True, True], **columns})
