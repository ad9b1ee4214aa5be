from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import Terms, calibrate
from dowse.judge.erid import keyword_pool
from dowse.model.errors import TopicError
from dowse.model.topic import Keyword
from dowse.model.words import words

WORDS = ["solar", "cell", "cells", "the", "of", "bird", "wing", "x"]
KEYWORDS = st.lists(
    st.tuples(st.lists(st.sampled_from(["solar", "cell", "bird", "x"]), min_size=1, max_size=3), st.floats(0.1, 10)),
    min_size=1,
    max_size=5,
)


def erid(document: list[str], keywords: list[tuple[list[str], float]], terms: Terms) -> float:
    """METHODS, section 2, word for word."""
    sequence = [terms[word] for word in document if terms[word]]
    if not sequence:
        return 0.0
    total = 0.0
    for phrase_words, weight in keywords:
        phrase = [terms[word] for word in phrase_words]
        n = sum(sequence[i : i + len(phrase)] == phrase for i in range(len(sequence)))
        total += weight * n / len(sequence)
    return total / sum(weight for _, weight in keywords)


@given(st.lists(st.sampled_from(WORDS), max_size=60), KEYWORDS)
def test_erid_agrees_with_its_definition(document: list[str], keywords: list[tuple[list[str], float]]) -> None:
    terms = Terms("english")
    pool = keyword_pool([Keyword(" ".join(phrase), weight) for phrase, weight in keywords], terms, words)
    sequence = terms.sequence(document)
    score = sum(share.share * share.weight for share in pool.shares(Counter(sequence), len(sequence), lambda: sequence))
    assert score == pytest.approx(erid(document, keywords, terms), abs=1e-12)


def test_phrases_pass_over_stop_words() -> None:
    terms = Terms("english")
    pool = keyword_pool([Keyword("state of the art")], terms, words)
    sequence = terms.sequence(words("State-of-the-art cells: the state and an art."))
    assert pool.shares(Counter(sequence), len(sequence), lambda: sequence)[0].share == pytest.approx(2 / 5)


@pytest.mark.parametrize("keyword", [Keyword("the of"), Keyword("bird", 0.0), Keyword("bird", -1.0), Keyword("")])
def test_unusable_keywords_are_the_users_mistake(keyword: Keyword) -> None:
    with pytest.raises(TopicError):
        keyword_pool([keyword], Terms("english"), words)


def test_calibration() -> None:
    assert calibrate([]) == 0.0
    assert calibrate([0.4]) == pytest.approx(0.4)
    assert calibrate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == pytest.approx(0.3)
    assert calibrate([0.2, 0.6, 0.7], [0.1, 0.3, 0.58]) == pytest.approx(0.59)
    assert calibrate([0.5, 0.6], [0.5, 0.6]) <= 0.6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.lists(st.floats(0, 1), max_size=9))
def test_calibration_keeps_some_positive(positive: list[float], negative: list[float]) -> None:
    assert min(positive) <= calibrate(positive, negative) <= max(positive)
