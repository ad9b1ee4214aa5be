"""Texts weighed by the compiled core, and by the Python that says what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.judge.learned.addresses import domain_terms, word_terms
from dowse.judge.learned.texts import Numbering, Text, Vectors, Weighing, term_weights
from dowse.model.page import Bag
from tests.compiled import needs_core, pure
from tests.judge.learned.made import dense, texts_of

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


def test_the_order_of_terms_does_not_depend_on_when_they_were_met() -> None:
    one, other = Numbering(), Numbering()
    terms = np.array([9, 3, 70_000, 5 + _BUCKETS], np.uint32)
    first, second = one.numbers(terms), other.numbers(terms[::-1].copy())[::-1]
    places = [np.argsort(numbering.order())[numbers].tolist() for numbering, numbers in ((one, first), (other, second))]
    assert places == [[2, 0, 3, 1]] * 2


def test_a_page_is_from_its_domains_unless_it_says_nothing() -> None:
    numbering = Numbering()
    bag = Bag(np.array([3, 4], np.uint32), np.array([1, 0.5], np.float32))
    text = numbering.text(bag, "www.a.test")
    assert text.domains.tolist() == numbering.numbers(domain_terms("www.a.test")).tolist()
    assert not {*text.domains.tolist()} & {*text.terms.tolist()}
    assert numbering.text(bag, "www.a.test").domains is text.domains, "a host is looked up once"
    assert not len(numbering.text(Bag(), "www.a.test").domains)
    assert not len(numbering.text(bag).domains)


def test_the_words_of_an_address_stand_behind_those_of_the_page() -> None:
    numbering = Numbering()
    bag = Bag(np.array([3, 4], np.uint32), np.array([1, 0.5], np.float32))
    plain, text = numbering.text(bag, "www.a.test"), numbering.text(bag, "http://www.a.test/people/smith.html")
    assert text.domains.tolist() == plain.domains.tolist()
    assert text.terms.tolist() == [*plain.terms.tolist(), *numbering.numbers(word_terms("http://b.test/people/smith"))]
    assert text.weights[:2].tolist() == plain.weights.tolist()
    assert (text.weights[2:] > 1).all(), "a word of the address counts more than one that the text has once"
    assert not len(numbering.text(Bag(), "http://www.a.test/people/").terms), "a page without words says nothing"


def test_a_part_of_an_occurrence_weighs_just_that() -> None:
    assert term_weights(np.array([0.0, 0.25, 1.0, np.e])).tolist() == pytest.approx([0, 0.25, 1, 2])


drawn_texts = st.lists(
    st.tuples(st.lists(st.tuples(st.integers(0, 19), weights), max_size=20), st.lists(st.integers(0, 19), max_size=3)),
    max_size=6,
)


def numbers(texts: list[Text], size: int, seed: int) -> tuple[Weighing, Any, Any]:
    rng = np.random.default_rng(seed)
    return Weighing(rng.random(size), squared=seed % 2 == 1), rng.random(size) - 0.5, rng.random(len(texts)) - 0.3


@settings(deadline=None)
@given(drawn=drawn_texts, size=st.integers(1, 20), seed=st.integers(0, 99))
def test_texts_are_rows_of_a_matrix(drawn: list[Any], size: int, seed: int) -> None:
    """With the core and without, and with tables that end before the terms do: then the last place stands for all that
    are beyond."""
    texts = texts_of(drawn)
    weighing, vector, of = numbers(texts, size, seed)
    rows, wide = (
        dense(texts, weighing),
        replace(weighing, rarity=np.append(weighing.rarity, np.full(20, weighing.rarity[-1]))),
    )  # a table in which no two share a place
    words, places = (
        dense(texts_of([(words, []) for words, _ in drawn]), wide),
        dense(texts_of([([], own) for _, own in drawn]), wide),
    )
    products = words @ words.T + places @ places.T
    for vectors in (Vectors(texts, weighing), pure_vectors(texts, weighing)):
        np.testing.assert_allclose(vectors.dot(vector), rows @ vector, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(vectors.products(), products, rtol=1e-6, atol=1e-7)
        if not drawn or size == 20:
            np.testing.assert_allclose(vectors.sums(of, size), of @ rows, rtol=1e-6, atol=1e-7)
    for text, row in zip(texts, rows, strict=True):
        assert text.dot(weighing, vector) == pytest.approx(row @ vector, rel=1e-6, abs=1e-7)


def pure_vectors(texts: list[Text], weighing: Weighing) -> Vectors:
    with pure():
        return Vectors(texts, weighing)


@needs_core
@settings(deadline=None)
@given(drawn=drawn_texts, size=st.integers(1, 20), seed=st.integers(0, 99))
def test_texts_are_weighed_as_python_does(drawn: list[Any], size: int, seed: int) -> None:
    texts = texts_of(drawn)
    weighing, vector, of = numbers(texts, size, seed)
    ours = Vectors(texts, weighing)
    found, summed, products = ours.dot(vector), ours.sums(of, 20), ours.products()
    with pure():
        theirs = Vectors(texts, weighing)
        np.testing.assert_allclose(products, theirs.products(), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found, theirs.dot(vector), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(summed, theirs.sums(of, 20), rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(drawn=drawn_texts, seed=st.integers(0, 99))
def test_compact_texts_are_the_same_over_the_terms_that_occur(drawn: list[Any], seed: int) -> None:
    texts = texts_of(drawn)
    weighing, vector, of = numbers(texts, 20, seed)
    whole = Vectors(texts, weighing)
    order = np.random.default_rng(seed).permutation(20).astype(np.int32)
    made, terms = whole.compact(order)
    occur = {term for text in texts for term in (*text.terms.tolist(), *text.domains.tolist())}
    assert terms.tolist() == [term for term in order.tolist() if term in occur]
    np.testing.assert_array_equal(made.dot(vector[terms]), whole.dot(vector))
    summed = np.zeros(20)
    summed[terms] = made.sums(of, len(terms))
    np.testing.assert_array_equal(summed, whole.sums(of, 20))


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


def test_a_domain_that_no_positive_is_from_says_nothing() -> None:
    numbering = Numbering()
    bag = Bag(np.array([1], np.uint32), np.ones(1, np.float32))
    here, same, elsewhere = (numbering.text(bag, url) for url in ("here.test", "here.test", "elsewhere.test"))
    vectors = Vectors([here, same, elsewhere], Weighing(np.ones(numbering.count + 1)))
    vectors.from_only([here])
    products = vectors.products()
    assert products[0, 1] > products[0, 2] == pytest.approx(products[2, 2]), "only the word is left of the other page"
