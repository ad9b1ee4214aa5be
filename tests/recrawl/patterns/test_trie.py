"""Robust form: what it promises of any URLs, and what it makes of those of real kinds of sites."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import parse_pattern
from dowse.recrawl.patterns.segments import segments
from dowse.recrawl.patterns.trie import trie_patterns

_URLS = st.lists(st.text(alphabet="ab12/?&=-.{", max_size=14).map("http://a.example/{}".format), max_size=30)


@given(_URLS)
def test_every_url_has_a_pattern_and_every_pattern_a_url(urls: list[str]) -> None:
    patterns = list(map(parse_pattern, trie_patterns(urls)))
    matcher = Matcher(patterns)
    assert all(matcher.match(url) >= 0 for url in urls)
    assert all(any(Matcher([pattern]).match(url) == 0 for url in urls) for pattern in patterns)


@given(_URLS)
def test_segments_are_the_url(urls: list[str]) -> None:
    for url in urls:
        origin, row = segments(url)
        assert origin + "".join(lead + label for lead, label in row) == url


def _site(*paths: str) -> list[str]:
    return [f"http://a.example{path}" for path in paths]


_TITLES = ("rock-night", "jazz-brunch", "open-air", "late-show", "the-ring", "9-lives", "summer-2026")

_KINDS: dict[str, tuple[list[str], list[str]]] = {
    "ids": (_site(*(f"/e/{n}" for n in range(9))), ["/e/{int}"]),
    "ids and titles": (_site(*(f"/e/{n}-{t}.html" for n, t in enumerate(_TITLES))), ["/e/{int}-{slug}.html"]),
    "titles, some with numbers": (_site(*(f"/e/{title}" for title in _TITLES)), ["/e/{slug}"]),
    "dates": (_site(*(f"/2026/11/{n}/{t}" for n, t in enumerate(_TITLES))), ["/{int}/{int}/{int}/{slug}"]),
    "one page of a list": (_site("/list?page=2"), ["/list?page={int}"]),
    "languages": (
        _site(*(f"/{lang}/{n}" for lang in ("en", "de") for n in range(20))),
        ["/de/{int}", "/en/{int}"],
    ),
    "four words": (_site("/e/alpha", "/e/beta", "/e/gamma", "/e/delta"), ["/e/{slug}"]),
    "a word that the root of them share": (
        _site(*(f"/rock/{n}" for n in range(4)), *(f"/{letter}x/1" for letter in "abcdefghijkl")),
        ["/rock/{int}", "/{slug}/{int}"],
    ),
    "a word that fewer share": (
        _site(*(f"/rock/{n}" for n in range(3)), *(f"/{letter}x/1" for letter in "abcdefghijklm")),
        ["/{slug}/{int}"],
    ),
    "titles, few of them a word and a number": (
        _site(*(f"/e/{letter}{letter}-night" for letter in "abcdefghijklmnopqrstuvwx"), "/e/rock-1", "/e/rock-2"),
        ["/e/{slug}"],
    ),
    "few words": (_site("/about", "/contact", "/help"), ["/about", "/contact", "/help"]),
    "pages of one thing": (
        _site(*(f"/e/{title}{tab}" for title in _TITLES for tab in ("", "/tickets"))),
        ["/e/{slug}", "/e/{slug}/tickets"],
    ),
}


@pytest.mark.parametrize(("urls", "patterns"), _KINDS.values(), ids=_KINDS)
def test_kinds_of_sites(urls: list[str], patterns: list[str]) -> None:
    assert trie_patterns(urls) == _site(*patterns)


@given(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=200))
def test_no_more_words_are_spelled_out_than_the_root_of_their_support(words: list[str]) -> None:
    urls = [f"http://a.example/{word}/{number}" for number, word in enumerate(words)]
    spelled = [text for text in trie_patterns(urls) if "{slug}" not in text]
    rare = len(spelled) if len(spelled) < 4 else 0  # too few to vary
    assert len(spelled) <= math.sqrt(len(words)) + 3 or rare
