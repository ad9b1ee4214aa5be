"""What every judge promises, checked on each that Dowse has, and found out on some that break their word."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from dowse.judge import build_judge
from dowse.model.facts import PageFacts
from dowse.model.judge import Judge, ReadPage
from dowse.model.page import Reason, Verdict
from dowse.model.topic import JudgeSettings, Keyword, Topic
from dowse.testing import JUDGE_CHECKS, ContractBroken, check_judge

TOPIC = Topic(query="perovskite solar cells", keywords=(Keyword("perovskite", 2.0), Keyword("solar cell")))


def is_long(page: PageFacts) -> float:
    return min(1.0, page.n_words / 100)


TOPICS = {
    "similarity": TOPIC,
    "erid": replace(TOPIC, judge=JudgeSettings(method="erid")),
    "predicate": replace(TOPIC, predicate='similarity > 0.2 and word("solar") > 1 or url.contains("page/2")'),
    "function": replace(TOPIC, predicate=is_long),
}


class Own:
    """A judge of a user's."""

    name = "own"
    threshold = 0.25
    needs_text = True
    needs_objects = True
    can_be_sent = True

    def verdict(self, page: ReadPage) -> Verdict:
        score = self.score(page)
        return Verdict(score, score >= self.threshold, self.threshold, self.name, (Reason("text", score),))

    def score(self, page: ReadPage) -> float:
        return min(1.0, (len(page.facts.text) + len(page.facts.objects)) / 200)


class Counting(Own):
    def __init__(self) -> None:
        self._count = itertools.count(1)

    def score(self, page: ReadPage) -> float:
        return 1 / next(self._count)


class Loud(Own):
    def score(self, page: ReadPage) -> float:
        return 2.0


class Secret(Own):
    def verdict(self, page: ReadPage) -> Verdict:
        return replace(super().verdict(page), reasons=())


class Heavy(Own):
    def __init__(self) -> None:
        self.what = lambda: None


@pytest.mark.parametrize("check", JUDGE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", TOPICS)
def test_dowses_own_judges_keep_the_contract(kind: str, check: Callable[..., None]) -> None:
    check(lambda: build_judge(TOPICS[kind]).judge)


def test_a_users_judge_keeps_it_guarded_or_not() -> None:
    check_judge(Own)
    check_judge(lambda: build_judge(TOPIC, Own()).judge)


@pytest.mark.parametrize(
    ("make", "promise"),
    [
        (Counting, "whatever was judged before"),
        (Loud, "a score is from 0 to 1"),
        (Secret, "reasons add up to the score"),
        (Heavy, "can be pickled"),
        (object, "a judge has name, threshold"),
    ],
)
def test_a_judge_that_breaks_its_word_is_found_out(make: Callable[[], Judge], promise: str) -> None:
    with pytest.raises(ContractBroken, match=promise):
        check_judge(make)
