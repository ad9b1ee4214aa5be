"""The index against a plain search through all pages."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from dowse.model.page import Signature
from dowse.parse import DuplicateIndex
from dowse.parse import duplicates as module
from dowse.parse.signature import BINS, similarity

ROWS = 8  # bins of a band
KINDS = [random.Random(seed).randbytes(BINS) for seed in range(3)]


def changed(kind: int, bins: list[int]) -> bytes:
    made = bytearray(KINDS[kind])
    for place in bins:
        made[place] ^= 1
    return bytes(made)


SIGNATURES = st.builds(
    lambda exact, kind, bins: Signature(exact, changed(kind, bins)),
    st.integers(1, 6), st.integers(0, len(KINDS) - 1), st.lists(st.integers(0, BINS - 1), max_size=8),
)  # fmt: skip


def found(pages: list[tuple[int, Signature]], wanted: Signature) -> tuple[int, bool] | None:
    """Literally: the first page with the same words, else the first of the most similar that share a band."""
    for page, signature in pages:
        if signature.exact == wanted.exact:
            return page, True
    best: tuple[float, int] | None = None
    for page, signature in pages:
        bands = range(0, BINS, ROWS)
        meet = any(signature.minhash[at : at + ROWS] == wanted.minhash[at : at + ROWS] for at in bands)
        near = similarity(signature.minhash, wanted.minhash)
        if meet and near >= 0.9 and (best is None or near > best[0]):
            best = near, page
    return None if best is None else (best[1], False)


@given(st.lists(SIGNATURES, max_size=16), st.lists(SIGNATURES, min_size=1, max_size=4))
def test_finds_what_a_plain_search_finds(kept: list[Signature], wanted: list[Signature]) -> None:
    index, pages = DuplicateIndex(), [(100 + number, signature) for number, signature in enumerate(kept)]
    for page, signature in pages:
        index.add(page, signature)
    for signature in wanted:
        assert index.find(signature) == found(pages, signature)


def test_memory_of_a_page_is_small() -> None:
    index, dice = DuplicateIndex(), random.Random(5)
    for count in range(1, 3 * module._SMALLEST):  # tables are least full just after they have grown
        index.add(count, Signature(dice.getrandbits(64) or 1, dice.randbytes(BINS)))
        if count >= module._SMALLEST:
            assert index.nbytes / count < 190
