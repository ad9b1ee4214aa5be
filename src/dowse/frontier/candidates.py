"""Candidates as columns: everything the frontier knows of a URL, in flat arrays indexed by its id.

A candidate's order is its priority as a 64-bit integer that sorts the other way round (smaller goes earlier).
Together with the id in the low bits it makes one plain integer, the *key*: keys compare like (priority, order of
discovery), fit a heap without tuples, and a key that no longer matches the columns is recognised as stale.
"""

from __future__ import annotations

from itertools import accumulate
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from dowse.model.records import CandidateState

__all__ = ["ID_BITS", "ID_MASK", "Candidates", "orders_of", "priorities_of", "priority_of"]

ID_BITS = 32
ID_MASK = (1 << ID_BITS) - 1
_WAITING = int(CandidateState.WAITING)  # a plain number: comparing with an enum costs more than all the rest
_FIRST_ROOM = 1 << 15  # candidates
_PATH_BYTES = 48  # of one, usually
_MOST = (1 << 63) - 1
_ALL_BUT_SIGN = np.int64(_MOST)
_as_bytes, _as_float = Struct("<Q").pack, Struct("<d").unpack


def orders_of(priorities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Priorities as integers that sort from the highest priority to the lowest (nan is not allowed)."""
    # Adding 0.0 turns -0.0 into 0.0, which must compare equal to it.
    return _turned((priorities + 0.0).view(np.int64)).view(np.uint64)


def priorities_of(orders: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The priorities behind orders.

    >>> priorities_of(orders_of(np.array([0.25, -3.0]))).tolist()
    [0.25, -3.0]
    """
    return _turned(orders.view(np.int64)).view(np.float64)


def priority_of(order: int) -> float:
    """The priority behind one order; an array of one would cost ten times as much.

    >>> priority_of(int(orders_of(np.array([-3.0]))[0]))
    -3.0
    """
    bits = order if order >> 63 else order ^ _MOST
    priority: float = _as_float(_as_bytes(bits))[0]
    return priority


def _turned(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Flip all bits but the sign of what has no sign: so positive numbers sort downwards and before negative ones,
    whose own bits already do. Doing it again gives the bits back."""
    flips = bits >> 63
    np.invert(flips, out=flips)
    flips &= _ALL_BUT_SIGN
    flips ^= bits
    return flips


class Candidates:
    """Growable columns and the URLs' paths in one byte arena (the origin is kept once, at the site).

    Columns grow in place: keep no view of one over a call of :meth:`extend`. They begin with room for many, since what
    was never written to takes no memory of the system: small ones that grow would leave gaps in the heap as large as
    themselves.
    """

    _COLUMNS = ("order", "site", "depth", "parent", "run", "attempts", "state", "_ends")

    def __init__(self, capacity: int = _FIRST_ROOM) -> None:
        self.count = 0
        self.order: NDArray[np.uint64] = np.zeros(capacity, np.uint64)
        self.site: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.depth: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.parent: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.run: NDArray[np.uint16] = np.zeros(capacity, np.uint16)
        self.attempts: NDArray[np.uint8] = np.zeros(capacity, np.uint8)
        self.state: NDArray[np.uint8] = np.zeros(capacity, np.uint8)
        self._ends: NDArray[np.int64] = np.zeros(capacity, np.int64)
        self._arena: NDArray[np.uint8] = np.zeros(capacity * _PATH_BYTES, np.uint8)
        self._arena_used = 0

    def __len__(self) -> int:
        return self.count

    @property
    def nbytes(self) -> int:
        """Bytes in use; there is room for an eighth more, or for the first many."""
        return self._arena_used + self.count * sum(int(getattr(self, name).itemsize) for name in self._COLUMNS)

    def extend(
        self,
        paths: list[str],
        sites: NDArray[np.int64],
        depths: NDArray[np.int64] | int,
        parents: NDArray[np.int64] | int,
        runs: NDArray[np.int64] | int,
        orders: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """Take up waiting URLs (their paths, without the origin); their new ids."""
        start, length = self.count, self._arena_used
        end = start + len(paths)
        if end > len(self.order):
            self._grow(end)
        text = "".join(paths)
        if text.isascii():  # as canonical URLs are: a letter is a byte
            lengths = list(map(len, paths))
            encoded = text.encode("ascii")
        else:
            each = [path.encode() for path in paths]
            lengths = list(map(len, each))
            encoded = b"".join(each)
        self._write(encoded)
        self._ends[start:end] = list(accumulate(lengths, initial=length))[1:]
        self.order[start:end] = orders
        self.site[start:end] = sites
        self.depth[start:end] = depths
        self.parent[start:end] = parents
        self.run[start:end] = runs
        self.state[start:end] = _WAITING
        self.count = end
        return np.arange(start, end)

    def path(self, id_: int) -> str:
        """The URL without its origin."""
        start = self._ends.item(id_ - 1) if id_ else 0
        return self._arena[start : self._ends.item(id_)].tobytes().decode()

    def key(self, id_: int) -> int:
        return (self.order.item(id_) << ID_BITS) | id_

    def is_current(self, key: int) -> bool:
        """Does this key still stand for a waiting candidate at that priority?"""
        id_ = key & ID_MASK
        return self.state.item(id_) == _WAITING and self.order.item(id_) == key >> ID_BITS

    def _write(self, encoded: bytes) -> None:
        start, end = self._arena_used, self._arena_used + len(encoded)
        if end > len(self._arena):
            self._arena.resize(max(end, len(self._arena) * 9 // 8), refcheck=False)
        self._arena[start:end] = np.frombuffer(encoded, np.uint8)
        self._arena_used = end

    def _grow(self, least: int) -> None:
        capacity = max(least, len(self.order) * 9 // 8 + 1024)
        for name in self._COLUMNS:
            # The system moves large blocks without copying them, so that growing needs no memory for a second one.
            getattr(self, name).resize(capacity, refcheck=False)
