"""The seen set: 64-bit fingerprints to candidate ids, in two flat arrays.

Open addressing with linear probing; the links of a page are looked up at once. It needs 20 to 40 bytes a URL, where a
dict needs above 100. Two URLs with the same 64-bit fingerprint are taken for one: at 10 million URLs the
chance that this happens even once is about 3 in a million.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SeenSet"]

_MOST_FULL = 0.6  # beyond this, probe chains grow quickly
_SCALAR_BELOW = 2048  # below, a plain loop beats the array machinery


class SeenSet:
    """Maps fingerprints to ids; nothing is ever removed."""

    def __init__(self, capacity: int = 1024) -> None:
        size = 1 << max(4, int(capacity / _MOST_FULL).bit_length())
        self._keys = np.zeros(size, np.uint64)
        self._ids = np.zeros(size, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return int(self._keys.nbytes + self._ids.nbytes)

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The id of each fingerprint, -1 where it is unknown."""
        wanted = np.maximum(fingerprints, np.uint64(1))  # 0 marks an empty slot
        mask = len(self._keys) - 1
        slots = (wanted & np.uint64(mask)).astype(np.int64)
        keys = self._keys[slots]
        hit = keys == wanted
        found = np.where(hit, self._ids[slots], np.int64(-1))
        # Most answers lie in the first slot; the few that do not are followed one by one.
        rest = np.flatnonzero(~hit & (keys != 0))
        key_at, id_at = self._keys.item, self._ids.item
        for index, key, slot in zip(rest.tolist(), wanted[rest].tolist(), slots[rest].tolist(), strict=True):
            while True:
                slot = (slot + 1) & mask
                there = key_at(slot)
                if there == key:
                    found[index] = id_at(slot)
                if there == key or not there:
                    break
        return found

    def add(self, fingerprints: NDArray[np.uint64], ids: NDArray[np.int64]) -> None:
        """Add fingerprints that are distinct and not yet in the set."""
        if self._count + len(fingerprints) > _MOST_FULL * len(self._keys):
            self._grow(self._count + len(fingerprints))
        self._count += len(fingerprints)
        self._place(np.maximum(fingerprints, np.uint64(1)), ids.astype(np.int32))

    def _place(self, keys: NDArray[np.uint64], ids: NDArray[np.int32]) -> None:
        mask = len(self._keys) - 1
        if len(keys) < _SCALAR_BELOW:
            key_at = self._keys.item
            for key, id_ in zip(keys.tolist(), ids.tolist(), strict=True):
                slot = key & mask
                while key_at(slot):
                    slot = (slot + 1) & mask
                self._keys[slot] = key
                self._ids[slot] = id_
            return
        slots = (keys & np.uint64(mask)).astype(np.int64)
        while keys.size:
            free = self._keys[slots] == 0
            # Of several keys that want one free slot, the first takes it and the others probe on.
            _, first = np.unique(slots[free], return_index=True)
            winners = np.flatnonzero(free)[first]
            self._keys[slots[winners]] = keys[winners]
            self._ids[slots[winners]] = ids[winners]
            left = np.ones(len(keys), bool)
            left[winners] = False
            # A loser of a slot that was free must look at that slot again only to find it taken: step on.
            keys, ids, slots = keys[left], ids[left], (slots[left] + 1) & mask

    def _grow(self, count: int) -> None:
        old = self._keys != 0
        keys, ids = self._keys[old], self._ids[old]
        size = len(self._keys)
        while count > _MOST_FULL * size:
            size *= 2
        self._keys = np.zeros(size, np.uint64)
        self._ids = np.zeros(size, np.int32)
        for start in range(0, len(keys), 1 << 20):  # in parts, so that the temporary arrays stay small
            self._place(keys[start : start + (1 << 20)], ids[start : start + (1 << 20)])
