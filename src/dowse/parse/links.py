"""Raw links to the columns of :class:`~dowse.model.page.Links`: joined, canonical, distinct, measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Context, Links
from dowse.model.url import Base, fingerprint
from dowse.parse.context import Measures, Mentions, in_context, mentions
from dowse.parse.document import MAX_HREF, Document
from dowse.parse.outline import IS_HEADING

__all__ = [
    "Gathered", "Memo", "Refuse", "add_link", "anchor_lines", "base_of", "gather_links", "measure_links",
    "mentions_of",
]  # fmt: skip

Refuse = Callable[[str], str | None]
"""A canonical URL -> the rule that refuses it, or None."""
Target = tuple[str, str]
"""(canonical target, "") or ("", rule that refuses it); ("", "") for what is no link by design."""

_MAX_ANCHOR = 200
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 8_192, 256  # references and directories, characters of one: some 3 MB
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)


def base_of(document: Document) -> Base:
    """What the page's references are relative to: its ``<base href>`` where that is a web address, else itself."""
    own = Base(document.url)
    declared = own.join(document.base) if document.base else None
    return own if declared is None else Base(declared)


@dataclass(slots=True)
class Gathered:
    """Raw links joined and made distinct, one row a target in order of first appearance; nothing measured yet.

    ``refused`` has the rules that refused links, and how many: those of ``refuse``, and "nofollow", "max-links",
    "bad-url" (no parser can read it), "long-url".
    """

    urls: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # mentions of each
    anchors: list[str] = field(default_factory=list)  # the longest of its mentions, clipped
    rels: list[str] = field(default_factory=list)  # of the first mention
    positions: list[int] = field(default_factory=list)  # of the first mention
    mentioned: list[int] = field(default_factory=list)  # the row of each mention
    paragraphs: list[int] = field(default_factory=list)  # and its paragraph
    elements: list[int] = field(default_factory=list)  # and the element around it
    texts: list[str] = field(default_factory=list)  # and its own anchor, clipped
    n_links: int = 0  # all there were, refused ones among them
    refused: dict[str, int] = field(default_factory=dict)


class Memo:
    """Where references lead, remembered from page to page of a directory: a site's pages have most of them in common.
    Good for one way to ``refuse`` only."""

    __slots__ = ("_directories", "_size")

    def __init__(self) -> None:
        self._directories: dict[str, dict[str, Target]] = {}
        self._size = 0

    def of(self, directory: str) -> dict[str, Target]:
        """What is known of references on pages of the directory."""
        found = self._directories.get(directory)
        if found is None or self._size >= _MOST_REMEMBERED:
            if self._size >= _MOST_REMEMBERED:
                self._directories, self._size = {}, 0
            found = self._directories[directory] = {}
            self._size += 1
        return found

    def add(self, directory: str, href: str, target: Target) -> None:
        self._directories[directory][href] = target
        self._size += 1


def gather_links(
    document: Document, refuse: Refuse | None = None, max_links: int | None = None, memo: Memo | None = None
) -> Gathered:
    """The followable links of ``document``.

    What leads nowhere by design (``#top``, ``mailto:``, ``javascript:``, an empty href) is not a link. A page-level
    nofollow leaves no row. Whether a target is refused decides over all of its mentions and nothing else, so the rows
    that ``refuse`` and then ``max_links`` leave are those that a choice among all rows would leave.
    """
    base, links = base_of(document), document.links
    directory = base.directory
    if len(links) > _MOST_REMEMBERED // 4 or len(directory) > _LONGEST_REMEMBERED:
        memo = None  # it would be filled by a page or two
    known = {} if memo is None else memo.of(directory)

    def resolve(href: str) -> Target:
        target = _resolve(base, href, refuse)
        if memo is None:
            known[href] = target
        elif len(href) <= _LONGEST_REMEMBERED and base.joins_by_directory(href):
            memo.add(directory, href, target)
        return target

    most = len(links) if max_links is None else max_links
    gather = _gather if core is None else core.gather
    found = Gathered(*gather(links, known, resolve, most, document.nofollow))
    found.anchors = [anchor[:_MAX_ANCHOR] for anchor in found.anchors]
    found.texts = [text[:_MAX_ANCHOR] for text in found.texts]
    return found


def _gather(
    links: Sequence[tuple[str, str, str, int, int]],
    known: Mapping[str, Target],
    resolve: Callable[[str], Target],
    most: int,
    page_nofollow: bool,
) -> tuple[Any, ...]:
    """The fields of :class:`Gathered`."""
    rows: dict[str, int] = {}
    counts: list[int] = []
    anchors: list[str] = []
    rels: list[str] = []
    positions: list[int] = []
    mentioned: list[int] = []
    paragraphs: list[int] = []
    elements: list[int] = []
    texts: list[str] = []
    refused: Counter[str] = Counter()
    nowhere = 0
    for position, (href, anchor, rel, paragraph, element) in enumerate(links):
        href = href.partition("#")[0]
        url, reason = known.get(href) or resolve(href)
        if not url and not reason:
            nowhere += 1
            continue
        if page_nofollow or "nofollow" in rel.split():
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
        counts[row] += 1
        if len(anchor) > len(anchors[row]):
            anchors[row] = anchor
        mentioned.append(row)
        paragraphs.append(paragraph)
        elements.append(element)
        texts.append(anchor)
    n_links = len(links) - nowhere
    return (
        list(rows), counts, anchors, rels, positions, mentioned, paragraphs, elements, texts, n_links, dict(refused)
    )  # fmt: skip


def anchor_lines(found: Gathered) -> tuple[list[str], Sequence[int]]:
    """The anchors to be measured, and which of them each mention has: one a target, its longest, then the others that
    it is mentioned with."""
    anchors = found.anchors
    if len(found.mentioned) == len(anchors):  # as mostly: every target once, in order
        return anchors, found.mentioned
    more: dict[str, int] = {}
    places = [
        row if text == anchors[row] else more.setdefault(text, len(anchors) + len(more))
        for row, text in zip(found.mentioned, found.texts, strict=True)
    ]
    return [*anchors, *more], places


def mentions_of(document: Document, found: Gathered, starts: list[int]) -> Mentions:
    """Where the links stand that were gathered from ``document``, whose blocks begin at the lines ``starts``."""
    outline = document.outline
    if core is not None:
        size = len(found.mentioned)
        filled = (
            np.empty(size, np.intp), np.empty(size, np.int32), np.empty(size, np.intp), np.empty(size, np.int32),
            np.empty(size, np.uint32),
        )  # fmt: skip
        columns = outline.tags, outline.parents, outline.starts, outline.ends
        if core.mentions(found.mentioned, found.paragraphs, found.elements, *columns, starts, IS_HEADING, *filled):
            return Mentions(*filled)
    return mentions(found.mentioned, found.paragraphs, outline.paths(found.elements), starts, outline.headings())


def measure_links(
    found: Gathered,
    mentioned: Mentions,
    measures: Measures,
    hash_seed: int = 0,
    fingerprints: NDArray[np.uint64] | None = None,
    *,
    mean: bool = False,
) -> Links:
    """Gathered links in their context; ``hash_seed`` is that of their fingerprints, where these are not given.
    ``mean``: over the links to one target, in place of the best."""
    urls = found.urls
    if not urls:
        return Links()
    if fingerprints is None:
        fingerprints = np.fromiter((fingerprint(url, hash_seed) for url in urls), np.uint64, len(urls))
    return Links(
        urls=urls,
        fingerprints=fingerprints,
        counts=np.array(found.counts, np.float32),
        anchors=found.anchors,
        rels=found.rels,
        positions=np.array(found.positions, np.int32),
        similarity=in_context(mentioned, measures, mean=mean),
        paths=_first_paths(mentioned, len(urls)),
    )


def _first_paths(mentioned: Mentions, targets: int) -> NDArray[np.uint32]:
    if len(mentioned.rows) == targets:  # as mostly: every target once, in order
        return mentioned.paths
    paths = np.zeros(targets, np.uint32)
    paths[mentioned.rows[::-1]] = mentioned.paths[::-1]  # of several the last that is written stays
    return paths


def add_link(links: Links, url: str, rel: str, hash_seed: int = 0) -> None:
    """Follow what stands in the page's head like a link without an anchor: ``refresh``, or ``feed``."""
    if url in links.urls:
        return
    links.urls.append(url)
    links.anchors.append("")
    links.rels.append(rel)
    links.positions = np.append(links.positions, np.int32(len(links.positions)))
    links.fingerprints = np.append(links.fingerprints, np.uint64(fingerprint(url, hash_seed)))
    links.counts = np.append(links.counts, np.float32(1))
    links.paths = np.append(links.paths, np.uint32(0))
    links.similarity = np.concatenate((links.similarity, np.full((1, len(Context)), np.nan, np.float32)))


def _resolve(base: Base, href: str, refuse: Refuse | None) -> Target:
    if len(href) > MAX_HREF:
        return "", "" if _OTHER_SCHEME.match(href.lstrip()) else "long-url"
    url = base.join(href)
    if url is None:
        bare = href.strip()
        return "", "bad-url" if bare and _OTHER_SCHEME.match(bare) is None else ""
    reason = refuse(url) if refuse is not None else None
    return ("", reason) if reason else (url, "")
