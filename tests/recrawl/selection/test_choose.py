"""Ways and choices on small made sites, against all there are."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.recrawl.crawled import CrawledPage
from dowse.recrawl.patterns.pattern import parse_pattern
from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.choose import Choice, choose_all, choose_by_cost, choose_sr
from dowse.recrawl.selection.site_graph import SiteGraph
from dowse.recrawl.selection.ways import Costs, ways_to

_PATTERNS = 4


@st.composite
def _sites(draw: st.DrawFn, host: str = "a", start: int = 0) -> list[CrawledPage]:
    """Pages ``/PATTERN/NUMBER``, the first of them an entry."""
    count = draw(st.integers(1, 7))
    urls = [f"http://{host}.example/{draw(st.integers(0, _PATTERNS - 1))}/{row}" for row in range(count)]
    return [
        CrawledPage(
            url,
            draw(st.integers(1, 9)),
            tuple(draw(st.lists(st.sampled_from(urls), max_size=3))),
            draw(st.frozensets(st.integers(start, start + 4), max_size=2)),
            row == 0,
        )
        for row, url in enumerate(urls)
    ]


def _graph(pages: list[CrawledPage]) -> SiteGraph:
    return SiteGraph([(page, int(page.url.split("/")[3])) for page in pages])


def _naively_reached(pages: list[CrawledPage], edges: set[tuple[int, int]]) -> set[str]:
    by_url = {page.url: page for page in pages}
    seen = {page.url for page in pages if page.is_entry}
    while True:
        more = {
            link
            for url in seen
            for link in by_url[url].links
            if (int(url.split("/")[3]), int(link.split("/")[3])) in edges
        }
        if more <= seen:
            return seen
        seen |= more


@given(_sites(), st.data())
def test_reached_is_what_a_walk_reaches(pages: list[CrawledPage], data: st.DataObject) -> None:
    graph = _graph(pages)
    edges = set(data.draw(st.lists(st.sampled_from(sorted(graph.edges))))) if graph.edges else set()
    reached = graph.reached(edges)
    assert {page.url for row, page in enumerate(graph.pages) if reached >> row & 1} == _naively_reached(pages, edges)


@given(_sites(), st.sets(st.integers(0, _PATTERNS - 1)))
def test_ways_reach_every_page_and_hold_no_edge_too_many(pages: list[CrawledPage], wanted: set[int]) -> None:
    graph = _graph(pages)
    ways = ways_to(graph, wanted)
    whole = _naively_reached(pages, graph.edges)
    needed = {url for url in whole if int(url.split("/")[3]) in wanted}
    assert needed <= _naively_reached(pages, ways)
    assert all(not needed <= _naively_reached(pages, ways - {edge}) for edge in ways)


def _atlas(pages: list[CrawledPage]) -> Atlas:
    hosts = {page.url.split("/")[2] for page in pages}
    texts = [f"http://{host}/{number}/{{int}}" for host in sorted(hosts) for number in range(_PATTERNS)]
    return Atlas(pages, list(map(parse_pattern, texts)))


@given(_sites("a"), _sites("b", 2), st.sampled_from([0.5, 0.9, 1.0]))
def test_enough_is_covered_where_it_can_be(
    first: list[CrawledPage], second: list[CrawledPage], coverage: float
) -> None:
    pages = [*first, *second]
    atlas = _atlas(pages)
    choice = choose_by_cost(atlas, coverage)
    reachable = set().union(
        *(
            page.objects
            for site in (first, second)
            for page in site
            if page.url in _naively_reached(site, _graph(site).edges)
        )
    )
    assert choice.objects >= coverage * len(reachable) - 1e-9
    assert choose_all(atlas).objects == choose_sr(atlas, 1).objects == len(reachable)


@settings(max_examples=40)
@given(_sites("a"))
def test_the_cost_aware_choice_is_seldom_far_from_the_best(pages: list[CrawledPage]) -> None:
    """Against all sets of edges: never cheaper than the cheapest that covers as much, and at most twice as dear."""
    atlas, graph = _atlas(pages), _graph(pages)
    choice = choose_by_cost(atlas, 1.0)
    if len(graph.edges) > 8 or not choice.edges:
        return
    sets = chain.from_iterable(combinations(sorted(graph.edges), size) for size in range(len(graph.edges) + 1))
    costs = []
    for edges in map(set, sets):
        reached = graph.reached(edges)
        if len(set().union(*graph.objects_of(reached))) >= choice.objects:
            costs.append(graph.bytes_of(reached))
    assert min(costs) <= choice.wire_bytes <= 2 * min(costs)


_LISTING = [
    CrawledPage("http://a.example/", 10, ("http://a.example/list", "http://a.example/e/1"), is_entry=True),
    CrawledPage("http://a.example/list", 20, ("http://a.example/e/1", "http://a.example/e/2", "http://a.example/e/3")),
    *(CrawledPage(f"http://a.example/e/{n}", 100, (), frozenset({n})) for n in (1, 2, 3)),
    CrawledPage("http://b.example/", 30, (), frozenset({1, 2, 3}), is_entry=True),
]
_TEXTS = [
    "http://a.example/", "http://a.example/list", "http://a.example/e/{int}", "http://b.example/",
]  # fmt: skip


def _known(choice: Choice) -> tuple[int, int]:
    return choice.objects, choice.wire_bytes


@pytest.mark.parametrize("coverage", [0.5, 1.0])
def test_a_page_that_states_all_is_cheaper_than_a_page_each(coverage: float) -> None:
    atlas = Atlas(_LISTING, list(map(parse_pattern, _TEXTS)))
    assert _known(choose_by_cost(atlas, coverage)) == (3, 30)
    assert _known(choose_all(atlas)) == (3, 360)


def test_the_way_leads_by_the_listing_not_by_the_front_page_alone() -> None:
    atlas = Atlas(_LISTING[:-1], list(map(parse_pattern, _TEXTS[:-1])))
    choice = choose_sr(atlas, 1)
    assert choice.edges == {"http://a.example": {(0, 1), (1, 2)}}
    assert (choice.object_bytes, choice.way_bytes) == (300, 30)


def test_the_cost_of_a_pattern_is_its_way_by_the_listing_as_far_as_that_is_not_fetched_anyway() -> None:
    costs = Costs(Atlas(_LISTING[:-1], list(map(parse_pattern, _TEXTS[:-1]))))
    assert (costs(2, ()), costs(2, (2,))) == (330, 0)
    more = [
        *_LISTING[:-1],
        CrawledPage("http://a.example/list/2", 7, ("http://a.example/f/1",)),
        CrawledPage("http://a.example/f/1", 40, (), frozenset({9})),
    ]
    more[1] = CrawledPage(more[1].url, more[1].wire_bytes, (*more[1].links, "http://a.example/list/2"))
    texts = [*_TEXTS[:-1], "http://a.example/list/{int}", "http://a.example/f/{int}"]
    costs = Costs(Atlas(more, list(map(parse_pattern, texts))))
    assert (costs(4, ()), costs(4, (2,))) == (77, 47)  # with the front page and the listing, or without


def test_what_is_more_than_enough_is_traded_for_bytes() -> None:
    """One of five events is behind a dear page: four are enough."""
    first = "http://a.example/e/"
    pages = [
        CrawledPage("http://a.example/", 10, ("http://a.example/list", "http://a.example/more"), is_entry=True),
        CrawledPage("http://a.example/list", 20, tuple(f"{first}{n}" for n in range(4))),
        CrawledPage("http://a.example/more", 200, (f"{first}4",)),
        *(CrawledPage(f"{first}{n}", 100, (), frozenset({n})) for n in range(5)),
    ]
    atlas = Atlas(pages, [parse_pattern(text) for text in (*_TEXTS[:-1], "http://a.example/more")])
    assert _known(choose_by_cost(atlas, 0.8)) == (4, 430)
    assert _known(choose_by_cost(atlas, 1.0)) == (5, 730)


def test_the_cheaper_of_both_ways_to_choose_is_kept() -> None:
    """By objects a byte, b comes first, and then c is needed; by objects, a alone is enough."""
    stated = {"a": (9, {1, 2, 3, 4}), "b": (6, {1, 2, 3}), "c": (6, {4, 5})}
    pages = [
        CrawledPage(f"http://{host}.example/", size, (), frozenset(objects), True)
        for host, (size, objects) in stated.items()
    ]
    atlas = Atlas(pages, [parse_pattern(page.url) for page in pages])
    assert _known(choose_by_cost(atlas, 0.8)) == (4, 9)
    assert _known(choose_by_cost(atlas, 1.0)) == (5, 12)
    assert _known(choose_by_cost(atlas, 1.0, budget=9)) == (4, 9)
