"""The fast matcher, against one that tries every pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.errors import UserError
from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import WILDCARDS, Pattern, escaped, parse_pattern

_LABELS = st.text(alphabet="ab1-2", min_size=1, max_size=3)
_PIECES = st.one_of(_LABELS, st.sampled_from([name for name in WILDCARDS if name != "{*}"]))
_SEGMENTS = st.lists(_PIECES, min_size=1, max_size=3).map("".join)


def _texts(segments: st.SearchStrategy[str], ends: list[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda host, path, query, end: f"http://{host}.example/{'/'.join(path)}{query}{end}",
        st.sampled_from("ab"),
        st.lists(segments, max_size=3),
        st.one_of(st.just(""), segments.map("?p={}".format)),
        st.sampled_from(ends),
    )


def _fits(pattern: Pattern, url: str) -> bool:
    """With each wildcard put in its place, as docs tell it."""
    pieces = [WILDCARDS.get(piece, re.escape(piece)) for piece in re.split(r"(\{[^}]*\})", pattern.text)]
    return re.fullmatch("".join(pieces), url, re.DOTALL) is not None


def _by_trying_all(patterns: list[Pattern], url: str) -> int:
    fitting = [number for number, pattern in enumerate(patterns) if _fits(pattern, url)]
    return min(fitting, key=lambda number: (patterns[number].order, number), default=-1)


@given(st.lists(_texts(_SEGMENTS, ["", "", "{*}"]), max_size=10), st.lists(_texts(_LABELS, ["", "/"]), max_size=10))
def test_the_most_specific_pattern_is_found(texts: list[str], urls: list[str]) -> None:
    patterns = list(map(parse_pattern, texts))
    matcher = Matcher(patterns)
    for url in urls:
        assert matcher.match(url) == _by_trying_all(patterns, url)


def test_numbers_come_before_words_and_what_is_spelled_out_before_both() -> None:
    texts = ["http://a.example/{slug}", "http://a.example/{int}", "http://a.example/7", "http://a.example/{*}"]
    matcher = Matcher(map(parse_pattern, texts))
    asked = ["7", "8", "x", "x/y", ""]
    assert [matcher.match(f"http://a.example/{path}") for path in asked] == [2, 1, 0, 3, 3]
    assert matcher.match("http://b.example/7") == -1


@given(st.text(alphabet="a{}", max_size=8))
def test_braces_that_are_meant_stay(path: str) -> None:
    url = f"http://a.example/{path}"
    assert Matcher([parse_pattern(escaped(url))]).match(url) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://a.example/{number}", "'{number}'"),
        ("http://a.example/{int", "'{'"),
        ("http://a.example/{*}/x", "before its end"),
        ("http://{slug}/x", "whole host"),
        ("/events", "whole host"),
        ("http://a.example/{slug}{int}{slug}{int}", "more than 3 wildcards"),
    ],
)
def test_what_is_no_pattern_is_told(text: str, told: str) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        parse_pattern(text)


def test_a_strangers_pattern_costs_little_where_it_fails_late() -> None:
    """Segment after segment fits in a thousand ways, and the end does not: tried in all of them, it would never end."""
    text, url = "{slug}-{slug}-{slug}/" * 20 + "{int}", "a-a-a-a-a-a-a-a-a-a-a-a-a-a/" * 20 + "x"
    matcher = Matcher([parse_pattern(f"http://a.example/{text}")])
    assert matcher.match(f"http://a.example/{url}") == -1
    assert matcher.match(f"http://a.example/{url[:-1]}7") == 0
