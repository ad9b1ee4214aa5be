"""What the reader answers with: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import PageContent, Part
from dowse.model.records import PAGE_REFUSED
from dowse.model.runs import JudgedBy
from dowse.model.visits import GoodVisits

__all__ = [
    "HarvestCurve", "LanguageCount", "OutcomeCount", "PageView", "Parent", "Refusal", "Run", "SiteView", "Stage",
    "StageTimes", "Summary", "Tunnel", "VisitHistory", "VisitRun", "VisitedPage",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the crawl; ``ended_at`` is None while it runs, and after a kill."""

    id: int
    started_at: str
    ended_at: str | None
    stop_reason: str | None
    judged_by: JudgedBy = field(default_factory=JudgedBy)


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many URLs ended (or wait) this way."""

    state: str  # "waiting", "leased", "fetched", "failed", "refused"
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A crawl in figures."""

    pages: int  # fetched
    judged: int
    relevant: int
    harvest: float  # relevant pages a fetched page
    bytes: int  # spent, as are requests and seconds
    requests: int
    seconds: float
    sites: int
    known: int  # URLs taken up
    waiting: int  # the frontier that is left
    outcomes: tuple[OutcomeCount, ...]  # most frequent first
    stop_reason: str | None  # of the last run
    runs: tuple[Run, ...]
    saved_pages: int = 0  # of the pages, those taken from caches
    saved_bytes: int = 0  # that would have been downloaded for what was taken from caches


@dataclass(frozen=True, slots=True)
class HarvestCurve:
    """After ``pages[i]`` fetched pages, ``relevant[i]`` relevant ones."""

    pages: NDArray[np.int64]
    relevant: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """Judged pages in one language; empty: unknown."""

    language: str
    pages: int
    relevant: int


@dataclass(frozen=True, slots=True)
class SiteView:
    """A site in figures."""

    origin: str
    pages: int
    relevant: int
    harvest: float
    requests: int
    failures: int
    bytes: int
    mean_latency_s: float
    bytes_per_s: float  # while bodies came
    delay_s: float
    robots_status: str

    @property
    def mean_bytes(self) -> float:
        """Body bytes a request."""
        return self.bytes / self.requests if self.requests else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView(PageContent):
    """A recorded page; ``reasons`` are the verdict's (name, value, weight), ``parts`` those of its predicate."""

    id: int
    url: str
    final_url: str
    fetched_at: str
    outcome: str
    reason: str
    status: int
    content_type: str
    bytes: int
    body_bytes: int
    truncated: str
    score: float | None
    relevant: bool | None
    model: int
    first_score: float | None
    first_relevant: bool | None
    first_model: int
    similarity: float | None
    erid: float | None
    depth: int
    duplicate_of: int | None
    attempts: int
    reasons: tuple[tuple[str, float, float], ...]
    parts: tuple[Part, ...]
    first_byte_s: float
    total_s: float
    warc_file: str | None
    warc_offset: int | None
    cached_from: str | None

    @property
    def dropped(self) -> bool:
        """Whether its body was not kept, since the judge refused it (``drop_refused``)."""
        return self.reason == PAGE_REFUSED and self.warc_file is None


@dataclass(frozen=True, slots=True)
class VisitedPage:
    """A page that is new, changed or gone."""

    id: int
    url: str
    title: str
    score: float | None
    relevant: bool
    site: int
    at: str  # when it was found so


@dataclass(frozen=True, slots=True)
class VisitRun:
    """What one run found of the pages that it visited again, and what it found new."""

    started_at: str
    at: float  # the same, in seconds since 1970
    unchanged: int
    changed: int
    missed: int
    not_asked: int  # due, and nobody could be asked
    new: int
    gone: int  # found gone by it

    @property
    def visits(self) -> int:
        """Pages that somebody was asked for again."""
        return self.unchanged + self.changed + self.missed


@dataclass(frozen=True, slots=True)
class VisitHistory:
    """The pages that were ever fetched, in columns by their ids, and the visits to them."""

    page: NDArray[np.int64]
    site: NDArray[np.int64]
    relevant: NDArray[np.bool_]
    first: NDArray[np.float64]  # when it was first fetched
    gone: NDArray[np.float64]  # when it was found gone; infinite: it is there
    visits: GoodVisits


@dataclass(frozen=True, slots=True)
class Parent:
    """A page that links to a candidate."""

    page: int
    url: str
    title: str
    score: float | None
    relevant: bool | None
    anchor: str
    count: int


@dataclass(frozen=True, slots=True)
class Tunnel:
    """A page that is not relevant, and how many relevant pages were first found through its links."""

    page: PageView
    found: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Links a rule refused, with a few of them."""

    rule: str
    count: int
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """Seconds in one stage of the work on a page, summed and a page, and its share of the whole."""

    name: str
    total_s: float
    mean_s: float
    share: float


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Tables 1-2 of the ERID paper (METHODS, section 2) for this crawl, or for some of its sites; ``parts`` splits the
    stages further. ``overall`` among the stages is their sum."""

    pages: int
    stages: tuple[Stage, ...]  # connection, download, processing, overall
    parts: tuple[Stage, ...]  # dns, connect, wait, transfer, parse, judge
    wall_s: float = 0.0  # by the wall clock, from the first request to the end of the last page, run by run
