from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import Terms
from dowse.judge import lexicon as module
from dowse.judge.lexicon import Lexicon, Vocabulary
from dowse.judge.similarity import text_norm
from dowse.model.words import LINE_END, word_hash

WORDS = ["the", "solar", "cells", "cell", "of", "bird", "birds", "nests", "zebra", "日本"]


def test_starts_over_when_it_knows_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WORDS", 50)
    monkeypatch.setattr(module, "_FIRST_ROOM", 4)
    lexicon = Lexicon(Terms("none"), ["w7"])
    for start in range(0, 400, 20):
        page = [f"w{n}" for n in range(start, start + 20)] + ["w7", "w7"]
        counts, all_counts = lexicon.read(page).count()
        assert counts == {"w7": page.count("w7")}
        assert all_counts.sum() == len(page)
    assert len(lexicon) <= 50 + 22


def test_what_only_a_long_text_brought_is_forgotten_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LONG_TEXT", 1000)
    lexicon = Lexicon(Terms("english"), ["solar"])
    lexicon.read(["solar", "cells"])
    known = dict(lexicon)
    lexicon.read([f"w{n}" for n in range(5000)])
    assert len(lexicon) == len(known) + 5000
    lexicon.read(["cells"])
    assert dict(lexicon) == known


@given(texts=st.lists(st.lists(st.sampled_from([*WORDS, LINE_END]), max_size=12), max_size=8))
def test_a_text_is_read_the_same_whatever_was_read_and_forgotten(texts: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LONG_TEXT", 4)
        patch.setattr(module, "_MOST_WORDS", 8)
        patch.setattr(module, "_FIRST_ROOM", 2)
        lexicon = Lexicon(Terms("english"), ("cell", "bird"))
        for text in texts:
            one, fresh = lexicon.read(text), Lexicon(Terms("english"), ("cell", "bird")).read(text)
            assert one.hashes().tolist() == fresh.hashes().tolist()
            assert one.count()[0] == fresh.count()[0]
            for found, expected in zip(one.hashed_terms(), fresh.hashed_terms(), strict=True):
                assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(page=st.lists(st.sampled_from([*WORDS, LINE_END])), before=st.lists(st.sampled_from(WORDS)))
def test_a_reading_by_number_is_the_same_to_the_last_digit(weighting: str, page: list[str], before: list[str]) -> None:
    topical, weights = ("cell", "bird", "comet"), np.array([0.6, 0.8, 0.1])
    lexicon = Lexicon(Terms("english"), topical)
    lexicon.read(before)  # what was read before changes the numbers, and nothing else
    words = [LINE_END, *sorted(WORDS)]
    hashes = np.array([0, *map(word_hash, words[1:])], np.uint64)
    read = Vocabulary("english", words, hashes).reader(topical)
    one, other = lexicon.read(page), read(np.array([words.index(word) for word in page], np.int32))
    assert one.hashes().tolist() == other.hashes().tolist()
    assert one.count()[0] == other.count()[0]
    assert text_norm(one.count()[1], weighting) == text_norm(other.count()[1], weighting)
    assert one.occurrences(("cell", "bird")) == other.occurrences(("cell", "bird"))
    expected = one.similarities(weights, weighting)
    assert other.similarities(weights, weighting).tobytes() == expected.tobytes()
