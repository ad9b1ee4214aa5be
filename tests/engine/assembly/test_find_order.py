"""The order of what several engines find, against its rule, spelled out: one row a canonical URL, the nearest first,
then by reciprocal rank (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.engine.assembly.find import FoundSeeds, find_seeds
from dowse.judge import build_judge
from dowse.model.clock import SystemClock
from dowse.model.search import Ask, Query, Results, Said, SearchResult
from dowse.model.topic import Find, JudgeSettings, Topic
from dowse.model.url import canonical

QUERY = "perovskite solar cells"
ALIKE = ["http://a.test/x", "HTTP://A.test:80/x#top", "http://a.test/./x", "http://a.test/y", "http://b.test",
         "http://b.test/", "http://b.test/?q=ü", "http://b.test/?q=%C3%BC", "mailto:no", "http://["]  # fmt: skip
TITLES = ["", "Bread", "Solar cells", "Perovskite solar cells", "perovskite Solar cells", "cells of bread"]
RESULT = st.builds(SearchResult, st.sampled_from(ALIKE), st.sampled_from(TITLES), st.sampled_from(TITLES))
LISTS = st.lists(st.lists(RESULT, max_size=8), min_size=1, max_size=4)


class Listed:
    """An engine that has a list."""

    delay_s = 0.0

    def __init__(self, name: str, results: Sequence[SearchResult]) -> None:
        self.name = name
        self._results = tuple(results)

    def say(self, query: Query) -> Said:
        return Said(query.text)

    async def search(self, query: Query, page: int, ask: Ask) -> Results:
        return Results(self._results)


def find(lists: Sequence[Sequence[SearchResult]]) -> FoundSeeds:
    engines: Any = {str(n): Listed(f"e{n}", results) for n, results in enumerate(lists)}
    nobody: Any = None
    return asyncio.run(find_seeds(Topic(query=QUERY, find=Find(per_query=100)), engines, nobody, SystemClock()))


@given(LISTS)
def test_the_order_is_that_of_the_rule(lists: list[list[SearchResult]]) -> None:
    rows = find(lists).rows

    ranked: list[dict[str, SearchResult]] = []
    for results in lists:
        firsts: dict[str, SearchResult] = {}
        for result in results:
            url = canonical(result.url)
            if url is not None and url not in firsts:
                firsts[url] = result
        ranked.append(firsts)
    every = {url: [(list(firsts).index(url) + 1, n) for n, firsts in enumerate(ranked) if url in firsts]
             for firsts in ranked for url in firsts}  # fmt: skip
    score = {url: sum(1 / (60 + rank) for rank, _ in places) for url, places in every.items()}
    told = {}
    for url, places in every.items():
        texts = [(ranked[n][url].title, ranked[n][url].snippet) for _, n in sorted(places, key=lambda place: place[0])]
        titled = [text for text in texts if text[0]]
        told[url] = next((text for text in titled or texts if any(text)), ("", ""))

    assert sorted(row.url for row in rows) == sorted(every), "one row a canonical URL"
    judge = build_judge(Topic(query=QUERY, judge=JudgeSettings(method="similarity"))).nearness
    for row in rows:
        assert row.score == pytest.approx(score[row.url])
        assert {(find.rank, find.engine) for find in row.found_by()} == {(rank, f"e{n}") for rank, n in every[row.url]}
        assert (row.title, row.snippet) == told[row.url]
        if row.title or row.snippet:
            assert row.nearness == judge.similarity(f"{row.title}\n{row.snippet}".strip())
    for before, after in pairwise(rows):
        near, less = round(before.nearness, 2), round(after.nearness, 2)
        assert near > less or (near == less and before.score >= after.score)
    assert [row.id for row in rows] == list(range(len(rows)))


def test_a_snippet_decides_and_then_what_engines_agree_on() -> None:
    rows = find([
        [SearchResult("http://bread.test/", "Bread"), SearchResult("http://one.test/", "Solar cells")],
        [SearchResult("http://two.test/", "Solar cells"), SearchResult("http://one.test/", "Solar cells")],
    ]).rows  # fmt: skip
    assert [row.url for row in rows] == ["http://one.test/", "http://two.test/", "http://bread.test/"]
