from __future__ import annotations

import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.errors import TopicError
from dowse.predict.learning import Learner, Statistics, read_statistics, statistics_bytes
from dowse.predict.learning.statistics_file import statistics_of_bytes
from dowse.predict.learning.statistics_text import FORMAT
from tests.predict.learning.made import page_bag, statistics, told

REAL = json.loads(statistics_bytes(told(Learner(), 12).statistics(bags={0: page_bag(0), 1: page_bag(1)})))


INTEREST = {"pages": 3, "satisfying": 1, "pairs": [1, 2, 3, 4], "words": {}, "tokens": {}}


@given(statistics())
def test_what_is_written_is_read(one: Statistics) -> None:
    tokens = {key for own in (one.tokens, *(e.tokens for e in one.events.values())) for key in own.keys.tolist()}
    terms = {key for own in (one.words, *(e.words for e in one.events.values())) for key in own.keys.tolist()}
    named = {key: name for key, name in one.token_names.items() if key in tokens}
    words = {key: name for key, name in one.word_names.items() if key in terms}
    for compressed in (False, True):
        data = statistics_bytes(one, compressed=compressed)
        back = statistics_of_bytes(data)
        assert (back.token_names, back.word_names) == (named, words), "a name stands beside its numbers"
        assert back.merged(one) == one.merged(one)
        assert json.loads(gzip.decompress(data) if compressed else data)["version"] == (2 if one.events else 1)


def test_of_a_crawl_exactly(tmp_path: Path) -> None:
    learned = told(Learner()).statistics(bags={number: page_bag(number) for number in range(30)})
    (tmp_path / "s.json").write_bytes(statistics_bytes(learned))
    assert read_statistics(tmp_path / "s.json") == learned


def changed(**parts: Any) -> bytes:
    return json.dumps({**REAL, **parts}).encode()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not JSON, or was cut"),
        (b"PK\x03\x04", "not JSON"),
        (b"[1, 2]", 'does not say "format"'),
        (json.dumps({**REAL, "format": "dowse category"}).encode(), FORMAT),
        (changed(version=4), "made by a newer Dowse"),
        (changed(version=None), "version"),
        (changed(pages=float("nan")), "not JSON"),
        (changed(pages=-1), "pages"),
        (changed(pages=True), "pages"),
        (changed(pages=1, value=2.5), "pages"),
        (changed(pages=1e300), "pages"),
        (changed(tokens=[]), "tokens"),
        (changed(tokens={"x": [1, 0.5]}), "no hash"),
        (changed(tokens={"99999999999": [1, 0.5]}), "no hash"),
        (changed(tokens={"7": [1, 0.5], "07": [1, 0.5]}), "twice"),
        (changed(tokens={"7": [1]}), "tokens"),
        (changed(tokens={"7": [1, 3.0]}), "tokens"),
        (changed(words={"7": [1, 0.5, ""]}), "words"),
        (changed(words={"7": [1, 0.5, 3]}), "words"),
        (changed(hosts={"a.test": [1]}), "hosts"),
        (changed(off={"pages": 1, "words": [7]}), "off"),
        (changed(mix={}), "mix"),
        (changed(mix=[{"features": ["a"], "products": [[1, 2]], "targets": [1], "examples": 1}]), "mix"),
        (changed(mix=[{"features": ["a", "b"], "products": [[1, 2], [3, 1]], "targets": [1, 1], "examples": 1}]),
         "mix"),
        (changed(mix=[{"features": ["a"], "products": [[-1]], "targets": [1], "examples": 1}]), "mix"),
        (changed(interest=[]), "interest"),
        (changed(interest={"paper": {"pages": 3, "satisfying": 1, "pairs": [1, 2, 3, 4], "words": {}}}), "interest"),
        (changed(interest={"paper": {**INTEREST, "pairs": [1, 2, 3]}}), "interest"),
        (changed(interest={"paper": {**INTEREST, "satisfying": 9}}), "interest"),
        (changed(interest={"paper": {**INTEREST, "words": {"7": [1, 3]}}}), "interest.words"),
        (changed(interest={"paper": {**INTEREST, "pairs": [1, 2, 3, -4]}}), "interest"),
        (changed(people=[]), "people"),
        (changed(people={"k": {"pages": 3, "satisfying": 1}}), "people"),
        (changed(people={"k": {"satisfying": 1, "users": {}}}), "people"),
        (changed(people={"": {"pages": 3, "satisfying": 1, "users": {}}}), "people"),
        (changed(people={"k": {"pages": 3, "satisfying": 4, "users": {}}}), "people"),
        (changed(people={"k": {"pages": 3, "satisfying": 1, "users": {"7": [2, 3]}}}), "people"),
        (changed(people={"k": {"pages": 3, "satisfying": 1, "users": {"7": [4, 1]}}}), "people"),
        (changed(people={"k": {"pages": 3, "satisfying": 1, "users": {str(1 << 64): [2, 1]}}}), "no hash"),
        (changed(people={"k": {"pages": 3, "satisfying": 1, "users": {"10.0.0.1": [2, 1]}}}), "no hash"),
        (changed(crawls=["a"]), "crawls"),
        (changed(crawls={"a": 3}), "crawls"),
        (changed(crawls={"a": [-3, "solar"]}), "crawls"),
        (changed(crawls={"a": [3, ""]}), "crawls"),
        (changed(crawls={"": [3, "solar"]}), "crawls"),
        (gzip.compress(changed())[:-40], "not JSON, or was cut"),
        (b"\x1f\x8bnothing", "compression is damaged"),
        (b"[" * 100_000, "not JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_told_on_one_line(data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(data)
    with pytest.raises(TopicError) as error:
        read_statistics(path)
    assert str(error.value).startswith(f"{path}: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="cannot read the statistics: no such file"):
        read_statistics(tmp_path / "none.json")


@settings(max_examples=150)
@given(st.data())
def test_damage_anywhere_ends_in_a_value_or_in_one_line(data: st.DataObject) -> None:
    whole = bytearray(statistics_bytes(Statistics(3, 1.5, hosts={"a.test": (3.0, 1.5)})))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(TopicError):
        assert isinstance(statistics_of_bytes(bytes(whole)), Statistics)
