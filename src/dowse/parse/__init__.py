"""Bytes of a page to what the crawl needs of it: text, words, links, language and signature.

::

    bytes ─ decode ─► text ─ bounds ─► html (one walk) ─► Document ─ links, blocks ─► context ─► frontier
                        │                                   ├─ language
                        └─ objects, where asked for         └─ signature ─► duplicates

:func:`parse_page` is the front door. What is no HTML goes by ``documents`` instead, and becomes a Document as well.
Nothing here raises for a fault of the page.
"""

from __future__ import annotations

from dowse.parse.blocks import block_starts
from dowse.parse.context import Measures, Mentions, in_context, line_groups, mentions
from dowse.parse.decode import decode
from dowse.parse.document import Document, RawLink
from dowse.parse.documents import Unreadable, reader_of
from dowse.parse.duplicates import DuplicateIndex
from dowse.parse.html import parse_html
from dowse.parse.language import SAMPLE_CHARACTERS, detect_language
from dowse.parse.links import (
    Gathered,
    Memo,
    Refuse,
    add_link,
    anchor_lines,
    base_of,
    gather_links,
    measure_links,
    mentions_of,
)
from dowse.parse.outline import Outline
from dowse.parse.own_lines import own_lines, says_other
from dowse.parse.page import parse_page
from dowse.parse.repeats import MOST_LINES, Repeats, distinct_lines, is_repeated
from dowse.parse.signature import sign, sign_hashes

__all__ = [
    "MOST_LINES", "SAMPLE_CHARACTERS", "Document", "DuplicateIndex", "Gathered", "Measures", "Memo", "Mentions",
    "Outline", "RawLink", "Refuse", "Repeats", "Unreadable", "add_link", "anchor_lines", "base_of", "block_starts",
    "decode", "detect_language", "distinct_lines", "gather_links", "in_context", "is_repeated", "line_groups",
    "measure_links", "mentions", "mentions_of", "own_lines", "parse_html", "parse_page", "reader_of", "says_other",
    "sign", "sign_hashes",
]  # fmt: skip
