"""The score is at least 0.5 exactly when a literal evaluator says true, and it is monotone."""

from __future__ import annotations

import pickle

from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge import build_judge
from dowse.judge.predicate.grade import OPPOSITE, all_of, compared, holds
from dowse.model.topic import JudgeSettings, Keyword, Topic
from tests.judge.predicate.reference import CASES, PAGES, Case, Page

SIGNS = st.sampled_from(sorted(OPPOSITE))
VALUES = st.one_of(st.sampled_from([0.0, 1e-300, 0.1, 0.3, 0.5, 1.0, 3.0, 7.0]), st.floats(0, 1e9))
BOUNDS = st.one_of(VALUES, st.floats(-10, 1e15))
DEGREES = st.lists(st.one_of(st.sampled_from([0.0, 0.49999999999999994, 0.5, 1.0]), st.floats(0, 1)), min_size=2)


@settings(max_examples=400, deadline=None)
@given(case=CASES, page=PAGES)
def test_the_score_says_what_a_literal_evaluator_says(case: Case, page: Page) -> None:
    topic = Topic(query="ice bread", keywords=(Keyword("ice"),), predicate=case.text,
                  judge=JudgeSettings(language="none"))  # fmt: skip
    judge = build_judge(topic)
    verdict = judge.verdict(page.words, page.facts)
    truth = case.truth(page, verdict)
    assert verdict.relevant == truth
    assert (verdict.score >= 0.5) == truth
    assert 0 <= verdict.score <= 1
    assert (verdict.method, verdict.threshold) == ("predicate", 0.5)
    assert all((part.degree >= 0.5) == part.held for part in verdict.parts)
    assert verdict.parts[0].held == truth
    assert sum(reason.contribution for reason in verdict.reasons) == verdict.score
    assert pickle.loads(pickle.dumps(judge)).verdict(page.words, page.facts) == verdict, "as in a worker"


@given(value=VALUES, sign=SIGNS, bound=BOUNDS)
def test_a_comparison_holds_from_one_half_on(value: float, sign: str, bound: float) -> None:
    degree = compared(value, sign, bound)
    assert 0 <= degree <= 1
    assert (degree >= 0.5) == holds(value, sign, bound)
    assert (compared(value, OPPOSITE[sign], bound) >= 0.5) != (degree >= 0.5)


@given(values=st.tuples(VALUES, VALUES), sign=st.sampled_from([">", ">=", "<", "<="]), bound=BOUNDS)
def test_a_comparison_is_monotone(values: tuple[float, float], sign: str, bound: float) -> None:
    low, high = sorted(values)
    if sign in (">", ">="):
        assert compared(low, sign, bound) <= compared(high, sign, bound)
    else:
        assert compared(low, sign, bound) >= compared(high, sign, bound)


@given(degrees=DEGREES, raised=st.floats(0, 1))
def test_and_is_monotone_and_holds_when_all_do(degrees: list[float], raised: float) -> None:
    whole = all_of(degrees)
    assert (whole >= 0.5) == all(degree >= 0.5 for degree in degrees)
    assert 0 <= whole <= 1
    assert all_of([max(degrees[0], raised), *degrees[1:]]) >= whole - 1e-15


def test_a_crawl_can_climb() -> None:
    """Each part that is satisfied, and each step towards a bound, is worth something."""
    judge = build_judge(Topic(predicate='word("ice") >= 4 and word("hockey") and word("league")'))
    texts = ("bread", "ice", "ice ice", "ice ice hockey", "ice ice ice ice hockey", "ice ice ice ice hockey league")
    scores = [judge.verdict(text.split()).score for text in texts]
    assert scores == sorted(set(scores))
    assert scores[0] == 0
    assert scores[-2] < 0.5 <= scores[-1]
