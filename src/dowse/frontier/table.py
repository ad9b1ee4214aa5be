"""A table from 64-bit fingerprints to 32-bit numbers, in two flat arrays: the seen set, and the counts of patterns.

Open addressing with linear probing; the links of a page are looked up at once. An entry needs 20 to 25 bytes, where a
dict needs above 100. Two URLs with the same 64-bit fingerprint are taken for one: at 10 million URLs the chance that
this happens even once is about 3 in a million.

Whoever can choose fingerprints can crowd them into one part of the table, where each look-up passes all the others:
50,000 URLs made so would take 16 seconds. So the fingerprints of a live crawl have a seed that nobody knows, another in
every run; nothing that is stored depends on it.

A fingerprint's home is its upper half, scaled to the size of the table. So the table need not be a power of two, and it
keeps the order of the fingerprints: it grows by a quarter, from its end to its beginning, giving the old memory back as
the new one fills. It never needs the memory of both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]

_MOST_FULL = 0.6  # beyond this, probe chains grow quickly
_GROWTH = 1.25
_ONE_BY_ONE_BELOW = 64  # below, a plain loop beats the array machinery
_AT_ONCE = 1 << 18
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_NEXT = np.arange(1, 8)[:, None]  # neighbours looked at together: few chains are longer


class Table:
    """Maps fingerprints to numbers from 0 up; nothing is ever removed. The fingerprints 0 and 1 are taken for one."""

    def __init__(self, capacity: int = 1024) -> None:
        size = int(capacity / _MOST_FULL) + 8
        self._keys = np.zeros(size, np.uint64)
        self._values = np.zeros(size, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return int(self._keys.nbytes + self._values.nbytes)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The slots, 0 where one is empty."""
        return self._keys

    @property
    def values(self) -> NDArray[np.int32]:
        """The number in each slot."""
        return self._values

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each fingerprint, -1 where it is unknown."""
        wanted = np.maximum(fingerprints, _ONE)  # 0 marks an empty slot
        slots, known = self._locate(wanted)
        return np.where(known, self._values.take(slots), np.int64(-1))

    def add(self, fingerprints: NDArray[np.uint64], values: NDArray[np.int64]) -> None:
        """Add fingerprints that are distinct and not yet in the table."""
        self._reserve(len(fingerprints))
        self._place(np.maximum(fingerprints, _ONE), values)

    def get(self, fingerprint: int) -> int:
        """The number of one fingerprint, -1 when it is unknown."""
        slot = self._slot(fingerprint or 1)
        return self._values.item(slot) if self._keys.item(slot) else -1

    def count(self, fingerprint: int) -> None:
        """Add one to the number of a fingerprint; an unknown one gets 1."""
        self._reserve(1)
        slot = self._slot(fingerprint or 1)
        if self._keys.item(slot):
            self._values[slot] += 1
        else:
            self._keys[slot] = fingerprint or 1
            self._values[slot] = 1
            self._count += 1

    def count_all(self, fingerprints: NDArray[np.uint64]) -> None:
        """:meth:`count` each of them."""
        distinct, times = np.unique(np.maximum(fingerprints, _ONE), return_counts=True)
        slots, known = self._locate(distinct)
        self._values[slots[known]] += times[known].astype(np.int32)
        self.add(distinct[~known], times[~known])

    # -- within --------------------------------------------------------------------------------------------------

    def _homes(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return ((keys >> _HALF) * np.uint64(len(self._keys)) >> _HALF).view(np.int64)

    def _slot(self, key: int) -> int:
        """Where a key is, or the empty slot where it belongs."""
        size, key_at = len(self._keys), self._keys.item
        slot = (key >> 32) * size >> 32
        while (there := key_at(slot)) and there != key:
            slot = slot + 1 if slot + 1 < size else 0
        return slot

    def _locate(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The slot of each key that is there, and which are."""
        slots = self._homes(keys)
        there = self._keys.take(slots)
        known = there == keys
        rest = np.flatnonzero(~known & (there != 0))
        if rest.size:
            at = slots[rest] + _NEXT
            near = self._keys.take(at, mode="wrap")
            steps, columns = np.nonzero(near == keys[rest])
            found = rest[columns]
            slots[found] = at[steps, columns] % len(self._keys)
            known[found] = True
            for row in rest[near.all(axis=0) & ~known[rest]].tolist():  # no end of the chain in sight
                slots[row] = self._slot(keys.item(row))
                known[row] = self._keys[slots[row]] == keys[row]
        return slots, known

    def _place(self, keys: NDArray[np.uint64], values: NDArray[np.integer]) -> None:
        self._count += len(keys)
        size = len(self._keys)
        slots = self._homes(keys) if len(keys) >= _ONE_BY_ONE_BELOW else np.empty(0, np.int64)
        while len(keys) >= _ONE_BY_ONE_BELOW:
            # All write into the free slots they want; of several that want one, the one that is found there has it.
            free = np.flatnonzero(self._keys.take(slots) == 0)
            self._keys[slots[free]] = keys[free]
            won = free[self._keys.take(slots[free]) == keys[free]]
            self._values[slots[won]] = values[won]
            left = np.ones(len(keys), bool)
            left[won] = False
            keys, values, slots = keys[left], values[left], slots[left] + 1
            slots[slots == size] = 0
        key_at = self._keys.item
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            slot = (key >> 32) * size >> 32
            while key_at(slot):
                slot = slot + 1 if slot + 1 < size else 0
            self._keys[slot] = key
            self._values[slot] = value

    def _reserve(self, more: int) -> None:
        """Make room for so many more."""
        if self._count + more > _MOST_FULL * len(self._keys):
            self._grow(max(int((self._count + more) / _MOST_FULL) + 8, int(len(self._keys) * _GROWTH)))

    def _grow(self, size: int) -> None:
        keys, values = self._keys, self._values
        self._keys, self._values, self._count = np.zeros(size, np.uint64), np.zeros(size, np.int32), 0
        for start in range((len(keys) - 1) // _AT_ONCE * _AT_ONCE, -1, -_AT_ONCE):
            full = np.flatnonzero(keys[start:]) + start
            self._place(keys[full], values[full])
            keys.resize(start, refcheck=False)  # nobody else has it; what was moved is given back at once
            values.resize(start, refcheck=False)
