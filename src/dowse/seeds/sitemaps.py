"""Sitemaps: XML, index files, gzip, plain text, and the feeds that serve as sitemaps (RSS, Atom).

Reading never fails: broken input keeps what was read up to the break and says what was wrong. XML goes through the
stdlib's expat as a stream of events; a document that declares an entity is refused on the spot, so nothing is ever
expanded or loaded from elsewhere. Sizes are capped as the sitemap protocol has it (50 MB, 50,000 URLs a file), and so
is whatever else a file could be full of: entries that are no addresses, elements, gzip members. So a file takes seconds
at the very most, and hardly more memory than its own size; a crawl has it read by a worker all the same.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from dowse.model.url import Base, canonical
from dowse.model.xml_events import XmlRefused, local_name, read_events

__all__ = ["Sitemap", "read_sitemap"]

MAX_BYTES = 50_000_000  # of one file, uncompressed (the protocol says 50 MB)
MAX_ENTRIES = 50_000  # of one file, those that are no addresses and those that occur again included
MAX_ELEMENTS = 500_000  # of XML: some for each entry
MAX_MEMBERS = 1_000  # of gzip, one behind the other

_CHUNK = 65_536
_LONGEST_TEXT = 4_096  # of one URL or date
_DEEPEST = 64
_GZIP = b"\x1f\x8b"
_ITEMS = {"url", "sitemap", "item", "entry"}  # elements that describe one page (or one child sitemap)
_URLS = {("url", "loc"), ("sitemap", "loc"), ("item", "link"), ("entry", "link")}
_DATES = {("url", "lastmod"), ("item", "pubdate"), ("item", "date"), ("entry", "updated"), ("sitemap", "lastmod")}
_filled = re.compile(r"[^\s][^\r\n]*+").finditer  # lines, one at a time: a list of 50 million would take gigabytes
_ROOTS = {"urlset", "sitemapindex", "rss", "feed", "rdf"}


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one file says: pages with their last change (seconds since 1970, None where it says nothing), further
    sitemaps, and what was wrong with it. All addresses are canonical."""

    pages: dict[str, float | None] = field(default_factory=dict)
    children: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class _Stop(Exception):
    """Ends the parse from within an event; what was read so far is kept."""


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read one sitemap of any kind; ``url`` is where it came from (relative addresses are joined to it).

    >>> read_sitemap(b"<urlset><url><loc>https://example.org/a</loc></url></urlset>", "https://example.org/sitemap.xml")
    Sitemap(pages={'https://example.org/a': None}, children=(), problems=())
    """
    collected = _Collected(url)
    body = _unpack(body, collected)
    if len(body) > MAX_BYTES:
        collected.problems.append(f"cut at {MAX_BYTES} bytes")
        body = body[:MAX_BYTES]
    start = body[:200].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    try:
        if not start:
            collected.problems.append("empty")
        elif start.startswith(b"<"):
            _read_xml(body, collected)
        else:
            _read_text(body, collected)
    except _Stop as stop:
        collected.problems.append(str(stop))
    return collected.sitemap()


class _Collected:
    """What a parse has found so far."""

    def __init__(self, url: str) -> None:
        self._base = Base(url) if canonical(url) is not None else None
        self._pages: dict[str, float | None] = {}
        self._children: dict[str, None] = {}
        self._entries = 0
        self._bad = 0
        self.problems: list[str] = []

    def add(self, text: str, lastmod: str | None = None, *, child: bool = False) -> None:
        url = self._base.join(text) if self._base is not None else canonical(text.strip())
        if url is None or len(text) >= _LONGEST_TEXT:
            self._bad += 1
        elif child:
            self._children.setdefault(url)
        else:
            self._pages.setdefault(url, _seconds(lastmod) if lastmod else None)
        self._entries += 1
        if self._entries >= MAX_ENTRIES:
            raise _Stop(f"cut at {MAX_ENTRIES} entries")

    def sitemap(self) -> Sitemap:
        if self._bad:
            self.problems.append(f"{self._bad} entries are not web addresses")
        return Sitemap(self._pages, tuple(self._children), tuple(self.problems))


def _unpack(body: bytes, collected: _Collected) -> bytes:
    """Undo gzip (in some members), never beyond one byte more than the cap."""
    if not body.startswith(_GZIP):
        return body
    unpacked = bytearray()
    view, start = memoryview(body), 0
    for _ in range(MAX_MEMBERS):
        member = zlib.decompressobj(wbits=31)
        try:
            # a chunk at a time: what a member leaves over is a copy of all that it was given and did not need
            while start < len(body) and len(unpacked) <= MAX_BYTES and not member.eof:
                chunk = view[start : start + _CHUNK]
                unpacked += member.decompress(chunk, MAX_BYTES + 1 - len(unpacked))
                start += len(chunk) - len(member.unconsumed_tail) - len(member.unused_data)
        except zlib.error:
            collected.problems.append("broken gzip")
            return bytes(unpacked)
        if len(unpacked) > MAX_BYTES:
            return bytes(unpacked)
        if not member.eof:
            collected.problems.append("gzip ends early")
            return bytes(unpacked)
        if view[start : start + 2] != _GZIP:
            return bytes(unpacked)
    collected.problems.append(f"cut at {MAX_MEMBERS} gzip members")
    return bytes(unpacked)


def _read_text(body: bytes, collected: _Collected) -> None:
    encoding = "utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    for line in _filled(body.decode(encoding, "replace")):
        entry = line.group()
        if entry[0] != "#":
            # unlike <loc>, a line of a text file is an address only when it is a whole one
            collected.add(entry if "://" in entry[:10] else "")


def _read_xml(body: bytes, collected: _Collected) -> None:
    events = _Events(collected)
    try:
        wrong = read_events(body, events.start, events.end, events.text)
    except XmlRefused as refused:
        wrong = f"refused: {refused}"
    if wrong:
        collected.problems.append(wrong)


class _Events:
    """Turns the parser's events into entries. Prefixes are ignored: what counts is the element it stands in."""

    def __init__(self, collected: _Collected) -> None:
        self._collected = collected
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._url = self._date = ""
        self._elements = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local_name(name)
        if not self._path and name not in _ROOTS:
            raise _Stop(f"not a sitemap: its root is <{name[:40]}>")
        if len(self._path) >= _DEEPEST:
            raise _Stop("nested too deeply")
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise _Stop(f"cut at {MAX_ELEMENTS} elements")
        place = (self._path[-1] if self._path else "", name)
        self._path.append(name)
        if name in _ITEMS and len(self._path) <= 3:
            self._url = self._date = ""
        elif place in _URLS or place in _DATES:
            self._text, self._length = [], 0
            if place == ("entry", "link") and attributes.get("rel", "alternate") == "alternate":
                self._url = self._url or attributes.get("href", "")[:_LONGEST_TEXT]

    def text(self, data: str) -> None:
        if self._text is not None and self._length < _LONGEST_TEXT:
            self._text.append(data[: _LONGEST_TEXT - self._length])
            self._length += len(self._text[-1])

    def end(self, name: str) -> None:
        name = self._path.pop()
        place = (self._path[-1] if self._path else "", name)
        if self._text is not None and (place in _URLS or place in _DATES):
            text, self._text = "".join(self._text).strip(), None
            if place in _DATES:
                self._date = text
            elif text:
                self._url = text
        elif name in _ITEMS and len(self._path) <= 2:
            url, date = self._url, self._date
            self._url = self._date = ""
            self._collected.add(url, date, child=name == "sitemap")


_W3C_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$")


def _seconds(text: str) -> float | None:
    """Seconds since 1970 of a W3C date (sitemaps, Atom) or an RFC 5322 one (RSS); None when it is neither."""
    try:
        match = _W3C_DATE.match(text)
        if match:
            moment = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1), tzinfo=UTC)
        elif text[:4].isdigit():
            moment = datetime.fromisoformat(text)
        else:
            moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
