"""What a fetched page becomes: a verdict and a compact digest of what the crawl needs to know about it.

What a parser finds of a page, and of its links, and is to be stored, is a field of :class:`PageContent` or of
:class:`Links` here. It then travels from the worker to the engine, into the records and into the lab's arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.columns import Stored

__all__ = [
    "Bag", "Context", "Counting", "Digest", "Links", "Outcome", "PageContent", "Part", "Reason", "Shape", "Signature",
    "Verdict",
]  # fmt: skip


class Outcome(StrEnum):
    """How the life of a URL ended (see ``frontier/__init__``)."""

    FETCHED = "fetched"  # a response with a usable body, judged where it is a document
    REDIRECTED = "redirected"  # it led to another URL, which has a life of its own
    FAILED = "failed"  # no usable response, after the retries the table allows
    REFUSED = "refused"  # robots, scope or safety forbid it


@dataclass(frozen=True, slots=True)
class Reason:
    """One line of a verdict: a named part, what it measured and what it added to the score."""

    name: str  # "similarity", "keyword: perovskite", ...
    value: float
    weight: float = 1.0

    @property
    def contribution(self) -> float:
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Part:
    """One test of a predicate, or an ``and``, ``or`` or ``not`` that joins those below it, on one page."""

    text: str  # as it was written
    held: bool
    degree: float  # in [0, 1]; at least 0.5 exactly when it held
    value: float | str | None = None  # what was measured; None: only whether it held
    depth: int = 0  # parts come as a tree is written: each before those it joins, which are one deeper


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is the page on the topic? ``score`` in [0, 1], compared with ``threshold``; ``reasons`` add up to it."""

    score: float
    relevant: bool
    threshold: float
    method: str  # "learned", "similarity", "erid" or "predicate"
    reasons: tuple[Reason, ...] = ()
    similarity: float = 0.0
    erid: float = 0.0
    parts: tuple[Part, ...] = ()  # of the predicate, where there is one
    fault: str = ""  # what went wrong in the topic's own function, which then counts as not satisfied
    model: int = 0  # the version of the model, where the judge learns


@dataclass(frozen=True, slots=True)
class Signature:
    """Content identity: ``exact`` hashes the words in order; ``minhash`` estimates word-shingle overlap.

    A page with too few words has ``exact`` 0 and an empty ``minhash``: it is nobody's duplicate.
    """

    exact: int = 0
    minhash: bytes = b""


USUAL_TERMS, ALL_TERMS = 256, 65_535
"""So many terms of a page are kept for those who learn from them, and so many at the most for those who ask for all."""


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a text, each by the lower half of its hash, rising, and how often it occurs."""

    terms: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    counts: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def most(self, count: int) -> Bag:
        """So many of them, those that occur most often."""
        if len(self.terms) <= count:
            return self
        kept = np.sort(np.argsort(-self.counts, kind="stable")[:count])
        return Bag(self.terms[kept], self.counts[kept])

    def packed(self) -> bytes:
        """How many terms, the terms, how often each occurs."""
        size = np.array([len(self.terms)], "<u2").tobytes()
        return size + self.terms.astype("<u4").tobytes() + self.counts.astype("<f2").tobytes()

    @staticmethod
    def unpacked(data: bytes) -> Bag:
        """What was :meth:`packed`; ValueError when it cannot have been."""
        size = int.from_bytes(data[:2], "little")
        counts = np.frombuffer(data, "<f2", size, 2 + 4 * size).astype(np.float32)
        if not np.all((counts >= 0) & (counts < np.inf)):
            raise ValueError("a term occurs a number of times that is none")
        return Bag(np.frombuffer(data, "<u4", size, 2), counts)


class Context(IntEnum):
    """What a link stands in, from the nearest to the widest: the columns of :attr:`Links.similarity`."""

    ANCHOR = 0  # its text and title=
    PARAGRAPH = 1  # the run of text around it
    BLOCK = 2  # the content block
    HEADING = 3  # the nearest above; the page's title where there is none
    PATH = 4  # the anchors that the page has under the same path of tags, on average
    URL = 5  # the words of its target's path, wherever it stands


@dataclass(frozen=True, slots=True)
class Counting:
    """How the texts of a page are measured for the strategy that goes by them. The verdict does not depend on it."""

    menus: bool = False  # text that the site repeats counts in full
    mean: bool = False  # of several links to one target the mean counts, and not the best


@dataclass(frozen=True, slots=True)
class Shape:
    """Of an array with several numbers a row: how many."""

    width: int


def _none(number: type[np.generic], *width: int) -> Callable[[], NDArray[Any]]:
    return lambda: np.zeros((0, *width), number)


@dataclass(slots=True)
class Links:
    """The followable links of a page as columns, one row a distinct target, in order of first appearance."""

    urls: list[str] = field(default_factory=list)  # canonical
    fingerprints: NDArray[np.uint64] = field(default_factory=_none(np.uint64))
    anchors: Annotated[
        list[str],
        Stored("Anchor text, the longest if there are several; at most 200 characters.", column="anchor"),
    ] = field(default_factory=list)  # with title=
    counts: Annotated[NDArray[np.float32], Stored("Links from this page to that target.", column="count", kind=int)] = (
        field(default_factory=_none(np.float32))
    )  # L(p,h)
    positions: Annotated[
        NDArray[np.int32],
        Stored("Position of the first of them among all links on the page, from 0.", column="position", kind=int),
    ] = field(default_factory=_none(np.int32))
    rels: Annotated[
        list[str],
        Stored(
            "The `rel=` of the first, in lower case; `refresh` for a meta refresh, `feed` for a feed "
            "that the page's head names.",
            column="rel",
        ),
    ] = field(default_factory=list)  # of the first mention
    similarity: Annotated[NDArray[np.float32], Shape(len(Context))] = field(
        default_factory=_none(np.float32, len(Context))
    )
    """To the topic, one column a :class:`Context`, by the strategy's :class:`Counting`; NaN where there is no word."""
    paths: NDArray[np.uint32] = field(default_factory=_none(np.uint32))
    """The path of tags that leads to the first mention, hashed; 0: none."""

    def __len__(self) -> int:
        return len(self.urls)


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page says of itself, whatever the topic: read once, then stored."""

    title: Annotated[str, Stored("The page's title.")] = ""
    language: Annotated[str, Stored("ISO 639-1; empty: unknown.")] = ""
    charset: Annotated[str, Stored("The encoding the text was read with.")] = ""
    canonical: Annotated[str | None, Stored("The address the page gives as its own (`rel=canonical`), if any.")] = None
    words: Annotated[int, Stored("Words of visible text.")] = 0
    text_len: Annotated[int, Stored("Characters of visible text.")] = 0
    n_links: Annotated[int, Stored("All links on the page, including refused ones.")] = 0  # L(p)
    kind: Annotated[
        str,
        Stored(
            "What it was read as: `html`, `text`, or the kind of [document](documents.md), such as `pdf`. Empty: it was"
            " not read, or by an older version.",
            since=8,
        ),
    ] = ""
    n_parts: Annotated[
        int,
        Stored("Pages, slides, sheets, chapters or entries of a document, read or not; 0 where it has none.", since=8),
    ] = 0


@dataclass(slots=True)
class Digest:
    """Everything the engine keeps of a page after its bytes were parsed and judged in a worker."""

    verdict: Verdict
    content: PageContent = field(default_factory=PageContent)
    links: Links = field(default_factory=Links)
    refused_links: dict[str, int] = field(default_factory=dict)  # rule -> how many links it refused
    noindex: bool = False
    signature: Signature = field(default_factory=Signature)
    lines: NDArray[np.uint64] = field(default_factory=_none(np.uint64))  # hashes of its lines, to see what repeats
    bag: Bag | None = None  # only when asked for, like the next
    text: str | None = None
    similarity: float | None = None  # the page's cosine with the topic, by the strategy's Counting; None: the verdict's
    parse_s: float = 0.0
    judge_s: float = 0.0
