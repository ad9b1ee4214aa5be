"""The first half of the step: what a page is, whatever the topic.

A response is parsed into :class:`Parsed`. With the hashes of its words, which whoever reads them knows, it becomes a
:class:`PageParts`: all that the second half (``judged``) needs besides the words. A worker runs one half after the
other; the lab keeps what the first leaves as arrays, and runs the second for each topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.engine.workers.freed_memory import LARGE_BYTES, give_back
from dowse.model.block_rule import BlockRule
from dowse.model.http import Response
from dowse.model.page import PageContent, Signature
from dowse.parse import (
    SAMPLE_CHARACTERS,
    Document,
    Gathered,
    Memo,
    Mentions,
    Refuse,
    base_of,
    block_starts,
    detect_language,
    gather_links,
    mentions_of,
    parse_page,
    sign_hashes,
)

__all__ = ["PageParts", "Parsed", "parse_response"]

_PUBLISHED = BlockRule()


@dataclass(frozen=True, slots=True)
class PageParts:
    """A page but for its words."""

    content: PageContent
    signature: Signature
    noindex: bool
    refresh: str | None  # where it sends its reader, if a crawler may follow
    feed: str | None  # the feed that its head names, likewise
    starts: Sequence[int] | NDArray[np.int32]  # the lines that its blocks begin at
    links: Gathered
    mentions: Mentions
    fingerprints: NDArray[np.uint64] | None = None  # of the links, where they are known


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the parser leaves of a page."""

    document: Document
    links: Gathered
    language: str
    starts: list[int]  # the lines that its blocks begin at

    def content(self, words: int) -> PageContent:
        """What is stored of the page, which has so many words."""
        document = self.document
        return PageContent(
            title=document.title,
            language=self.language,
            charset=document.charset,
            canonical=base_of(document).join(document.canonical) if document.canonical else None,
            words=words,
            text_len=document.text_len,
            n_links=self.links.n_links,
            kind=document.kind,
            n_parts=document.parts,
        )

    @property
    def refresh(self) -> str | None:
        """Where the page sends its reader; None where a crawler may not follow."""
        return self._followed(self.document.refresh)

    @property
    def feed(self) -> str | None:
        """The feed that the page's head names; None where a crawler may not follow."""
        return self._followed(self.document.feed)

    def _followed(self, target: str | None) -> str | None:
        return base_of(self.document).join(target) if target and not self.document.nofollow else None

    def read(self, hashes: NDArray[np.uint64]) -> PageParts:
        """With the hashes of its words, in order."""
        return PageParts(
            self.content(len(hashes)), sign_hashes(hashes), self.document.noindex, self.refresh, self.feed,
            self.starts, self.links, mentions_of(self.document, self.links, self.starts),
        )  # fmt: skip


def parse_response(
    response: Response, refuse: Refuse | None = None, max_links: int | None = None, memo: Memo | None = None,
    rule: BlockRule = _PUBLISHED,
) -> Parsed:  # fmt: skip
    """Parse a page, and cut it into blocks by a rule. Without ``refuse`` and ``max_links`` all its links are kept, for
    any scope."""
    document = parse_page(
        response.body, url=response.url, content_type=response.header("Content-Type") or "",
        robots_tag=", ".join(response.header_values("X-Robots-Tag")) or None,
    )  # fmt: skip
    if len(response.body) >= LARGE_BYTES:
        give_back()  # its tree, ten times as large: what follows need not come on top of it
    links = gather_links(document, refuse, max_links, memo)
    language = detect_language(document.opening(SAMPLE_CHARACTERS), document.lang)
    return Parsed(document, links, language, block_starts(document, rule))
