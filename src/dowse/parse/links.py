"""Raw links to the columns of :class:`~dowse.model.page.Links`: joined, canonical, distinct, measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Links
from dowse.model.url import Base, fingerprint
from dowse.model.words import WordLines
from dowse.parse.document import Document

__all__ = [
    "Found", "Gathered", "Refuse", "Similarity", "add_refresh", "base_of", "best_mentions", "collect_links",
    "gather_links", "measure_links",
]  # fmt: skip

Refuse = Callable[[str], str | None]
"""A canonical URL -> the rule that refuses it, or None."""

Similarity = Callable[[WordLines], NDArray[np.float64]]
"""A text -> how near each of its lines is to the topic, in [0, 1]; NaN where there is no word."""

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


@dataclass(slots=True)
class Gathered:
    """Raw links joined and made distinct, one row a target in order of first appearance; nothing measured yet."""

    urls: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # mentions of each
    anchors: list[str] = field(default_factory=list)  # the longest of its mentions, clipped
    rels: list[str] = field(default_factory=list)  # of the first mention
    positions: list[int] = field(default_factory=list)  # of the first mention
    mentioned: list[int] = field(default_factory=list)  # the row of each mention
    paragraphs: list[int] = field(default_factory=list)  # and its paragraph
    n_links: int = 0
    refused: dict[str, int] = field(default_factory=dict)


def gather_links(document: Document, refuse: Refuse | None = None, max_links: int | None = None) -> Gathered:
    """The followable links of ``document``.

    What leads nowhere by design (``#top``, ``mailto:``, ``javascript:``, an empty href) is not a link. A page-level
    nofollow leaves no row. Whether a target is refused decides over all of its mentions and nothing else, so the rows
    that ``refuse`` and then ``max_links`` leave are those that a choice among all rows would leave.
    """
    base = base_of(document)
    targets: dict[str, tuple[str, str]] = {}
    known: dict[str, int] = {}  # a reference -> its row; most are mentioned more than once
    rows: dict[str, int] = {}
    counts: list[int] = []
    anchors: list[str] = []
    rels: list[str] = []
    positions: list[int] = []
    mentioned: list[int] = []
    paragraphs: list[int] = []
    refused: Counter[str] = Counter()
    nowhere = 0
    most = len(document.links) if max_links is None else max_links
    page_nofollow = document.nofollow
    for position, (href, anchor, rel, paragraph) in enumerate(document.links):
        mark = href.find("#")
        if mark >= 0:
            href = href[:mark]
        row = known.get(href, -1)
        if row < 0 or rel:
            target = targets.get(href)
            if target is None:
                target = targets[href] = _resolve(base, href, refuse)
            url, reason = target
            if not url and not reason:
                nowhere += 1
                continue
            if page_nofollow or (rel and "nofollow" in rel.split()):
                reason = "nofollow"
            row = rows.get(url, -1)
            if not reason and row < 0 and len(rows) >= most:
                reason = "max-links"
            if reason:
                refused[reason] += 1
                continue
            if row < 0:
                row = rows[url] = len(rows)
                counts.append(0)
                anchors.append(anchor)
                rels.append(rel)
                positions.append(position)
            known[href] = row
        counts[row] += 1
        if len(anchor) > len(anchors[row]):
            anchors[row] = anchor
        mentioned.append(row)
        paragraphs.append(paragraph)
    n_links = len(document.links) - nowhere
    anchors = [anchor[:_MAX_ANCHOR] for anchor in anchors]
    return Gathered(list(rows), counts, anchors, rels, positions, mentioned, paragraphs, n_links, dict(refused))


def best_mentions(
    mentioned: Sequence[int] | NDArray[np.int32],
    paragraphs: Sequence[int] | NDArray[np.int32],
    by_anchor: NDArray[np.float64],
    by_line: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The paragraph similarity of each row: the best of its mentions; NaN where there is no word."""
    rows, best = np.asarray(mentioned, np.intp), np.full(len(by_anchor), np.nan)
    values = by_line[paragraphs]
    # an image or a widget alone in its block: the anchor is all the paragraph there is
    values = np.where(np.isnan(values), by_anchor[rows], values)
    told = ~np.isnan(values)
    best[rows[told]] = 0.0
    near = values > 0
    if near.any():  # on most pages nothing is
        np.maximum.at(best, rows[near], values[near])
    return best


def collect_links(
    document: Document,
    *,
    refuse: Refuse | None = None,
    similarity: Similarity | None = None,
    by_line: NDArray[np.float64] | None = None,
    max_links: int = 5_000,
) -> Found:
    """The followable links of ``document`` (see :func:`gather_links`), measured.

    A target's anchor is the longest of its mentions, its paragraph similarity the best. ``by_line`` is the similarity
    of each line of the document.
    """
    found = gather_links(document, refuse, max_links)
    by_anchor = np.full(len(found.urls), np.nan)
    if similarity is not None and found.urls:
        by_anchor = similarity(WordLines("\n".join(found.anchors)))
    return measure_links(found, by_anchor, by_line)


def measure_links(found: Gathered, by_anchor: NDArray[np.float64], by_line: NDArray[np.float64] | None) -> Found:
    """Gathered links with their measures: the similarity of each anchor, and that of each line of the document; NaN
    where there is no word."""
    urls = found.urls
    by_paragraph = np.full(len(urls), np.nan)
    if by_line is not None and urls:
        by_paragraph = best_mentions(found.mentioned, found.paragraphs, by_anchor, by_line)
    links = Links(
        urls=urls,
        fingerprints=np.fromiter(map(fingerprint, urls), np.uint64, len(urls)),
        counts=np.array(found.counts, np.float32),
        anchors=found.anchors,
        rels=found.rels,
        positions=np.array(found.positions, np.int32),
        anchor_similarity=by_anchor.astype(np.float32),
        paragraph_similarity=by_paragraph.astype(np.float32),
    )
    return Found(links, found.n_links, found.refused)


def add_refresh(links: Links, url: str) -> None:
    """Follow a refresh like a link without an anchor."""
    if url in links.urls:
        return
    links.urls.append(url)
    links.anchors.append("")
    links.rels.append("refresh")
    links.positions = np.append(links.positions, np.int32(len(links.positions)))
    links.fingerprints = np.append(links.fingerprints, np.uint64(fingerprint(url)))
    links.counts = np.append(links.counts, np.float32(1))
    links.anchor_similarity = np.append(links.anchor_similarity, np.float32(np.nan))
    links.paragraph_similarity = np.append(links.paragraph_similarity, np.float32(np.nan))


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
