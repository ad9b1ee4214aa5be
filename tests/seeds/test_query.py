from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.search import Query
from dowse.seeds.dialect import WEB, WORDS, Dialect
from dowse.seeds.query import is_empty, on_site, read_query


def told(query: Query) -> list[str]:
    return ["|".join(map(str, choice)) for choice in query.wanted]


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted", "sites"),
    [
        ("perovskite solar cells", ["perovskite", "solar", "cells"], [], []),
        ('"solar cell" OR tandem module', ['"solar cell"|tandem', "module"], [], []),
        ('a OR b OR "c d"', ['a|b|"c d"'], [], []),
        ("OR a OR", ["a"], [], []),
        ("a or b", ["a", "or", "b"], [], []),
        ("AND bread AND butter NOT jam AND", ["bread", "butter"], ["jam"], []),
        ('a OR NOT "b c" NOT', ["a"], ['"b c"'], []),
        ('-lamp x -"street light"', ["x"], ["lamp", '"street light"'], []),
        ("mother-in-law's tongue", ["mother-in-law's", "tongue"], [], []),
        ("C++ and C#, why?", ["C++", "and", "C#", "why"], [], []),
        ('"single"', ["single"], [], []),
        ('an "open quote', ["an", "open", "quote"], [], []),
        ("größe 日本 Ελλάδα", ["größe", "日本", "Ελλάδα"], [], []),
        ("x site:Example.org site:https://b.org/a/*", ["x"], [], ["example.org", "b.org/a/"]),
        ("site:*.example.org", [], [], ["example.org"]),
        ("site: site:nodot x", ["site", "site", "nodot", "x"], [], []),
        ("- -- ... ()", [], [], []),
    ],
)
def test_expressions(text: str, wanted: list[str], unwanted: list[str], sites: list[str]) -> None:
    query = read_query(text)
    assert told(query) == wanted
    assert list(map(str, query.unwanted)) == unwanted
    assert list(query.sites) == sites


def test_minus_sites_and_what_means_nothing() -> None:
    query = read_query("(solar OR wind) power -site:ads.example.com")
    assert query.unwanted_sites == ("ads.example.com",)
    assert query.notes == ("parentheses mean nothing here: OR joins the two terms beside it",)
    assert read_query("perovskite (solar cells)").notes == (), "a sentence may have some"


def test_long_ones_are_cut_and_that_is_told() -> None:
    query = read_query("word " * 1_000)
    assert len(query.wanted) == 64
    assert query.notes == ("what stands behind 64 words is left out", "what stands behind 2000 characters is left out")


@given(st.text())
def test_any_text_is_a_query_and_can_be_said(text: str) -> None:
    query = read_query(text)
    for dialect in (WEB, WORDS, Dialect(every=" AND ", without=" NOT {}", either="")):
        said = dialect.say(query)
        assert "\n" not in said.text
    assert is_empty(query) == (not query.wanted and not query.sites)


@given(st.lists(st.sampled_from(["a", "OR", '"b c"', "-d", "site:e.org", "-site:f.org"]), max_size=8))
def test_what_the_web_says_is_read_back_as_the_same(parts: list[str]) -> None:
    query = read_query(" ".join(parts))
    again = read_query(WEB.say(query).text)
    assert (again.wanted, again.unwanted, again.sites, again.unwanted_sites) == (
        query.wanted, query.unwanted, query.sites, query.unwanted_sites
    )  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "text", "said", "unsaid"),
    [
        (WEB, 'a "b c" OR d -e site:f.org', 'a ("b c" OR d) -e site:f.org', []),
        (WEB, "a site:f.org site:g.org -site:h.org", "a (site:f.org OR site:g.org) -site:h.org", []),
        (WORDS, 'a "b c" OR d -e', "a b c d", ['"b c" is asked for as single words', "-e is not asked for"]),
        (Dialect(either=""), "a OR b c", "a c", ["b is not asked for, only a: it knows no OR"]),
        (Dialect(either=""), "a site:f.org site:g.org", "a site:f.org", ["site:g.org is not asked for"]),
        (Dialect(site="", without_site=""), "a site:f.org -site:g.org", "a", ["site:f.org is not", "-site:g.org:"]),
        (Dialect("w:{}", 'w:"{}"', " AND ", without=" ANDNOT {}"), 'a "b c" -d', 'w:a AND w:"b c" ANDNOT w:d', []),
    ],
)  # fmt: skip
def test_engines_say_it_in_their_words(dialect: Dialect, text: str, said: str, unsaid: list[str]) -> None:
    found = dialect.say(read_query(text))
    assert found.text == said
    assert len(found.unsaid) == len(unsaid)
    assert all(line.startswith(start) for line, start in zip(found.unsaid, unsaid, strict=True)), found.unsaid


@pytest.mark.parametrize(
    ("url", "site", "on"),
    [
        ("https://example.org/", "example.org", True),
        ("https://www.example.org:8080/x", "example.org", True),
        ("https://badexample.org/", "example.org", False),
        ("https://example.org.evil.com/", "example.org", False),
        ("https://example.org/papers/1", "example.org/papers/", True),
        ("https://example.org/other", "example.org/papers/", False),
        ("https://example.org:8080/", "example.org:8080", True),
        ("https://example.org/", "example.org:8080", False),
    ],
)
def test_what_is_on_a_site(url: str, site: str, on: bool) -> None:
    assert on_site(url, site) is on
