"""What people looked at, as columns: read by strategies that learn from it, made by ``dowse traces import``.

A user is a number below ``len(users)``, a page one below ``len(fingerprints)``, an access one below ``len(at)``. Users
and pages are in order of their hashes, which says nothing of them; accesses are in order of user, then time. What is
known of a user is a keyed hash (see ``traces/privacy.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.model.arrays import Strings
from dowse.model.url import fingerprint

__all__ = ["IDLE_S", "Traces", "each_once", "runs"]

IDLE_S = 1800
"""A session ends after so many idle seconds (METHODS, section 4)."""
Places = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)
_MARKED = 4096  # rows of each column


@dataclass(frozen=True, slots=True, eq=False)
class Traces:
    """The arrays may be mapped from files, and nothing here copies them; in memory are four bytes an access."""

    users: NDArray[np.uint64]  # keyed hashes, rising
    starts: NDArray[np.int64]  # the accesses of user i are starts[i] to starts[i + 1]
    at: NDArray[np.uint32]  # seconds since 1970
    page: NDArray[np.uint32]
    fingerprints: NDArray[np.uint64]  # of pages' canonical URLs, rising
    by_page: NDArray[np.uint32]  # accesses in order of page, then user and time
    page_starts: NDArray[np.int64]  # those to page i are by_page[page_starts[i] : page_starts[i + 1]]
    urls: Strings
    key: str = ""  # tells which key made users numbers, and nothing of that key; empty: it is not known
    _users: NDArray[np.uint32] = field(init=False, repr=False)  # who made each access: asked for at every page

    def __post_init__(self) -> None:
        users = np.arange(len(self.users), dtype=np.uint32)
        object.__setattr__(self, "_users", np.repeat(users, np.diff(self.starts)))

    def __len__(self) -> int:
        return len(self.at)

    @property
    def mark(self) -> str:
        """Tells these traces from others: what was stored by their numbers means nothing in those."""
        some = (self.users[:_MARKED], self.at[:_MARKED], self.fingerprints[:_MARKED], self.page[-_MARKED:])
        sizes = (len(self), len(self.users), len(self.fingerprints))
        return xxhash.xxh3_64_hexdigest(repr(sizes).encode() + b"".join(column.tobytes() for column in some))

    @staticmethod
    def none() -> Traces:
        """Nobody went anywhere."""
        few, nothing = np.zeros(0, np.uint32), np.zeros(0, np.uint64)
        start, empty = np.zeros(1, np.int64), Strings(np.zeros(0, np.uint8), np.zeros(0, np.int64))
        return Traces(nothing, start, few, few, nothing, few, start, empty)

    def number(self, url: str) -> int:
        """The page with a canonical URL, -1 where nobody went there."""
        return int(self.numbers(np.array([fingerprint(url)], np.uint64))[0])

    def numbers(self, fingerprints: NDArray[np.uint64]) -> Places:
        """The pages with these fingerprints, -1 for others."""
        if not len(self.fingerprints):
            return np.full(len(fingerprints), -1, np.int64)
        places = np.minimum(np.searchsorted(self.fingerprints, fingerprints), len(self.fingerprints) - 1)
        return np.where(self.fingerprints[places] == fingerprints, places, -1)

    def accesses(self, page: int, most: int | None = None) -> Places:
        """The accesses to a page, in order of user and time; the first ``most`` of them."""
        start, end = int(self.page_starts[page]), int(self.page_starts[page + 1])
        if most is not None:
            end = min(end, start + most)
        return self.by_page[start:end].astype(np.int64)

    def user_of(self, accesses: Places) -> Places:
        """Who made these."""
        return self._users[accesses].astype(np.int64)

    def around(self, accesses: Places, reach: int) -> Places:
        """The accesses that the same users made in the same sessions, up to ``reach`` before and ``reach`` after each
        of these, in no order; an access itself is not around itself, though it may be around another."""
        user, steps = self.user_of(accesses), np.arange(1, reach + 1)
        at, last = self.at[accesses].astype(np.int64)[:, None], len(self) - 1
        found = []
        first, end = self.starts[user][:, None], self.starts[user + 1][:, None]
        for there in (accesses[:, None] - steps, accesses[:, None] + steps):
            times = self.at[np.clip(there, 0, last)].astype(np.int64)
            goes_on = np.abs(np.diff(times, axis=1, prepend=at)) <= IDLE_S
            found.append(there[np.logical_and.accumulate(goes_on & (there >= first) & (there < end), axis=1)])
        return np.concatenate(found)


def each_once(values: NDArray[Number]) -> NDArray[Number]:
    """As ``np.unique``, in a third of its time where there are few.

    >>> each_once(np.array([4, 1, 4])).tolist()
    [1, 4]
    """
    found = np.sort(values)
    return found[runs(found)]


def runs(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a run of equal values begins.

    >>> runs(np.array([4, 4, 1, 4])).tolist()
    [True, False, True, True]
    """
    found = np.empty(len(values), bool)
    found[:1] = True
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found
