"""Finds pages with the same content: exactly, or nearly (mirrors with another date, counter or advert)."""

from __future__ import annotations

from array import array

import numpy as np

from dowse.model.page import Signature
from dowse.parse.signature import BINS, similarity

__all__ = ["DuplicateIndex"]

_BANDS = 8
_CHAIN = 16  # candidates looked at in one bucket: bounds the time a site of one template can cost
_SMALLEST = 1024
_FORGOTTEN = 0xFFFFFFFF  # the page of an entry that is nobody's any more


class _Table:
    """Chained hash table from 64-bit keys to entry numbers 1, 2, 3, ...: 8 to 12 bytes an entry, no objects. The keys
    themselves lie in an array of the owner's, that of an entry being the ``offset``-th of its ``stride``."""

    def __init__(self, keys: array[int], stride: int, offset: int) -> None:
        self._heads = array("I", bytes(4 * _SMALLEST))
        self._next = array("I", [0])
        self._keys = keys
        self._stride = stride
        self._offset = offset

    def add(self, key: int) -> None:
        """The next entry has this key, and the owner's array has it too."""
        entry = len(self._next)
        if entry > len(self._heads):
            self._grow()
        bucket = self._bucket(key)
        self._next.append(self._heads[bucket])
        self._heads[bucket] = entry

    def find(self, key: int) -> list[int]:
        """Entries with this key, newest first, at most a handful."""
        found: list[int] = []
        keys, following, stride, offset = self._keys, self._next, self._stride, self._offset
        entry = self._heads[self._bucket(key)]
        steps = 0
        while entry and steps < 2 * _CHAIN and len(found) < _CHAIN:
            if keys[entry * stride + offset] == key:
                found.append(entry)
            entry = following[entry]
            steps += 1
        return found

    @property
    def columns(self) -> list[array[int]]:
        return [self._heads, self._next]

    def _bucket(self, key: int) -> int:
        return (key * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 32 & (len(self._heads) - 1)

    def _grow(self) -> None:
        """Double the buckets; the chains are rebuilt as arrays, not one by one."""
        buckets = 2 * len(self._heads)
        # as many as there are entries: the owner's array is one ahead
        keys = np.frombuffer(self._keys, np.uint64)[self._offset :: self._stride][: len(self._next)]
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
    ``threshold``. Memory: at most 210 bytes a page (64 signature, 8 exact hash, 4 id, nine tables of 8 to 12, and a
    sixteenth more for growing arrays). A find and an add take about 30 µs together.
    """

    def __init__(self, threshold: float = 0.9) -> None:
        self._threshold = threshold
        self._ids = array("I", [0])
        self._hashes = array("Q", [0])
        self._signatures = array("Q", bytes(BINS))  # eight bins a number, so that each is the key of a band
        self._exact = _Table(self._hashes, 1, 0)
        self._bands = [_Table(self._signatures, _BANDS, band) for band in range(_BANDS)]

    def __len__(self) -> int:
        return len(self._ids) - 1

    @property
    def nbytes(self) -> int:
        """Bytes in use; growing arrays have some to spare."""
        columns = [self._ids, self._hashes, self._signatures]
        for table in (self._exact, *self._bands):
            columns += table.columns
        return sum(len(column) * column.itemsize for column in columns)

    def add(self, page: int, signature: Signature) -> None:
        """Remember a page; one without a signature is nobody's duplicate."""
        if not signature.minhash:
            return
        self._ids.append(page)
        self._hashes.append(signature.exact)
        self._signatures.frombytes(signature.minhash)
        self._exact.add(signature.exact)
        for table, key in zip(self._bands, array("Q", signature.minhash), strict=True):
            table.add(key)

    def forget(self, page: int, exact: int) -> None:
        """A page does not say any more what it was remembered with."""
        for entry in self._exact.find(exact):
            if self._ids[entry] == page:
                self._ids[entry] = _FORGOTTEN

    def find(self, signature: Signature) -> tuple[int, bool] | None:
        """(id, exact?) of a page with the same words, else of the most similar near-duplicate; None: it is new."""
        if not signature.minhash:
            return None
        same = [entry for entry in self._exact.find(signature.exact) if self._ids[entry] != _FORGOTTEN]
        if same:
            return self._ids[same[-1]], True
        best, best_similarity = 0, self._threshold
        for entry in self._meeting(signature.minhash):
            found = similarity(signature.minhash, self._signatures[entry * _BANDS : (entry + 1) * _BANDS].tobytes())
            if found > best_similarity or (found == best_similarity and (not best or entry < best)):
                best, best_similarity = entry, found
        return (self._ids[best], False) if best else None

    def _meeting(self, minhash: bytes) -> list[int]:
        """The entries that share a band, each once."""
        bands = zip(self._bands, array("Q", minhash), strict=True)
        met = dict.fromkeys(entry for table, key in bands for entry in table.find(key))
        return [entry for entry in met if self._ids[entry] != _FORGOTTEN]
