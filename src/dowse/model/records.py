"""What a crawl writes down, row by row: the engine makes rows, the store keeps them (see ``batch``).

Ids are dense integers: a candidate's id is its row in the frontier's arrays, the id of its page, and the
primary key of both tables. Sites (origins) are numbered the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import repeat
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.model.changes import CHANGE_WRITERS, CHANGES
from dowse.model.columns import Column, Form, Stored, Table, columns_of
from dowse.model.found import FOUND
from dowse.model.http import Timings
from dowse.model.others import OUTBOX
from dowse.model.page import Links, PageContent
from dowse.model.runs import RunRow
from dowse.model.visits import DUE, VISITS

__all__ = [
    "CANDIDATES", "DECISIONS", "LINKS", "PAGES", "PAGE_REFUSED", "RUNS", "SITES", "TABLES", "CandidateBlock",
    "CandidateRow", "CandidateState", "DecisionRow", "EventRow", "LinkRow", "PageRow", "SiteRow", "SiteTurn",
    "VerdictRow", "link_rows",
]  # fmt: skip

PAGE_REFUSED = "page-refused"
"""Why a page is where a crawl stopped, and why the links on it were refused: the judge refuses it."""


class CandidateState(IntEnum):
    """The life of a URL as stored; unknown URLs have no row. See ``engine/life``."""

    WAITING = 0
    LEASED = 1
    FETCHED = 2
    FAILED = 3
    REFUSED = 4
    BELOW = 5  # refused for its low priority: a page that speaks better of it may have it taken up
    ELSEWHERE = 6  # another shard's: a page that speaks better of it is told there
    ENDED_ELSEWHERE = 7  # ended at a shard that had it before it was ours

    @property
    def shown(self) -> str:
        """Its name for people to read."""
        return "refused" if self is CandidateState.BELOW else self.name.lower().replace("_", " ")


class SiteTurn(IntEnum):
    """How a site stands in a crawl that goes site by site. See ``frontier/site_line``."""

    LATER = 0
    CURRENT = 1
    PROCESSED = 2


@dataclass(slots=True)
class CandidateRow:
    """A URL taken up by the frontier."""

    id: Annotated[int, Stored("Counted from 0, in order of discovery.", key=True)]
    url: Annotated[str, Stored("In canonical form: no fragment, no tracking or session parameters.")]
    site: Annotated[int, Stored("`sites.id`.")]
    depth: Annotated[int, Stored("Links from a seed.")]
    parent: Annotated[int | None, Stored("The page it was first found on; null for a seed.")]
    priority: Annotated[float, Stored("A higher priority goes first. Seeds are near 10^12.")]
    run: Annotated[int, Stored("Used by the [trap rule](politeness.md#scope-and-traps) `pattern-run`.")] = 0
    """Steps within one URL pattern since the last relevant page."""
    state: Annotated[
        CandidateState,
        Stored(
            "0 waiting, 1 leased, 2 fetched (or redirected), 3 failed, 4 refused, 5 refused for its low priority,"
            " 6 left to another shard, 7 ended at another shard, whose it was before."
        ),
    ] = CandidateState.WAITING
    reason: Annotated[str, Stored("Why it failed, was refused, or is waiting again.")] = ""
    attempts: Annotated[int, Stored("Requests so far.")] = 0
    via: Annotated[int | None, Stored("The candidate whose redirect led here.")] = None
    evidence: Annotated[
        bytes | None,
        Stored("What the strategy knows about the URL, in its own format; null: nothing but the priority.", since=3),
    ] = None


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

    id: Annotated[int, Stored("Counted from 0.", key=True)]
    origin: Annotated[str, Stored("As in `https://example.org`.")]
    host: Annotated[str, Stored("Its name or address.")]
    address: Annotated[str, Stored("The address whose delay it shares; empty: never looked up.")] = ""
    robots_status: Annotated[
        str,
        Stored("`rules` (a robots.txt was read), `allowed` (there is none), `unreachable`; empty: never asked for."),
    ] = ""
    robots_fetched_at: Annotated[float | None, Stored("When robots.txt was last read.", Form.TIME)] = None
    delay_s: Annotated[float, Stored("The delay between requests.")] = 0.0
    requests: Annotated[int, Stored("Requests for pages and robots.txt.")] = 0
    pages: Annotated[int, Stored("Pages kept.")] = 0
    relevant: Annotated[int, Stored("Relevant pages.")] = 0
    failures: Annotated[int, Stored("Exchanges without an answer, failed look-ups, and unreachable robots.txt.")] = 0
    wire_bytes: Annotated[
        int,
        Stored("Bytes over the wire: headers, the body as encoded, and its framing.", column="bytes"),
    ] = 0
    latency_s: Annotated[float, Stored("Sum of the times to the first byte.")] = 0.0
    download_s: Annotated[float, Stored("Sum of the times from the first byte to the last.")] = 0.0
    not_before: Annotated[
        float | None,
        Stored(
            "When Dowse may ask it again, as of the last transaction; for a closed site, when a later run may try. "
            "Null: never asked.",
            Form.TIME,
            since=2,
        ),
    ] = None  # by the wall clock
    closed: Annotated[str, Stored("Why Dowse [gave it up](politeness.md#delays); empty: it did not.", since=2)] = ""
    turn: Annotated[
        int,
        Stored("Of a crawl that goes [site by site](erid.md#site-by-site): 1 current, 2 processed, else 0.", since=8),
    ] = 0


class VerdictRow(NamedTuple):
    """The verdict of a page that has another already: what counts from now on. The first stays beside it."""

    score: float
    relevant: bool
    model: int
    told: list[tuple[Any, ...]]  # its reasons


@dataclass(slots=True, kw_only=True)
class PageRow:
    """One finished URL: fetched, failed or refused after a request. ``archive`` is appended to the WARC file."""

    id: Annotated[int, Stored("The candidate.", key=True)]
    ordinal: Annotated[int, Stored("Order of recording, from 0.", exported=False)] = 0  # given by the store
    url: Annotated[str, Stored("The URL that was asked for.")]
    final_url: Annotated[str, Stored("Where its redirect leads; otherwise `url`.")]
    outcome: Annotated[str, Stored("`fetched`, `redirected`, `failed` or `refused`.")]
    reason: Annotated[str, Stored("Why it ended so; empty for an ordinary page.")] = ""
    status: Annotated[int, Stored("The HTTP status; 0 when no answer came.")] = 0
    content_type: Annotated[str, Stored("The media type, without parameters.")] = ""
    wire_bytes: Annotated[int, Stored("Bytes of the body, over the wire.", column="bytes")] = 0
    body_bytes: Annotated[int, Stored("Bytes of the body, after decompression.")] = 0
    truncated: Annotated[
        str,
        Stored(
            "Why the body was cut short: `length`, `time`, `disconnect`, `encoding`, `type` (unwanted type: "
            "not read at all) or `budget`. Empty: it is whole."
        ),
    ] = ""
    score: Annotated[float | None, Stored("How close the page is to the topic, from 0 to 1. Null: not judged.")] = None
    relevant: Annotated[
        bool | None,
        Stored(
            "1 if `score` reaches the threshold (and the language is wanted), otherwise 0. Null: not judged. A judge "
            "that learns gives all pages their final verdict when the crawl ends: see `first_relevant`."
        ),
    ] = None
    model: Annotated[
        int,
        Stored("The version of the model that gave `score`; 0: the judge does not learn, or knew too little.", since=5),
    ] = 0
    first_score: Annotated[
        float | None, Stored("The score it was given when it was fetched; null: not judged.", since=5)
    ] = None
    first_relevant: Annotated[
        bool | None, Stored("Whether it was relevant by that score; null: not judged.", since=5)
    ] = None
    first_model: Annotated[int, Stored("The version of the model that gave `first_score`.", since=5)] = 0
    similarity: Annotated[float | None, Stored("The cosine similarity to the topic's terms.")] = None
    erid: Annotated[float | None, Stored("The weighted keyword density.")] = None
    content: PageContent = field(default_factory=PageContent)
    depth: Annotated[int, Stored("Links from a seed.")] = 0
    duplicate_of: Annotated[int | None, Stored("The page that had this text first; null: none.")] = None
    signature: Annotated[
        int,
        Stored("Hash of the words in order (64 bits, signed); 0: too few words.", Form.BITS, exported=False),
    ] = 0
    minhash: Annotated[bytes, Stored("Sketch of the words, for near-duplicates.", exported=False)] = b""
    etag: Annotated[str | None, Stored("The header, when there was one.")] = None
    last_modified: Annotated[str | None, Stored("The header, when there was one.")] = None
    attempts: Annotated[int, Stored("How many requests it took.")] = 1
    fetched_at: Annotated[float, Stored("When the exchange began.", Form.TIME)]
    timings: Timings = field(default_factory=Timings)
    parse_s: Annotated[float, Stored("Parsing, including links, language and duplicate signature.")] = 0.0
    judge_s: Annotated[float, Stored("Judging.")] = 0.0
    verdict: Annotated[
        list[tuple[Any, ...]],
        Stored(
            "JSON: `[[reason, value, weight], ...]`. The products add up to the score. With a "
            "[predicate](predicates.md), its parts follow: `[part, degree, 0, held, value, depth]`.",
            Form.JSON,
        ),
    ] = field(default_factory=list)
    warc_file: Annotated[str | None, Stored("The archive file that holds the response; null: not kept.")] = None
    warc_offset: Annotated[int | None, Stored("Where its record begins.")] = None  # these three the store gives
    warc_length: Annotated[int | None, Stored("Bytes of its record, compressed.")] = None
    cached_from: Annotated[
        str | None,
        Stored(
            "The folder of the earlier crawl it was [taken from](cache.md); null: the site was asked. If set, "
            "`fetched_at`, `bytes` and the times of the exchange are those of the earlier crawl, and `attempts` is "
            "0.",
            since=3,
        ),
    ] = None
    visited_at: Annotated[
        float | None,
        Stored("When it was last [visited again](revisits.md), whatever came; null: never.", Form.TIME, since=9),
    ] = None
    misses: Annotated[
        float | None,
        Stored(
            "Visits since the last good one that failed; one whose fault may pass counts half. Null: none.", since=9
        ),
    ] = None
    gone_at: Annotated[
        float | None,
        Stored("When two such visits were counted. The row is that of the last good visit. Null: it is there.",
               Form.TIME, since=9),
    ] = None  # fmt: skip
    archive: list[bytes] = field(default_factory=list)  # finished gzip members: request, response, metadata, ...
    archive_response: int = 1  # which of them holds the response that warc_offset names


LinkRow = tuple[Any, ...]
"""A link from a fetched page to a known URL: the columns of :data:`LINKS`. There are a hundred of them a page."""


@dataclass(slots=True)
class _LinkEnds:
    page: Annotated[int, Stored("The page that carries the link.")]
    target: Annotated[int, Stored("The candidate it leads to.")]


@dataclass(slots=True)
class DecisionRow:
    """Why a URL was fetched when it was: the features, their values and weights, and the model's version."""

    candidate: Annotated[int, Stored("The URL.", key=True)]
    at: Annotated[float, Stored("When it was chosen.", Form.TIME)]
    priority: Annotated[float, Stored("Its priority at that moment.")]
    strategy: Annotated[str, Stored("The crawl order's name.")]
    version: Annotated[int, Stored("The learned model's version.")]
    features: Annotated[dict[str, tuple[float, float]], Stored("JSON: `{name: [value, weight], ...}`.", Form.JSON)]


PAGES = Table("pages", columns_of(PageRow))
CANDIDATES = Table("candidates", columns_of(CandidateRow))
LINKS = Table("links", columns_of(_LinkEnds) + columns_of(Links))
SITES = Table("sites", columns_of(SiteRow))
DECISIONS = Table("decisions", columns_of(DecisionRow))
RUNS = Table("runs", columns_of(RunRow))
TABLES = (PAGES, CANDIDATES, LINKS, SITES, DECISIONS, RUNS, FOUND, CHANGES, CHANGE_WRITERS, VISITS, DUE, OUTBOX)
"""The tables whose columns are declared by the fields of rows."""

_OF_LINKS = columns_of(Links)


def link_rows(
    page: int, targets: NDArray[np.int64], links: Links, chosen: NDArray[np.int64] | None
) -> Iterator[LinkRow]:
    """The chosen rows of a page's links (None: all), which lead to these candidates."""
    rows = None if chosen is None else chosen.tolist()
    return zip(repeat(page), targets.tolist(), *(_values(links, column, chosen, rows) for column in _OF_LINKS))


def _values(links: Links, column: Column, chosen: NDArray[np.int64] | None, rows: list[int] | None) -> list[Any]:
    values = getattr(links, column.field)
    if isinstance(values, list):
        return values if rows is None else [values[row] for row in rows]
    some = values if chosen is None else values[chosen]
    found: list[Any] = some.tolist() if column.kind is float else some.astype(np.int64).tolist()
    return found


@dataclass(slots=True)
class EventRow:
    """Something worth telling the user: start, stop with its reason, clipped delay, lost worker, ..."""

    at: float
    kind: str
    detail: str
