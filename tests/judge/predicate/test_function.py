"""Predicates in Python."""

from __future__ import annotations

import json
import math
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from dowse.judge import build_judge, looking_judge
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json, topic_to_json

FACTS = PageFacts("https://example.org/a", "Ice", "en", 3, 2, frozenset({"event"}), "hockey on ice")


def wants_hockey(page: PageFacts) -> bool:
    return "hockey" in page.words() and page.url.startswith("https://example.org/")


class Wanted:
    def __init__(self, word: str) -> None:
        self.word = word

    def __call__(self, page: PageFacts) -> float:
        return page.words().count(self.word) / 4


def test_a_function_sees_the_page() -> None:
    seen: list[PageFacts] = []

    def look(page: PageFacts) -> bool:
        seen.append(page)
        return True

    judge = build_judge(Topic(query="ice", predicate=look))
    verdict = judge.verdict(["hockey", "on", "ice"], FACTS)
    assert verdict.relevant
    assert verdict.score == 1
    [page] = seen
    assert (page.url, page.title, page.language, page.n_links, page.objects) == (
        FACTS.url, "Ice", "en", 2, frozenset({"event"}),
    )  # fmt: skip
    assert (page.similarity, page.erid) == (verdict.similarity, verdict.erid)
    assert page.similarity > 0
    assert page.words() == ["ice", "hockey", "on", "ice"]
    assert (judge.judge.needs_objects, judge.judge.needs_text, judge.judge.can_be_sent) == (True, True, False)


@pytest.mark.parametrize(
    ("answer", "score", "value"),
    [(True, 1.0, None), (False, 0.0, None), (0.5, 0.5, 0.5), (0.49, 0.49, 0.49), (1, 1.0, 1.0), (np.True_, 1.0, 1.0)],
)
def test_what_a_function_may_answer(answer: Any, score: float, value: float | None) -> None:
    verdict = build_judge(Topic(predicate=lambda page: answer)).verdict([], FACTS)
    assert (verdict.score, verdict.relevant) == (score, score >= 0.5)
    assert verdict.parts[0].value == value
    assert not verdict.fault


@pytest.mark.parametrize("answer", [None, "yes", math.nan, 2, -0.1])
def test_another_answer_is_a_fault_of_the_verdict(answer: Any) -> None:
    verdict = build_judge(Topic(predicate=lambda page: answer)).verdict([], FACTS)
    assert (verdict.score, verdict.relevant) == (0.0, False)
    assert "not True, False or a number from 0 to 1" in verdict.fault


def test_an_exception_is_a_fault_of_the_verdict() -> None:
    def fail(page: PageFacts) -> bool:
        raise KeyError("a\nb\x1b\ud800" * 1000)

    verdict = build_judge(Topic(predicate=fail)).verdict([], FACTS)
    assert not verdict.relevant
    assert "KeyError" in verdict.fault
    assert verdict.fault.isprintable()
    assert len(verdict.fault) <= 200


def test_even_an_exit_costs_the_page_only() -> None:
    assert "SystemExit" in build_judge(Topic(predicate=lambda page: sys.exit(3))).verdict([], FACTS).fault


def test_what_is_no_function_is_a_mistake() -> None:
    async def later(page: PageFacts) -> bool:
        return True

    for predicate in (3, later):
        with pytest.raises(TopicError, match="predicate: must be an expression, or a function"):
            build_judge(Topic(predicate=predicate))  # type: ignore[arg-type]


def test_what_can_be_imported_can_be_sent() -> None:
    for function in (wants_hockey, Wanted("hockey")):
        judge = build_judge(Topic(predicate=function))
        assert judge.judge.can_be_sent
        again = pickle.loads(pickle.dumps(judge))
        assert again.verdict([], FACTS) == judge.verdict([], FACTS)
    assert build_judge(Topic(predicate=wants_hockey)).verdict([], FACTS).relevant
    assert not build_judge(Topic(predicate=lambda page: True)).judge.can_be_sent


def test_a_folder_remembers_its_name() -> None:
    topic = Topic(predicate=wants_hockey)
    kept = topic_from_json(json.loads(json.dumps(topic_to_json(topic))))
    with pytest.raises(TopicError, match=r"the Python function tests.judge.predicate.test_function.wants_hockey: go on "
                                         r"from Python, with dowse.crawl\(topic, out=..., resume=True\)"):  # fmt: skip
        build_judge(kept)
    assert not looking_judge(kept).verdict(["hockey"], FACTS).relevant
    named = topic_from_json(topic_to_json(Topic(predicate=Wanted("x"))))
    assert topic_to_json(named)["predicate"] == {"name": "tests.judge.predicate.test_function.Wanted"}
