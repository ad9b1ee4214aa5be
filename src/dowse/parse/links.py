"""Raw links to the columns of :class:`~dowse.model.page.Links`: joined, canonical, distinct, measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dowse.model.page import Links
from dowse.model.url import Base, fingerprint
from dowse.model.words import WordLines
from dowse.parse.document import Document

__all__ = ["Found", "Refuse", "Similarity", "base_of", "collect_links"]

Refuse = Callable[[str], str | None]
"""A canonical URL -> the rule that refuses it, or None."""

Similarity = Callable[[Sequence[str]], float]
"""The words of a text -> how near it is to the topic, in [0, 1]."""

_MAX_HREF = 8_192
_MAX_ANCHOR = 200
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)


@dataclass(slots=True)
class Found:
    """The links of a page: those to follow, and how many there were and were refused (rule -> count).

    Besides the rules of ``refuse``: "nofollow", "max-links", "bad-url" (no parser can read it), "long-url".
    """

    links: Links = field(default_factory=Links)
    n_links: int = 0
    refused: dict[str, int] = field(default_factory=dict)


def base_of(document: Document) -> Base:
    """What the page's references are relative to: its ``<base href>`` where that is a web address, else itself."""
    own = Base(document.url)
    declared = own.join(document.base) if document.base else None
    return own if declared is None else Base(declared)


def collect_links(
    document: Document,
    *,
    refuse: Refuse | None = None,
    similarity: Similarity | None = None,
    text_is_topical: bool = True,
    max_links: int = 5_000,
) -> Found:
    """The followable links of ``document``, one row a distinct target, in order of first appearance.

    What leads nowhere by design (``#top``, ``mailto:``, ``javascript:``, an empty href) is not a link. A target's
    anchor is the longest of its mentions, its paragraph similarity the best. A page-level nofollow leaves no row.
    Where it is known that no word of the text is the topic's, ``text_is_topical`` saves measuring its paragraphs.
    """
    base = base_of(document)
    targets: dict[str, tuple[str, str]] = {}
    rows: dict[str, int] = {}
    counts: list[int] = []
    anchors: list[str] = []
    rels: list[str] = []
    positions: list[int] = []
    mentions: list[tuple[int, int]] = []  # row, paragraph
    refused: Counter[str] = Counter()
    n_links = 0
    page_nofollow = document.nofollow
    for position, (href, anchor, rel, paragraph) in enumerate(document.links):
        mark = href.find("#")
        if mark >= 0:
            href = href[:mark]
        target = targets.get(href)
        if target is None:
            target = targets[href] = _resolve(base, href, refuse)
        url, reason = target
        if not url and not reason:
            continue
        n_links += 1
        if page_nofollow or (rel and "nofollow" in rel.split()):
            reason = "nofollow"
        row = rows.get(url, -1)
        if not reason and row < 0 and len(rows) >= max_links:
            reason = "max-links"
        if reason:
            refused[reason] += 1
            continue
        if row < 0:
            row = rows[url] = len(rows)
            counts.append(1)
            anchors.append(anchor)
            rels.append(rel)
            positions.append(position)
        else:
            counts[row] += 1
            if len(anchor) > len(anchors[row]):
                anchors[row] = anchor
        mentions.append((row, paragraph))
    urls = list(rows)
    anchors = [anchor[:_MAX_ANCHOR] for anchor in anchors]
    by_anchor = _anchor_similarities(anchors, similarity)
    by_paragraph = _paragraph_similarities(document, mentions, by_anchor, similarity if text_is_topical else None)
    links = Links(
        urls=urls,
        fingerprints=np.fromiter(map(fingerprint, urls), np.uint64, len(urls)),
        counts=np.array(counts, np.float32),
        anchors=anchors,
        rels=rels,
        positions=np.array(positions, np.int32),
        anchor_similarity=np.array(by_anchor, np.float32),
        paragraph_similarity=np.array(by_paragraph, np.float32),
    )
    return Found(links, n_links, dict(refused))


def _resolve(base: Base, href: str, refuse: Refuse | None) -> tuple[str, str]:
    """(canonical target, "") or ("", rule that refuses it); ("", "") for what is no link by design."""
    if len(href) > _MAX_HREF:
        return "", "" if _OTHER_SCHEME.match(href.lstrip()) else "long-url"
    url = base.join(href)
    if url is None:
        bare = href.strip()
        return "", "bad-url" if bare and _OTHER_SCHEME.match(bare) is None else ""
    reason = refuse(url) if refuse is not None else None
    return ("", reason) if reason else (url, "")


def _anchor_similarities(anchors: list[str], similarity: Similarity | None) -> list[float]:
    """Similarity of each anchor. Most pages have no word of the topic in any: that takes one look."""
    lines = WordLines("\n".join(anchors))
    if similarity is None or not similarity(lines.words()):
        return [0.0] * len(anchors)
    return [similarity(words) if words else 0.0 for words in map(lines.line, range(len(anchors)))]


def _paragraph_similarities(
    document: Document, mentions: list[tuple[int, int]], by_anchor: list[float], similarity: Similarity | None
) -> list[float]:
    """Similarity of the paragraphs that mention each row, the best of them; each paragraph is measured once."""
    by_row = [0.0] * len(by_anchor)
    if similarity is None and not any(by_anchor):
        return by_row
    measured: dict[int, float] = {}
    for row, paragraph in mentions:
        value = measured.get(paragraph)
        if value is None:
            line = document.lines.line(paragraph)
            # an image or a widget alone in its block: the anchor is all the paragraph there is
            value = by_anchor[row] if not line else similarity(line) if similarity is not None else 0.0
            measured[paragraph] = value
        if value > by_row[row]:
            by_row[row] = value
    return by_row
