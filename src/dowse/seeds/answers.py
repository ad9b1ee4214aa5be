"""What engines answer, read as what it is: anybody's bytes. JSON and feeds become plain values, or a Trouble.

Bodies were capped when they came. What is read of them is capped again: results, text, nesting. XML goes through expat
as a stream of events, and a document that declares an entity is refused, as for sitemaps.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dowse.model.http import Response
from dowse.model.search import SearchResult, Trouble, TroubleKind
from dowse.model.xml_events import XmlRefused, local_name, read_events

__all__ = [
    "MOST_RESULTS", "XmlElement", "complaint_in", "items_of", "plain_text", "read_feed", "read_json", "read_xml",
    "text_of",
]  # fmt: skip

MOST_RESULTS = 5_000
_LONGEST = 2_000  # characters of a title or snippet
_LONGEST_URL = 4_096
_LONGEST_COMPLAINT = 160
_MOST_ELEMENTS = 100_000
_DEEPEST = 64
_tag = re.compile(r"<[^<>]{0,500}>")
_FEEDS = {"rss", "feed", "rdf"}


def read_json(response: Response) -> Any:
    """The value of an answer that should be JSON; a Trouble when it is not."""
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError):
        kind = (response.header("Content-Type") or "").partition(";")[0].strip()
        shown = f" ({kind})" if kind else ""
        return Trouble(TroubleKind.FORMAT, f"the answer is no JSON{shown}" if response.body else "the answer is empty")


def items_of(value: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of a list inside a value; whatever is not as it should be counts for nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return [item for item in value[:MOST_RESULTS] if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(item: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that has a text (or a list that begins with one), without markup, on one line."""
    for name in names:
        value = item.get(name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value.strip():
            return plain_text(value)
    return ""


def plain_text(text: str) -> str:
    """Text as a reader sees it: tags gone, references undone, blanks made equal, cut where it is long.

    >>> plain_text("A <b>perovskite</b>&#39;s\\n cell &amp; more")
    "A perovskite's cell & more"
    """
    return " ".join(html.unescape(_tag.sub("", text[: 4 * _LONGEST])).split())[:_LONGEST]


def complaint_in(response: Response) -> str:
    """What a service says is wrong, where it says so in JSON: one short line, or nothing."""
    value = read_json(response)
    for _ in range(2):  # {"error": {"message": ...}}
        if not isinstance(value, dict):
            break
        told = text_of(value, "message", "detail", "info", "error", "reason")
        if told:
            return told[:_LONGEST_COMPLAINT]
        value = value.get("error")
    return ""


class XmlElement:
    """An element of XML without its prefix: its name, attributes, text and children."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.text = ""
        self.children: list[XmlElement] = []

    def first(self, *names: str) -> str:
        """The text of the first child with one of these names that has any."""
        return next((child.text for name in names for child in self.children if child.name == name and child.text), "")

    def all(self, name: str) -> Iterator[XmlElement]:
        """Every element of this name below, in order."""
        for child in self.children:
            if child.name == name:
                yield child
            yield from child.all(name)


class _Builder:
    """Makes elements of the parser's events, within bounds."""

    def __init__(self) -> None:
        self.root = XmlElement("", {})
        self._open = [self.root]
        self._elements = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > _MOST_ELEMENTS or len(self._open) > _DEEPEST:
            raise XmlRefused("it has too many elements, or nests them too deeply")
        own = {local_name(key): value[:_LONGEST_URL] for key, value in attributes.items()}
        element = XmlElement(local_name(name), own)
        self._open[-1].children.append(element)
        self._open.append(element)

    def text(self, data: str) -> None:
        element = self._open[-1]
        if len(element.text) < 4 * _LONGEST:
            element.text += data[: 4 * _LONGEST - len(element.text)]

    def end(self, _: str) -> None:
        element = self._open.pop()
        element.text = element.text.strip()


def read_xml(response: Response, *roots: str) -> XmlElement | Trouble:
    """The root of an answer that should be XML with one of these roots."""
    builder = _Builder()
    try:
        wrong = read_events(response.body, builder.start, builder.end, builder.text)
    except XmlRefused as refused:
        return Trouble(TroubleKind.FORMAT, f"the answer is refused: {refused}")
    if wrong:
        return Trouble(TroubleKind.FORMAT, "the answer is no XML")
    root = builder.root.children[0]
    if root.name not in roots:
        return Trouble(TroubleKind.FORMAT, f"the answer is no {roots[0]}: its root is <{root.name[:40]}>")
    return root


def read_feed(response: Response) -> list[SearchResult] | Trouble:
    """The entries of RSS or Atom, in order."""
    root = read_xml(response, *sorted(_FEEDS))
    if isinstance(root, Trouble):
        return root
    entries = [*root.all("item"), *root.all("entry")][:MOST_RESULTS]
    found = (
        SearchResult(
            _link(entry), plain_text(entry.first("title")), plain_text(entry.first("summary", "description", "content"))
        )
        for entry in entries
    )
    return [result for result in found if result.url]


def _link(entry: XmlElement) -> str:
    """Where an entry leads: the page itself, of several links."""
    for link in entry.children:
        target = link.attributes.get("href") or link.text
        if target and link.name == "link" and link.attributes.get("rel", "alternate") == "alternate":
            return target[:_LONGEST_URL]
    return entry.first("id", "guid")[:_LONGEST_URL]
