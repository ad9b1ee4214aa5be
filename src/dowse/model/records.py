"""What a crawl writes down: the engine fills a :class:`Batch`, the store keeps it in one transaction.

Ids are dense integers: a candidate's id is its row in the frontier's arrays, the id of its page, and the
primary key of both tables. Sites (origins) are numbered the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.budget import Spent
from dowse.model.http import Timings

__all__ = [
    "EVIDENCE_KIND",
    "LOOP_HELD",
    "REPEATS",
    "STRATEGY_STATE",
    "Batch",
    "CandidateBlock",
    "CandidateRow",
    "CandidateState",
    "DecisionRow",
    "EventRow",
    "LinkRow",
    "PageRow",
    "Records",
    "SiteRow",
]  # fmt: skip

STRATEGY_STATE = "strategy."
"""In the names of statistics: in front of the strategy's name and the key."""
LOOP_HELD = "loop held"
"""The statistic that counts, by place, how often the engine's loop was held, and for how many seconds at most."""

REPEATS = "repeats."
"""In the names of statistics: in front of the number of a site whose pages have lines in common."""
EVIDENCE_KIND = "evidence"
"""The statistic that says what the candidates' evidence means: its strategy's ``Memory.kind``."""


class CandidateState(IntEnum):
    """The life of a URL as stored; unknown URLs have no row. See ``frontier/__init__``."""

    WAITING = 0
    LEASED = 1
    FETCHED = 2
    FAILED = 3
    REFUSED = 4


@dataclass(slots=True)
class CandidateRow:
    """A URL taken up by the frontier."""

    id: int
    url: str
    site: int
    depth: int
    parent: int | None  # the page it was first found on; None for a seed
    priority: float
    run: int = 0  # steps within one URL pattern since the last relevant page (trap rule)
    state: CandidateState = CandidateState.WAITING
    reason: str = ""
    attempts: int = 0
    via: int | None = None  # the candidate whose redirect led here
    evidence: bytes | None = None  # what the strategy knows of it


@dataclass(slots=True)
class CandidateBlock:
    """Many rows of candidates with ids in a row from ``first`` on, as columns: a frontier of millions is loaded so."""

    first: int
    urls: list[str]
    sites: NDArray[np.int64]
    depths: NDArray[np.int64]
    parents: NDArray[np.int64]  # -1 for a seed
    priorities: NDArray[np.float64]
    runs: NDArray[np.int64]
    states: NDArray[np.int64]
    attempts: NDArray[np.int64]  # up to 255: more count no further
    via: dict[int, int]  # of those few that have one
    evidence: list[bytes | None]  # what the strategy knew of each

    def __len__(self) -> int:
        return len(self.urls)


@dataclass(slots=True)
class SiteRow:
    """What is known of an origin (scheme, host, port)."""

    id: int
    origin: str
    host: str
    address: str = ""
    robots_status: str = ""  # "allowed", "rules", "unreachable", ...
    robots_fetched_at: float | None = None
    delay_s: float = 0.0
    requests: int = 0
    pages: int = 0
    relevant: int = 0
    failures: int = 0
    wire_bytes: int = 0
    latency_s: float = 0.0  # sum of first-byte times, for means
    download_s: float = 0.0  # sum of download times
    not_before: float | None = None  # when it may be asked again, by the wall clock; None: never asked
    closed: str = ""  # why it was given up


@dataclass(slots=True)
class PageRow:
    """One finished URL: fetched, failed or refused after a request. ``archive`` is appended to the WARC file."""

    id: int
    url: str
    final_url: str  # where a redirect leads; otherwise the same as url
    fetched_at: float  # seconds since 1970
    outcome: str
    reason: str = ""
    status: int = 0
    content_type: str = ""
    wire_bytes: int = 0  # all that came over the wire (column "bytes")
    body_bytes: int = 0  # after content decoding
    truncated: str = ""
    score: float | None = None
    relevant: bool | None = None
    similarity: float | None = None
    erid: float | None = None
    title: str = ""
    language: str = ""
    charset: str = ""
    canonical: str | None = None  # what the page itself names as its address
    depth: int = 0
    words: int = 0
    text_len: int = 0
    n_links: int = 0
    duplicate_of: int | None = None
    signature: int = 0
    minhash: bytes = b""
    etag: str | None = None
    last_modified: str | None = None
    attempts: int = 1
    timings: Timings = field(default_factory=Timings)
    parse_s: float = 0.0
    judge_s: float = 0.0
    verdict: list[tuple[Any, ...]] = field(default_factory=list)
    """Reasons: name, value, weight. Behind them a predicate's parts: text, degree, 0, held, value, depth."""
    archive: list[bytes] = field(default_factory=list)  # finished gzip members: request, response, metadata, ...
    archive_response: int = 1  # which of them holds the response that warc_offset names
    cached_from: str | None = None  # the folder of the earlier crawl that held it; None: asked for in this one


class LinkRow(NamedTuple):
    """A link from a fetched page to a known URL. A tuple: there are a hundred of them a page."""

    page: int
    target: int
    anchor: str
    mentions: int  # on that page
    position: int = 0  # of the first among all links of the page
    rel: str = ""


@dataclass(slots=True)
class DecisionRow:
    """Why a URL was fetched when it was: the features, their values and weights, and the model's version."""

    candidate: int
    at: float
    priority: float
    strategy: str
    version: int
    features: dict[str, tuple[float, float]]  # name -> value, weight


@dataclass(slots=True)
class EventRow:
    """Something worth telling the user: start, stop with its reason, clipped delay, lost worker, ..."""

    at: float
    kind: str
    detail: str


@dataclass(slots=True)
class Batch:
    """Changes since the last commit; the store writes all of them or none."""

    candidates: list[CandidateRow] = field(default_factory=list)
    states: dict[int, tuple[CandidateState, str, int]] = field(default_factory=dict)  # id -> state, reason, attempts
    priorities: dict[int, float] = field(default_factory=dict)
    evidence: dict[int, bytes] = field(default_factory=dict)  # what the strategy knows of a candidate
    settled: dict[int, bytes] = field(default_factory=dict)  # what follows it, and hardly changes
    sites: dict[int, SiteRow] = field(default_factory=dict)
    pages: list[PageRow] = field(default_factory=list)
    links: list[LinkRow] = field(default_factory=list)
    decisions: list[DecisionRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)  # rule -> URLs refused since the last commit
    refusal_samples: list[tuple[str, str]] = field(default_factory=list)  # rule, URL
    statistics: dict[str, Any] = field(default_factory=dict)  # name -> JSON value or bytes: learned state
    beside: list[tuple[list[bytes], float]] = field(default_factory=list)  # archived, but no page: robots.txt; and when
    spent: Spent | None = None

    @property
    def rows(self) -> int:
        """How many rows it has of what there may be many."""
        return len(self.candidates) + len(self.links) + len(self.states) + len(self.priorities)

    def __bool__(self) -> bool:
        # asked several times a page: what is there first and mostly comes first
        return bool(self.sites or self.states or self.pages or self.candidates or self.priorities or self.links
                    or self.decisions or self.events or self.refusals or self.statistics or self.beside)  # fmt: skip


class Records(Protocol):
    """The store as the engine sees it."""

    def commit(self, batch: Batch) -> None:
        """Append the archive bytes, flush them, then write everything in one transaction."""
        ...

    def note_spent(self, spent: Spent) -> None:
        """Make the counters survive a kill at any instant; called before each request, so it must cost nothing."""
        ...

    def candidates(self) -> Iterator[CandidateBlock]:
        """Every known URL in id order, in blocks; leases lost to a crash come back as waiting."""
        ...

    def sites(self) -> Iterator[SiteRow]: ...

    def statistics(self) -> dict[str, Any]: ...

    def spent(self) -> Spent: ...
