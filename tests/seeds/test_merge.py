from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.found import Find
from dowse.seeds.merge import K, Ranking, count_sites, merge


def ranking(engine: str, query: str, *urls: str, title: str = "") -> Ranking:
    return Ranking(
        {url: Find(engine, query, rank, title and f"{title} {rank}", "", "t") for rank, url in enumerate(urls, 1)}
    )


def test_ranks_are_fused_by_their_reciprocals() -> None:
    rows = merge([ranking("e", "q", "a", "b", "c"), ranking("f", "q", "b", "a"), ranking("e", "r", "b", title="T")])
    assert [row.url for row in rows] == ["b", "a", "c"]
    assert rows[0].score == pytest.approx(1 / (K + 2) + 1 / (K + 1) + 1 / (K + 1))
    assert [row.id for row in rows] == [0, 1, 2]
    assert rows[0].title == "T 1", "that of the best rank which has one"
    assert [(find.engine, find.query, find.rank) for find in rows[0].found_by()] == [
        ("e", "q", 2),
        ("f", "q", 1),
        ("e", "r", 1),
    ]


LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6), max_size=6)


@given(LISTS)
def test_merging_is_the_formula(lists: list[list[str]]) -> None:
    rows = merge(ranking(f"e{n}", "q", *urls) for n, urls in enumerate(lists))
    naive = {
        url: sum(1 / (60 + urls.index(url) + 1) for urls in lists if url in urls) for urls in lists for url in urls
    }
    assert {row.url: pytest.approx(row.score) for row in rows} == naive
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    assert sum(len(row.finds) for row in rows) == sum(map(len, lists)), "nothing is lost"


def test_sites_are_counted_by_the_queries_that_found_them() -> None:
    rows = merge([
        ranking("e", "one", "https://a.org/1", "https://a.org/2", "https://b.org/1"),
        ranking("e", "two", "https://b.org/2"), ranking("f", "two", "https://b.org/1"),
    ])  # fmt: skip
    counts = count_sites(rows, lambda url: url.split("/")[2])
    assert [(count.site, count.queries, count.pages, count.engines) for count in counts] == [
        ("b.org", 2, 2, ["e", "f"]), ("a.org", 1, 2, ["e"])
    ]  # fmt: skip
    assert counts[0].example == "https://b.org/1"
    assert counts[0].score == pytest.approx(sum(row.score for row in rows if "b.org" in row.url))
