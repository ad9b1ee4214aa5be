"""Keeps hostile markup from costing more than its size: an HTML tree builder is quadratic in three places.

Depth (each block start tag looks up the whole stack), open formatting elements (each new paragraph repeats them) and
attributes of one tag (each is compared with those before). Browsers bound depth at 512 for the same reason. Ordinary
pages pay a few counts and a search; only suspicious ones are read tag by tag.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core

__all__ = ["MAX_DEPTH", "bounded"]

MAX_DEPTH = 400
_MAX_FORMATTING = 32
_MAX_ATTRIBUTES = 200
_MAX_TAGS = 300_000
_SUSPECT_UNCLOSED = 1_500
_SUSPECT_TAGS = 20_000
_SUSPECT_SIZE = 65_536
_WINDOW = 8_192
_NAME = 8  # letters of a tag's name that are looked at: no two names that nest begin with the same ones

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_LONG_TAG = re.compile(rb"""<[a-zA-Z](?:[^>"']++|"[^"]*+"|'[^']*+')*+>?""")
_ATTRIBUTE = re.compile(rb"""[^\s=>"'/<]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+""")
_FORMATTING_NAMES = b"b big code em font i nobr s small strike strong tt u"
_NOT_NESTING_NAMES = (  # void, closed by the next of their kind, or self-closed in SVG
    b"area base br col embed hr img input link meta source track wbr param frame p li dd dt option tr td th tbody "
    b"thead tfoot colgroup optgroup rp rt html head body a path rect circle line polygon polyline ellipse use stop "
    b"image"
)
_FORMATTING = frozenset(_FORMATTING_NAMES.split())
_NOT_NESTING = frozenset(_NOT_NESTING_NAMES.split())
_IGNORED = np.array([b"", *_NOT_NESTING], f"S{_NAME}").view(np.uint64)
# the letters in front of the names spare the search most tags: whole names, in any case, are slow to compare
_XHTML_EMPTY = re.compile(rb"<(?=[sStTiInN])(script|title|style|textarea|iframe|noscript)\b([^<>]*)/>", re.IGNORECASE)


def bounded(page: bytes, *, xhtml: bool = False) -> bytes:
    """A page in UTF-8 without what would make its tree too deep or too dear. Links keep their tags."""
    if xhtml:  # "<script src=x />" is whole in XML, but swallows the rest of the page in HTML
        page = _XHTML_EMPTY.sub(rb"<\1\2></\1>", page)
    if len(page) > _SUSPECT_SIZE:
        page = _fewer_attributes(page)
    if b"\0" in page:  # never text to a browser; later a paragraph separator to us
        page = page.replace(b"\0", b"")
    return page if _surely_flat(page) or not _looks_deep(page) else _flatter(page)


def _surely_flat(page: bytes) -> bool:
    """Does the compiled core see at once that there is nothing to leave out?"""
    if core is None:
        return False
    if core.looks_deep(page, _SUSPECT_UNCLOSED, _SUSPECT_TAGS) is False:
        return True
    return core.is_flat(page, _NOT_NESTING, _FORMATTING, MAX_DEPTH, _MAX_FORMATTING, _MAX_TAGS)


def _looks_deep(page: bytes) -> bool:
    """Do start tags outnumber end tags by far, at the end or on the way there?"""
    text = np.frombuffer(page, np.uint8)
    tags = int(np.count_nonzero(text == ord("<")))
    if tags <= _SUSPECT_UNCLOSED:
        return False
    if tags > _MAX_TAGS:
        return True
    at = np.flatnonzero(text[:-1] == ord("<"))
    is_end = text[at + 1] == ord("/")
    balance = np.where(is_end, -1, 1).cumsum()
    unclosed = int(balance[-1]) if len(balance) else 0
    if unclosed > _SUSPECT_UNCLOSED or (tags > _SUSPECT_TAGS and _mismatched(text, at, is_end)):
        return True
    # void elements are never closed: those of the whole page are taken to be spread over it
    return bool((balance - unclosed * (at / len(text))).max(initial=0) > _SUSPECT_UNCLOSED)


def _mismatched(text: NDArray[np.uint8], at: NDArray[np.int64], is_end: NDArray[np.bool_]) -> bool:
    """Are many start tags never closed by their own name? Names are told apart by their first eight letters, so that
    each is one integer: a list of names would take as long as the tree."""
    names = np.zeros((len(at), _NAME), np.uint8)
    begin = at + 1 + is_end
    running = np.ones(len(at), bool)
    for place in range(_NAME):
        letters = text[np.minimum(begin + place, len(text) - 1)] | 0x20
        running &= (letters - ord("a") < 26) | ((letters - ord("0") < 10) & (place > 0))
        names[:, place] = np.where(running, letters, 0)
    found, row = np.unique(names.view(np.uint64).ravel(), return_inverse=True)
    unclosed = np.bincount(row, np.where(is_end, -1, 1)).clip(0)
    return bool(unclosed[~np.isin(found, _IGNORED)].sum() > _SUSPECT_UNCLOSED)


def _fewer_attributes(page: bytes) -> bytes:
    """A long stretch without ">" may be one giant tag: look only there, keep its first attributes."""
    if all(page.find(b">", i, i + _WINDOW) >= 0 for i in range(0, len(page) - _WINDOW, _WINDOW)):
        return page
    return _LONG_TAG.sub(_shorter_tag, page)


def _shorter_tag(match: re.Match[bytes]) -> bytes:
    tag = match[0]
    if len(tag) < _WINDOW:
        return tag
    parts = []
    for attribute in _ATTRIBUTE.finditer(tag, 1):
        parts.append(attribute[0])
        if len(parts) > _MAX_ATTRIBUTES:
            return b"<%b>" % b" ".join(parts)
    return tag


def _flatter(page: bytes) -> bytes:
    """Drop start tags beyond the depth limits; end the page after too many tags."""
    kept: list[bytes] = []
    position = 0
    open_tags: dict[bytes, int] = {}
    depth = formatting = tags = 0
    for match in _TAG.finditer(page):
        tags += 1
        if tags > _MAX_TAGS:
            kept.append(page[position : match.start()])
            return b"".join(kept)
        name = match[2].lower()
        if name in _NOT_NESTING:
            continue
        is_formatting = name in _FORMATTING
        if match[1]:
            if open_tags.get(name, 0) > 0:
                open_tags[name] -= 1
                depth -= 1
                formatting -= is_formatting
        elif depth >= MAX_DEPTH or (is_formatting and formatting >= _MAX_FORMATTING):
            kept.append(page[position : match.start()])
            tags -= 1
            end = page.find(b">", match.end())
            position = len(page) if end < 0 else max(position, end + 1)
        else:
            open_tags[name] = open_tags.get(name, 0) + 1
            depth += 1
            formatting += is_formatting
    if not position:
        return page
    kept.append(page[position:])
    return b"".join(kept)
