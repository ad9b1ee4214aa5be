"""The HTML picture: true to the page's make-up, and harmless whatever the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from dowse.lab.blocks.block_html import block_markup, legend, write_markup
from dowse.model.errors import UserError
from tests.lab.blocks.pages import blocked, judge
from tests.parse.pages import mutated_pages

ELEMENTS = {"div", "table", "tr", "td", "ul", "li", "span", "p"}
ATTRIBUTES = {"class", "title", "dir", "colspan"}
HOSTILE = (
    """<title></title><script>alert(1)</script>"><img src=x onerror=alert(2)></title>
<style>.shot { background: url(http://evil.test/) }</style><link rel=stylesheet href=http://evil.test/s.css>
<base href="javascript:alert(3)//"><meta http-equiv=refresh content="0;url=http://evil.test/">
<table onclick=alert(4) style="position:fixed" class="best tag" id=x><tr><td colspan=99999999 rowspan=99999999
  onmouseover=alert(5)><a href="javascript:alert(6)" onclick=alert(7) title='"><script>alert(8)</script>'>&lt;script&gt;
  alert(9)&lt;/script&gt;</a>
<td><h2>&lt;/div&gt;&lt;/table&gt;&lt;style&gt;*{display:none}&lt;/style&gt;</h2>
  <a href="data:text/html,&lt;script&gt;alert(10)&lt;/script&gt;">data</a>
  <a href='http://evil.test/"onmouseover="alert(11)'>quote</a> <a href="//evil.test/&quot;&gt;&lt;script&gt;">z</a>
<td>pay \u202eexe.gpj\u202c \u2066now\u2069 \u200bhidden\ufeff Z"""
    + "\u0300" * 300
    + """
  <iframe src="http://evil.test/frame"></iframe><img src=http://evil.test/i.png><object data=http://evil.test/o></object>
  <form action=http://evil.test/><input autofocus onfocus=alert(12)><button>send</button></form>
  <svg onload=alert(13)><td>svg cell<a xlink:href="javascript:alert(14)" href="javascript:alert(15)">x</a></svg>
</table><a href="&#106;avascript:alert(16)"><img alt='"><script>alert(17)</script>'></a>
{{7*7}} ${x} &amp;lt;b&amp;gt;"""
)


class Reader(HTMLParser):
    """The tags a browser would see, balanced, and the text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            assert self.open[-1] == "tr"
        if tag == "tr":
            assert self.open[-1] == "table"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def of_class(self, name: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.tags if name in attributes.get("class", "").split()]


def check_harmless(markup: str) -> Reader:
    """Nothing runs, nothing is loaded, nothing leads anywhere, and no text turns its neighbours round."""
    read = Reader(markup)
    for tag, attributes in read.tags:
        assert tag in ELEMENTS
        assert set(attributes) <= ATTRIBUTES
        assert re.fullmatch(r"[a-z0-9 ]*", attributes.get("class", ""))
        assert attributes.get("dir", "auto") == "auto"
        assert int(attributes.get("colspan", "2")) in range(2, 1_001)
        assert not re.match(r"(?!block \d|https?://)[a-z]", attributes.get("title", ""))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", markup)
    return read


def test_a_portal_looks_like_a_portal() -> None:
    page = blocked()
    read = check_harmless(block_markup(page))
    assert [tag for tag, _ in read.tags if tag in ("table", "tr", "td", "ul", "li")] == [
        "table", "tr", "td", "tr", "td", "ul", "li", "li", "td", "ul", "li", "td", "ul", "li", "li", "tr", "td",
    ]  # fmt: skip
    assert [attributes["colspan"] for _, attributes in read.tags if "colspan" in attributes] == ["3", "3"]
    looks = [(block["class"], block["title"]) for block in read.of_class("blk")]
    assert looks == [
        ("blk r0", "block 1: 0.00, 2 links"), ("blk r0", "block 1: 0.00, 2 links"),
        ("blk r3 best", f"block 2: {page.blocks[1].score:.2f}, 1 link"), ("blk r0", "block 3: 0.00, 1 link"),
        ("blk r0", "block 4: 0.00, 2 links"),
    ]  # fmt: skip
    links = {link["title"] for link in read.of_class("a")}
    assert links == {f"http://lune.test/{name}" for name in ("sport", "weather", "roof", "baker", "about", "jobs")}
    assert f"2 · {page.blocks[1].score:.2f} · best" in read.text
    assert "Bread rises overnight, says the baker." in read.text


def test_links_that_led_to_something_are_marked() -> None:
    read = Reader(block_markup(blocked(), found=["http://lune.test/roof", "http://lune.test/nowhere"]))
    assert [link["title"] for link in read.of_class("hit")] == ["http://lune.test/roof"]


def test_hostile_pages_are_harmless() -> None:
    page = blocked(HOSTILE, judge(0.01))
    made = block_markup(page)
    read = check_harmless(made)
    assert "<script" not in made.lower()
    assert "<script>\nalert(9)" in read.text.replace(" alert", "\nalert")
    assert "*{display:none}" in read.text
    assert "alert(4)" not in made
    assert "javascript:" not in made
    assert "data:text" not in made
    assert r"pay \u202eexe.gpj\u202c \u2066now\u2069 hidden" in read.text, "what turns text around is written out"
    assert max(map(len, re.findall("\u0300+", made))) == 4
    assert not any(attributes.get("colspan") == "99999999" for _, attributes in read.tags)


def test_a_hostile_page_of_its_own_is_harmless(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    write_markup(blocked(HOSTILE), out, topic="<script>alert(1)</script>", source="http://a.test/\"'><script>")
    made = out.read_text("utf-8")
    body = made[made.index("<body>") :]
    assert "<script" not in made.lower()
    assert not re.search(r"\son\w+=|\b(?:src|href|style|action)=", re.sub(r'"[^"]*"', '""', body))
    assert "default-src 'none'" in made.replace("&#x27;", "'")
    assert made.count("<style>") == 1
    assert not re.search(r"url\(|@import|expression", made[made.index("<style>") : made.index("</style>")])
    assert "color-scheme: light dark" in made
    assert "(threshold)" in body
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body


def test_a_huge_page_is_cut_and_says_where() -> None:
    rows = "".join(f"<tr><td><p>perovskite {n} <a href=/{n}>link {n}</a>" for n in range(20_000))
    page = blocked(f"<table>{rows}</table>")
    made = block_markup(page, room=20_000)
    read = check_harmless(made)
    assert len(made) < 100_000
    assert re.search(r"Cut here, in block \d+ of 20000: [\d,]+ words more are not drawn", read.text)
    one = check_harmless(block_markup(blocked("<p>" + "perovskite " * 100_000 + "<a href=/>x</a>" * 5_000)))
    assert len(one.text) < 60_000


def test_wide_nested_and_empty_pages(tmp_path: Path) -> None:
    for html in ("", "<table><tr><td>" * 130 + "<a href=/>x</a>", "<table><tr>" + "<td><p><a href=/>x</a>" * 900):
        check_harmless(block_markup(blocked(html)))
    with pytest.raises(UserError, match="cannot write"):
        write_markup(blocked(), tmp_path / "no" / "out.html", topic="x", source="y")


def test_images_are_told_by_their_names() -> None:
    read = Reader(block_markup(blocked("<p>See <a href=/a><img alt='the roof'></a> <a href=/b>the lab</a></p>")))
    assert read.text.endswith("See the lab [the roof]")


def test_the_same_page_gives_the_same_picture() -> None:
    assert block_markup(blocked()) == block_markup(blocked())
    assert "0.5 (threshold)" in legend(0.5)


@settings(max_examples=60, deadline=None)
@given(mutated_pages)
def test_any_page_is_harmless(body: bytes) -> None:
    check_harmless(block_markup(blocked(body)))
