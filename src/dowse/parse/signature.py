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

from dowse.compiled import core
from dowse.model.page import Signature
from dowse.model.words import word_hash

__all__ = ["BINS", "MIN_WORDS", "SHINGLE", "sign", "sign_hashes", "similarity"]

BINS = 64
SHINGLE = 4
MIN_WORDS = 32
_MAX_WORDS = 100_000  # beyond this the sample is good enough

_U64 = np.uint64
_PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)  # odd, as mixing needs; from xxHash
_BOUNDARIES = np.arange(BINS, dtype=_U64) << _U64(58)


def _shingle_hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A 64-bit hash of every 4 words in a row: Horner's scheme over the hashes of the words."""
    count = len(words) - SHINGLE + 1
    hashes = words[:count] * _U64(_PRIMES[0])
    for place, prime in enumerate(_PRIMES, 1):
        hashes += words[place : place + count]
        hashes *= _U64(prime)
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
    return sign_hashes(np.fromiter(map(word_hash, words), _U64, len(words)))


def sign_hashes(words: NDArray[np.uint64]) -> Signature:
    """The signature of a sequence of words, given the :func:`~dowse.model.words.word_hash` of each."""
    if len(words) < MIN_WORDS:
        return Signature()
    exact = xxhash.xxh3_64_intdigest(words.astype("<u8", copy=False).tobytes()) or 1
    return Signature(exact, _minhash(words[:_MAX_WORDS]))


def _minhash(words: NDArray[np.uint64]) -> bytes:
    return _minima(_shingle_hashes(words)) if core is None else core.minhash(words)


def similarity(one: bytes, other: bytes) -> float:
    """Estimated Jaccard similarity of two pages' shingles from their MinHashes (Li and König, b = 8).

    >>> similarity(bytes(64), bytes(64))
    1.0
    """
    same = int(np.count_nonzero(np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8)))
    return max(0.0, (same / BINS - 1 / 256) / (1 - 1 / 256))
