"""How much a word counts by where it stands, against words counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge.learned.lead import page_bag
from dowse.judge.lexicon import Lexicon
from dowse.judge.terms import Terms
from dowse.model.page import Bag
from dowse.model.words import WordLines, word_hash

LEXICON = Lexicon(Terms("none"), ())


def counted(lines: list[list[str]], worth: list[float] | None = None) -> Bag:
    page, _ = LEXICON.read_lines(WordLines("\n".join(" ".join(line) for line in lines)))
    return page_bag(page, None if worth is None else np.array(worth))


def literal(lines: list[list[str]], worth: list[float]) -> dict[int, float]:
    found: dict[int, float] = {}
    before = 0
    for line, of_line in zip(lines, worth, strict=True):
        times = 9.0 if before < 200 else 5.0 if before < 800 else 1.0
        for word in line:
            key = word_hash(word) & 0xFFFFFFFF
            found[key] = found.get(key, 0.0) + (times if of_line == 1.0 else of_line)
        before += len(line) if of_line == 1.0 else 0
    return found


lines_of_words = st.lists(
    st.tuples(st.sampled_from(("solar", "cells", "menu")), st.integers(0, 300), st.sampled_from((1.0, 0.5, 0.1))),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(deadline=None)
@given(lines_of_words)
def test_lines_that_stand_first_count_most_and_those_of_the_site_what_they_are_worth(
    drawn: list[tuple[str, int, float]],
) -> None:
    lines, worth = [[word] * count for word, count, _ in drawn], [of_line for *_, of_line in drawn]
    found, expected = counted(lines, worth), literal(lines, worth)
    assert found.terms.tolist() == sorted(expected)
    assert found.counts.tolist() == pytest.approx([expected[term] for term in sorted(expected)], rel=1e-3)
    plain = counted(lines)
    by_hand = literal(lines, [1.0] * len(lines))
    assert plain.counts.tolist() == pytest.approx([by_hand[term] for term in plain.terms.tolist()], rel=1e-3)


def test_a_page_without_words() -> None:
    assert not len(counted([[]]).terms)
