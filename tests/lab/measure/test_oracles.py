from __future__ import annotations

from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.measure.link_graph import UNREACHED, LinkGraph
from dowse.lab.measure.metrics import recall_steps, relative_efficiency, value_by_cost
from dowse.lab.measure.oracles import knapsack_bound, oracle_greedy, oracle_path, order_run
from tests.lab.measure.orders import bfs_order
from tests.lab.measure.test_link_graph import graphs, naive_distance

GRADES = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0])
COSTS = st.sampled_from([0.0, 1.0, 1.0, 2.0])


@st.composite
def webs(draw: st.DrawFn, most: int = 12) -> tuple[LinkGraph, list[int], list[float], list[float]]:
    """A graph, seeds, and value and cost of each page."""
    graph = draw(graphs(most))
    seeds = draw(st.lists(st.integers(0, len(graph) - 1), min_size=1, max_size=3))
    value = draw(st.lists(GRADES, min_size=len(graph), max_size=len(graph)))
    cost = draw(st.lists(COSTS, min_size=len(graph), max_size=len(graph)))
    return graph, seeds, value, cost


def rate(value: float, cost: float) -> float:
    return value / cost if cost else (float("inf") if value else 0.0)


def naive_order(graph: LinkGraph, seeds: list[int], value: list[float], cost: list[float], *, path: bool) -> list[int]:
    """The definition: at each step all discovered URLs are looked at anew."""
    known = list(dict.fromkeys(seeds))
    order: list[int] = []
    distances = [naive_distance(graph, page) for page in range(len(graph))]

    def key(page: int) -> tuple[float, ...]:
        hidden = [other for other in range(len(graph)) if value[other] > 0 and other not in known]
        if not path or value[page] > 0:
            return -rate(value[page], cost[page]), 0, 0, known.index(page)
        nearest = min((distances[page][other] for other in hidden), default=UNREACHED)
        linked = sum(distances[page][other] == 1 for other in hidden)
        return 0, nearest, -linked, known.index(page)

    while left := [page for page in known if page not in order]:
        page = min(left, key=key)
        order.append(page)
        known += [new for new in dict.fromkeys(graph.links_of(page).tolist()) if new not in known]
    return order


@given(webs())
def test_oracles_follow_their_definitions(web: tuple[LinkGraph, list[int], list[float], list[float]]) -> None:
    assert oracle_greedy(*web).tolist() == naive_order(*web, path=False)
    assert oracle_path(*web).tolist() == naive_order(*web, path=True)


@given(webs(most=40))
def test_orders_name_each_page_in_reach_once_and_after_a_page_that_links_to_it(
    web: tuple[LinkGraph, list[int], list[float], list[float]],
) -> None:
    graph, seeds, value, cost = web
    reach = {page for seed in seeds for page, far in enumerate(naive_distance(graph, seed)) if far < UNREACHED}
    for order in (oracle_greedy(*web), oracle_path(*web)):
        assert sorted(order.tolist()) == sorted(reach)
        known = set(seeds)
        for page in order.tolist():
            assert page in known
            known.update(graph.links_of(page).tolist())
    assert oracle_path(graph, seeds, value, cost, limit=3).tolist() == order[:3].tolist()


def test_the_path_oracle_finds_its_way_where_the_greedy_one_wanders() -> None:
    """The seed links to ten dead ends and, last, to a page that leads to all ten targets."""
    links = [(0, page) for page in range(1, 12)] + [(11, 12)] + [(12, page) for page in range(13, 23)]
    graph = LinkGraph.of(23, *zip(*links, strict=True))
    target = np.arange(23) >= 13
    path = order_run(oracle_path(graph, [0], target), target, target)
    greedy = order_run(oracle_greedy(graph, [0], target), target, target)
    assert np.flatnonzero(path.target).tolist() == list(range(3, 13))
    assert np.flatnonzero(greedy.target).tolist() == list(range(13, 23))
    assert recall_steps(path, 10).area(23) > 2 * recall_steps(greedy, 10).area(23)


def test_of_two_ways_the_one_to_more_targets() -> None:
    graph = LinkGraph.of(6, [0, 0, 1, 2, 2, 2], [1, 2, 3, 4, 5, 4])
    assert oracle_path(graph, [0], [0, 0, 0, 1, 1, 1]).tolist() == [0, 2, 4, 5, 1, 3]


def best_areas(graph: LinkGraph, seeds: list[int], target: list[bool]) -> float:
    """The largest area of all orders, by trying every set that can be crawled (dynamic programming over sets)."""
    everything = range(len(graph))
    best: dict[frozenset[int], int] = {frozenset(): 0}
    for size in range(len(graph)):
        for chosen in map(frozenset, combinations(everything, size)):
            if chosen not in best:
                continue
            known = set(seeds).union(*(graph.links_of(page).tolist() for page in chosen))
            for page in known - chosen:
                more = chosen | {page}
                area = best[chosen] + target[page] * (len(graph) - len(more))
                best[more] = max(best.get(more, 0), area)
    return max(best.values()) / len(graph) / max(1, sum(target))


@given(graphs(most=8), st.data())
def test_no_order_beats_the_best_and_the_path_oracle_comes_close(graph: LinkGraph, data: st.DataObject) -> None:
    target = data.draw(st.lists(st.booleans(), min_size=len(graph), max_size=len(graph)))
    mask = np.array(target)
    best = best_areas(graph, [0], target)
    areas = [
        recall_steps(order_run(order, mask, mask), max(1, sum(target))).area(len(graph))
        for order in (oracle_path(graph, [0], mask), oracle_greedy(graph, [0], mask), bfs_order(graph, [0]))
    ]
    assert max(areas) <= best + 1e-9
    assert areas[0] >= 0.8 * best  # the path is a heuristic, but no poor one


# -- the bound ---------------------------------------------------------------------------------------------------------


@given(webs(), st.lists(st.integers(0, 12), min_size=1, max_size=4))
def test_the_bound_is_the_best_part_of_pages_for_the_money(
    web: tuple[LinkGraph, list[int], list[float], list[float]], budgets: list[int]
) -> None:
    graph, seeds, value, cost = web
    bound = knapsack_bound(value, cost).at(budgets)
    for budget, most in zip(budgets, bound.tolist(), strict=True):
        left, naive = float(budget), 0.0
        for page in sorted(range(len(graph)), key=lambda page: -rate(value[page], cost[page])):
            share = 1.0 if cost[page] == 0 else min(1.0, left / cost[page])
            left, naive = left - share * cost[page], naive + share * value[page]
        assert most == pytest.approx(naive)
    none = np.zeros(len(graph), np.bool_)
    for order in (oracle_path(*web), bfs_order(graph, seeds)):
        run = order_run(order, none, none, value=value, cost=cost)
        assert (value_by_cost(run, budgets) <= bound + 1e-9).all()
        efficiency = relative_efficiency(run, budgets, bound)
        assert (np.isnan(efficiency) == (bound == 0)).all()


def test_a_bound_without_pages() -> None:
    assert knapsack_bound([], []).at([0, 5]).tolist() == [0, 0]
    assert knapsack_bound([3.0], [0.0]).at([0, 5]).tolist() == [3, 3]


def test_wrong_columns_are_told() -> None:
    with pytest.raises(ValueError, match="each of the 2 pages"):
        oracle_greedy(LinkGraph.of(2, [0], [1]), [0], [1.0])


def test_thousands_of_pages_take_a_moment() -> None:
    dice = np.random.default_rng(3)
    pages, links = 5_000, 40_000
    graph = LinkGraph.of(pages, dice.integers(0, pages, links), dice.integers(0, pages, links))
    target = dice.random(pages) < 0.02
    start = process_time()
    order = oracle_path(graph, [0, 1, 2], target)
    assert process_time() - start < 1  # about a twentieth of it alone on a machine
    assert len(order) > 4_900
