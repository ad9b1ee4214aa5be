"""What every strategy promises, checked on each of them with random webs."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage, Strategy
from dowse.model.topic import StrategyChoice
from dowse.predict import STRATEGIES, build_strategy
from tests.predict.memories import hand_over

Story = list[tuple[SourcePage, LinkView]]


def make(name: str) -> Strategy:
    return build_strategy(StrategyChoice(name), seed_number=3)


def restarted(before: Strategy) -> Strategy:
    """The same strategy in a later run, from what the records keep."""
    after = make(before.name)
    if before.memory is not None and after.memory is not None:
        hand_over(before.memory, after.memory, 200)
    after.restore(json.loads(json.dumps(before.state())))
    return after


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Pages judged one after another, each linking to some of 40 candidates with running priorities unknown."""
    story: Story = []
    for ordinal in range(draw(st.integers(0, 8))):
        ids = draw(st.lists(st.integers(0, 39), unique=True, max_size=10))
        n = len(ids)
        unknown = st.lists(st.floats(0, 1, width=32) | st.just(float("nan")), min_size=n, max_size=n)
        page = SourcePage(
            id=100 + ordinal, site=ordinal % 3, depth=ordinal, ordinal=ordinal,
            score=draw(st.floats(0, 1)), relevant=draw(st.booleans()), n_links=n,
        )  # fmt: skip
        view = LinkView(
            ids=np.array(ids, np.int64),
            sites=np.array([id_ % 5 for id_ in ids], np.int64),
            depths=np.full(n, ordinal + 1, np.int64),
            counts=np.ones(n, np.float32),
            similarity=np.array([draw(unknown) for _ in Context], np.float32).T.reshape(n, len(Context)),
            current=np.full(n, np.nan),
            besides=np.array(
                [100 + n for n in draw(st.sets(st.integers(0, max(0, ordinal - 1)))) if n < ordinal], np.int64
            ),
        )
        story.append((page, view))
    return story


def tell(strategy: Strategy, story: Story, known: dict[int, float]) -> list[list[float]]:
    """Tell a story as the engine would, keeping each candidate's priority."""
    answers = []
    for page, view in story:
        current = np.array([known.get(int(id_), np.nan) for id_ in view.ids], np.float64)
        view = replace(view, current=current)
        priorities = strategy.rank(page, view)
        known.update(zip(view.ids.tolist(), priorities.tolist(), strict=True))
        revised = strategy.revise(lambda ids: np.isin(ids, list(known)))
        if revised is not None:
            assert np.isfinite(revised[1]).all()
            known.update(zip(*(column.tolist() for column in revised), strict=True))
        answers.append([*priorities.tolist(), *(known[id_] for id_ in sorted(known))])
    return answers


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(story=stories())
def test_answers_are_finite_one_a_link_and_repeatable(name: str, story: Story) -> None:
    first, second = tell(make(name), story, {}), tell(make(name), story, {})
    assert first == second
    for (_, view), priorities in zip(story, first, strict=True):
        assert len(priorities) >= len(view.ids)
        assert np.isfinite(priorities).all()


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(story=stories(), cut=st.integers(0, 8))
def test_state_survives_a_restart(name: str, story: Story, cut: int) -> None:
    whole, known = tell(make(name), story, {}), dict[int, float]()
    before = make(name)
    head = tell(before, story[:cut], known)
    after = restarted(before)
    assert head + tell(after, story[cut:], known) == whole


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=20, deadline=None)
@given(story=stories())
def test_inputs_are_left_alone(name: str, story: Story) -> None:
    copies = [{field: copy(getattr(view, field)) for field in view.__slots__} for _, view in story]
    tell(make(name), story, {})
    for (_, view), before_of in zip(story, copies, strict=True):
        for field, before in before_of.items():
            np.testing.assert_array_equal(getattr(view, field), before)


@pytest.mark.parametrize("name", STRATEGIES)
def test_explains_every_candidate_cold_or_warm(name: str) -> None:
    strategy = make(name)
    explanation = strategy.explain(7, 0.5)
    assert explanation.priority == 0.5
    assert explanation.features
    assert strategy.name == name


@pytest.mark.parametrize("name", STRATEGIES)
def test_an_empty_page_is_no_trouble(name: str) -> None:
    none, single = np.zeros(0, np.int64), np.zeros(0, np.float32)
    page = SourcePage(id=1, site=0, depth=0, ordinal=0, score=0.0, relevant=False, n_links=0)
    view = LinkView(none, none, none, single, np.zeros((0, len(Context)), np.float32), np.zeros(0, np.float64))
    assert len(make(name).rank(page, view)) == 0
