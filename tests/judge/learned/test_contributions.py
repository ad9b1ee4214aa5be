"""The parts of a page's log odds, against the sum written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.learned.contributions import contributions, explained
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.learned.model import Model
from dowse.judge.learned.regression import Line
from dowse.judge.learned.scale import Scale
from dowse.judge.learned.sites import Sites
from dowse.judge.learned.texts import Weighing
from dowse.model.page import Bag
from dowse.model.strategy import Sample, Subject
from tests.judge.learned.made import ON, dense, finished, page, texts_of

TERMS = 12
numbers = st.floats(-3, 3, allow_nan=False)
pairs = st.lists(st.tuples(st.integers(0, TERMS + 2), st.floats(0.1, 5)), max_size=8)


@given(
    pairs, st.lists(st.integers(0, TERMS + 2), max_size=3), st.lists(numbers, min_size=TERMS, max_size=TERMS),
    st.lists(st.floats(0.5, 3), min_size=TERMS, max_size=TERMS), numbers, numbers, st.floats(0.1, 4), st.booleans(),
    st.lists(numbers, min_size=TERMS, max_size=TERMS),
)  # fmt: skip
def test_the_parts_add_up_to_the_log_odds(
    words: list[tuple[int, float]], domains: list[int], weights: list[float], rare: list[float], bias: float,
    middle: float, unit: float, squared: bool, of_sites: list[float],
) -> None:  # fmt: skip
    weighing = Weighing(np.array(rare), squared)
    [text] = texts = texts_of([(words, domains)])
    model = Model(weighing, Line(np.array(weights), bias), Scale(middle, unit), Sites(np.array(of_sites)), np.zeros(0))
    found = contributions(model, text)
    value = float(dense(texts, weighing)[0] @ np.array(weights)) + bias
    own = [of_sites[min(one, TERMS - 1)] for one in domains]
    assert found.log_odds == pytest.approx((value - middle) / unit + sum(own), abs=1e-5)
    assert len(found.of_terms) == len(words)
    assert found.of_domains == pytest.approx(
        [0.3 * weights[min(one, TERMS - 1)] / unit + more for one, more in zip(domains, own, strict=True)]
    )
    if abs(found.log_odds) < 20:
        assert 1 / (1 + math.exp(-found.log_odds)) == pytest.approx(model.chance(text), abs=1e-6)


def test_a_judge_tells_which_terms_and_domains_spoke_for_a_page() -> None:
    examples = tuple(Sample(page(900 + number, on=True), "www.a.test") for number in range(6))
    judge = LearnedJudge(Subject(examples, (), ()))
    assert explained(judge, page(1, on=True), "www.a.test") is None, "before there is a model"
    for number in range(60):
        judge.add(number, page(number, on=number % 5 == 0), "b.test", 0.0)
    finished(judge.learn())
    bag = page(777, on=True)
    found = explained(judge, bag, "www.a.test")
    assert found is not None
    parts, terms, address, domains = found
    chances = judge.chances([(bag, "www.a.test")])
    assert chances is not None
    assert 1 / (1 + math.exp(-parts.log_odds)) == pytest.approx(float(chances[0]), abs=1e-6)
    best = int(terms[np.argmax(parts.of_terms)])
    assert best in ON
    assert (address, domains) == ([], ["a.test", "www.a.test"])
    assert parts.of_domains.min() > 0, "the examples are from there"
    empty = explained(judge, Bag(), "www.a.test")
    assert empty is not None
    assert (empty.domains, empty.parts.log_odds) == ([], empty.parts.base)
