from __future__ import annotations

import random

import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Signature
from dowse.model.words import word_hash
from dowse.parse import DuplicateIndex, sign
from dowse.parse.signature import BINS, SHINGLE, similarity
from tests.compiled import needs_core, pure

EXACT = 8031105003435350260
MINHASH = (
    "80e402ddcaa5802c894d28d6fc744fb8e7c2afbf8f09ddb88b666ae068b76fbb"
    "96b48fca2904d3e61af5930523e5b5e5c9a47fe90ff50ae516f10e7bb60fef6b"
)
PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
VOCABULARY = [f"word{i}" for i in range(400)]


def text(seed: int, n: int) -> list[str]:
    dice = random.Random(seed)
    return [dice.choice(VOCABULARY) for _ in range(n)]


def jaccard(one: list[str], other: list[str]) -> float:
    """The literal definition, on sets of 4-word shingles."""
    a = {tuple(one[i : i + SHINGLE]) for i in range(len(one) - SHINGLE + 1)}
    b = {tuple(other[i : i + SHINGLE]) for i in range(len(other) - SHINGLE + 1)}
    return len(a & b) / len(a | b)


def literal_minhash(words: list[str]) -> bytes:
    """The same signature with plain integers, one shingle at a time."""
    least: dict[int, int] = {}
    for start in range(len(words) - SHINGLE + 1):
        value = word_hash(words[start]) * 0x9E3779B97F4A7C15
        for word, prime in zip(words[start + 1 : start + SHINGLE], PRIMES, strict=True):
            value = (value + word_hash(word)) * prime
        value %= 2**64
        for shift, factor in ((32, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53), (33, 1)):
            value = (value ^ (value >> shift)) * factor % 2**64
        bin_ = value >> 58
        least[bin_] = min(least.get(bin_, value), value)
    low = []
    for bin_ in range(BINS):
        distance = next(step for step in range(BINS) if (bin_ + step) % BINS in least)
        low.append(((least[(bin_ + distance) % BINS] >> 8) + 37 * distance) % 256)
    return bytes(low)


@needs_core
@given(st.lists(st.integers(0, 5), min_size=32, max_size=300))
def test_compiled_or_not_the_signature_is_the_same(numbers: list[int]) -> None:
    words = [VOCABULARY[number] for number in numbers]
    found = sign(words)
    with pure():
        assert found == sign(words)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "bb", "日本", "mp3", "\ud800"]), min_size=32, max_size=90))
def test_minhash_is_the_literal_one(words: list[str]) -> None:
    assert sign(words).minhash == literal_minhash(words)
    assert sign(words).exact == xxhash.xxh3_64_intdigest(b"".join(word_hash(w).to_bytes(8, "little") for w in words))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(32, 900), st.floats(0, 1))
def test_estimate_is_near_the_true_jaccard(seed: int, n: int, kept: float) -> None:
    one = text(seed, n)
    cut = int(kept * n)
    other = one[:cut] + text(seed + 1, n - cut)
    estimate = similarity(sign(one).minhash, sign(other).minhash)
    assert abs(estimate - jaccard(one, other)) < 0.35  # 64 bins: five standard deviations and the bias of borrowed bins


def test_estimate_is_unbiased_over_many_pages() -> None:
    errors = []
    for seed in range(150):
        one = text(seed, 60 + 5 * seed)
        other = one[: len(one) * 3 // 4] + text(seed + 1000, len(one) // 4)
        errors.append(similarity(sign(one).minhash, sign(other).minhash) - jaccard(one, other))
    assert abs(sum(errors) / len(errors)) < 0.02


def test_signature_is_the_same_on_every_machine() -> None:
    signature = sign([f"w{i}" for i in range(100)])
    assert signature.exact == EXACT
    assert signature.minhash.hex() == MINHASH


def test_few_words_have_no_signature() -> None:
    assert sign(["a"] * 31) == Signature()
    assert sign(["a"] * 32).exact != 0
    assert len(sign(["日本"] * 40).minhash) == BINS
    index = DuplicateIndex()
    index.add(1, Signature())
    assert index.find(Signature()) is None
    assert len(index) == 0


def test_order_of_words_matters() -> None:
    words = text(1, 100)
    assert sign(words).exact != sign(words[::-1]).exact


def test_mirrors_are_found_and_templates_are_not() -> None:
    index = DuplicateIndex()
    menu = text(7, 80)
    articles = [menu + text(100 + i, 300) for i in range(200)]
    for number, article in enumerate(articles):
        assert index.find(sign(article)) is None
        index.add(1000 + number, sign(article))
    dated = [*articles[17], "changed", "12", "may", "2024"]
    counted = articles[42].copy()
    counted[200] = "visitor1234"
    assert index.find(sign(articles[3])) == (1003, True)
    assert index.find(sign(dated)) == (1017, False)
    assert index.find(sign(counted)) == (1042, False)
    assert index.find(sign(menu + text(999, 300))) is None


def test_index_grows_and_the_first_of_equals_answers() -> None:
    index = DuplicateIndex()
    dice = random.Random(5)
    kept = [Signature(dice.getrandbits(64) or 1, dice.randbytes(BINS)) for _ in range(5_000)]
    for page, signature in enumerate(kept):
        index.add(page, signature)
    index.add(9_999, kept[7])
    assert len(index) == 5_001
    for page in range(0, 5_000, 97):
        assert index.find(kept[page]) == (page, True)
        near = bytearray(kept[page].minhash)
        near[5] ^= 1
        assert index.find(Signature(1, bytes(near))) == (page, False)
    assert index.find(kept[7]) == (7, True)
