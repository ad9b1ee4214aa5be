from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.measure.link_graph import UNREACHED, LinkGraph


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
