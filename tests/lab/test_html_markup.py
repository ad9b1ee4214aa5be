from __future__ import annotations

import html
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.html_markup import clip, element, join, link
from dowse.lab.wording import percent
from dowse.model.shown import shown

TEXT = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates too


@given(TEXT)
def test_clean_text_has_nothing_that_changes_its_neighbours(text: str) -> None:
    cleaned = shown(text)
    cleaned.encode()
    assert cleaned == " ".join(cleaned.split())
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Cn", "Zl", "Zp") for char in cleaned)
    assert all(unicodedata.category(char) != "Cf" or char in "\u200c\u200d" for char in cleaned)
    assert shown(cleaned) == cleaned


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=60))
def test_clean_leaves_letters_alone(text: str) -> None:
    assert shown(text) == text


@given(TEXT, st.integers(1, 50))
def test_clipped_text_is_short(text: str, length: int) -> None:
    assert len(clip(text, length)) <= length


@given(TEXT, TEXT)
def test_an_element_reads_back_as_one_element(text: str, value: str) -> None:
    seen: list[object] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append((tag, dict(attrs)))

        def handle_data(self, data: str) -> None:
            seen.append(data)

    reader = Reader()
    reader.feed(element("b", text, title=value))
    reader.close()
    assert seen[0] == ("b", {"title": shown(value)} if value else {})
    assert "".join(map(str, seen[1:])).strip() == shown(text)


def test_markup_passes_and_text_does_not() -> None:
    assert element("p", element("b", "a"), "<b>") == "<p><b>a</b>&lt;b&gt;</p>"
    assert join(["a ", "& b", " c"]) == "a &amp; b c"
    assert join(["\n", "\u200b"]) == " "


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        " https://a.example/",
        "//a.example",
        "",
        "httpx://a",
        "http://a/" + "b" * 4_000,
    ],
)
def test_only_web_addresses_are_linked(url: str) -> None:
    assert "<a" not in link(url, "title")


def test_a_link_tells_no_one_where_it_stood() -> None:
    made = link("https://a.example/?a=1&b=2", "x < y")
    [href] = re.findall(r'href="([^"]*)"', made)
    assert html.unescape(href) == "https://a.example/?a=1&b=2"
    assert 'rel="noreferrer noopener nofollow"' in made
    assert "<bdi>x &lt; y</bdi>" in made
    assert "<bdi>https://a.example/</bdi>" in link("https://a.example/", "\u200b")


def test_percent_never_shows_something_as_nothing() -> None:
    assert [percent(share) for share in (0, 1e-9, 0.0005, 1)] == ["0 %", "<0.1 %", "0.1 %", "100.0 %"]
