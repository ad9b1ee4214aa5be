"""What records decide is what the page itself would have decided."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.engine.page.judged import judged
from dowse.judge import build_judge
from dowse.judge.judges import PredicateJudge
from dowse.judge.learned.lead import page_bag
from dowse.judge.predicate.decide import Decider, RecordedPage
from dowse.judge.predicate.evaluate import ParsedPredicate
from dowse.model.facts import PageFacts
from dowse.model.page import USUAL_TERMS, Bag
from dowse.model.topic import Topic
from dowse.model.words import WordLines

WORDS = ["bird", "nest", "wing", "steel", "oven"]
LEAVES = [
    'word("bird")', 'word("nest") > 2', 'word("wing") <= 1', 'word("bird nest")', 'word("steel") == 0',
    'title("bird")', 'url.contains("a")', "words > 20", 'kind == "pdf"', 'language == "en"', "links < 3",
]  # fmt: skip
leaf = st.sampled_from(LEAVES)
expression = st.recursive(
    leaf,
    lambda parts: st.one_of(
        st.builds("({} and {})".format, parts, parts), st.builds("({} or {})".format, parts, parts),
        st.builds("not ({})".format, parts),
    ),
    max_leaves=6,
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(expression, st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=60), st.integers(0, 400))
def test_what_is_decided_is_true(text: str, lines: list[list[str]], others: int) -> None:
    """Also where a page has more terms than are kept."""
    judge = build_judge(Topic(query="bird", predicate=text))
    assert isinstance(judge.judge, PredicateJudge)
    assert isinstance(judge.judge.predicate, ParsedPredicate)
    title = " ".join(lines[0]) if lines else ""
    body = [title, *(" ".join(line) for line in lines), *(f"zq{n}x" for n in range(others))]
    reading, _ = judge.nearness.read_lines(WordLines("\n".join(body)))
    facts = PageFacts("http://a.test/", title, "en", sum(map(len, lines)) + others, len(lines))
    truth = judge.verdict_of(reading, facts)
    found = Decider(judge.judge.predicate)(RecordedPage(facts, _kept(page_bag(reading)), False))
    if found is not None:
        assert found.held == truth.relevant
        assert (found.score >= 0.5) == found.held
    without = Decider(judge.judge.predicate)(RecordedPage(facts, None, False))
    if without is not None:
        assert without.held == truth.relevant


def _kept(bag: Bag) -> Bag:
    return Bag.unpacked(bag.packed())


def test_single_words_are_decided_and_phrases_are_read_unless_a_word_is_missing() -> None:
    def decided(text: str, *words: str) -> bool | None:
        judge = build_judge(Topic(query="bird", predicate=text))
        assert isinstance(judge.judge, PredicateJudge)
        assert isinstance(judge.judge.predicate, ParsedPredicate)
        reading, _ = judge.nearness.read_lines(WordLines(" ".join(words)))
        found = Decider(judge.judge.predicate)(RecordedPage(PageFacts(), page_bag(reading), False))
        return None if found is None else found.held

    assert decided('word("bird")', "bird") is True
    assert decided('word("bird")', "nest") is False
    assert decided('word("bird nest")', "bird", "nest") is None
    assert decided('word("bird nest")', "bird") is False
    assert decided('word("bird nest") and word("oven")', "bird", "nest") is False
    assert decided('object("event") or word("bird")', "bird") is True
    assert decided("similarity > 0.1", "bird") is None
    assert decided('word("bird") >= 5', *["bird"] * 200) is True


def test_a_phrase_may_go_on_in_a_block_that_the_site_repeats() -> None:
    """It counts as much as a word of the line where it begins: more than its last word does."""
    for text, truth in (('word("solar cell") >= 1', True), ('word("solar cell") < 1', False)):
        judge = build_judge(Topic(query="x", predicate=text))
        assert isinstance(judge.judge, PredicateJudge)
        assert isinstance(judge.judge.predicate, ParsedPredicate)
        lines, size = judge.nearness.read_lines(WordLines("words about solar\ncell menu contact"))
        reading = lines.first(size)
        _, hashes = reading.lines()
        found = judged(judge, reading, [0, 1], np.array([hashes[1]], np.uint64).tobytes(), terms=USUAL_TERMS)
        assert found.verdict.relevant is truth
        assert found.bag is not None
        assert Decider(judge.judge.predicate)(RecordedPage(PageFacts(), _kept(found.bag), False)) is None
        # one that is nowhere is still decided
        other = Decider(judge.judge.predicate)(RecordedPage(PageFacts(), Bag(), False))
        assert other is not None
        assert other.held is not truth
