"""What the learner knows of each candidate: one record a URL, and the words of those that were judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Bag, Context
from dowse.predict.learning.link_tokens import WIDTH, link_tokens
from dowse.predict.learning.siblings import Siblings
from dowse.predict.memory import RowTable

__all__ = ["PARENTS", "ROW", "Notes", "Rows", "name_links", "note_links"]

PARENTS = 8
"""So many of the pages that link to a candidate are remembered, the latest."""
_MANY = 60_000  # pages that link to a candidate; more are not counted

ROW = np.dtype([
    ("site", "<i4"),
    ("own", "<f4"),  # what it was worth, nan before it is judged
    ("score", "<f4"),  # the same as the topic's judge saw it
    ("ordinal", "<i4"),  # how many were judged before it
    ("page", "<i4", PARENTS),  # the pages that link to it
    ("token", "<u4", WIDTH),
    ("parents", "<u2"),  # how many pages link to it
    ("place", "<u2", PARENTS),  # where on them, in runs of links
    ("best", "<f2", len(Context)),  # similarity of its contexts
    ("mean", "<f2", len(Context)),
    ("failed", "<u2"),  # 0: no; else one of Failed in predict/learning/answers.py
    ("spare", "<u2", 2),  # fills up to a multiple of 8
])  # fmt: skip
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


class Notes(RowTable):
    """A record without parents: no page mentioned it. The words of a judged page are attached to it."""

    def __init__(self, kind: str, of_use: Callable[[int], Sequence[range]]) -> None:
        """``of_use`` says, of how many judged pages there are, which of them somebody needs the words of."""
        empty = np.zeros(1, ROW)
        empty["own"] = np.nan
        super().__init__(empty, kind)
        self.bags: dict[int, Bag] = {}  # of judged pages, for as long as somebody may ask for them
        self._judged: list[int] = []  # since it was last asked for attachments
        self._of_use = of_use

    @property
    def own(self) -> NDArray[np.float32]:
        """What each page was worth; a view."""
        own: NDArray[np.float32] = self._rows["own"]
        return own

    def one(self, id_: int) -> Rows:
        """A copy of one candidate's record, a table of one."""
        return (self._rows[id_ : id_ + 1] if id_ < self.count else self._empty).copy()

    def judged(self, id_: int, site: int, value: float, score: float, ordinal: int, bag: Bag) -> None:
        """A page with these words turned out to be worth so much."""
        self.reach(id_ + 1)
        row = self._rows[id_]  # a view
        row["site"], row["own"], row["score"], row["ordinal"] = site, value, score, ordinal
        self._changed.append(np.array([id_]))
        self.bags[id_] = bag
        self._judged.append(id_)

    def failed(self, id_: int, site: int, how: int) -> Rows:
        """A URL was asked for in vain. Its record."""
        self.reach(id_ + 1)
        row = self._rows[id_]  # a view
        row["site"], row["failed"] = site, how
        self._changed.append(np.array([id_]))
        return self.one(id_)

    def all(self) -> Rows:
        """Every record; a view."""
        return self._rows[: self.count]

    def attachments(self) -> tuple[list[int], list[bytes]]:
        ids = [id_ for id_ in dict.fromkeys(self._judged) if id_ in self.bags]
        self._judged.clear()
        return ids, [_packed(self.bags[id_]) for id_ in ids]

    def wanted_attachments(self) -> list[int]:
        judged = np.flatnonzero(~np.isnan(self.own[: self.count]))
        ordinals = self._rows["ordinal"][judged]
        of_use = np.zeros(len(judged), np.bool_)
        for some in self._of_use(len(judged)):
            of_use |= (ordinals >= some.start) & (ordinals < some.stop)
        wanted: list[int] = judged[of_use].tolist()
        return wanted

    def load_attachment(self, candidate: int, attachment: bytes) -> None:
        self.bags[candidate] = _unpacked(attachment)


def _packed(bag: Bag) -> bytes:
    """How many terms, the terms, how often each occurs."""
    size = np.array([len(bag.terms)], "<u2").tobytes()
    return size + bag.terms.astype("<u4").tobytes() + bag.counts.astype("<f2").tobytes()


def _unpacked(data: bytes) -> Bag:
    size = int.from_bytes(data[:2], "little")
    return Bag(np.frombuffer(data, "<u4", size, 2), np.frombuffer(data, "<f2", size, 2 + 4 * size).astype(np.float32))
