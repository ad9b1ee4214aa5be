"""Tunnels and the field's references, against their definitions taken literally on random webs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Context
from dowse.model.strategy import IsWaiting, LinkView, SourcePage
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy
from tests.predict.webs import NAN, Link, Page, crawls, tell

D, DECAY = 2, 0.5
GAMMA, DELTA, BETA = 0.5, 0.5, 0.8


def choice(name: str, **params: object) -> StrategyChoice:
    return StrategyChoice(name, dict(params))


def told(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def is_relevant(page: Page) -> bool:
    return page.score > 0.5  # as in webs.tell


@settings(max_examples=60, deadline=None)
@given(crawls())
def test_the_papers_tunnel_is_the_best_block(crawl: list[Page]) -> None:
    strategy = build_strategy(choice("tunnel", form="paper"), seed_number=0)
    for fetched, priorities in tell(strategy, crawl):
        for h, priority in priorities.items():
            blocks = [
                told(link.similarity[Context.BLOCK]) for page in fetched for link in page.links if link.target == h
            ]
            assert priority == pytest.approx(max(blocks))
            explained = strategy.explain(h, priority)
            assert sum(value * weight for value, weight in explained.features.values()) == pytest.approx(priority)


@settings(max_examples=60, deadline=None)
@given(crawls())
def test_the_plain_maximum_is_that_of_anchor_block_and_page_over_all_mentions(crawl: list[Page]) -> None:
    strategy = build_strategy(choice("tunnel", form="max"), seed_number=0)
    for fetched, priorities in tell(strategy, crawl):
        for h, priority in priorities.items():
            worth = [
                max(told(link.similarity[Context.ANCHOR]), told(link.similarity[Context.BLOCK]), page.score)
                for page in fetched for link in page.links if link.target == h
            ]  # fmt: skip
            assert priority == pytest.approx(max(worth))
            explained = strategy.explain(h, priority)
            assert sum(value * weight for value, weight in explained.features.values()) == pytest.approx(priority)


@settings(max_examples=60, deadline=None)
@given(crawls())
def test_a_black_tunnel_goes_on_for_a_few_irrelevant_pages(crawl: list[Page]) -> None:
    strategy = build_strategy(choice("black-tunnel", d=D, decay=DECAY), seed_number=0)
    known: dict[int, tuple[float, int]] = {}
    done: set[int] = set()
    for fetched, priorities in tell(strategy, crawl):
        page = fetched[-1]
        best = page.score, 0
        if not is_relevant(page):
            value, steps = known.get(page.id, (0.0, 0))
            best = (max(page.score, DECAY * value) if steps < D else page.score), steps + 1
        done.add(page.id)
        for link in page.links:
            if link.target not in done and (link.target not in known or known[link.target][0] < best[0]):
                known[link.target] = best
        assert priorities == pytest.approx({h: known[h][0] for h in priorities})


def test_a_tunnel_ends() -> None:
    """A chain of worthless pages behind a good one: each is worth half the one before, and the last nothing."""
    chain = [Page(0, 0.8, 1, [Link(1, 1, [NAN] * len(Context))])]
    chain += [Page(n, 0.0, 1, [Link(n + 1, 1, [NAN] * len(Context))]) for n in range(1, 5)]
    strategy = build_strategy(choice("black-tunnel", d=3, decay=0.5), seed_number=0)
    found = [priorities[n + 1] for n, (_, priorities) in enumerate(tell(strategy, chain))]
    assert found == pytest.approx([0.8, 0.4, 0.2, 0.1, 0.0])


@settings(max_examples=60, deadline=None)
@given(crawls())
def test_shark_search_is_that_of_its_authors(crawl: list[Page]) -> None:
    strategy = build_strategy(choice("shark-search", gamma=GAMMA, delta=DELTA, beta=BETA, d=D), seed_number=0)
    known: dict[int, tuple[float, float, int]] = {}  # score, inherited, steps
    done: set[int] = set()
    for fetched, priorities in tell(strategy, crawl):
        page = fetched[-1]
        _, before, steps = known.get(page.id, (0.0, 0.0, 0))
        inherited = DELTA * (page.score if page.score > 0 else before)
        steps = 0 if is_relevant(page) else steps + 1
        done.add(page.id)
        for link in page.links:
            if link.target in done:
                continue
            anchor = told(link.anchor)
            context = 1.0 if anchor > 0 else told(link.paragraph)
            score = GAMMA * inherited + (1 - GAMMA) * (BETA * anchor + (1 - BETA) * context)
            found = (score if steps <= D else 0.0), inherited, steps
            if link.target not in known or known[link.target][0] < np.float32(found[0]) - 1e-7:
                known[link.target] = found
        assert priorities == pytest.approx({h: known[h][0] for h in priorities}, abs=1e-6)


# -- best-n-first ------------------------------------------------------------------------------------------------------


def literal_order(web: dict[int, Page], seeds: list[int], n: int) -> list[int]:
    """The ``n`` best of the frontier are fetched, then what they link to comes in; ties in order of discovery."""
    score: dict[int, float] = {}
    fetched = list(seeds)
    found = list(seeds)
    batch = list(seeds)
    while True:
        for id_ in batch:
            for link in web[id_].links:
                if link.target not in found:
                    found.append(link.target)
                score[link.target] = max(score.get(link.target, -1.0), web[id_].score)
        waiting = sorted((h for h in found if h not in fetched), key=lambda h: (-score[h], found.index(h)))
        batch = waiting[:n]
        if not batch:
            return fetched
        fetched += batch


def crawl_order(web: dict[int, Page], seeds: list[int], n: int) -> list[int]:
    """The same by the strategy, told of a page at a time."""
    strategy = build_strategy(choice("best-n-first", n=n), seed_number=0)
    priority: dict[int, float] = {}
    found = list(seeds)
    fetched: list[int] = []

    def is_waiting(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(ids, found) & ~np.isin(ids, fetched)

    while True:
        waiting = [h for h in found if h not in fetched]
        if not waiting:
            return fetched
        id_ = min(waiting, key=lambda h: (-priority.get(h, 1e9 - found.index(h)), found.index(h)))
        fetched.append(id_)
        page = web[id_]
        open_ = [link for link in page.links if link.target not in fetched and link.target not in seeds]
        found += [link.target for link in open_ if link.target not in found]
        ids = np.array([link.target for link in open_], np.int64)
        view = LinkView(
            ids, np.zeros_like(ids), np.ones_like(ids), np.ones(len(ids), np.float32),
            np.zeros((len(ids), len(Context)), np.float32), np.array([priority.get(int(h), np.nan) for h in ids]),
        )  # fmt: skip
        source = SourcePage(id_, 0, 0, len(fetched), page.score, is_relevant(page), page.n_links)
        priority.update(zip(ids.tolist(), strategy.rank(source, view).tolist(), strict=True))
        revised = strategy.revise(is_waiting)
        if revised is not None:
            priority.update(zip(*(column.tolist() for column in revised), strict=True))


@pytest.mark.parametrize("n", [1, 2, 3, 256])
@settings(max_examples=60, deadline=None)
@given(crawl=crawls())
def test_best_n_first_fetches_whole_batches(n: int, crawl: list[Page]) -> None:
    web = {page.id: page for page in crawl}
    for page in crawl:
        page.links = [link for link in page.links if link.target in web]
        page.score = round(page.score, 3)
    seeds = [page.id for page in crawl][:n]  # a whole batch, so that both begin alike
    assert crawl_order(web, seeds, n) == literal_order(web, seeds, n)


def a_link(target: int, current: float = NAN) -> LinkView:
    ids, zeros = np.array([target]), np.zeros(1, np.int64)
    return LinkView(
        ids, zeros, zeros, np.ones(1, np.float32), np.zeros((1, len(Context)), np.float32), np.array([current])
    )


def waiting(*ids: int) -> IsWaiting:
    return lambda asked: np.isin(asked, ids)


def test_what_was_in_flight_or_redirected_is_released_with_a_later_batch() -> None:
    strategy = build_strategy(choice("best-n-first", n=2), seed_number=0)
    assert strategy.memory is not None
    assert strategy.rank(SourcePage(0, 0, 0, 0, 0.5, True, 1), a_link(5)).tolist() == [-1.5]
    strategy.revise(waiting(5))
    strategy.memory.moved(5, 6)  # 5 redirects to 6, which is new
    strategy.rank(SourcePage(1, 0, 0, 1, 0.1, True, 1), a_link(7))
    revised = strategy.revise(waiting(6))  # 7 is being fetched
    assert revised is not None
    assert [column.tolist() for column in revised] == [[6], [0.5]]
    for number in (2, 3):
        strategy.rank(SourcePage(number, 0, 0, number, 0.1, True, 1), a_link(10 + number))
        revised = strategy.revise(waiting(7, 12, 13))
    assert revised is not None
    assert revised[0].tolist() == [7, 12, 13]


def test_pages_fetched_side_by_side_end_a_batch_once() -> None:
    strategy = build_strategy(choice("best-n-first", n=8), seed_number=0)
    for target in range(10, 14):
        strategy.rank(SourcePage(0, 0, 0, 0, 0.5, True, 1), a_link(target))
    for number in range(10, 14):  # all of them were held, and asked for at the same time
        strategy.rank(SourcePage(number, 0, 1, number, 0.5, True, 1), a_link(20 + number))
    assert strategy.state() == {"batch": [2, 4, 1]}


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("tunnel", {"form": "best"}, "form is 'best'"),
        ("tunnel", {"form": "best"}, "write robust, max or paper"),
        ("tunnel", {"alpha": 1.5}, "alpha = 1.5 is no share"),
        ("tunnel", {"alpha": float("nan")}, "alpha = nan"),
        ("tunnel", {"form": "paper", "k": 0}, "k = 0 is no number of links"),
        ("tunnel", {"k": 1.5}, "takes a whole number, not 1.5"),
        ("tunnel", {"trust": 0}, "trust = 0 is no number"),
        ("tunnel", {"trust": float("nan")}, "trust = nan"),
        ("black-tunnel", {"d": -1}, "d = -1 is no number"),
        ("black-tunnel", {"decay": 2}, "decay = 2 is no share"),
        ("best-n-first", {"n": 0}, "n = 0 is no number"),
        ("best-n-first", {"n": float("inf")}, "takes a whole number, not inf"),
        ("best-n-first", {"n": 2.9}, "takes a whole number, not 2.9"),
        ("shark-search", {"gamma": 1.5}, "gamma = 1.5 is no share"),
        ("shark-search", {"d": -2}, "d = -2"),
    ],
)
def test_parameters_out_of_bounds_are_told(name: str, params: dict[str, object], said: str) -> None:
    with pytest.raises(TopicError, match=said):
        build_strategy(StrategyChoice(name, params), seed_number=0)
