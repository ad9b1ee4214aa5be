from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.model.url import fingerprint
from dowse.parse import (
    Document,
    Measures,
    Memo,
    RawLink,
    anchor_lines,
    block_starts,
    gather_links,
    measure_links,
    mentions_of,
    parse_page,
)
from tests.compiled import needs_core, pure


def links_of(html: str, **options: object) -> list[str]:
    document = parse_page(html.encode(), url="http://example.org/a/b.html", content_type="text/html; charset=utf-8")
    return gather_links(document, **options).urls  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<a href=c.html>", ["http://example.org/a/c.html"]),
        ("<base href=/x/><a href=c.html>", ["http://example.org/x/c.html"]),
        ("<base href='https://cdn.example/y/'><a href='?q'>", ["https://cdn.example/y/?q"]),
        ("<base href='javascript:1'><a href=c.html>", ["http://example.org/a/c.html"]),
        ("<base target=_top><base href=/z/><base href=/w/><a href=c>", ["http://example.org/z/c"]),
        ("<a href='#top'><a href=''><a href='  '><a>x</a>", []),
        ("<a href='javascript:x()'><a href='MAILTO:a@b'><a href='tel:1'><a href=' data:x'>", []),
        ("<a href='http://['>bad<a href='http://a b/'>bad<a href='ok'>", ["http://example.org/a/ok"]),
        ("<a href='http://xn--0.example/'>x<a href=' /sp aced '>y", ["http://example.org/sp%20aced"]),
        ("<a href='p#1'><a href='p#2'><a href='./p'>", ["http://example.org/a/p"]),
        ("<map><area href=m.html></map><iframe src=f.html></iframe>", ["http://example.org/a/m.html", "http://example.org/a/f.html"]),
    ],
)  # fmt: skip
def test_links_are_joined_and_made_canonical(html: str, urls: list[str]) -> None:
    assert links_of(html) == urls


def test_columns_count_mentions_and_keep_the_longest_anchor() -> None:
    html = "<a href=p>short</a> <a href=q>other</a> <p>text <a href='p#x'>a much longer anchor</a></p> <a href=p></a>"
    document = parse_page(html.encode(), url="http://example.org/", content_type="text/html")
    found = gather_links(document)
    starts = block_starts(document)
    unknown = np.full(document.outline.lines, np.nan)
    nothing = Measures(np.full(4, np.nan), unknown[:2], unknown, unknown[: len(starts)], np.ones(len(starts)))
    links = measure_links(found, mentions_of(document, found, starts), nothing)
    assert links.urls == ["http://example.org/p", "http://example.org/q"]
    assert links.anchors == ["a much longer anchor", "other"]
    assert links.counts.tolist() == [3.0, 1.0]
    by_link = document.outline.paths(found.elements)
    assert links.paths.tolist() == [by_link[0], by_link[1]] != [by_link[2], by_link[1]], "of the first mention"
    assert links.fingerprints.dtype == np.uint64
    assert np.isnan(links.similarity).all()
    assert links.fingerprints.tolist() == [fingerprint(url) for url in links.urls]
    assert found.n_links == 4
    assert found.texts == ["short", "other", "a much longer anchor", ""]
    assert anchor_lines(found) == (["a much longer anchor", "other", "short", ""], [2, 1, 0, 3])


def test_refusals_are_counted_by_rule() -> None:
    html = ("<a href=/cal/1>1</a><a href=/cal/2>2</a><a href=/cal/1>1</a><a rel='nofollow' href=/n>n</a><a href='http://['>b</a>"
            f"<a href='/{'x' * 70_000}'>long</a><a href='data:{'x' * 70_000}'>data</a>"
            "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/1>1</a>")  # fmt: skip
    document = parse_page(html.encode(), url="http://example.org/", content_type="text/html")
    found = gather_links(document, refuse=lambda url: "calendar" if "/cal/" in url else None, max_links=2)
    assert found.urls == ["http://example.org/1", "http://example.org/2"]
    assert found.refused == {"calendar": 3, "nofollow": 1, "bad-url": 1, "long-url": 1, "max-links": 1}
    assert found.n_links == 10
    assert found.counts == [2, 1]


def test_page_level_nofollow_leaves_no_links() -> None:
    html = b"<meta name=robots content=nofollow><a href=a>a</a><a href=b>b</a>"
    found = gather_links(parse_page(html, url="http://example.org/", content_type="text/html"))
    assert found.urls == []
    assert found.refused == {"nofollow": 2}


REFERENCES = st.sampled_from([
    "", "p", "p#1", "q?x=1", "?x", "?x#y", "#top", "./p", "../p", "/", "//example.org/p", "http:?x", "http:p",
    "ht\ntp:?x", " ?x", "mailto:a@b", "http://[", "http://other.example/", "HTTP://example.org/a/p", "javascript:x",
    "ü", "\u2003?x", "x" * 300,
])  # fmt: skip
LINKS = st.lists(
    st.builds(
        RawLink, REFERENCES, st.text("aé日", max_size=3),
        st.sampled_from(["", "nofollow", "next", "me nofollow", "nofollows"]),
        st.integers(0, 2000), st.integers(0, 2000),
    ),
    max_size=40,
)  # fmt: skip
PAGES = st.sampled_from(
    ["http://example.org/a/b.html", "http://example.org/a/c?d", "http://example.org/", "https://example.org/a/b"]
)


def refuse(url: str) -> str | None:
    return "host" if "other" in url else None


@needs_core
@given(st.lists(st.tuples(PAGES, LINKS, st.booleans()), max_size=5), st.none() | st.integers(0, 4))
def test_neither_the_core_nor_what_is_remembered_makes_a_difference(
    pages: list[tuple[str, list[RawLink], bool]], most: int | None
) -> None:
    memo, pure_memo = Memo(), Memo()
    for url, links, nofollow in pages:
        document = Document(url, links=links, nofollow=nofollow)
        with pure():
            expected = gather_links(document, refuse, most)
            remembered = gather_links(document, refuse, most, pure_memo)
        assert gather_links(document, refuse, most) == expected == remembered
        assert gather_links(document, refuse, most, memo) == expected


def test_a_full_memo_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dowse.parse.links._MOST_REMEMBERED", 4)
    memo = Memo()
    for name in "ab":
        memo.of(name)
        memo.add(name, "p", ("url", ""))
    assert memo.of("c") == memo.of("a") == memo.of("b") == {}
    memo.add("c", "p", ("url", ""))
    assert memo.of("c") == {}, "directories count as well, and it has been full again"


def test_a_page_with_very_many_links_leaves_no_trace() -> None:
    memo = Memo()
    links = [RawLink(f"p{number}", "", "", 0, 0) for number in range(3_000)]
    assert len(gather_links(Document("http://example.org/", links=links), memo=memo).urls) == 3_000
    assert memo.of("http://example.org/") == {}
    gather_links(Document("http://example.org/", links=links[:9]), memo=memo)
    assert len(memo.of("http://example.org/")) == 9


@needs_core
def test_what_is_no_link_is_refused_by_the_core() -> None:
    assert core is not None
    link = ("p", "", "", 0, 0)
    with pytest.raises(TypeError, match="links"):
        core.gather([("p", "", "")], {}, str, 1, False)  # type: ignore[list-item, arg-type]
    with pytest.raises(TypeError, match="a target"):
        core.gather([link], {}, str, 1, False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="invalid literal"):
        core.gather([link], {}, int, 1, False)  # type: ignore[arg-type]
