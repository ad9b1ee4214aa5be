"""A page's words as arrays, against plain counting."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.judge import Terms
from dowse.judge.lexicon import Lexicon
from dowse.judge.reading import Counts, Reading
from dowse.judge.similarity import TopicVector, text_norm
from dowse.model.words import LINE_END, WordLines, word_hash
from tests.compiled import needs_core, pure

WORDS = ["the", "solar", "cells", "cell", "of", "bird", "birds", "nests", "zebra", "日本"]


@given(pages=st.lists(st.lists(st.sampled_from([*WORDS, LINE_END])), max_size=6))
def test_counts_are_those_of_a_counter(pages: list[list[str]]) -> None:
    terms = Terms("english")
    lexicon = Lexicon(terms, ["cell", "bird"])
    for page in pages:
        reading = lexicon.read(page)
        counts, all_counts = reading.count()
        page = [word for word in page if word != LINE_END]
        expected = Counter(terms.sequence(page))
        assert counts == {term: expected[term] for term in ("cell", "bird") if expected[term]}
        assert sorted(all_counts.tolist()) == sorted(expected.values())
        assert reading.hashes().tolist() == [word_hash(word) for word in page]


@given(pages=st.lists(st.lists(st.sampled_from([*WORDS, LINE_END])), max_size=6), most=st.integers(1, 9))
def test_the_bag_holds_the_most_frequent_terms(pages: list[list[str]], most: int) -> None:
    terms = Terms("english")
    lexicon = Lexicon(terms, ["cell", "bird"])
    for page in pages:
        counts = Counter(terms.sequence(word for word in page if word != LINE_END))
        hashed = {word_hash(term): count for term, count in counts.items()}
        kept = sorted(hashed, key=lambda hash_: (-hashed[hash_], hash_))[:most]
        bag = lexicon.read(page).bag(most)
        assert bag.terms.tolist() == sorted(hash_ & 0xFFFFFFFF for hash_ in kept)
        assert dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True)) == {
            hash_ & 0xFFFFFFFF: hashed[hash_] for hash_ in kept
        }


@given(
    page=st.lists(st.sampled_from([*WORDS, LINE_END])), phrase=st.lists(st.sampled_from(["cell", "bird"]), min_size=1)
)
def test_occurrences_are_those_of_a_plain_search(page: list[str], phrase: list[str]) -> None:
    terms = Terms("english")
    sequence = terms.sequence(word for word in page if word != LINE_END)
    expected = sum(sequence[i : i + len(phrase)] == phrase for i in range(len(sequence)))
    assert Lexicon(terms, ["cell", "bird"]).read(page).occurrences(phrase) == expected


@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(lines=st.lists(st.lists(st.sampled_from(WORDS)), min_size=1))
def test_lines_have_the_plain_cosine(weighting: str, lines: list[list[str]]) -> None:
    terms = Terms("english")
    vector = TopicVector({"cell": 0.6, "bird": 0.8}, weighting)
    lexicon = Lexicon(terms, ["cell", "bird", "zebra"])
    tokens = [word for line in lines for word in (*line, LINE_END)][:-1]
    found = lexicon.read(tokens).similarities(np.array([0.6, 0.8, 0.0]), weighting).tolist()
    expected = [vector.cosine(Counter(terms.sequence(line))) if line else math.nan for line in lines]
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(lines=st.lists(st.tuples(st.integers(-1, 3), st.lists(st.sampled_from(WORDS))), min_size=1))
def test_groups_of_lines_are_measured_as_one_text(weighting: str, lines: list[tuple[int, list[str]]]) -> None:
    terms = Terms("english")
    vector = TopicVector({"cell": 0.6, "bird": 0.8}, weighting)
    lexicon = Lexicon(terms, ["cell", "bird", "zebra"])
    tokens = [word for _, line in lines for word in (*line, LINE_END)][:-1]
    groups = np.array([group for group, _ in lines])
    found = lexicon.read(tokens).similarities(np.array([0.6, 0.8, 0.0]), weighting, groups=groups).tolist()
    texts = [[word for group, line in lines if group == each for word in line] for each in range(groups.max() + 1)]
    expected = [vector.cosine(Counter(terms.sequence(text))) if text else math.nan for text in texts]
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(page=st.lists(st.sampled_from([*WORDS, LINE_END])), anchors=st.lists(st.sampled_from([*WORDS, LINE_END])))
def test_texts_read_together_are_measured_as_if_read_alone(weighting: str, page: list[str], anchors: list[str]) -> None:
    weights = np.array([0.6, 0.8])
    lexicon = Lexicon(Terms("english"), ["cell", "bird"])
    together = lexicon.read([*page, LINE_END, *anchors])
    alone, behind = lexicon.read(page), lexicon.read(anchors)
    expected = [*alone.similarities(weights, weighting), *behind.similarities(weights, weighting)]
    assert together.similarities(weights, weighting).tobytes() == np.array(expected).tobytes()
    first = together.first(len(page))
    assert first.hashes().tolist() == alone.hashes().tolist()
    assert first.is_near == alone.is_near == bool(alone.count()[0])
    assert first.count()[0] == alone.count()[0]
    assert first.similarities(weights, weighting).tobytes() == alone.similarities(weights, weighting).tobytes()


@needs_core
@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(
    lines=st.lists(st.tuples(st.integers(-1, 3), st.lists(st.sampled_from(WORDS), max_size=30)), min_size=1),
    together=st.booleans(),
)
def test_compiled_or_not_the_last_digit_is_the_same(
    weighting: str, lines: list[tuple[int, list[str]]], together: bool
) -> None:
    if together:
        lines.sort(key=lambda line: line[0])
    lexicon = Lexicon(Terms("english"), ["cell", "bird", "nest"])
    reading = lexicon.read([word for _, line in lines for word in (*line, LINE_END)][:-1])
    topic = np.array([0.6, 0.7, 0.39])
    for groups in (None, np.array([group for group, _ in lines])):
        found = reading.similarities(topic, weighting, groups=groups)
        with pure():
            assert found.tobytes() == reading.similarities(topic, weighting, groups=groups).tobytes()


@needs_core
@given(
    tokens=st.lists(st.sampled_from([*WORDS, LINE_END])),
    behind=st.none() | st.lists(st.sampled_from([*WORDS, LINE_END])),
)
def test_compiled_or_not_lines_have_the_same_hashes(tokens: list[str], behind: list[str] | None) -> None:
    lexicon = Lexicon(Terms("english"), ["cell"])

    def read() -> list[list[int]]:
        reading = lexicon.read(tokens if behind is None else [*tokens, LINE_END, *behind])
        reading.count_lines()  # of what it found, a part of it makes use
        page = reading.first(len(tokens))
        assert page.count_lines() == tokens.count(LINE_END) + 1
        return [part.tolist() for part in (*page.lines(), page.hashes(), *reading.lines(), reading.hashes())]

    found = read()
    with pure():
        assert found == read()
    assert found[2] == [word_hash(word) for word in tokens if word != LINE_END]


@needs_core
@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(
    lines=st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.3, 1.0, 1e9]), st.lists(st.sampled_from(WORDS), max_size=30)),
        min_size=1,
    ),
    known=st.lists(st.sampled_from([chr(97 + n % 26) * (n // 26 + 1) for n in range(600)])),
)
def test_compiled_or_not_terms_are_counted_alike(
    weighting: str, lines: list[tuple[float, list[str]]], known: list[str]
) -> None:
    lexicon = Lexicon(Terms("english"), ["cell", "bird", "nest"])
    lexicon.read(known)  # so that terms have greater numbers, too
    plain = lexicon.read([word for _, line in lines for word in (*line, LINE_END)][:-1])
    worth = np.array([weight for weight, _ in lines])
    for reading in (plain, plain.weighed(worth), plain.weighed(np.where(worth == 0.25, 0.25, 1.0))):
        found, norm = reading._counted(), text_norm(reading.distinct()[1], weighting)
        with pure():
            for column, expected in zip(found, reading._counted(), strict=True):
                assert column.tobytes() == expected.tobytes()
                assert column.dtype == expected.dtype or not len(column)
            assert norm == text_norm(reading.distinct()[1], weighting)


@needs_core
@given(
    counts=st.lists(st.integers(1, 9) | st.integers(1, 250_000), max_size=40),
    parts=st.sampled_from([1, 4, 10]),
    most=st.integers(1, 12),
    bits=st.sampled_from([2, 40, 64]),
)
def test_compiled_or_not_the_same_terms_are_kept(counts: list[int], parts: int, most: int, bits: int) -> None:
    size = len(counts)
    often: Counts = np.array(counts, np.int64) if parts == 1 else np.array(counts) / parts
    mixed = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes = mixed >> np.uint64(64 - bits) if bits < 64 else mixed  # few bits: some have one hash
    numbers = np.arange(size, dtype=np.int32)
    reading = Reading(numbers, numbers, hashes, (), lambda: hashes)
    reading._distinct = numbers, often
    found = reading.bag(most)
    with pure():
        expected = reading.bag(most)
    assert (found.terms.dtype, found.counts.dtype) == (expected.terms.dtype, expected.counts.dtype)
    assert found.terms.tolist() == expected.terms.tolist()
    if bits > 2:  # of terms that have one hash, any may be first
        assert found.counts.tolist() == expected.counts.tolist()


@needs_core
@pytest.mark.parametrize("counts", [[], [1], [0.25, 2.0], [0.3], [5_000], [1 << 60], [-1.0], [math.inf], [math.nan]])
def test_counts_that_no_table_has_are_left_to_numpy(counts: list[float]) -> None:
    whole = all(isinstance(count, int) for count in counts)
    array: Counts = np.array(counts, np.int64) if whole else np.array(counts, np.float64)
    found = text_norm(array, "log")
    with pure():
        assert str(found) == str(text_norm(array, "log"))


@needs_core
def test_a_word_beyond_the_table_of_counts_is_left_to_numpy() -> None:
    lexicon = Lexicon(Terms("english"), ["cell"])
    for often in (4_095, 4_096):
        reading = lexicon.read(["cell"] * often + ["bird", LINE_END, "cell"])
        [found, one] = reading.similarities(np.ones(1), "log")
        assert found == pytest.approx((1 + math.log(often)) / math.hypot(1, 1 + math.log(often)))
        assert one == 1.0


@given(st.text(st.sampled_from("ab B\n\né東’") | st.characters()), st.none() | st.text(st.sampled_from("ab \n")))
def test_lines_are_read_as_their_tokens_are(text: str, behind: str | None) -> None:
    lexicon = Lexicon(Terms("none"), ["a"])
    reading, size = lexicon.read_lines(WordLines(text), None if behind is None else WordLines(behind))
    tokens = WordLines(text).tokens()
    assert size == len(tokens)
    if behind is not None:
        tokens += [LINE_END, *WordLines(behind).tokens()]
    expected = lexicon.read(tokens)
    assert reading.hashes().tolist() == expected.hashes().tolist()
    assert [part.tolist() for part in reading.lines()] == [part.tolist() for part in expected.lines()]


@needs_core
def test_terms_made_to_crowd_a_table_cost_what_others_do() -> None:
    """Whoever writes a page chooses which of its terms stand in a line: 65,536 of a million took 1.1 s."""
    assert core is not None
    size, room = 1 << 16, 1 << 17
    known = np.arange(1, 1_000_000, dtype=np.uint32)
    places = (known * np.uint32(2654435769) >> np.uint32(7)) & np.uint32(room - 1)  # as the table once had them
    crowded = np.append(0, known[np.argsort(places, kind="stable")[: size - 1]]).astype(np.int32)
    found = np.empty(1)
    started = time.process_time()
    assert core.similarities(np.ones(size, np.int32), crowded, None, 1, np.ones(1), np.ones(64), found)
    assert time.process_time() - started < 0.2  # it takes 1 ms
    assert found[0] > 0


@needs_core
def test_no_order_of_terms_takes_long_to_rank() -> None:
    """Of a page with more terms than are kept, the order in which they first occur is its author's: 80,000 took 1 s."""
    count = 80_000
    hashes, places = np.zeros(count, np.uint64), list(range(count))
    for left in range(count, 0, -1):  # what stands in the middle is always the last of those that are left
        middle = (left - 1) // 2
        hashes[places[middle]] = left
        places[middle], places[left - 1] = places[left - 1], places[middle]
    hashes <<= np.uint64(40)
    page = Reading(
        np.arange(1, count + 1, dtype=np.int32), np.arange(count, dtype=np.int32), hashes, (), lambda: hashes
    )  # fmt: skip
    started = time.process_time()
    kept = page.bag(256)
    assert time.process_time() - started < 0.2  # it takes 10 ms
    with pure():
        assert kept.terms.tolist() == page.bag(256).terms.tolist()
