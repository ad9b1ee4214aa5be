"""Judges from outside: their faults cost a page, and their answers are stored as Python's own numbers."""

from __future__ import annotations

import marshal
import pickle
from typing import Any

import numpy as np
import pytest

from dowse.judge import GuardedJudge, build_judge, looking_judge
from dowse.model.errors import TopicError
from dowse.model.page import Part, Reason, Verdict
from dowse.model.topic import JudgeSettings, Topic
from dowse.model.words import words
from tests.judge.test_contract import Own

TOPIC = Topic(query="solar cells")
NOT_A_NUMBER = Verdict(float("nan"), True, 0.5, "own")


class Answers(Own):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def verdict(self, page: Any) -> Verdict:
        if isinstance(self.answer, BaseException):
            raise self.answer
        answer: Verdict = self.answer
        return answer


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (ValueError("no\nidea"), "own: ValueError: no idea"),
        (SystemExit(3), "own: SystemExit: 3"),
        (0.7, "own: ValueError: it returned 0.7, not a Verdict"),
        (
            Verdict(float("nan"), True, 0.5, "own"),
            "own: ValueError: its score nan and threshold 0.5 are not from 0 to 1",
        ),
        (Verdict(0.5, True, 0.5, "own", (Reason("x", float("inf")),)), "own: ValueError: its reasons are no numbers"),
    ],
)
def test_a_fault_costs_the_page(answer: Any, fault: str) -> None:
    verdict = build_judge(TOPIC, Answers(answer)).verdict(words("solar cells"))
    assert (verdict.relevant, verdict.score, verdict.fault) == (False, 0.0, fault)
    assert verdict.similarity > 0.9
    assert verdict.threshold == Own.threshold


def test_numbers_of_other_kinds_can_be_stored() -> None:
    told: Any = Verdict(
        np.float32(0.5), np.True_, np.float64(0.25), "other", (Reason("a\nb", np.float64(0.5)),),  # type: ignore[arg-type]
        parts=(Part("x", np.True_, np.float32(1), np.int64(3)),),  # type: ignore[arg-type]
    )  # fmt: skip
    found = build_judge(TOPIC, Answers(told)).verdict(words("solar cells"))
    assert (found.score, found.relevant, found.threshold, found.method) == (0.5, True, 0.25, "own")
    assert found.reasons == (Reason("a b", 0.5),)
    assert found.parts == (Part("x", True, 1.0, 3.0),)
    plain = (found.score, found.relevant, found.parts[0].value, found.parts[0].held, found.reasons[0].value)
    assert marshal.loads(marshal.dumps(plain)) == plain


def test_what_cannot_be_pickled_stays_here() -> None:
    assert GuardedJudge(Own()).can_be_sent
    assert not GuardedJudge(Answers(lambda: None)).can_be_sent
    again = pickle.loads(pickle.dumps(GuardedJudge(Own())))
    assert (again.name, again.threshold, again.needs_text, again.needs_objects) == ("own", 0.25, True, True)


def test_what_is_no_judge_is_refused() -> None:
    with pytest.raises(TopicError, match="object is no judge: it has no name, threshold"):
        build_judge(TOPIC, object())  # type: ignore[arg-type]
    with pytest.raises(TopicError, match="a predicate, and a judge"):
        build_judge(Topic(predicate='word("solar")'), Own())
    with pytest.raises(TopicError, match=r"judge\.threshold: a judge has a threshold of its own"):
        build_judge(Topic(query="a", judge=JudgeSettings(threshold=0.5)), Own())
    with pytest.raises(TopicError, match=r"judge\.method: no judge is called 'own': there are learned, similarity"):
        build_judge(Topic(query="a", judge=JudgeSettings(method="own")))


def test_who_looks_from_outside_needs_no_judge() -> None:
    judge = looking_judge(Topic(query="solar cells", judge=JudgeSettings(method="own")))
    assert judge.nearness.similarity("a solar cell") > 0.5
    assert not judge.verdict(words("solar cells")).relevant
