"""What the learner knows of each candidate: one record a URL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Context
from dowse.predict.learning.link_tokens import WIDTH, link_tokens
from dowse.predict.learning.siblings import MOST_PLACES, Siblings
from dowse.predict.memory import RowTable

__all__ = [
    "EXACT",
    "PARENTS",
    "ROW",
    "Notes",
    "Rows",
    "judged",
    "name_links",
    "name_paths",
    "note_links",
    "notes_of",
    "told",
]

PARENTS = 8
"""So many of the pages that link to a candidate are remembered, the latest."""
EXACT = 1 << 16
"""What a page is worth is a multiple of its inverse: so sums do not depend on their order."""
_MANY = 60_000  # pages that link to a candidate; more are not counted

ROW = np.dtype([
    ("site", "<i4"),
    ("own", "<f4"),  # what it was worth, nan before it is judged; 0 where it was asked for in vain, and for good
    ("page", "<i4", PARENTS),  # the pages that link to it
    ("token", "<u4", WIDTH),
    ("parents", "<u2"),  # how many pages link to it
    ("place", "<u2", PARENTS),  # where on them, in runs of links
    ("best", "<f2", len(Context)),  # similarity of its contexts
    ("mean", "<f2", len(Context)),
    ("failed", "<u2"),  # 0: no; else one of Failed in predict/learning/answers.py
    ("path", "<u4"),  # of tags, on the pages of a site, that leads to it; 0 where none is known
])  # fmt: skip
_OF_SITE, _MIX, _LARGEST = 0x9E3779B1, np.uint32(0x85EBCA77), 0xFFFFFFFF
Rows = NDArray[np.void]
"""Records, one a candidate."""


def note_links(
    rows: Rows,
    page: int,
    places: NDArray[np.int64],
    sites: NDArray[np.int64],
    similarity: NDArray[np.float32],
    siblings: Siblings,
) -> None:
    """A page links to these candidates; those that are known by now are siblings. Of the first, as many as there are
    sites, it also says where they are and how near their contexts are to the topic."""
    base, groups, _ = siblings.tables
    told_of = np.ascontiguousarray(sites, np.int64), np.ascontiguousarray(similarity, np.float32)
    if core is not None and core.note_links(rows, page, places, *told_of, base, groups):
        return
    own = rows["own"].astype(np.float64)
    known = ~np.isnan(own)
    siblings.count(np.full(known.sum(), page), places[known], own[known])
    full = rows["parents"] >= PARENTS  # where no place is left, the oldest is forgotten
    gone = rows[full & known]
    siblings.count(gone["page"][:, 0].astype(np.int64), gone["place"][:, 0].astype(np.int64), -own[full & known], -1)
    for name in ("page", "place"):
        rows[name][full, :-1] = rows[name][full, 1:]
    slots = np.minimum(rows["parents"], PARENTS - 1)
    each = np.arange(len(rows))
    rows["page"][each, slots], rows["place"][each, slots] = page, places
    rows["parents"] = np.minimum(rows["parents"], _MANY - 1) + 1
    told = rows[: len(sites)]
    told["site"] = sites
    seen = np.where(np.isnan(similarity), np.float32(0), similarity)
    np.maximum(told["best"], seen.astype(np.float16), out=told["best"])
    mean = told["mean"].astype(np.float32)
    told["mean"] = mean + (seen - mean) / told["parents"][:, None]


def name_links(rows: Rows, urls: Sequence[str], anchors: Sequence[str]) -> None:
    """The tokens of the links to these candidates, where none are known."""
    if core is not None and core.name_links(rows, urls, anchors):
        return
    new = np.flatnonzero(rows["token"][:, 0] == 0)
    if len(new):
        rows["token"][new] = [link_tokens(urls[at], anchors[at]) for at in new.tolist()]


def name_paths(rows: Rows, site: int, paths: NDArray[np.uint32]) -> None:
    """Links to these candidates stand at these paths of tags, on a page of this site. The first of each is kept."""
    new = (rows["path"] == 0) & (paths != 0)
    rows["path"][new] = (paths[new] ^ np.uint32(site * _OF_SITE & _LARGEST)) * _MIX | np.uint32(1)


def told(rows: Rows) -> NDArray[np.uint32]:
    """What links say of whether each candidate answers: tokens, and the path of tags; 0 where there is nothing."""
    return np.concatenate((rows["token"], rows["path"][:, None]), axis=1)


def notes_of(data: Sequence[bytes], sites: NDArray[np.int64], pages: Sequence[Sequence[int]]) -> Rows:
    """Records that another shard has made, of URLs that wait, in our numbers. ValueError where one cannot be."""
    if any(len(row) != ROW.itemsize for row in data):
        raise ValueError("what is known of a URL is cut short")
    rows = np.frombuffer(b"".join(data), ROW).copy()
    linked = np.minimum(rows["parents"], PARENTS).tolist()
    measures = np.concatenate((rows["best"], rows["mean"]), axis=1)
    if linked != list(map(len, pages)) or not np.isfinite(measures).all() or int(rows["place"].max()) > MOST_PLACES:
        raise ValueError("what is known of a URL cannot be")
    rows["site"], rows["own"], rows["failed"], rows["path"] = sites, np.nan, 0, 0  # paths go by the site's number
    rows["page"] = [[*known, *([0] * (PARENTS - len(known)))] for known in pages]
    return rows


class Notes(RowTable):
    """A record without parents: no page mentioned it."""

    def __init__(self, kind: str) -> None:
        empty = np.zeros(1, ROW)
        empty["own"] = np.nan
        super().__init__(empty, kind)

    @property
    def own(self) -> NDArray[np.float32]:
        """What each page was worth; a view."""
        own: NDArray[np.float32] = self._rows["own"]
        return own

    def one(self, id_: int) -> Rows:
        """A copy of one candidate's record, a table of one."""
        return (self._rows[id_ : id_ + 1] if id_ < self.count else self._empty).copy()

    def judged(self, id_: int, site: int, value: float) -> None:
        """A page turned out to be worth so much."""
        self.reach(id_ + 1)
        row = self._rows[id_]  # a view
        row["site"], row["own"] = site, value
        self._changed.append(np.array([id_]))

    def failed(self, id_: int, site: int, how: int, *, lasting: bool) -> Rows:
        """A URL was asked for in vain. Its record."""
        self.reach(id_ + 1)
        row = self._rows[id_]  # a view
        row["site"], row["failed"] = site, how
        if lasting:
            row["own"] = 0.0  # so it counts as a sibling, of whatever page links to it later
        self._changed.append(np.array([id_]))
        return self.one(id_)

    def elsewhere(self, id_: int, site: int, value: float, how: int) -> None:
        """Another shard has judged a page, and it is worth so much."""
        self.reach(id_ + 1)
        row = self._rows[id_]  # a view
        row["site"], row["own"], row["failed"] = site, value, how
        self._changed.append(np.array([id_]))

    def all(self) -> Rows:
        """Every record; a view."""
        return self._rows[: self.count]


def judged(rows: Rows) -> NDArray[np.bool_]:
    """Which of these records are of pages that were judged."""
    return np.asarray(~np.isnan(rows["own"]) & (rows["failed"] == 0))
