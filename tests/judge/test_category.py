from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge import Category, TopicJudge, build_judge, load_category
from dowse.judge.bags import bag_of
from dowse.judge.category import MAX_TERMS, check_name
from dowse.judge.category_file import save_category
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic
from dowse.model.words import word_hash, words
from tests.judge.made import BIRDS, COMMON, ENGLISH, by_hand, of_birds, texts

WORDS = ["nest", "wing", "iron", "slag", "lamp", "zebra"]
WEIGHTS = {"nest": (2.0, 1.5), "wing": (1.0, 0.5), "iron": (1.5, -2.0), "slag": (0.5, -0.25)}
pages = st.lists(st.sampled_from(WORDS), max_size=40)


def literal(page: list[str], category: Category) -> float:
    """The formula at the top of the module, word by word; nothing is surer than one in a million."""
    lengths = {term: 1 + math.log(count) for term, count in Counter(page).items()}
    norm = math.sqrt(sum(value**2 for value in lengths.values()))
    score = category.bias
    for term, value in lengths.items():
        scale, weight = WEIGHTS.get(term, (0.0, 0.0))
        score += value / norm * scale * weight
    return min(max(1 / (1 + math.exp(-(category.slope * score + category.offset))), 1e-6), 1 - 1e-6)


def arrays(page: list[str]) -> tuple[Any, Any]:
    counts = Counter(page)
    return np.array([word_hash(term) for term in counts], np.uint64), np.array(list(counts.values()), np.int64)


def made(**facts: float) -> Category:
    return by_hand(*((term, *pair) for term, pair in WEIGHTS.items()), **facts)


@settings(deadline=None)
@given(pages, st.floats(-3, 3), st.floats(0.1, 4), st.floats(-2, 2))
def test_the_probability_is_that_of_the_formula(page: list[str], bias: float, slope: float, offset: float) -> None:
    category = made(bias=bias, slope=slope, offset=offset)
    assert category.probability(*arrays(page)) == pytest.approx(literal(page, category), abs=1e-9)


@given(pages, st.randoms())
def test_the_order_of_terms_does_not_show(page: list[str], dice: Any) -> None:
    terms, counts = arrays(page)
    order = list(range(len(terms)))
    dice.shuffle(order)
    assert made().probability(terms[order], counts[order]) == made().probability(terms, counts)


@given(pages)
def test_terms_nobody_knows_only_make_the_others_weigh_less(page: list[str]) -> None:
    category = made()
    for longer in ([*page, "quux"], [*page, "quux", "quuz"]):
        assert abs(category.score(*arrays(longer))) <= abs(category.score(*arrays(page))) + 1e-12


def test_it_is_never_certain() -> None:
    for bias in (-1e6, 1e6):
        assert 0 < made(bias=bias, slope=1e6).probability(*arrays(["nest"])) < 1


def test_a_page_without_words_has_the_bias_alone() -> None:
    assert made(bias=0.7).score(*arrays([])) == 0.7
    assert by_hand(bias=0.7).score(*arrays(["nest"])) == 0.7, "nor does a category without terms fail"


def test_a_part_of_an_occurrence_counts_as_that_part() -> None:
    """A line that a site repeats counts for a quarter, as in the judge's own similarity."""
    terms, _ = arrays(["nest", "iron"])
    whole, part = (made().score(terms, np.array([count, 1.0])) for count in (1.0, 0.25))
    assert part < whole


def test_it_goes_by_what_a_judge_reads_of_a_page() -> None:
    judge: TopicJudge = build_judge(Topic(query="birds"))
    text = texts(BIRDS, 1, seed=9)[0]
    numbers, counts = judge.nearness.read(words(text)).distinct()
    bag = bag_of(text, ENGLISH)
    category = of_birds().category
    found = category.probability(judge.nearness._lexicon.term_hashes()[numbers], counts)
    assert found == category.probability(bag.hashes, bag.counts)


def test_telling_terms_add_up_to_the_score_and_come_in_order() -> None:
    category, page = made(bias=0.3), arrays(["nest", "iron", "iron", "lamp"])
    parts = category.telling(*page)
    assert [term for term, _ in parts] == ["nest", "iron"]
    assert sum(part for _, part in parts) + 0.3 == pytest.approx(category.score(*page))


def test_the_strongest_terms_for_and_against() -> None:
    assert made().strongest(9) == [("nest", 3.0), ("wing", 0.5)]
    assert made().strongest(1) == [("nest", 3.0)]
    assert made().strongest_against(9) == [("iron", -3.0), ("slag", -0.125)]


def test_it_can_be_sent_to_another_process() -> None:
    page = arrays(["nest", "lamp", "wing"])
    assert pickle.loads(pickle.dumps(made())).probability(*page) == made().probability(*page)


@pytest.mark.parametrize("name", ["", " birds", "a/b", '"', "a\nb", "x" * 101, "../up"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(TopicError, match="cannot name a category"):
        check_name(name)


# -- the file ----------------------------------------------------------------------------------------------------------


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    category, path = of_birds().category, tmp_path / "birds.category.json"
    save_category(category, path)
    again = load_category(path)
    for text in (*texts(BIRDS, 3, seed=5), " ".join(COMMON), ""):
        bag = bag_of(text, ENGLISH)
        assert again.probability(bag.hashes, bag.counts) == category.probability(bag.hashes, bag.counts)
    assert (again.threshold, again.measured, again.positive) == (category.threshold, category.measured, 12)
    save_category(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert len(list(tmp_path.iterdir())) == 2, "and nothing else is left there"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot write"):
        save_category(made(), tmp_path / "missing" / "birds.category.json")


def whole(tmp_path: Path) -> dict[str, Any]:
    save_category(made(), tmp_path / "whole.json")
    found: dict[str, Any] = json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))
    return found


def refused(tmp_path: Path, data: bytes | str) -> str:
    path = tmp_path / "hostile.category.json"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(TopicError) as error:
        load_category(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return error.value.message


HOSTILE = {
    "another format": ("format", "pickle", "is no category"),
    "a newer version": ("version", 2, "newer Dowse"),
    "a version that is no number": ("version", "1", "version"),
    "a truth for a number": ("bias", True, "bias"),
    "no bias": ("bias", None, "bias"),
    "a bias beyond reason": ("bias", 1e300, "bias"),
    "a number with hundreds of digits": ("bias", 10**400, "bias"),
    "a threshold above 1": ("threshold", 1.5, "threshold"),
    "an unknown weighting": ("weighting", "tf", "weighting"),
    "an unknown language": ("language", "klingon", "unknown language"),
    "a language that is a list": ("language", ["english"], "language"),
    "a name with a way out": ("name", "../../etc/passwd", "cannot name"),
    "calibration gone": ("calibration", None, "calibration"),
    "calibration as a list": ("calibration", [1, 2], "calibration"),
    "examples as text": ("examples", "many", "examples"),
    "figures gone": ("measured", {"folds": 8, "rounds": 5}, "precision"),
    "terms as an object": ("terms", {"nest": 1}, "terms"),
    "a term of two": ("terms", [["nest", 1.0]], "a term"),
    "a term that is a number": ("terms", [[1, 1.0, 1.0]], "a term"),
    "an empty term": ("terms", [["", 1.0, 1.0]], "empty"),
    "an endless term": ("terms", [["x" * 201, 1.0, 1.0]], "too long"),
    "a term that steers a terminal": ("terms", [["\x1b[2J", 1.0, 1.0]], "no text"),
    "half a character": ("terms", [["\ud800", 1.0, 1.0]], "no text"),
    "half a character in its history": ("made_by", "\ud800", "made_by"),
    "a scale below 0": ("terms", [["nest", -1.0, 1.0]], "scale"),
    "a weight as text": ("terms", [["nest", 1.0, "1"]], "weight"),
    "a term twice": ("terms", [["nest", 1.0, 1.0], ["nest", 1.0, 2.0]], "twice"),
    "too many terms": ("terms", [[f"t{n}", 1.0, 1.0] for n in range(MAX_TERMS + 1)], "at most"),
    "another embedding": ("embedding", {"model": "other", "weights": []}, "does not know"),
    "an embedding that is a number": ("embedding", 3, "does not know"),
    "an embedding cut short": ("embedding", {"model": "wordllama l2_supercat 256", "weights": [1.0]}, "256"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_on_one_line(case: str, tmp_path: Path) -> None:
    key, value, told = HOSTILE[case]
    assert told in refused(tmp_path, json.dumps({**whole(tmp_path), key: value}))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("key", ["bias", "threshold"])
def test_what_is_no_number_is_refused(key: str, number: str, tmp_path: Path) -> None:
    text = json.dumps({**whole(tmp_path), key: "HERE"}).replace('"HERE"', number)
    assert key in refused(tmp_path, text)
    inside = json.dumps({**whole(tmp_path), "terms": [["nest", 1.0, "HERE"]]}).replace('"HERE"', number)
    assert "weight" in refused(tmp_path, inside)


def test_other_files_are_refused_on_one_line(tmp_path: Path) -> None:
    save_category(made(), tmp_path / "whole.json")
    data = (tmp_path / "whole.json").read_bytes()
    for content in (b"", b"\x80\x04\x95", b"[]", b"3", b"null", b"[" * 200_000, data[: len(data) // 2], b"\xff" * 50):
        assert "is no category" in refused(tmp_path, content)
    assert "too large" in refused(tmp_path, b" " * 8_000_001)
    with pytest.raises(TopicError, match="no such file"):
        load_category(tmp_path / "missing.category.json")
    with pytest.raises(TopicError, match="directory"):
        load_category(tmp_path)


@given(st.data())
def test_no_damaged_value_gets_through(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever is put in a place of the file, it is a category that answers, or a TopicError."""
    folder = tmp_path_factory.mktemp("damaged")
    content = whole(folder)
    key = data.draw(st.sampled_from(sorted(content)))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    content[key] = data.draw(st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=6))
    (folder / "x.json").write_text(json.dumps(content), encoding="utf-8")
    with suppress(TopicError):
        assert 0 < load_category(folder / "x.json").probability(*arrays(["nest"])) < 1
