from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Signature
from dowse.parse import DuplicateIndex, sign
from dowse.parse.signature import BINS, SHINGLE, similarity

EXACT = 13327535952770785305
MINHASH = (
    "2500adda7f0a643fddf07e31da389d78845f1c275993be4bef1d84cda8f46f48"
    "bcb86145dac7a2e98b664166e02a7fc5ebc6854b613cd74823734e679c779a75"
)
VOCABULARY = [f"word{i}" for i in range(400)]


def text(seed: int, n: int) -> list[str]:
    dice = random.Random(seed)
    return [dice.choice(VOCABULARY) for _ in range(n)]


def jaccard(one: list[str], other: list[str]) -> float:
    """The literal definition, on sets of 4-word shingles."""
    a = {tuple(one[i : i + SHINGLE]) for i in range(len(one) - SHINGLE + 1)}
    b = {tuple(other[i : i + SHINGLE]) for i in range(len(other) - SHINGLE + 1)}
    return len(a & b) / len(a | b)


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
