"""Bytes of a page to what the crawl needs of it: text, words, links, language and signature.

::

    bytes ─ decode ─► text ─ bounds ─► html (one walk) ─► Document ─ links ─► columns for the frontier
                                                            ├─ language
                                                            └─ signature ─► duplicates

:func:`parse_page` is the front door. Nothing here raises for a fault of the page.
"""

from __future__ import annotations

from dowse.parse.decode import decode
from dowse.parse.document import Document, RawLink
from dowse.parse.duplicates import DuplicateIndex
from dowse.parse.html import parse_html
from dowse.parse.language import detect_language
from dowse.parse.links import (
    Found,
    Refuse,
    Similarity,
    add_refresh,
    base_of,
    best_mentions,
    collect_links,
    gather_links,
    measure_links,
)
from dowse.parse.page import parse_page
from dowse.parse.signature import sign, sign_hashes

__all__ = [
    "Document", "DuplicateIndex", "Found", "RawLink", "Refuse", "Similarity", "add_refresh", "base_of", "best_mentions",
    "collect_links", "decode", "detect_language", "gather_links", "measure_links", "parse_html", "parse_page", "sign",
    "sign_hashes",
]  # fmt: skip
