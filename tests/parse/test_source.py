"""The compiled core reads most pages without a tree; the walk over the HTML library's tree says what it must find."""

from __future__ import annotations

import random
import re
from html.entities import html5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.parse.bounds import bounded
from dowse.parse.html import _KIND_OF_NAME, _OPTIONS, _told, _walked
from tests.compiled import needs_core
from tests.parse.pages import ARTICLE, PAGE_1997, mutated_pages, written_pages
from tests.parse.soup import ATTRIBUTES, PIECES, names, soup, start_tags

pytestmark = needs_core
FIELDS = ("text", "links", "outline", "head")
TABLE = "<table><tr><td>a<td>b<tr><th>c</table>"


def assert_same(html: str, *, surely: bool = False) -> None:
    [page] = bounded(html.encode())
    found = _told(page)
    if found is None:
        assert not surely, html
        return
    walked = _walked(LexborHTMLParser(page, options=_OPTIONS, scripting=True))
    for name in FIELDS:
        assert getattr(found, name) == getattr(walked, name), (name, html)


@st.composite
def _nested(draw: st.DrawFn) -> str:
    """Elements as they should be, with a few end tags left out or doubled: the core is often sure of these."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    usual = "a b code div div em h2 li li ol p p p section span table td th tr ul dl dt dd form pre button select svg i"
    pieces = ["x", " ", "\n", "y &amp; z", "&copy;", "<br>", "<img alt='a'>", "<!-- c -->", "\r\n", "<hr/>", TABLE]
    attributes = [" href=x", ' class="a b"', " id='q\"'", " hidden", " title='a &lt; b&c=d&copy=e'", " viewBox=1", ""]
    parts, open_names = [], []
    for _ in range(draw(st.integers(1, 60))):
        throw = dice.random()
        if throw < 0.4:
            parts.append(dice.choice(pieces))
        elif throw < 0.7:
            open_names.append(dice.choice(usual.split()))
            parts.append(f"<{open_names[-1]}{dice.choice(attributes)}{dice.choice(['', '', '', '/'])}>")
        elif open_names:
            name = open_names.pop()
            if dice.random() < 0.9:
                parts.append(f"</{name}>")
    return dice.choice(["", "<!DOCTYPE html>", "<html><head><title>t</title></head><body>"]) + "".join(parts)


@settings(max_examples=600)
@given(soup)
def test_tag_soup_is_read_alike(html: str) -> None:
    assert_same(html)


@settings(max_examples=1_000)
@given(_nested())
def test_elements_are_nested_alike(html: str) -> None:
    assert_same(html)


@settings(max_examples=300)
@given(st.lists(start_tags | names.map(lambda name: f"</{name}>") | st.sampled_from(PIECES), max_size=4), st.data())
def test_a_whole_page_with_scraps_in_it_is_read_alike(scraps: list[str], data: st.DataObject) -> None:
    parts = re.split(r"(?=<)", ARTICLE.replace("<template>", "<i>").replace("</template>", "</i>"))
    for scrap in scraps:
        parts.insert(data.draw(st.integers(0, len(parts))), scrap)
    assert_same("".join(parts))


@given(mutated_pages)
def test_damaged_pages_are_read_alike(page: bytes) -> None:
    assert_same(page.decode("utf-8", "replace"))


def test_whole_pages_are_not_left_to_the_library() -> None:
    whole = ARTICLE[: ARTICLE.index("<template>")]
    for html in (whole, whole.replace("\n", "\r\n"), *(page.decode() for page in written_pages())):
        assert_same(html, surely=True)
    assert_same(PAGE_1997)


def test_every_reference() -> None:
    for name in html5:
        assert_same(f"<p title='&{name} &{name}x &{name}=1 &{name}'>&{name} &{name}x &{name}=1 &{name}", surely=True)


@pytest.mark.parametrize("name", sorted(_KIND_OF_NAME))
def test_every_kind_of_element(name: str) -> None:
    assert_same(f"<p>a<{name} href=h src=s alt=t content=c rel=canonical>b<a href=x>c</a></{name}>d")


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute(attribute: str) -> None:
    assert_same(f"<a {attribute}>x</a><br {attribute}/><p {attribute} {attribute} b=c>y")


@pytest.mark.parametrize(
    "html",
    [
        "",
        "x",
        "<p>a<p>b<div>c<p>d</div>e</p>f",
        "<ul><li>a<li>b<p>c<li><div>d<li>e</ul><dl><dt>a<dd>b<dt>c</dl>",
        "<ol><li><ul><li>a</ul><li>b</ol></li></ul>",
        f"{TABLE}<p>x{TABLE}",
        f"<!DOCTYPE html><p>x{TABLE}y",
        f'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><p>x{TABLE}y',
        "<table><caption>a<p>b</caption><col><col><thead><tr><th>c</thead><tr><td><b>d<td>e</table>f",
        "<table><colgroup><col></colgroup><tbody><tr><td><table><tr><td>x</table></table>",
        "<h1>a<h2>b</h2><pre>\n\nc</pre><textarea>\n<b>&lt;</textarea><listing>\nd</listing>",
        "<form><p>a<form>b</form><form>c</form>",
        "<select><option>a<option>b<optgroup><option>c<optgroup><option>d</select>",
        "<button>a<p>b<button>c</button><object><p>d</object>e",
        "x</b>a</span></div></li></img>b</p>c<x-y>d<q>e</x-y>f",
        "<svg viewbox='0 0 1 1'><lineargradient id=a /><g><path d='M0'/><title>t &amp; u</title></g></svg>x",
        "<head><meta name=a><script>if (a < b) '</p>'</script><style>p > a {}</style></head>\n <body>x</body>\n",
        "<title>a &amp; <b>c\n</title>x</html> <!--d--> y<p>z",
        "<html lang=en> <!--a--> <head> </head> <!--b--> <body class=c>d</body> <!--e--> </html> <!--f--> ",
        "<?xml version='1.0'?><!DOCTYPE html><!WA0><html><html><body><body><head></head>x",
        "<a href=x>a<div>b</div></a><i>c<p>d</p></i> 1 < 2 > 3 &&& &#64;&#x40 &#160;\xa0é<br/><img src=a/>",
        "<p><b>a<i>b</b>c</i>d<p>e<a href=x>f<a href=y>g</b>h</i>",
        "<p><b class=a><font size=1>x<p>y<ul><li><code>z<li>w</code></ul></font>v</b>u",
        "<b>" * 5 + "x" + "</b>" * 7 + "y<p>" + "<i>" * 5 + "<p>z" + "</i>" * 9 + "w",
        "<b>a<table><tr><td>b</b><i>c<td>d</table>e</i>f<object><tt>g</object>h</br>i",
        "x</body><html><!--a--><p>",
        "<p>a<p hidden>b <a href=x><i>folded</i> menu</a>c<p>d",
        "<a href=x><b hidden>folded</b><img alt='and seen'></a>",
        "<a href=x title=t>\n<div>in a <p>block</div></a>tail<a href=y><img alt=one> <img alt=two></a>",
        "<base href><base href=x><link rel=canonical href><link rel=canonical href=y>",
        "<small><i>a</small></p></body> \n</html>\n",
        "<P CLASS=A Class=b ID='\xa0<>\"'>x<script><!-- a --></SCRIPT ><noscript><p>y</noscript><iframe><p></iframe>",
    ],
)
def test_the_core_is_sure_of(html: str) -> None:
    assert_same(html, surely=True)


@pytest.mark.parametrize(
    "html",
    [
        "<b>a<p>b</b>c",  # the paragraph is moved out of the formatting
        "<b><i>a<p>b</b>c</p>d",
        "<a href=x><div>a<a href=y>b",
        "<nobr>a<nobr>b",
        "<b x=1 y=2>" * 3 + "<b y=2 x=1>",  # all alike, or not
        "<table><tr><td><b>a</td></b>",
        "<table>x<tr><td>",  # text that moves in front of the table
        "<table><tr><td>a<input></table><table><input>",
        "<form><div></form>x</div>",
        "<svg><p>a</svg>",  # HTML again
        "<svg><title><b>a</b></title></svg>",
        "<svg><style>a</style></svg>",
        "<math><mi>x</math>",
        "<a href=x><noscript>y</noscript></a><p hidden>z",  # the anchor is decided by what is hidden further down
        "<template>a</template>",
        "<frameset><frame></frameset>",
        "<plaintext>a",
        "<ruby>a<rt>b</ruby>",
        "<script><!-- <script> </script> --></script>",
        "<script>a",
        "<!-->a-->b",
        "<!--a--!>b-->",
        "<![CDATA[a]]>",
        "<?php a ?>",
        "<a b",
        "<a 'b'=c>",
        "<a b=c'd>",
        "<a b='c'd=e>",
        "<p>&#0;",
        "<p>&#150;",
        "<html lang=a><body><html lang=b>",
        "<head></head><link rel=a><body>",
        "<div>" * 300,
        f"<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>x{TABLE}",
    ],
)
def test_what_takes_more_than_a_stack_is_left_to_the_library(html: str) -> None:
    assert _told(html.encode()) is None


def test_what_is_no_text_is_left_to_the_library() -> None:
    sequences = ["80", "c2", "c080", "e08080", "eda080", "f0808080", "f4908080", "ff", "e28", "f09f98"]
    for sequence in (bytes.fromhex(digits.ljust(len(digits) + len(digits) % 2, "0")) for digits in sequences):
        for page in (b"<p>" + sequence, b"<p>" + sequence + b"abcdefgh", b"0123456" + sequence):
            assert _told(page) is None, page
    assert _told(b"<p>\0") is None
    for text in ("\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"):
        found = _told(text.encode())
        assert found is not None
        assert found.text == f"{text}\n".encode()


def test_no_name_without_a_semicolon_is_longer_than_the_core_looks() -> None:
    assert max(len(name) for name in html5 if not name.endswith(";")) == 6
