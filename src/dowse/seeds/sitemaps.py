"""Sitemaps: XML, index files, gzip, plain text, and the feeds that serve as sitemaps (RSS, Atom).

Reading never fails: broken input keeps what was read up to the break and says what was wrong. XML goes through the
stdlib's expat as a stream of events; a document that declares an entity is refused on the spot, so nothing is ever
expanded or loaded from elsewhere. Sizes are capped as the sitemap protocol has it (50 MB, 50,000 URLs a file).
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from xml.parsers import expat

from dowse.model.url import Base, canonical

__all__ = ["Expansion", "Sitemap", "SitemapEntry", "expand", "read_sitemap"]

MAX_BYTES = 50_000_000  # of one file, uncompressed (the protocol says 50 MB)
MAX_URLS = 50_000  # of one file
MAX_DEPTH = 3  # index files within index files
MAX_CHILDREN = 500  # sitemaps named by index files, over a whole expansion
MAX_TOTAL = 1_000_000  # URLs of a whole expansion

_CHUNK = 65_536
_LONGEST_TEXT = 4_096  # of one URL or date
_DEEPEST = 64
_GZIP = b"\x1f\x8b"
_ITEMS = {"url", "sitemap", "item", "entry"}  # elements that describe one page (or one child sitemap)
_URLS = {("url", "loc"), ("sitemap", "loc"), ("item", "link"), ("entry", "link")}
_DATES = {("url", "lastmod"), ("item", "pubdate"), ("item", "date"), ("entry", "updated"), ("sitemap", "lastmod")}
_ROOTS = {"urlset", "sitemapindex", "rss", "feed", "rdf"}


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page a sitemap names; ``lastmod`` in seconds since 1970, when it says so."""

    url: str
    lastmod: float | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one file says: pages, further sitemaps (canonical URLs, each once) and what was wrong with it."""

    urls: tuple[SitemapEntry, ...] = ()
    children: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """Every page found by walking sitemaps, in order, each once; problems are prefixed with the sitemap's address."""

    urls: tuple[SitemapEntry, ...] = ()
    problems: tuple[str, ...] = ()
    fetched: int = 0


class _Stop(Exception):
    """Ends the parse from within an event; what was read so far is kept."""


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read one sitemap of any kind; ``url`` is where it came from (relative addresses are joined to it).

    >>> read_sitemap(b"<urlset><url><loc>https://example.org/a</loc></url></urlset>", "https://example.org/sitemap.xml")
    Sitemap(urls=(SitemapEntry(url='https://example.org/a', lastmod=None),), children=(), problems=())
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


async def expand(
    sources: Iterable[str],
    fetch: Callable[[str], Awaitable[bytes | str]],
    *,
    max_depth: int = MAX_DEPTH,
    max_children: int = MAX_CHILDREN,
    max_urls: int = MAX_TOTAL,
    concurrency: int = 8,
) -> Expansion:
    """Walk sitemaps and the index files among them, level by level; the result does not depend on timing.

    ``fetch`` brings the body of a sitemap, or says why it could not or must not be had: robots, the address guard and
    the budget are its business.
    """
    level = list(dict.fromkeys(sources))
    known = set(level)
    pages: dict[str, SitemapEntry] = {}
    problems: list[str] = []
    children = fetched = 0
    for depth in range(max_depth + 1):
        below: list[str] = []
        for start in range(0, len(level), concurrency):
            if len(pages) >= max_urls:
                break
            group = level[start : start + concurrency]
            for source, body in zip(group, await asyncio.gather(*map(fetch, group)), strict=True):
                if isinstance(body, str):
                    problems.append(f"{source}: {body}")
                    continue
                fetched += 1
                sitemap = read_sitemap(body, source)
                problems += [f"{source}: {problem}" for problem in sitemap.problems]
                for entry in sitemap.urls[: max_urls - len(pages)]:
                    pages.setdefault(entry.url, entry)
                new = [child for child in sitemap.children if child not in known]
                known.update(new)
                below += new
        if depth == max_depth and below:
            problems.append(f"{len(below)} sitemaps left out: index files nested deeper than {max_depth}")
            break
        if children + len(below) > max_children:
            problems.append(f"{children + len(below) - max_children} sitemaps left out beyond {max_children}")
            below = below[: max_children - children]
        children += len(below)
        level = below
    if len(pages) >= max_urls:
        problems.append(f"stopped at {max_urls} URLs")
    return Expansion(tuple(pages.values()), tuple(problems), fetched)


class _Collected:
    """What a parse has found so far."""

    def __init__(self, url: str) -> None:
        self._base = Base(url) if canonical(url) is not None else None
        self._pages: dict[str, SitemapEntry] = {}
        self._children: dict[str, None] = {}
        self._bad = 0
        self.problems: list[str] = []

    def add(self, text: str, lastmod: str | None = None, *, child: bool = False) -> None:
        url = self._base.join(text) if self._base is not None else canonical(text.strip())
        if url is None or len(text) >= _LONGEST_TEXT:
            self._bad += 1
        elif child:
            self._children.setdefault(url)
        else:
            self._pages.setdefault(url, SitemapEntry(url, _seconds(lastmod) if lastmod else None))
        if len(self._pages) + len(self._children) >= MAX_URLS:
            raise _Stop(f"cut at {MAX_URLS} URLs")

    def sitemap(self) -> Sitemap:
        if self._bad:
            self.problems.append(f"{self._bad} entries are not web addresses")
        return Sitemap(tuple(self._pages.values()), tuple(self._children), tuple(self.problems))


def _unpack(body: bytes, collected: _Collected) -> bytes:
    """Undo gzip (in any number of members), never beyond one byte more than the cap."""
    if not body.startswith(_GZIP):
        return body
    parts: list[bytes] = []
    size = 0
    while body.startswith(_GZIP) and size <= MAX_BYTES:
        member = zlib.decompressobj(wbits=31)
        try:
            parts.append(member.decompress(body, MAX_BYTES + 1 - size))
        except zlib.error:
            collected.problems.append("broken gzip")
            break
        size += len(parts[-1])
        if not member.eof and size <= MAX_BYTES:
            collected.problems.append("gzip ends early")
        body = member.unused_data
    return b"".join(parts)


def _read_text(body: bytes, collected: _Collected) -> None:
    encoding = "utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    for line in body.decode(encoding, "replace").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            # unlike <loc>, a line of a text file is an address only when it is a whole one
            collected.add(line if "://" in line[:10] else "")


def _read_xml(body: bytes, collected: _Collected) -> None:
    events = _Events(collected)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = events.start
    parser.EndElementHandler = events.end
    parser.CharacterDataHandler = events.text
    parser.EntityDeclHandler = events.refuse_entity
    view = memoryview(body)
    try:
        for start in range(0, len(body), _CHUNK):
            parser.Parse(view[start : start + _CHUNK], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        collected.problems.append(f"broken XML: {error}")
    except (ValueError, LookupError) as error:  # an encoding expat or Python does not have
        collected.problems.append(f"unreadable XML: {error}")


class _Events:
    """Turns the parser's events into entries. Prefixes are ignored: what counts is the element it stands in."""

    def __init__(self, collected: _Collected) -> None:
        self._collected = collected
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._url = self._date = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2].lower()
        if not self._path and name not in _ROOTS:
            raise _Stop(f"not a sitemap: its root is <{name[:40]}>")
        if len(self._path) >= _DEEPEST:
            raise _Stop("nested too deeply")
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

    def refuse_entity(self, *_: object) -> None:
        raise _Stop("refused: it declares an XML entity")


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
