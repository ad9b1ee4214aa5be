"""The compiled core reads a tree's serialisation; the walk over the tree says what it must find."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.parse.bounds import bounded
from dowse.parse.html import _KIND_OF_NAME, _OPTIONS, _scanned, _Walk, _walked
from tests.compiled import needs_core
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997, mutated_pages, written_pages

FIELDS = ("text", "links", "outline", "title", "lang", "base", "canonical", "refresh", "robots")

OTHER_NAMES = (
    "b i em font span svg math g path desc foreignObject mi annotation-xml plaintext listing input col colgroup button "
    'nobr embed param wbr keygen basefont bgsound command image isindex object marquee ruby rt u-x a<b a"b svg:a use'
)
ATTRIBUTES = [
    "hidden", "HIDDEN=x", 'style="DISPLAY : None"', "style=visibility:hidden", "style=none", 'style="dıſplay:none"',
    "href=x", 'href="y z&amp;q"', "href", "href=''", "href='a\"b<c>'", "title=x", 'title="\n"', 'title=" x  y"',
    f'title="{"w " * 300}"', 'rel="NoFollow  Ugc"', 'rel="ſK\u2028X"', "rel=canonical", "alt=pic", 'alt="a&nbsp;b"',
    "src=s", "name=n", "name=robots", "http-equiv=refresh", 'content="5; url=foo"', "content=noindex", "lang=en",
    "xml:lang=de", 'a"b=1', "c'=2", "<d=3", "=x=y", "=", "f=\xa0", 'data-x="1 > 2 && 3"', "id=", "xlink:href=k", "é=é",
    "&amp;=&amp;", "encoding=text/html",
]  # fmt: skip
PIECES = [
    *("x", " ", "\n", "y z", "  a  ", "&nbsp;", "&amp;", "&lt;", '"', "é", "日本", "\u2028", "\x1c", "\x0c", "\x85"),
    *("&#0;", "&#13;", "&#xD800;", "&#x10FFFF;", "&notit;", "&", "<", "</", "<!", "<?", "<!-", "😀", "foo bar " * 60),
    *("<!--c-->", "<!-->", "<!--a--!>", "<!--a--!b-->", "<!-- -- > -->", "<!-- a <p>", "<![CDATA[a<b]]>", "<?php x?>"),
    *("</ x>", "</>", '<!DOCTYPE a<b "x>', "<!x>", "<script><!-- <script> </script> <a href=q>q</a> --></script>"),
    *("<script>a</scripty>b</script>", "<style></styl</style>", "<xmp><b>&amp;</xmp>", "<plaintext>", "<pre>\n\nx"),
    *("<noscript><a href=z>z</noscript>", "<textarea>\n\n<b>&lt;</textarea>", "<pre>\n</pre>", "<title>a<b>c</title>"),
    *("<svg><style>&lt;/style>&lt;a href=x>k&lt;/a>&lt;style></style></svg>", "<svg><title>a<b>c</title></svg>"),
    *("<svg><a href=u>v</a></svg>", "<math><mi><a href=w>", "<template><a href=t>t<div hidden>", "<iframe src=f>a<b>"),
    *("<frameset><frame src=g>", "<select><option>a", "</body>", "</html>", "<table><a href=1>x<tr><td>"),
    *("</p>", "</br>"),
]  # fmt: skip

names = st.sampled_from([*_KIND_OF_NAME, *OTHER_NAMES.split()]) | st.sampled_from(["a", "b", "p", "div", "table", "li"])
start_tags = st.builds(
    lambda name, attributes, end: f"<{' '.join((name, *attributes))}{end}>",
    names, st.lists(st.sampled_from(ATTRIBUTES), max_size=3), st.sampled_from(["", "", " /"]),
)  # fmt: skip
soup = st.lists(
    start_tags | start_tags | names.map(lambda name: f"</{name}>") | st.sampled_from(PIECES), max_size=40
).map("".join)


def both(html: str) -> tuple[_Walk | None, _Walk]:
    page = bounded(html)
    tree = LexborHTMLParser(page, options=_OPTIONS, scripting=True)
    return _scanned(tree, page), _walked(tree)


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
    class Tree:
        html = "<html>\ud800</html>"

    assert _scanned(Tree(), b"") is None  # type: ignore[arg-type]
    Tree.html = "<html>\0</html>"
    assert _scanned(Tree(), b"") is None  # type: ignore[arg-type]


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
    class Tree:
        pass

    tree = Tree()
    tree.html = html  # type: ignore[attr-defined]
    found = _scanned(tree, b"")  # type: ignore[arg-type]
    assert found is None or len(found.text) <= len(html)
