"""Content identity of a page: an exact hash of its words and a MinHash of its word shingles.

The MinHash (Broder, On the resemblance and containment of documents, 1997) is of one permutation cut into 64 bins (Li,
Owen and Zhang, One Permutation Hashing, 2012), empty bins filled from the next full one to the right (Shrivastava and
Li, 2014), one byte kept of each minimum (Li and König, b-bit minwise hashing, 2010). Two signatures agree in a bin with
probability J + (1-J)/256, J being the Jaccard similarity of the pages' sets of 4-word shingles. Plain integer
arithmetic: the same on every machine.
"""

from __future__ import annotations

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.model.page import Signature

__all__ = ["BINS", "MIN_WORDS", "SHINGLE", "sign", "similarity"]

BINS = 64
SHINGLE = 4
MIN_WORDS = 32
_MAX_WORDS = 100_000  # beyond this the sample is good enough

_U64 = np.uint64
_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 2**64)
_BOUNDARIES = np.arange(BINS, dtype=_U64) << _U64(58)
_LAST = np.uint64(2**64 - 1)


def _powers(base: int, n: int) -> NDArray[np.uint64]:
    powers = np.full(n, base, _U64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


_tables: list[NDArray[np.uint64]] = [_powers(_MULTIPLIER, 65_536), _powers(_INVERSE, 65_536)]


def _tables_for(n: int) -> list[NDArray[np.uint64]]:
    if n > len(_tables[0]):
        _tables[:] = [_powers(_MULTIPLIER, 2 * n), _powers(_INVERSE, 2 * n)]
    return _tables


def _shingle_hashes(joined: bytes) -> NDArray[np.uint64]:
    """A 64-bit hash of every 4 words in a row of ``joined`` (words each followed by a newline).

    A polynomial hash of any stretch is a difference of two prefix sums, so all shingles cost one pass.
    """
    text = np.frombuffer(joined, np.uint8)
    powers, inverses = _tables_for(len(text))
    prefix = np.zeros(len(text) + 1, _U64)
    np.cumsum(text * powers[: len(text)], out=prefix[1:])
    ends = np.flatnonzero(text == 10) + 1
    starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1]))[: len(ends) - SHINGLE + 1]
    hashes = (prefix[ends[SHINGLE - 1 :]] - prefix[starts]) * inverses[starts]
    hashes ^= hashes >> _U64(32)  # finalizer of MurmurHash3: every bit of the sum must reach every bin
    hashes *= _U64(0xFF51AFD7ED558CCD)
    hashes ^= hashes >> _U64(33)
    hashes *= _U64(0xC4CEB9FE1A85EC53)
    hashes ^= hashes >> _U64(33)
    return hashes


def _minima(hashes: NDArray[np.uint64]) -> bytes:
    """The least hash of each bin, one byte of each."""
    hashes.sort()
    first = np.searchsorted(hashes, _BOUNDARIES)
    minima = hashes[np.minimum(first, len(hashes) - 1)]
    full = (minima >> _U64(58)) == np.arange(BINS, dtype=_U64)
    low = (minima >> _U64(8)).astype(np.uint8)
    if not full.all():
        bins = np.flatnonzero(full)
        empty = np.flatnonzero(~full)
        source = bins[np.searchsorted(bins, empty) % len(bins)]
        low[empty] = low[source] + (((source - empty) % BINS) * 37).astype(np.uint8)  # distance keeps them apart
    return low.tobytes()


def sign(words: list[str]) -> Signature:
    """The signature of a sequence of words; an empty one below 32 words, which says too little."""
    if len(words) < MIN_WORDS:
        return Signature()
    joined = "\n".join(words).encode("utf-8", "surrogatepass") + b"\n"
    exact = xxhash.xxh3_64_intdigest(joined) or 1
    if len(words) > _MAX_WORDS:
        joined = "\n".join(words[:_MAX_WORDS]).encode("utf-8", "surrogatepass") + b"\n"
    return Signature(exact, _minima(_shingle_hashes(joined)))


def similarity(one: bytes, other: bytes) -> float:
    """Estimated Jaccard similarity of two pages' shingles from their MinHashes (Li and König, b = 8).

    >>> similarity(bytes(64), bytes(64))
    1.0
    """
    same = int(np.count_nonzero(np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8)))
    return max(0.0, (same / BINS - 1 / 256) / (1 - 1 / 256))
