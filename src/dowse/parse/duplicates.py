"""Finds pages with the same content: exactly, or nearly (mirrors with another date, counter or advert)."""

from __future__ import annotations

from array import array

import numpy as np

from dowse.model.page import Signature
from dowse.parse.signature import BINS, similarity

__all__ = ["DuplicateIndex"]

_BANDS = 8
_ROWS = BINS // _BANDS
_CHAIN = 16  # candidates looked at in one bucket: bounds the time a site of one template can cost
_SMALLEST = 1024


class _Table:
    """Chained hash table from 64-bit keys to entry numbers 1, 2, 3, ...; 16 to 20 bytes an entry, no objects."""

    def __init__(self) -> None:
        self._heads = array("I", bytes(4 * _SMALLEST))
        self._next = array("I", [0])
        self._keys = array("Q", [0])

    def add(self, key: int) -> None:
        entry = len(self._keys)
        if entry > len(self._heads):
            self._grow()
        bucket = self._bucket(key)
        self._keys.append(key)
        self._next.append(self._heads[bucket])
        self._heads[bucket] = entry

    def find(self, key: int) -> list[int]:
        """Entries with this key, newest first, at most a handful."""
        found: list[int] = []
        keys, following = self._keys, self._next
        entry = self._heads[self._bucket(key)]
        steps = 0
        while entry and steps < 2 * _CHAIN and len(found) < _CHAIN:
            if keys[entry] == key:
                found.append(entry)
            entry = following[entry]
            steps += 1
        return found

    def _bucket(self, key: int) -> int:
        return (key * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 32 & (len(self._heads) - 1)

    def _grow(self) -> None:
        """Double the buckets; the chains are rebuilt as arrays, not one by one."""
        buckets = 2 * len(self._heads)
        keys = np.frombuffer(self._keys, np.uint64)
        hashed = (keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & np.uint64(buckets - 1)
        order = np.argsort(hashed[1:], kind="stable") + 1
        ordered = hashed[order]
        same = np.zeros(len(order), bool)
        same[1:] = ordered[1:] == ordered[:-1]
        following = np.zeros(len(keys), np.uint32)
        following[order[1:]] = np.where(same[1:], order[:-1], 0)
        heads = np.zeros(buckets, np.uint32)
        last = np.ones(len(order), bool)
        last[:-1] = ~same[1:]
        heads[ordered[last].astype(np.int64)] = order[last]
        self._heads = array("I", heads.tobytes())
        self._next = array("I", following.tobytes())


class DuplicateIndex:
    """Signatures of the pages met so far, searched by exact hash and by locality-sensitive hashing.

    Eight bands of eight bins: pages whose shingles overlap by 0.9 meet in a band with probability 0.99, by 0.5 with
    0.03; who meets is verified on all bins, near-duplicate meaning an estimated Jaccard similarity of at least
    ``threshold``. Memory: at most 290 bytes a page (64 signature, 8 id, nine tables of 16 to 20,
    and an eighth more for growing arrays). A find and an add take about 30 µs together.
    """

    def __init__(self, threshold: float = 0.9) -> None:
        self._threshold = threshold
        self._exact = _Table()
        self._bands = [_Table() for _ in range(_BANDS)]
        self._ids = array("q", [0])
        self._signatures = bytearray(BINS)

    def __len__(self) -> int:
        return len(self._ids) - 1

    def add(self, page: int, signature: Signature) -> None:
        """Remember a page; one without a signature is nobody's duplicate."""
        if not signature.minhash:
            return
        self._ids.append(page)
        self._signatures += signature.minhash
        self._exact.add(signature.exact)
        for band, table in enumerate(self._bands):
            table.add(int.from_bytes(signature.minhash[band * _ROWS : (band + 1) * _ROWS], "little"))

    def find(self, signature: Signature) -> tuple[int, bool] | None:
        """(id, exact?) of a page with the same words, else of the most similar near-duplicate; None: it is new."""
        if not signature.minhash:
            return None
        same = self._exact.find(signature.exact)
        if same:
            return self._ids[same[-1]], True
        best, best_similarity = 0, self._threshold
        tried: set[int] = set()
        for band, table in enumerate(self._bands):
            for entry in table.find(int.from_bytes(signature.minhash[band * _ROWS : (band + 1) * _ROWS], "little")):
                if entry in tried:
                    continue
                tried.add(entry)
                found = similarity(signature.minhash, bytes(self._signatures[entry * BINS : (entry + 1) * BINS]))
                if found > best_similarity or (found == best_similarity and (not best or entry < best)):
                    best, best_similarity = entry, found
        return (self._ids[best], False) if best else None
