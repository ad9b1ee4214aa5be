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
    np.testing.assert_allclose(together.similarities(weights, weighting), expected, rtol=1e-9)
    first = together.first(len(page))
    assert first.hashes().tolist() == alone.hashes().tolist()
    assert first.is_near == alone.is_near == bool(alone.count()[0])
    assert first.count()[0] == alone.count()[0]
    np.testing.assert_allclose(
        first.similarities(weights, weighting), alone.similarities(weights, weighting), rtol=1e-9
    )


@needs_core
@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(
    lines=st.lists(st.tuples(st.integers(-1, 3), st.lists(st.sampled_from(WORDS), max_size=30)), min_size=1),
    together=st.booleans(),
)
def test_compiled_or_not_lines_are_as_near(weighting: str, lines: list[tuple[int, list[str]]], together: bool) -> None:
    if together:
        lines.sort(key=lambda line: line[0])
    lexicon = Lexicon(Terms("english"), ["cell", "bird", "nest"])
    reading = lexicon.read([word for _, line in lines for word in (*line, LINE_END)][:-1])
    topic = np.array([0.6, 0.7, 0.39])
    for groups in (None, np.array([group for group, _ in lines])):
        found = reading.similarities(topic, weighting, groups=groups)
        with pure():
            expected = reading.similarities(topic, weighting, groups=groups)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


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


@given(
    lines=st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.lists(st.sampled_from(WORDS), max_size=30)), min_size=1
    ),
    known=st.lists(st.sampled_from(WORDS)),
)
def test_weighed_terms_are_counted_by_what_their_lines_are_worth(
    lines: list[tuple[float, list[str]]], known: list[str]
) -> None:
    terms = Terms("english")
    lexicon = Lexicon(terms, ["cell", "bird", "nest"])
    lexicon.read(known)  # so that terms have other numbers
    reading = lexicon.read([word for _, line in lines for word in (*line, LINE_END)][:-1])
    expected: Counter[int] = Counter()
    for worth, line in lines:
        for term in terms.sequence(line):
            expected[word_hash(term)] += worth  # type: ignore[assignment]
    hashes, counts = reading.weighed(np.array([worth for worth, _ in lines])).hashed_terms()
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == expected


@needs_core
@pytest.mark.parametrize("weighting", ["log", "tf"])
@given(
    lines=st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.3, 1.0, 1e9]), st.lists(st.sampled_from(WORDS), max_size=30)),
        min_size=1,
    ),
)
def test_compiled_or_not_terms_are_counted_alike(weighting: str, lines: list[tuple[float, list[str]]]) -> None:
    lexicon = Lexicon(Terms("english"), ["cell", "bird", "nest"])
    plain = lexicon.read([word for _, line in lines for word in (*line, LINE_END)][:-1])
    worth = np.array([weight for weight, _ in lines])
    for reading in (plain, plain.weighed(worth), plain.weighed(np.where(worth == 0.25, 0.25, 1.0))):
        (terms, counts), norm = reading._counted(), text_norm(reading.distinct()[1], weighting)
        with pure():
            expected, expected_counts = reading._counted()
            assert terms.tolist() == expected.tolist()
            np.testing.assert_allclose(counts, expected_counts, rtol=1e-9)
            assert norm == pytest.approx(text_norm(reading.distinct()[1], weighting), rel=1e-9)


@needs_core
@given(
    counts=st.lists(st.integers(1, 9) | st.integers(1, 250_000), max_size=40),
    parts=st.sampled_from([1, 4, 10]),
    most=st.integers(1, 12),
)
def test_compiled_or_not_the_same_terms_are_kept(counts: list[int], parts: int, most: int) -> None:
    size = len(counts)
    often: Counts = np.array(counts, np.int64) if parts == 1 else np.array(counts) / parts
    hashes = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers = np.arange(size, dtype=np.int32)
    reading = Reading(numbers, numbers, hashes, (), lambda: hashes)
    reading._distinct = numbers, often
    found = reading.bag(most)
    with pure():
        expected = reading.bag(most)
    assert (found.terms.tolist(), found.counts.tolist()) == (expected.terms.tolist(), expected.counts.tolist())


@given(counts=st.lists(st.integers(1, 9) | st.integers(1, 250_000), max_size=40), most=st.integers(1, 12))
def test_of_too_many_terms_those_are_kept_that_occur_most_often(counts: list[int], most: int) -> None:
    size = len(counts)
    hashes = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers = np.arange(size, dtype=np.int32)
    reading = Reading(numbers, numbers, hashes, (), lambda: hashes)
    reading._distinct = numbers, np.array(counts, np.int64)
    kept = sorted(zip(counts, hashes.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))[:most]
    bag = reading.bag(most)
    assert bag.terms.tolist() == sorted(hash_ & 0xFFFFFFFF for _, hash_ in kept)
    assert sorted(bag.counts.tolist()) == sorted(float(np.float16(min(count, 60_000))) for count, _ in kept)


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
