"""Feeds of every kind: entries, their links and what stands around them."""

from __future__ import annotations

import json

import pytest

from dowse.parse import Document, block_starts, gather_links, parse_page
from dowse.parse.documents.feeds import MOST_ENTRIES

URL = "http://news.example.org/feed"
RSS = b"""<?xml version="1.0" encoding="iso-8859-1"?>
<?xml-stylesheet href="a.css"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Caf\xe9 &amp; sun</title><link>http://news.example.org/</link><description>All about it</description>
<language>fr-ca</language>
<item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/one</link>
<description>A &lt;p&gt;short&lt;/p&gt; &lt;a href="/inside"&gt;inside&lt;/a&gt; text</description>
<enclosure url="http://cdn.example.org/a.mp3" type="audio/mpeg" length="1"/></item>
<item><title>Two</title><link>http://news.example.org/two?a=1&amp;b=2</link>
<description>The whole text of it</description>
<content:encoded><![CDATA[<p>The whole text of it, and more of it.</p>]]></content:encoded></item>
<item><description>No title, no link</description></item>
</channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Atome</title>
<link rel="self" href="http://news.example.org/feed"/><link href="http://news.example.org/"/>
<entry><title>Eins</title><link rel="edit" href="/edit"/><link href="http://news.example.org/eins"/>
<summary type="text">a &lt; b</summary></entry>
<entry><title type="html">&lt;i&gt;Zwei&lt;/i&gt;</title><link href="/zwei"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Ein <em>Text</em></div></content></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title><link>http://news.example.org/</link></channel>
<item><title>Oldest</title><link>http://news.example.org/1999</link></item></rdf:RDF>"""
JSON = json.dumps({
    "version": "https://jsonfeed.org/version/1.1", "title": "J", "home_page_url": "http://news.example.org/",
    "language": "en", "items": [
        {"id": "1", "url": "/j1", "title": "First", "content_html": "<p>Some <a href='/x'>text</a></p>"},
        {"id": "2", "external_url": "http://elsewhere.example/", "content_text": "Plain <text>"},
        "garbage", {"id": 3, "url": 7, "title": None},
    ],
}).encode()  # fmt: skip


def read(body: bytes, declared: str = "application/xml") -> Document:
    document = parse_page(body, url=URL, content_type=declared)
    assert (document.kind, document.fault) == ("feed", "")
    return document


def told(document: Document) -> list[tuple[str, str]]:
    return [(link.href, link.anchor) for link in document.links]


def test_rss() -> None:
    document = read(RSS)
    assert (document.title, document.lang, document.parts) == ("Café & sun", "fr-ca", 3)
    assert document.text.split("\n") == [
        "Café & sun", "All about it", "One bold", "A", "short", "inside text", "Two",
        "The whole text of it, and more of it.", "No title, no link",
    ]  # fmt: skip
    assert told(document) == [
        ("http://news.example.org/", "Café & sun"), ("/one", "One bold"), ("/inside", "inside"),
        ("http://news.example.org/two?a=1&b=2", "Two"),
    ]  # fmt: skip
    assert block_starts(document) == [1, 3, 7, 9]  # the feed's own; an entry each


def test_atom() -> None:
    document = read(ATOM, "text/html")
    assert (document.title, document.lang, document.parts) == ("Atome", "de", 2)
    assert document.text.split("\n") == ["Atome", "Eins", "a < b", "Zwei", "Ein Text"]
    assert told(document) == [
        ("http://news.example.org/", "Atome"), ("http://news.example.org/eins", "Eins"), ("/zwei", "Zwei"),
    ]  # fmt: skip


def test_rss_1() -> None:
    document = read(RDF)
    assert told(document) == [("http://news.example.org/", "Old"), ("http://news.example.org/1999", "Oldest")]


def test_json() -> None:
    document = read(JSON, "application/json")
    assert (document.title, document.parts) == ("J", 3)
    assert document.text.split("\n") == ["J", "First", "Some text", "http://elsewhere.example/", "Plain <text>"]
    assert told(document) == [
        ("http://news.example.org/", "J"), ("/j1", "First"), ("/x", "text"), ("http://elsewhere.example/", ""),
    ]  # fmt: skip


def test_halves_of_characters_are_no_fault() -> None:
    odd = b'{"version": "https://jsonfeed.org/version/1", "title": "\\ud800T", "language": "\\udfff", "items": ['
    document = read(
        odd + b'{"url": "/\\ud83d", "title": "\\ud83d\\ude00 x", "content_text": "a\\u0000b"}]}', "text/json"
    )
    assert (document.title, document.lang) == ("?T", "?")
    assert document.text.split("\n") == ["?T", "😀 x", "a b"]
    assert gather_links(document).urls == ["http://news.example.org/"]


def test_a_feed_that_was_cut_has_what_came() -> None:
    document = read(RSS[: RSS.index(b"<item><title>Two") + 30])
    assert ("/one", "One bold") in told(document)


def test_only_the_first_entries_of_a_long_feed_are_read() -> None:
    items = b"".join(b"<item><title>Number %d</title><link>/%d</link></item>" % (n, n) for n in range(60_000))
    document = read(b"<rss version='2.0'><channel><title>Long</title>" + items + b"</channel></rss>")
    assert len(document.links) == MOST_ENTRIES
    assert document.parts == 60_000
    assert document.links[0].href == "/0"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b'<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss version="2.0"><channel/></rss>',
         "it is refused: it declares an XML entity"),
        (b"<rss", "it is damaged, or no feed"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": [', "it is damaged: no JSON"),
        (b'{"version": "https://jsonfeed.org/version/1"}', "it has no entries"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 100_000, "it is damaged: no JSON"),
    ],
)  # fmt: skip
def test_what_is_no_feed_says_so(body: bytes, fault: str) -> None:
    declared = "application/feed+json" if body[:1] == b"{" else "application/rss+xml"
    document = parse_page(body, url=URL, content_type=declared)
    assert (document.fault, document.text) == (fault, "")
