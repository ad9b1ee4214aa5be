from __future__ import annotations

import time

import pytest
from hypothesis import given, settings

from dowse.parse import Document, detect_language, gather_links, parse_page, sign
from dowse.parse.head import directives
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997, mutated_pages

URL = "http://example.org/notes/index.html"


def parse(html: str, content_type: str = "text/html; charset=utf-8", robots_tag: str | None = None) -> Document:
    return parse_page(html.encode(), url=URL, content_type=content_type, robots_tag=robots_tag)


def test_article_text_is_what_a_reader_sees() -> None:
    document = parse(ARTICLE)
    assert document.title == "Perovskite solar cells — Lab notes"
    assert document.lang == "en-GB"
    assert document.canonical == "/notes/perovskite"
    assert document.text.split("\n") == [
        "Home", "Notes", "Mail", "Perovskite solar cells",
        "A perovskite absorbs light well; see the efficiency table for cells.",
        "Loose text", "inner paragraph", "tail next", "decorative but visible",
        "Card title", "Card text", "left", "right ad",
    ]  # fmt: skip
    assert document.words()[:5] == ["perovskite", "solar", "cells", "lab", "notes"]


def test_article_links_have_anchor_and_paragraph() -> None:
    document = parse(ARTICLE)
    links = {link.href: link for link in document.links}
    assert list(links) == ["/", "/notes/", "mailto:lab@example.org", "/wiki/perovskite", "efficiency.html#table",
                           "?page=2", "/folded", "/pic", "/card", "https://ads.example/"]  # fmt: skip
    assert links["/wiki/perovskite"].anchor == "perovskite mineral"
    assert links["efficiency.html#table"].anchor == "efficiency table"
    assert links["/folded"].anchor == "folded menu"
    assert links["/pic"].anchor == "Cell diagram"
    assert links["/card"].anchor == "Card title Card text"
    assert {link.href: link.rel for link in document.links if link.rel} == {"https://ads.example/": "noopener nofollow"}
    paragraph = {href: document.lines.line(link.paragraph) for href, link in links.items()}
    assert paragraph["/wiki/perovskite"] == paragraph["efficiency.html#table"]
    assert paragraph["/wiki/perovskite"][:3] == ["a", "perovskite", "absorbs"]
    assert paragraph["?page=2"] == ["tail", "next"]
    assert paragraph["/pic"] == []
    assert paragraph["/card"] == ["card", "title"]
    assert paragraph["https://ads.example/"] == ["right", "ad"]


def test_old_html_keeps_its_links_and_words() -> None:
    document = parse(PAGE_1997)
    assert [(link.href, link.anchor) for link in document.links] == [
        ("map1.html", "North"), ("map2.html", ""), ("syllabus.html", "Syllabus"), ("hw 1.html", "Homework one"),
        ("http://other.example:80/~prof", "Prof. Müller"),
    ]  # fmt: skip
    assert "Last changed Jan 1997" in document.text.split("\n")


def test_frames_are_links_and_noframes_is_not_text() -> None:
    document = parse(FRAMESET)
    assert [link.href for link in document.links] == ["menu.html", "main.html"]
    assert document.text == ""
    assert [link.href for link in parse("<iframe src=inner.html>fallback</iframe>").links] == ["inner.html"]


def test_xhtml_keeps_what_follows_a_self_closed_script() -> None:
    page = ('<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head>'
            '<title/><script src="x.js" /></head><body><p>Text <a href="a.html">A</a></p></body></html>')  # fmt: skip
    for content_type in ("text/html", "application/xhtml+xml"):
        document = parse(page, content_type)
        assert [link.href for link in document.links] == ["a.html"]
        assert document.lang == "de"


def test_plain_text_has_words_and_no_links() -> None:
    document = parse("See <a href='x'>http://example.org/</a>\nsecond line", "text/plain; charset=utf-8")
    assert document.links == []
    assert document.lines.line(2) == ["second", "line"]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/next", "/next"),
        ("5;URL='a b.html'", "a b.html"),
        ("3", ""),
        ('0;url="x"', "x"),
        ("1, http://h/", "http://h/"),
    ],
)
def test_meta_refresh(content: str, target: str) -> None:
    quote = "'" if '"' in content else '"'
    assert parse(f"<meta http-equiv=Refresh content={quote}{content}{quote}>").refresh == target


def test_robot_directives_of_page_and_header() -> None:
    assert parse('<meta name="ROBOTS" content="NoIndex, follow">').noindex
    assert parse('<meta name="robots" content="none">').nofollow
    assert parse("<p>x", robots_tag="noindex, nofollow").nofollow
    assert not parse("<p>x").noindex
    assert directives("googlebot: noindex", []) == (False, False)
    assert directives("dowse: nofollow, otherbot: noindex", []) == (False, True)
    assert directives("max-snippet: 20, noindex", []) == (True, False)


HOSTILE = {
    "deep": "<div>" * 100_000,
    "deep, closed by another name": "<div></b>" * 50_000,
    "attributes": "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">",
    "formatting": "<p>" + "".join(f"<font color={i}>" for i in range(3_000)) + "<p>x" * 3_000,
    "tables": "<table><tr><td>" * 20_000,
    "open angle": "<" * 200_000,
    "comments": "<!-- --" * 50_000 + "-->",
    "svg": "<svg>" + '<path d="M0"/>' * 20_000 + "</svg>",
    "nul": "\0" * 100_000,
    "no space": "x" * 2_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_costs_little_and_keeps_the_links(name: str) -> None:
    start = time.process_time()
    document = parse(HOSTILE[name] + "<a href='/kept'>kept</a>")
    assert [link.href for link in document.links] == ["/kept"]
    assert time.process_time() - start < 8  # quadratic behaviour takes minutes


def test_depth_is_cut_only_where_it_is_absurd() -> None:
    nested = "<div>" * 300 + "<p>deep <a href=x>x</a>" + "</div>" * 300
    document = parse(nested * 10)
    assert len(document.links) == 10


@settings(max_examples=60, deadline=None)
@given(mutated_pages)
def test_mutated_pages_never_raise(body: bytes) -> None:
    document = parse_page(body, url=URL, content_type="text/html")
    found = gather_links(document)
    assert all(link.paragraph < len(document.lines) for link in document.links)
    assert found.n_links == sum(found.refused.values()) + sum(found.counts)
    sign(document.words())
    detect_language(document.raw_text, document.lang)
