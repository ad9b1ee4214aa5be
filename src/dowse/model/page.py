"""What a fetched page becomes: a verdict and a compact digest of what the crawl needs to know about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bag", "Context", "Digest", "Links", "Outcome", "Part", "Reason", "Signature", "Verdict"]


class Outcome(StrEnum):
    """How the life of a URL ended (see ``frontier/__init__``)."""

    FETCHED = "fetched"  # a response with a usable body, judged where it is a document
    REDIRECTED = "redirected"  # it led to another URL, which has a life of its own
    FAILED = "failed"  # no usable response, after the retries the table allows
    REFUSED = "refused"  # robots, scope or safety forbid it
    LEFT = "left"  # still waiting when the crawl ended


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
    method: str  # "similarity", "erid" or "predicate"
    reasons: tuple[Reason, ...] = ()
    similarity: float = 0.0
    erid: float = 0.0
    parts: tuple[Part, ...] = ()  # of the predicate, where there is one
    fault: str = ""  # what went wrong in the topic's own function, which then counts as not satisfied


@dataclass(frozen=True, slots=True)
class Signature:
    """Content identity: ``exact`` hashes the words in order; ``minhash`` estimates word-shingle overlap.

    A page with too few words has ``exact`` 0 and an empty ``minhash``: it is nobody's duplicate.
    """

    exact: int = 0
    minhash: bytes = b""


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a text, each by the lower half of its hash, rising, and how often it occurs."""

    terms: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    counts: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


class Context(IntEnum):
    """What a link stands in, from the nearest to the widest: the columns of :attr:`Links.similarity`."""

    ANCHOR = 0  # its text and title=
    PARAGRAPH = 1  # the run of text around it
    BLOCK = 2  # the content block
    HEADING = 3  # the nearest above; the page's title where there is none
    PATH = 4  # the anchors that the page has under the same path of tags, on average


def _no_contexts() -> NDArray[np.float32]:
    return np.zeros((0, len(Context)), np.float32)


def _no_places() -> NDArray[np.int32]:
    return np.zeros((0, 4), np.int32)


def _no_floats() -> NDArray[np.float32]:
    return np.zeros(0, np.float32)


def _no_fingerprints() -> NDArray[np.uint64]:
    return np.zeros(0, np.uint64)


def _no_positions() -> NDArray[np.int32]:
    return np.zeros(0, np.int32)


@dataclass(slots=True)
class Links:
    """The followable links of a page as columns, one row a distinct target, in order of first appearance."""

    urls: list[str] = field(default_factory=list)  # canonical
    fingerprints: NDArray[np.uint64] = field(default_factory=_no_fingerprints)
    counts: NDArray[np.float32] = field(default_factory=_no_floats)  # L(p,h): links from this page to that target
    anchors: list[str] = field(default_factory=list)  # anchor text and title= of the longest mention, clipped
    rels: list[str] = field(default_factory=list)  # rel= of the first mention, lower case
    positions: NDArray[np.int32] = field(default_factory=_no_positions)  # of the first mention among all the links
    similarity: NDArray[np.float32] = field(default_factory=_no_contexts)
    """To the topic, one column a :class:`Context`; NaN where there is no word."""
    places: NDArray[np.int32] = field(default_factory=_no_places)
    """Where its best mention stands: line of the paragraph, block, line of the heading, hash of the tag path."""

    def __len__(self) -> int:
        return len(self.urls)


@dataclass(slots=True)
class Digest:
    """Everything the engine keeps of a page after its bytes were parsed and judged in a worker."""

    verdict: Verdict
    title: str = ""
    language: str = ""  # ISO 639-1, or empty when unknown
    charset: str = ""
    words: int = 0  # length of the visible text in words
    text_len: int = 0  # length of the visible text in characters
    links: Links = field(default_factory=Links)
    n_links: int = 0  # every link on the page, L(p), refused ones included
    refused_links: dict[str, int] = field(default_factory=dict)  # rule -> how many links it refused
    canonical: str | None = None  # <link rel=canonical>
    refresh: str | None = None  # target of <meta http-equiv=refresh>
    noindex: bool = False
    nofollow: bool = False
    signature: Signature = field(default_factory=Signature)
    lines: NDArray[np.uint64] = field(default_factory=_no_fingerprints)  # hashes of its lines, to see what repeats
    bag: Bag | None = None  # only when asked for, like the next
    text: str | None = None
    parse_s: float = 0.0
    judge_s: float = 0.0
