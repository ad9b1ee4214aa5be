from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import Terms
from dowse.judge import lexicon as module
from dowse.judge.lexicon import Lexicon
from dowse.model.words import word_hash

WORDS = ["the", "solar", "cells", "cell", "of", "bird", "birds", "nests", "zebra", "日本"]


@given(pages=st.lists(st.lists(st.sampled_from(WORDS)), max_size=6))
def test_counts_are_those_of_a_counter(pages: list[list[str]]) -> None:
    terms = Terms("english")
    lexicon = Lexicon(terms, ["cell", "bird"])
    for page in pages:
        numbers = lexicon.numbers(page)
        counts, all_counts = lexicon.count(numbers)
        expected = Counter(terms.sequence(page))
        assert counts == {term: expected[term] for term in ("cell", "bird") if expected[term]}
        assert sorted(all_counts.tolist()) == sorted(expected.values())
        assert lexicon.hashes(numbers).tolist() == [word_hash(word) for word in page]


def test_starts_over_when_it_knows_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WORDS", 50)
    monkeypatch.setattr(module, "_FIRST_ROOM", 4)
    lexicon = Lexicon(Terms("none"), ["w7"])
    for start in range(0, 400, 20):
        page = [f"w{n}" for n in range(start, start + 20)] + ["w7", "w7"]
        counts, all_counts = lexicon.count(lexicon.numbers(page))
        assert counts == {"w7": page.count("w7")}
        assert all_counts.sum() == len(page)
    assert len(lexicon) <= 50 + 21
