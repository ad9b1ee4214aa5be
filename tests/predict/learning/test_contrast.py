"""A page's value by its words, against a literal version."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Bag
from dowse.model.strategy import Sample, Subject
from dowse.predict.learning.contrast import Contrast, Told

Text = dict[int, int]  # term -> how often


def bag(text: Text) -> Bag:
    terms = sorted(text)
    return Bag(np.array(terms, np.uint32), np.array([text[term] for term in terms], np.float32))


def unit(text: Text, rarity: dict[int, float]) -> dict[int, float]:
    own = {term: (1 + math.log(count)) * rarity.get(term, rarity[-1]) for term, count in text.items()}
    norm = math.sqrt(sum(value * value for value in own.values()))
    return {term: value / norm for term, value in own.items()}


def mean(vectors: list[dict[int, float]]) -> dict[int, float]:
    terms = {term for vector in vectors for term in vector}
    return {term: sum(vector.get(term, 0.0) for vector in vectors) / len(vectors) for term in terms}


def literal(examples: list[Text], off: list[Text], pages: list[Text]) -> list[float]:
    n = len(off)
    rarity = {term: 1 + math.log((n + 1) / (sum(term in text for text in off) + 1)) for text in off for term in text}
    rarity[-1] = 1 + math.log(n + 1)  # of what no page off the topic has
    ours, theirs = mean([unit(text, rarity) for text in examples]), mean([unit(text, rarity) for text in off])
    vector = {term: ours.get(term, 0.0) - n / (n + 20) * theirs.get(term, 0.0) for term in {*ours, *theirs}}
    scores = [sum(value * vector.get(term, 0.0) for term, value in unit(text, rarity).items()) for text in pages]
    held_out = []
    for place, text in enumerate(examples):
        others = mean([unit(other, rarity) for other in examples[:place] + examples[place + 1 :]])
        less = {
            term: vector.get(term, 0.0) - ours.get(term, 0.0) + others.get(term, 0.0) for term in {*vector, *others}
        }
        held_out.append(sum(value * less.get(term, 0.0) for term, value in unit(text, rarity).items()))
    middle = float(np.quantile(held_out, 0.4))
    below = [score for score in scores if score < middle]
    low = sum(below) / len(below) if len(below) >= 5 else min(middle / 2, middle - 1e-3)
    scale = max((middle - low) / 2.2, 1e-6)
    return [1 / (1 + math.exp(-max(-30, min(30, (score - middle) / scale)))) for score in scores]


texts = st.dictionaries(st.integers(0, 30), st.integers(1, 5), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(examples=st.lists(texts, min_size=2, max_size=5), off=st.lists(texts, min_size=5, max_size=9),
       on=st.lists(texts, max_size=4))  # fmt: skip
def test_values_are_the_literal_ones(examples: list[Text], off: list[Text], on: list[Text]) -> None:
    contrast = Contrast(Subject(tuple(Sample(bag(words)) for words in examples)))
    pages = [*off, *on]
    for number, text in enumerate(pages):
        contrast.add(Told(number, bag(text), 0.0 if number < len(off) else 1.0, 0.5))
    ids, values = contrast.fit()
    assert ids.tolist() == list(range(len(pages)))
    np.testing.assert_allclose(values, literal(examples, off, pages), rtol=1e-6, atol=1e-9)


def test_without_examples_the_judge_is_believed() -> None:
    contrast = Contrast(Subject())
    values = [contrast.add(Told(n, bag({n: 1}), score, 0.2)) for n, score in enumerate((0.0, 0.2, 0.4))]
    assert values[1] == pytest.approx(0.5)
    assert values[0] < 0.1
    assert values[2] > 0.9


def test_what_all_pages_share_tells_nothing() -> None:
    """The judge's own cosine would take the menu for likeness."""
    menu = {100 + n: 3 for n in range(10)}
    examples = [menu | {n: 1, 5: 2} for n in range(4)]
    contrast = Contrast(Subject(tuple(Sample(bag(words)) for words in examples)))
    for number in range(20):
        contrast.add(Told(number, bag(menu | {50 + number: 2}), 0.1, 0.5))
    contrast.fit()
    on, off = (contrast.add(Told(n, bag(text), 0.3, 0.5)) for n, text in ((90, {5: 2, 77: 5}), (91, menu | {78: 2})))
    assert on > off + 0.05


def test_where_the_examples_are_from_tells() -> None:
    """The same text is worth more at the examples' own host; where they are from everywhere, hosts tell nothing."""
    words = [{5: 2, 6: 1, n: 1} for n in range(4)]

    def values(*hosts: str) -> tuple[float, ...]:
        samples = tuple(Sample(bag(text), host) for text, host in zip(words, hosts, strict=True))
        contrast = Contrast(Subject(samples))
        for number in range(20):
            contrast.add(Told(number, bag({50 + number: 2, 6: 1}), 0.1, 0.5))
        contrast.fit()
        pages = (contrast.origins.beside(bag({5: 2, 77: 1}), f"{host}.test") for host in ("www.one", "new.one", "two"))
        return tuple(contrast.add(Told(number, page, 0.3, 0.5)) for number, page in enumerate(pages, 90))

    same, near, elsewhere = values(*["www.one.test"] * 4)
    assert same > near + 0.05 > elsewhere + 0.1
    spread = values("www.a.test", "www.b.test", "www.c.test", "www.d.test")
    assert spread[0] == spread[1] == spread[2]
