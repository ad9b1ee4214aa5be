"""Texts weighed by the compiled core, and by the Python that says what is right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.model.page import Bag
from dowse.predict.learning.texts import Numbering, Text, Texts
from tests.compiled import needs_core, pure

_BUCKETS = 1 << 18  # terms that differ by it are one
terms = st.lists(st.integers(0, 40).map(lambda n: n * (_BUCKETS // 2) + n) | st.integers(0, (1 << 32) - 1), max_size=30)
weights = st.floats(0, 5, width=32)


@needs_core
@given(pages=st.lists(terms, max_size=6))
def test_terms_are_numbered_as_python_does(pages: list[list[int]]) -> None:
    ours, theirs = Numbering(), Numbering()
    for page in pages:
        found = ours.numbers(np.array(page, np.uint32))
        with pure():
            np.testing.assert_array_equal(found, theirs.numbers(np.array(page, np.uint32)))
        assert ours.count == theirs.count


def test_a_term_has_one_number() -> None:
    numbering = Numbering()
    assert numbering.numbers(np.array([9, 3, 9, 3 + _BUCKETS], np.uint32)).tolist() == [1, 0, 1, 0]
    assert numbering.text(Bag(np.array([4, 3], np.uint32), np.ones(2, np.float32))).terms.tolist() == [2, 0]
    assert numbering.count == 3
    stored = np.frombuffer(b"..\3\0\0\0\5\0\0\0", "<u4", 2, 2)
    assert numbering.numbers(stored).tolist() == [0, 3], "wherever they lie in memory"


@needs_core
@settings(deadline=None)
@given(
    drawn=st.lists(st.lists(st.tuples(st.integers(0, 19), weights), max_size=20), max_size=6),
    size=st.integers(1, 20), seed=st.integers(0, 99),
)  # fmt: skip
def test_texts_are_weighed_as_python_does(drawn: list[list[tuple[int, float]]], size: int, seed: int) -> None:
    """With tables that end before the terms do: then the last place stands for all that are beyond."""
    rng = np.random.default_rng(seed)
    texts = Texts([
        Text(np.array([term for term, _ in text], np.int32), np.array([weight for _, weight in text], np.float32))
        for text in drawn
    ])  # fmt: skip
    rarity, vector, of = rng.random(size), rng.random(size) - 0.5, rng.integers(0, 2, len(drawn)) / 3
    unit = texts.unit(rarity)
    found = (unit, texts.dot(unit, vector), texts.sums(unit, of, size), texts.sums(None, of, size))
    with pure():
        expected = (texts.unit(rarity), texts.dot(unit, vector), texts.sums(unit, of, size), texts.sums(None, of, size))
    for ours, theirs in zip(found, expected, strict=True):
        if len(ours) == len(theirs):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        else:
            assert not theirs[len(ours) :].any(), "terms beyond the table, of texts that count nothing"


@needs_core
def test_arrays_of_other_sizes_are_refused() -> None:
    assert core is not None
    sizes, numbers, one, two = np.array([2]), np.zeros(2, np.int32), np.zeros(1), np.zeros(2)
    with pytest.raises(ValueError, match="not those of their terms"):
        core.dot_texts(sizes, numbers[:1], one, one, one)
    with pytest.raises(ValueError, match="not as long"):
        core.dot_texts(sizes, numbers, one, one, one)
    with pytest.raises(ValueError, match="not as long"):
        core.sum_texts(sizes, numbers, two, two, one)
    with pytest.raises(ValueError, match="not as long"):
        core.unit_texts(sizes, numbers, numbers.astype(np.float32), one, one)
    with pytest.raises(ValueError, match="power of two"):
        core.number_terms(np.zeros(3, np.int32), numbers, 0, numbers)
    assert not core.sum_texts(sizes, numbers + 1, None, one + 1, one)
