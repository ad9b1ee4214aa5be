"""Changes as an Atom feed (RFC 4287), for any feed reader."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dowse.lab.finished.changes import Changes, Edited
from dowse.lab.wording import counted
from dowse.store import VisitedPage
from dowse.store.times import iso

__all__ = ["changes_feed"]

_ATOM = "http://www.w3.org/2005/Atom"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2
_MOST_LINES = 200


def changes_feed(changes: Changes, name: str, crawl: str) -> str:
    """The feed of a crawl with that name, told apart from others by its own (``crawl``). The latest entries first."""
    entries = sorted(_entries(changes), key=lambda entry: (entry[1].at, entry[1].id), reverse=True)
    feed = Element("feed", xmlns=_ATOM)
    _text(feed, "title", f"{name}: changes")
    _text(feed, "id", f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, crawl)}")
    _text(feed, "updated", entries[0][1].at if entries else iso(changes.since))
    SubElement(SubElement(feed, "author"), "name").text = "Dowse"
    for kind, page, content in entries:
        entry = SubElement(feed, "entry")
        _text(entry, "title", f"{kind}: {page.title or page.url}")
        _text(entry, "id", f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{crawl} {page.url} {kind} {page.at}')}")
        _text(entry, "updated", page.at)
        SubElement(entry, "link", href=_NO_XML.sub("", page.url))
        SubElement(entry, "category", term=kind)
        _text(entry, "content", content).set("type", "html")  # as text, readers would run its lines together
    indent(feed)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(feed, "unicode")


def _entries(changes: Changes) -> Iterator[tuple[str, VisitedPage, str]]:
    """Kind, page and content, as HTML."""
    yield from (("new", page, f"New: {escape(page.url)}") for page in changes.new)
    yield from (("changed", one.page, _told(one)) for one in changes.changed)
    yield from (("gone", page, f"Gone: {escape(page.url)}") for page in changes.gone)


def _told(one: Edited) -> str:
    if one.lines is None:
        return "Changed; a version of it is not in the archive."
    left = len(one.lines) - _MOST_LINES
    more = [f"... and {counted(left, 'more line')}"] if left > 0 else []
    return "<br>\n".join([*map(_line, one.lines[:_MOST_LINES]), *more])


def _line(text: str) -> str:
    """
    >>> _line("+ It is late"), _line("- <b>"), _line("...")
    ('<ins>+ It is late</ins>', '<del>- &lt;b&gt;</del>', '...')
    """
    tag = {"+": "ins", "-": "del"}.get(text[:1], "")
    return f"<{tag}>{escape(text)}</{tag}>" if tag else escape(text)


def _text(within: Element, name: str, text: str) -> Element:
    made = SubElement(within, name)
    made.text = _NO_XML.sub(" ", text)
    return made
