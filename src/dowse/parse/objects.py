"""Which types of structured data a page carries: JSON-LD, microdata and OpenGraph.

Nothing here is on the way of every page: it is run where somebody asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dowse.model.facts import object_type
from dowse.model.sniffing import true_type
from dowse.parse.decode import in_utf8
from dowse.parse.documents import reader_of
from dowse.parse.html import find_annotations
from dowse.parse.page import is_plain, is_xhtml

__all__ = ["object_types"]

_MOST_SCRIPTS = 100
_LONGEST_SCRIPT = 1_000_000  # characters
_MOST_SCRIPT_TEXT = 2_000_000  # of all scripts of a page together
_MOST_VALUES = 100_000  # looked at in one script
_MOST_TYPES = 500
_LONGEST_TYPE = 200
_BEFORE = ("<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA[")
_BEHIND = ("-->", "//]]>", "/*]]>*/", "]]>", ";")
_MARKS = (b"ld+json", b"itemtype", b"og:type")


def object_types(body: bytes, content_type: str = "") -> frozenset[str]:
    """The types of a page's objects, as of :func:`~dowse.model.facts.object_type`: ``event`` for schema.org's Event.

    Never raises; what is too long, too deep or no JSON is passed over.
    """
    if is_plain(content_type) or reader_of(true_type(content_type, body)) is not None:
        return frozenset()
    page, _ = in_utf8(body, content_type)
    lowered = page.lower()
    if not any(mark in lowered for mark in _MARKS):  # as on most pages: no need for a tree
        return frozenset()
    found = find_annotations(page, xhtml=is_xhtml(page, content_type))
    names = [*found.og_types, *(name for names in found.item_types for name in names[:_LONGEST_SCRIPT].split())]
    types: dict[str, None] = {}
    for name in names:
        _add(types, name)
    room = _MOST_SCRIPT_TEXT
    for script in found.json_ld[:_MOST_SCRIPTS]:
        room -= len(script)
        if room < 0:
            break
        for name in _types_of(script):
            _add(types, name)
    return frozenset(types)


def _add(types: dict[str, None], name: str) -> None:
    if len(name) <= _LONGEST_TYPE and len(types) < _MOST_TYPES and (known := object_type(name)):
        types[known] = None


def _types_of(script: str) -> Iterator[str]:
    """Every ``@type`` in a script, however deep."""
    if len(script) > _LONGEST_SCRIPT:
        return
    try:
        waiting = [json.loads(_unwrapped(script), strict=False)]
    except (ValueError, RecursionError):
        return
    looked = 0
    while waiting and looked < _MOST_VALUES:
        looked += 1
        value: Any = waiting.pop()
        if isinstance(value, list):
            waiting += value[:_MOST_VALUES]
        elif isinstance(value, dict):
            named = value.get("@type")
            yield from (name for name in (named if isinstance(named, list) else [named]) if isinstance(name, str))
            waiting += [inner for inner in value.values() if isinstance(inner, (dict, list))]


def _unwrapped(script: str) -> str:
    """Without the marks by which old browsers and XML parsers were kept from reading it."""
    script = script.strip()
    for mark in _BEFORE:
        script = script.removeprefix(mark).lstrip()
    for mark in _BEHIND:
        script = script.removesuffix(mark).rstrip()
    return script
