"""Signatures: what else the people of a page went to is about (section 3.1; METHODS, section 4).

Event ``S_w``: some user of the page also went to another judged page that has the characteristic ``w``: a word, or a
category (see :mod:`~.people`).
The same ratio and the same significance as for users; of a page, its 50 strongest significant words.

As published, ``n(S_w)`` counts all judged pages that have the event by now: a page that is judged may bring it about
for pages that were judged long before it. That is counted literally (:class:`PaperSignatures`), at a cost that grows
with the crawl, so it is for comparing in the lab.

Robust: the event is noted once, when a page is judged, from what its users had gone to by then. That is what is known
of a waiting page, too, so that what is learned is learned of the case it is used for; and it costs the same however
long the crawl is. Looked at are at most 10 users of a page, the latest 10 judged pages of each, and the 32 words that
each of those has most often. Of a page's 50 strongest words the mean log counts, not the product.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.traces import each_once, runs
from dowse.predict.learning.occurrences import Occurrences, Places
from dowse.predict.learning.ratios import Counted
from dowse.predict.traces.reach import Reach, spans, strongest

__all__ = ["PaperSignatures", "RobustSignatures", "Signatures"]

Logs = NDArray[np.float64]
Ints = NDArray[np.int64]
_FIRST = 256


class Signatures(Protocol):
    """Words of what people went to."""

    @property
    def nbytes(self) -> int: ...

    def judged(self, page: int, users: NDArray[np.int64], satisfies: bool, bag: Bag) -> None:
        """A page was judged that these users went to; it has these words."""
        ...

    def logs(self, pages: Ints, rows: Ints, users: Ints, counted: Counted) -> Logs:
        """``log I_SF`` of pages; 0 where nothing significant is known. Who went to them comes row by row, each user
        once a row, a row a page."""
        ...

    def words(self, page: int, users: NDArray[np.int64], counted: Counted) -> list[tuple[int, float]]:
        """For people to read: the hashes of its strongest words, and their logs."""
        ...


def _strongest_of(words: Occurrences, places: Places, counted: Counted, most: int) -> tuple[Places, Logs]:
    """The strongest significant words of these, and their logs."""
    pages, satisfying = (column[places] for column in words.table())
    logs = counted.logs(satisfying, pages, over=counted.pages or 1, least=1)
    told = np.flatnonzero(logs)
    told = told[strongest(np.zeros(len(told), np.int64), logs[told], most)]
    return places[told], logs[told]


def _logs_of(rows: Ints, logs: Logs, pages: int, most: int, *, mean: bool) -> Logs:
    """The strongest of the significant words of each page, row by row, as the log of their product or as their mean."""
    told = strongest(rows, logs, most)
    sums = np.bincount(rows[told], logs[told], pages).astype(np.float64)  # whole numbers where there is none
    return sums / np.maximum(np.bincount(rows[told], minlength=pages), 1) if mean else sums


class PaperSignatures:
    """As published: the events of all judged pages, as they stand by now."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._words = Occurrences()
        self._rows: dict[int, int] = {}  # judged page -> its row
        self._words_on: list[Places] = []
        self._satisfies = np.zeros(_FIRST, bool)
        self._shown = np.zeros((_FIRST, _FIRST), bool)  # a row a judged page: the words for which the event holds
        self._went_to: dict[int, list[int]] = {}  # user -> rows of judged pages

    @property
    def nbytes(self) -> int:
        return self._shown.nbytes

    def judged(self, page: int, users: NDArray[np.int64], satisfies: bool, bag: Bag) -> None:
        own = self._words.places(bag.terms)
        others = self._others(users)
        row = self._rows[page] = len(self._rows)
        self._words_on.append(own)
        self._make_room(row + 1)
        self._satisfies[row] = satisfies
        seen = self._union(others)
        self._words.count(seen, satisfies)
        self._shown[row, seen] = True
        if len(others) and len(own):
            new = ~self._shown[np.ix_(others, own)]
            self._shown[np.ix_(others, own)] = True
            self._words.add(own, new.sum(axis=0), new[self._satisfies[others]].sum(axis=0))
        for user in users.tolist():
            self._went_to.setdefault(user, []).append(row)

    def _others(self, users: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of judged pages that any of these went to."""
        found = {row for user in users.tolist() for row in self._went_to.get(user, ())}
        return np.array(sorted(found), np.int64)

    def _union(self, rows: NDArray[np.int64]) -> Places:
        return self._words.union([self._words_on[row] for row in rows.tolist()])

    def _make_room(self, pages: int) -> None:
        """Room for more pages and words; what was never written to takes no memory."""
        words = len(self._words)
        if pages > self._shown.shape[0] or words > self._shown.shape[1]:
            before = self._shown
            self._shown = np.zeros((max(2 * pages, before.shape[0]), max(2 * words, before.shape[1])), bool)
            self._shown[: before.shape[0], : before.shape[1]] = before
            self._satisfies = np.append(self._satisfies, np.zeros(len(self._shown) - len(self._satisfies), bool))

    def _seen(self, page: int, users: NDArray[np.int64]) -> Places:
        if page in self._rows:
            return np.flatnonzero(self._shown[self._rows[page]])
        return self._union(self._others(users))

    def logs(self, pages: Ints, rows: Ints, users: Ints, counted: Counted) -> Logs:
        of_page = np.split(users, np.searchsorted(rows, np.arange(1, len(pages))))
        seen = [self._seen(page, own) for page, own in zip(pages.tolist(), of_page, strict=True)]
        row, places = np.repeat(np.arange(len(seen)), list(map(len, seen))), np.concatenate(seen)
        judged, satisfying = (column[places] for column in self._words.table())
        logs = counted.logs(satisfying, judged, over=counted.pages or 1, least=1)
        told = np.flatnonzero(logs)
        return _logs_of(row[told], logs[told], len(seen), self._reach.strongest_words, mean=False)

    def words(self, page: int, users: NDArray[np.int64], counted: Counted) -> list[tuple[int, float]]:
        places, logs = _strongest_of(self._words, self._seen(page, users), counted, self._reach.strongest_words)
        return list(zip(self._words.hashes(places), logs.tolist(), strict=True))


class RobustSignatures:
    """The event as it stood when a page was judged."""

    def __init__(self, users: int, reach: Reach) -> None:
        self._reach = reach
        self._words = Occurrences()
        self._count = 0
        self._words_on = np.full((_FIRST, reach.words), -1, np.int32)  # a row a judged page
        self._went_to = np.zeros((users, reach.pages), np.int32)  # rows of judged pages, over and over
        self._times = np.zeros(users, np.int32)  # how many judged pages each user went to
        self._row_of: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """What is written to: a user who went to no judged page takes no memory in the widest of the tables."""
        return self._words_on.nbytes + self._times.nbytes + int((self._times > 0).sum()) * self._went_to.strides[0]

    def judged(self, page: int, users: NDArray[np.int64], satisfies: bool, bag: Bag) -> None:
        self._words.count(self._seen(page, users), satisfies)
        own = self._words.places(bag.most(self._reach.words).terms)
        row = self._row_of[page] = self._count
        if row == len(self._words_on):
            more = np.full((len(self._words_on) // 2, self._reach.words), -1, np.int32)
            self._words_on = np.concatenate((self._words_on, more))
        self._words_on[row, : len(own)] = own
        self._count += 1
        self._went_to[users, self._times[users] % self._reach.pages] = row
        self._times[users] += 1

    def _seen(self, page: int, users: NDArray[np.int64]) -> Places:
        """The words of what these users went to."""
        users = users[self._times[users] > 0][: self._reach.users]
        rows = self._went_to[users]
        known = np.arange(self._reach.pages) < self._times[users, None]
        own = self._row_of.get(page, -1)
        rows = each_once(rows[known])
        places = self._words_on[rows[rows != own]].ravel()
        return self._words.distinct(places[places >= 0])

    def logs(self, pages: Ints, rows: Ints, users: Ints, counted: Counted) -> Logs:
        """All pages at once: a look at one costs nearly as much as at twenty, and they share most of what their users
        went to."""
        row, judged = self._judged_of(pages, rows, users)
        words_met = len(self._words)
        if not len(judged) or not words_met:
            return np.zeros(len(pages))
        distinct = each_once(judged)
        which, words, logs = self._telling(distinct, counted)
        starts = which.searchsorted(np.arange(len(distinct) + 1))
        of = distinct.searchsorted(judged)
        sizes = starts[of + 1] - starts[of]
        hits = spans(starts[of], sizes)
        keys = row.repeat(sizes) * words_met + words[hits]
        order = keys.argsort(kind="stable")
        order = order[runs(keys[order])]  # a word that several of its pages have counts once a page
        told = keys[order] // words_met, logs[hits[order]]
        return _logs_of(*told, len(pages), self._reach.strongest_words, mean=True)

    def _judged_of(self, pages: Ints, rows: Ints, users: Ints) -> tuple[Ints, Ints]:
        """The judged pages that the first of each page's users went to, the page itself not among them: row by row,
        each once a row."""
        there = self._times[users] > 0
        rows, users = rows[there], users[there]
        few = np.arange(len(rows)) - rows.searchsorted(rows) < self._reach.users
        rows, users = rows[few], users[few]
        known = np.arange(self._reach.pages) < self._times[users, None]
        every = max(self._count, 1)
        row, judged = np.divmod(each_once((rows[:, None] * every + self._went_to[users])[known]), every)
        own = np.array([self._row_of.get(page, -1) for page in pages.tolist()], np.int64)
        others = judged != own[row]
        return row[others], judged[others]

    def _telling(self, judged: Ints, counted: Counted) -> tuple[Ints, Ints, Logs]:
        """The significant words of judged pages: places in ``judged``, rising, the words, and their logs."""
        places = self._words_on[judged]
        pages, satisfying = self._words.table()
        which, column = np.nonzero((places >= 0) & counted.may_tell(satisfying[places], pages[places]))
        words = places[which, column].astype(np.int64)
        logs = counted.logs(satisfying[words], pages[words], over=counted.pages or 1, least=1)
        told = logs != 0
        return which[told], words[told], logs[told]

    def words(self, page: int, users: NDArray[np.int64], counted: Counted) -> list[tuple[int, float]]:
        places, logs = _strongest_of(self._words, self._seen(page, users), counted, self._reach.strongest_words)
        return list(zip(self._words.hashes(places), logs.tolist(), strict=True))
