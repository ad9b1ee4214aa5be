"""The compiled core reads a tree's serialisation; the walk over the tree says what it must find."""

from __future__ import annotations

from html.entities import html5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.compiled import core
from dowse.parse.bounds import bounded
from dowse.parse.document import RawLink
from dowse.parse.html import _HIDDEN_STYLE, _KIND_OF_NAME, _OPTIONS, _TABLE, _collected, _scanned, _Walk, _walked
from tests.compiled import needs_core
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997, mutated_pages, written_pages
from tests.parse.soup import soup

FIELDS = ("text", "links", "outline", "title", "lang", "base", "canonical", "refresh", "robots")


def both(html: str) -> tuple[_Walk | None, _Walk]:
    [page] = bounded(html.encode())
    tree = LexborHTMLParser(page, options=_OPTIONS, scripting=True)
    return _scanned(tree, page), _walked(tree)


def of_text(html: str) -> _Walk | None:
    assert core is not None
    return _collected(core.walk(html, _TABLE, _HIDDEN_STYLE.search, RawLink, html5))


def assert_same(html: str, *, surely: bool = False) -> None:
    scanned, walked = both(html)
    if scanned is None:
        assert not surely, html
        return
    for name in FIELDS:
        assert getattr(scanned, name) == getattr(walked, name), (name, html)


@needs_core
@settings(max_examples=600)
@given(soup)
def test_tag_soup_is_walked_alike(html: str) -> None:
    assert_same(html)


@needs_core
@given(mutated_pages)
def test_damaged_pages_are_walked_alike(page: bytes) -> None:
    assert_same(page.decode("utf-8", "replace"))


@needs_core
def test_whole_pages_are_not_left_to_python() -> None:
    for html in (ARTICLE, PAGE_1997, FRAMESET, *(page.decode() for page in written_pages())):
        assert_same(html, surely=True)


@needs_core
@pytest.mark.parametrize("name", sorted(_KIND_OF_NAME))
def test_every_kind_of_element(name: str) -> None:
    html = f"<p>a<{name} href=h src=s alt=t content=c rel=canonical>b<a href=x>c</a></{name}>d"
    assert_same(html, surely=name != "template")


@needs_core
@pytest.mark.parametrize(
    "html",
    [
        "<p>a<p hidden>b <a href=x><i>folded</i> menu</a>c<p>d",
        "<a href=x><b hidden>folded</b><img alt='and seen'></a>",
        "<a href=x title=t>\n<div>in a <p>block</div></a>tail<a href=y><img alt=one> <img alt=two></a>",
        "<a href=1>x<table><tr><td><a href=2><img alt=i></a></table>y<img alt=o></a>",
        "<base href><base href=x><link rel=canonical href><link rel=canonical href=y>",
        "<html lang=en><html xml:lang=de><title>a &amp; b</title><title>second</title>",
        "<p a\"b=1 c'=2 <d=3 =e=f = g>x</p><a<b>y</a<b>",
        "<!--a--!b--><!-- -- > --><!----->x<!-->y",
        "<script><!-- </script>x<style></styl</style>y<xmp><b>&amp;</xmp>z",
        "<svg><a href=u>v</a><title>t</title></svg><math><mi>x</mi></math>",
        "<pre>\n\nx</pre><textarea>\n</textarea>y",
    ],
)
def test_the_core_is_sure_of(html: str) -> None:
    assert_same(html, surely=True)


@needs_core
@pytest.mark.parametrize(
    "html",
    [
        "<script><!-- <script> </script> <a href=q>q</a> --></script>",  # its end is not the first end tag
        "<svg><style>&lt;/style>&lt;a href=x>k&lt;/a>&lt;style></style></svg>",  # not escaped when it is serialised
        "<svg><link></link></svg>",  # void elsewhere
        "<plaintext></plaintext><a href=x>",
        "<svg><title>a<b>c</b></title></svg>",
        "<a href=x><noscript>y</noscript></a><p hidden>z",  # the anchor is decided by what is hidden further down
        "a --> b<!",  # a fault of the library: the comment repeats the text
    ],
)
def test_what_leaves_a_doubt_is_left_to_python(html: str) -> None:
    scanned, _ = both(html)
    assert scanned is None


@needs_core
def test_half_a_character_is_left_to_python() -> None:
    assert of_text("<html>\ud800</html>") is None
    assert of_text("<html>\0</html>") is None


SCRAPS = [
    "<",
    ">",
    "/",
    "!",
    "-",
    "?",
    "=",
    " ",
    '"',
    "&",
    ";",
    "a",
    "\n",
    "é",
    "</a>",
    "<a ",
    '="',
    "&amp;",
    "<!--",
    "b",
]


@needs_core
@settings(max_examples=300)
@given(st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join))
def test_what_no_library_writes_does_no_harm(html: str) -> None:
    found = of_text(html)
    assert found is None or len(found.text) <= len(html.encode())
