"""The second half of the step: a page that was read, against the topic.

Its words give the verdict, and say how near its blocks and links are. What a site repeats on its pages says little
about a single one. So blocks made of such lines count for a quarter, in the page's own similarity and as the context of
links; for a strategy that asks for it, they count in full in both, while the verdict stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.engine.page.parsed import PageParts
from dowse.judge import Reading, TopicJudge
from dowse.judge.learned.lead import REPEATED_WORTH, page_bag
from dowse.model.facts import PageFacts
from dowse.model.objects import Stated
from dowse.model.page import Bag, Counting, Digest, PageContent, Verdict
from dowse.parse import (
    MOST_LINES,
    Measures,
    Refuse,
    add_link,
    distinct_lines,
    is_repeated,
    line_groups,
    measure_links,
)

__all__ = ["Judged", "PageWords", "facts_of", "judge_page", "judged", "repeated_blocks"]

_MOSTLY = 0.7  # of a block's words stand on lines that repeat: then it repeats
_NO_FACTS = PageFacts()
_NOTHING_STATED = Stated()
_USUAL = Counting()


@dataclass(frozen=True, slots=True)
class PageWords:
    """A page's words, and how near the topic its lines are, the anchors of its links, one by one, and their targets'
    URLs; NaN where no word is."""

    page: Reading
    by_line: NDArray[np.float64]
    by_anchor: NDArray[np.float64]
    by_url: NDArray[np.float64]
    own: Reading | None = None  # the page as read for the keywords of its language, where it has some


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge says of a page and its blocks."""

    verdict: Verdict
    similarity: float  # of the page, by the strategy's Counting
    by_block: NDArray[np.float64]  # similarity; NaN where there is no word
    weights: NDArray[np.float64]  # of each block as context
    lines: NDArray[np.uint64]  # hashes of the page's lines, for what its site has in common
    bag: Bag | None = None  # its terms, where they are asked for


def judge_page(
    judge: TopicJudge,
    page: PageParts,
    words: PageWords,
    facts: PageFacts,
    refuse: Refuse,
    *,
    repeats: bytes = b"",
    terms: int = 0,
    hash_seed: int = 0,
    counting: Counting = _USUAL,
    feeds: bool = True,
) -> Digest:
    """The digest of a page, but for its text and times. ``repeats``: the lines that its site repeats; ``terms``: how
    many of its terms are wanted; ``counting``: how the strategy wants its texts measured; ``feeds``: are they
    followed?"""
    found = judged(judge, words.page, page.starts, repeats, facts, terms=terms, menus=counting.menus,
                   own=words.own)  # fmt: skip
    measures = Measures(words.by_anchor, words.by_url, words.by_line, found.by_block, found.weights)
    links = measure_links(page.links, page.mentions, measures, hash_seed, page.fingerprints, mean=counting.mean)
    if page.refresh is not None and refuse(page.refresh) is None:
        add_link(links, page.refresh, "refresh", hash_seed)
    if feeds and page.feed is not None and refuse(page.feed) is None:
        add_link(links, page.feed, "feed", hash_seed)
    return Digest(
        found.verdict, page.content, links, page.links.refused, page.noindex, page.signature, found.lines, found.bag,
        similarity=found.similarity,
    )  # fmt: skip


def facts_of(
    url: str, content: PageContent, *, stated: Stated | None = None, text: str = ""
) -> PageFacts:  # fmt: skip
    """What a judge's predicate may ask of a page. ``stated`` and ``text`` cost time: for those who ask for them."""
    told = stated or _NOTHING_STATED
    return PageFacts(
        url, content.title, content.language, content.words, content.n_links, told.types, text, kind=content.kind,
        stated=told.objects,
    )  # fmt: skip


def repeated_blocks(
    sizes: NDArray[np.int64], hashes: NDArray[np.uint64], groups: NDArray[np.intp], known: bytes
) -> NDArray[np.bool_]:
    """Which blocks repeat, when lines with the hashes ``known`` do. Of each line: its words, their hash, its block."""
    blocks = int(groups.max(initial=-1)) + 1
    if not known:
        return np.zeros(blocks, np.bool_)
    places = groups + 1  # the first is for lines without a block
    repeated = np.bincount(places, sizes * is_repeated(hashes, known), blocks + 1)[1:]
    words = np.bincount(places, sizes, blocks + 1)[1:]
    return (repeated > 0) & (repeated >= _MOSTLY * words)


def judged(
    judge: TopicJudge,
    page: Reading,
    starts: Sequence[int] | NDArray[np.int32],
    known: bytes = b"",
    facts: PageFacts = _NO_FACTS,
    *,
    terms: int = 0,
    menus: bool = False,
    own: Reading | None = None,
) -> Judged:
    """Judge a page whose blocks begin at the lines ``starts``; ``known`` are the lines that its site repeats, ``facts``
    what a predicate may ask for besides words. ``menus``: for the strategy, those lines count like others. ``own``: the
    page as read for the keywords of its language."""
    groups, weights, by_line, lines = _in_blocks(starts, *page.lines(), known)
    nearness = judge.nearness
    if by_line is None:
        compared = nearness.compared(page, facts, own)
        similarity = compared.facts.similarity
    else:
        less, own_less = page.weighed(by_line), None if own is None else own.weighed(by_line)
        compared = nearness.compared(page, facts, own) if judge.menus else nearness.compared(less, facts, own_less)
        similarity = compared.facts.similarity
        if menus is not judge.menus:
            similarity = nearness.compared(page if menus else less, facts).facts.similarity
        if menus:
            weights = np.ones_like(weights)
    return Judged(
        judge.judge.verdict(compared), similarity, nearness.similarities(page, groups), weights, lines,
        page_bag(page, by_line, terms) if terms else None,
    )  # fmt: skip


def _in_blocks(
    starts: Sequence[int] | NDArray[np.int32], sizes: NDArray[np.int64], hashes: NDArray[np.uint64], known: bytes
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.uint64]]:
    """The block of each line, the weight of each block, that of each line (None: all are 1), and the distinct lines."""
    size = len(sizes)
    if core is not None and isinstance(starts, list):
        groups, weights, by_line = np.empty(size, np.intp), np.empty(len(starts)), np.empty(size)
        lines = np.empty(size, np.uint64)
        found = core.blocks(
            starts, sizes, hashes, known, _MOSTLY, REPEATED_WORTH, MOST_LINES, groups, weights, by_line, lines
        )  # fmt: skip
        if found is not None:
            blocks, told, any_repeats = found
            return groups, weights[:blocks], by_line if any_repeats else None, lines[:told]
    groups = line_groups(starts, size)
    repeated = repeated_blocks(sizes, hashes, groups, known)
    weights = np.where(repeated, REPEATED_WORTH, 1.0)
    of_line = np.append(weights, 1.0)[groups] if repeated.any() else None
    return groups, weights, of_line, distinct_lines(hashes[groups >= 0])
