"""Pages that are visited again: what is recorded of each visit, what a run of visits was told to do, and what the crawl
holds of a page when it asks again.

A page that was fetched once has its visit in ``pages``, and no row here. When it is visited again, that first visit is
written down too, so that ``visits`` has either all visits of a page or none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dowse.model.columns import Form, Stored, Table, columns_of

__all__ = [
    "DUE", "GONE_AFTER", "LAST_REVISIT", "NOT_ASKED", "REVISITING", "VISITS", "Copy", "GoodVisits",
    "RevisitPlan", "VisitRow", "Visitable", "missed",
]  # fmt: skip

_SINCE = 9
REVISITING = "revisiting"
"""The statistic that has the plan of a run of visits, from its beginning to its end: a run that was killed or
interrupted is gone on with by it."""

LAST_REVISIT = "last revisit"
"""The statistic that says when the last run of visits began: ``dowse watch`` counts from there."""
GONE_AFTER = 2.0
"""Visits in a row that failed, until a page is gone."""
NOT_ASKED = "not asked: "
"""How the reason of a visit begins that was due, and for which nobody could be asked."""
_MAY_PASS = 0.5  # how much of one a failure counts that says more of the site's day than of the page


def missed(before: float, *, lasting: bool) -> float:
    """How many visits in a row have failed, after one more. A fault that may pass counts half.

    >>> missed(1.0, lasting=True), missed(0.5, lasting=False)
    (2.0, 1.0)
    """
    return before + (1.0 if lasting else _MAY_PASS)


@dataclass(slots=True, kw_only=True)
class VisitRow:
    """One visit to a page."""

    number: Annotated[int | None, Stored("Counted from 1, in order of recording.", since=_SINCE, key=True)] = None
    page: Annotated[int, Stored("`pages.id`.", since=_SINCE)]
    at: Annotated[float, Stored("When it was asked for.", Form.TIME, since=_SINCE)]
    status: Annotated[int, Stored("The HTTP status, such as 200 or 304; 0: no answer came.", since=_SINCE)] = 0
    reason: Annotated[
        str,
        Stored(
            "Why it failed; empty: it did not. `not asked: ...`: it was due, and nobody could be asked.", since=_SINCE
        ),
    ] = ""
    changed: Annotated[
        bool | None,
        Stored(
            "1 if the visible text was another than at the last good visit, lines that the site repeats left out; 0 if "
            "not. Null: the first visit, or one that failed.",
            since=_SINCE,
        ),
    ] = None
    digest: Annotated[
        str | None, Stored("SHA-1 of the body, as the archive has it; null: there is none.", since=_SINCE)
    ] = None
    warc_file: Annotated[
        str | None,
        Stored("The archive file that holds its record, a `response` or a `revisit`; null: none.", since=_SINCE),
    ] = None
    warc_offset: Annotated[int | None, Stored("Where that record begins.", since=_SINCE)] = None
    warc_length: Annotated[int | None, Stored("Bytes of it, compressed.", since=_SINCE)] = None
    misses: float = 0.0  # visits in a row that failed, this one included
    etag: str | None = None  # what the site told it to be asked with from now on; None: as before
    last_modified: str | None = None
    archive: list[bytes] = field(default_factory=list)  # finished gzip members; empty: the page's own row has them
    archive_response: int = 1
    of_page: bool = False  # its record is that of the page's row in the same batch
    stands: bool = True  # False: the page's first, which is written down with its second


@dataclass(slots=True)
class _DueRow:
    page: Annotated[int, Stored("`pages.id`.", since=_SINCE, key=True)]
    place: Annotated[int, Stored("Its place in the plan, from 0.", since=_SINCE)]


VISITS = Table("visits", columns_of(VisitRow), since=_SINCE)
DUE = Table("due", columns_of(_DueRow), since=_SINCE)


@dataclass(frozen=True, slots=True)
class Copy:
    """What the crawl holds of a page that is to be visited again."""

    page: int
    url: str
    fetched_at: float
    status: int
    ordinal: int
    score: float | None
    relevant: bool | None
    etag: str | None
    last_modified: str | None
    warc_file: str | None
    warc_offset: int | None
    warc_length: int | None
    visited_at: float | None  # None: once, when it was fetched
    misses: float = 0.0
    signature: int = 0
    truncated: str = ""  # how its body was cut
    is_adrift: bool = False  # a duplicate, of a page that another body came for since

    @property
    def validators(self) -> tuple[str | None, str | None]:
        """What to ask with: ``ETag`` and ``Last-Modified``. Nothing, where the page is to be judged whatever comes."""
        return (None, None) if self.is_adrift else (self.etag, self.last_modified)


@dataclass(frozen=True, slots=True)
class Visitable:
    """The pages that may be visited again, as plans see them: in columns, by their ids."""

    page: NDArray[np.int64]
    site: NDArray[np.int64]
    value: NDArray[np.float64]
    visited_at: NDArray[np.float64]  # the last time


@dataclass(frozen=True, slots=True)
class GoodVisits:
    """The visits that did not fail, in the order of recording, in columns."""

    page: NDArray[np.int64]
    at: NDArray[np.float64]
    changed: NDArray[np.int8]  # 1 or 0; -1: the page's first


@dataclass(frozen=True, slots=True)
class RevisitPlan:
    """What a run of visits was told, as its records keep it. ``base`` is what the crawl had spent before it."""

    how: str  # an age such as "7d", or the name of a policy
    budget: str  # as the user would write it
    base: dict[str, float]
    first_new: int  # candidates from this number on were found by it
    began_at: float
    due: int  # pages that were to be visited
