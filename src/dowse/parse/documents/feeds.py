"""RSS, Atom and JSON feeds: each entry is a block, with its title as the anchor of its link and its summary around it
(the only module that knows the feed library).

Only the beginning of a long feed is read, and only the first of many entries: feeds have the newest first.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dowse.parse.bounds import bounded
from dowse.parse.decode import in_utf8
from dowse.parse.documents.writer import Unreadable, Writer
from dowse.parse.html import parse_html

__all__ = ["MOST_ENTRIES", "read_feed"]

MOST_ENTRIES = 500
_MOST_BYTES = 2_000_000
_LONGEST_PART = 200_000  # characters of the text of an entry
_JSON_START = re.compile(rb"\s*\{")
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_END = re.compile(rb"</(?:\w+:)?(?:item|entry)\s*>", re.IGNORECASE)
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")
_ROOT = re.compile(rb"<((?:\w+:)?(?:rss|feed|rdf))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Feed:
    title: str
    about: str
    language: str
    home: str
    entries: Iterable[_Entry]
    count: int


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    link: str
    texts: tuple[tuple[str, bool], ...]  # and is it HTML?


def read_feed(body: bytes, writer: Writer) -> None:
    """Write what a feed says."""
    body = body.lstrip(b"\xef\xbb\xbf")
    feed = _json_feed(body) if _JSON_START.match(body) else _xml_feed(body)
    writer.title, writer.language, writer.parts = feed.title, feed.language, feed.count
    about = [(feed.title, [(feed.home, feed.title)] if feed.home else []), (_plain(feed.about), [])]
    writer.section("h1", about)
    for entry in feed.entries:
        writer.begin("article")
        writer.line(entry.title or entry.link, [(entry.link, entry.title)] if entry.link else [])
        for text, is_html in entry.texts:
            _write(text[:_LONGEST_PART], is_html, writer)
        writer.end()


def _write(text: str, is_html: bool, writer: Writer) -> None:
    """The text of an entry. It stands in the entry's element, whatever markup it has: an entry is one block."""
    if not is_html or "<" not in text:
        writer.line(text)
        return
    found = parse_html(bounded(text.encode("utf-8", "replace")), url="http://localhost/")
    first = 1
    lines = found.raw_text.split("\n")
    of_line: dict[int, list[tuple[str, str]]] = {}
    for link in found.links:
        of_line.setdefault(link.paragraph - first, []).append((link.href, link.anchor))
    for number, line in enumerate(lines):
        writer.line(line, of_line.get(number, ()))


def _xml_feed(body: bytes) -> _Feed:
    import feedparser  # only here: it takes long to load, and few crawls meet a feed

    if _ENTITY.search(body[:_MOST_BYTES]):
        raise Unreadable("it is refused: it declares an XML entity")
    text, _ = in_utf8(body)  # as for pages: the library raises for what is no name of an encoding
    beginning, there = _beginning(_DECLARATION.sub(b"", text, count=1))
    try:
        found = feedparser.parse(
            io.BytesIO(beginning), sanitize_html=False, resolve_relative_uris=False,
            response_headers={"content-type": "application/xml; charset=utf-8"},
        )  # fmt: skip
    except Exception as error:  # whatever a feed does to it
        raise Unreadable(f"it cannot be read ({type(error).__name__})") from error
    feed, entries = found.get("feed") or {}, found.get("entries") or []
    if not found.get("version") and not entries:
        raise Unreadable("it is damaged, or no feed")
    return _Feed(
        _plain(_text(feed, "title")), _text(feed, "subtitle"), _text(feed, "language"), _link(feed),
        _of_parser(entries[:MOST_ENTRIES]), max(there, len(entries)),
    )  # fmt: skip


def _beginning(body: bytes) -> tuple[bytes, int]:
    """So much of a feed as is read of it, ended as a feed ends, or the library would read it twice; and how many
    entries there are."""
    ends = [match.end() for match in _END.finditer(body)]
    read = [end for end in ends[:MOST_ENTRIES] if end <= _MOST_BYTES]
    root = _ROOT.search(body[:_MOST_BYTES])
    if len(read) == len(ends) and len(body) <= _MOST_BYTES:
        return body, len(ends)
    if not read or root is None:
        return body[:_MOST_BYTES], len(ends)
    closing = b"</channel></rss>" if root[1].lower() == b"rss" else b"</%b>" % root[1]
    return body[: read[-1]] + closing, len(ends)


def _of_parser(entries: Iterable[Any]) -> Iterator[_Entry]:
    for entry in entries:
        texts: dict[str, bool] = {}
        for part in (entry.get("summary_detail"), *(entry.get("content") or ())[:3]):
            if part and isinstance(part.get("value"), str):
                texts.setdefault(part["value"], part.get("type") != "text/plain")
        yield _Entry(_plain(_text(entry, "title")), _link(entry), tuple(_without_contained(texts)))


def _without_contained(texts: dict[str, bool]) -> Iterator[tuple[str, bool]]:
    """Summary and content, but not a summary that is the content's beginning."""
    for text, is_html in texts.items():
        start = text[:200].strip().rstrip(".… ")
        if not any(other is not text and start and start in other for other in texts):
            yield text, is_html


def _json_feed(body: bytes) -> _Feed:
    """A JSON feed (jsonfeed.org, version 1.1)."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Unreadable("it is damaged: no JSON") from None
    items = found.get("items") if isinstance(found, dict) else None
    if not isinstance(items, list):
        raise Unreadable("it has no entries")
    entries = [item for item in items if isinstance(item, dict)]
    return _Feed(
        _text(found, "title"), _text(found, "description"), _text(found, "language"), _text(found, "home_page_url"),
        [_of_json(item) for item in entries[:MOST_ENTRIES]], len(entries),
    )  # fmt: skip


def _of_json(item: dict[str, Any]) -> _Entry:
    texts: dict[str, bool] = {}
    for name, is_html in (("summary", False), ("content_html", True), ("content_text", False)):
        if text := _text(item, name):
            texts.setdefault(text, is_html)
    return _Entry(
        _text(item, "title"), _text(item, "url") or _text(item, "external_url"), tuple(_without_contained(texts))
    )


def _text(value: Any, name: str) -> str:
    found = value.get(name)
    return found.strip() if isinstance(found, str) else ""


def _link(value: Any) -> str:
    """Where a feed or an entry leads: to a page, not to the feed itself or a file that goes with it."""
    link = _text(value, "link")
    return link if not link or "://" not in link or link.lower().startswith(("http:", "https:")) else ""


def _plain(text: str) -> str:
    """Text in which there may be markup."""
    if "<" not in text and "&" not in text:
        return text
    return " ".join(parse_html(bounded(text[:20_000].encode("utf-8", "replace")), url="http://localhost/").text.split())
