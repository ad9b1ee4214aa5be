"""Which pages can be reached, found in the plainest way: html.parser and urljoin over the files, breadth first.

It shares no code with any of the crawlers. Its rules: ``href`` of ``a`` and ``area``, joined to ``<base href>`` if
there is one; the same host; no fragment; HTML only. A folder is its index page, as nginx serves it.
"""

from __future__ import annotations

import json
import os
from collections import deque
from dataclasses import asdict, dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from bench.speed.corpus import HTML, Documentation

__all__ = ["Reach", "identity", "reachable"]

ORIGIN = "http://web"


@dataclass(frozen=True, slots=True)
class Reach:
    """The reachable pages, by :func:`identity`, and what they are like."""

    pages: tuple[str, ...]
    xml: tuple[str, ...]  # those that begin with an XML declaration
    bytes: int
    links: int

    def __add__(self, other: Reach) -> Reach:
        return Reach(self.pages + other.pages, self.xml + other.xml, self.bytes + other.bytes, self.links + other.links)


def identity(uri: str) -> str:
    """What makes two requests the same: the unescaped path, and the query."""
    path, mark, query = uri.partition("?")
    return unquote(path, errors="surrogateescape") + mark + query


def reachable(one: Documentation, web: Path, cache: Path) -> Reach:
    """Pages of a documentation that can be reached from its entries; remembered in the folder ``cache``."""
    starts = ["/" + entry.relative_to(web).as_posix() for entry in one.entries]
    kept = cache / f"{one.package}_{one.version}.json"
    if kept.exists():
        raw = json.loads(kept.read_text())
        if raw.get("starts") == starts:
            return Reach(tuple(raw["pages"]), tuple(raw["xml"]), raw["bytes"], raw["links"])
    found = _walk(starts, web)
    cache.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"starts": starts, **asdict(found)}))
    return found


def _walk(starts: list[str], web: Path) -> Reach:
    seen = set(starts)
    waiting = deque(starts)
    pages, xml, size, count = [], [], 0, 0
    while waiting:
        uri = waiting.popleft()
        path = _file(uri, web)
        if path is None:
            continue
        if path.is_dir():
            targets = [uri + "/"]  # nginx redirects there
        else:
            body = path.read_bytes()
            hrefs, targets = _links(body.decode("utf-8", "replace"), uri)
            pages.append(identity(uri))
            if body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<?xml"):
                xml.append(identity(uri))
            size += len(body)
            count += hrefs
        for target in targets:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return Reach(tuple(dict.fromkeys(pages)), tuple(xml), size, count)


def _file(uri: str, web: Path) -> Path | None:
    """What the server has at a path and query: a page, a folder without its slash, or nothing."""
    path = web / unquote(uri.partition("?")[0], errors="surrogateescape").lstrip("/")
    name = str(path)
    if "\0" in name or len(os.path.basename(name)) > 255:
        return None
    if uri.partition("?")[0].endswith("/"):
        path = path / "index.html"
        return path if path.is_file() else None
    if path.is_dir():
        return path
    return path if path.is_file() and name.lower().endswith(HTML) else None


class _Hrefs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("a", "area", "base"):
            href = next((value for name, value in attrs if name == "href"), None)
            if href and tag == "base":
                self.base = self.base or href
            elif href:
                self.hrefs.append(href)


def _links(text: str, uri: str) -> tuple[int, list[str]]:
    """How many links a page has, and the paths (and queries) on this host among them."""
    parser = _Hrefs()
    parser.feed(text)
    parser.close()
    own = ORIGIN + uri
    base = urljoin(own, parser.base) if parser.base else own
    targets = []
    for href in parser.hrefs:
        try:
            joined = urljoin(base, href.strip())
            parts = urlsplit(joined)
        except ValueError:
            continue
        if href.lstrip().startswith("#") or f"{parts.scheme}://{parts.netloc}" != ORIGIN:
            continue
        targets.append((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
    return len(parser.hrefs), targets
