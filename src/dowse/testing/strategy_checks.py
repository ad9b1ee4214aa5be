"""What every strategy promises (:class:`dowse.model.strategy.Strategy`), checked on a few random crawls."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields, replace

import numpy as np

from dowse.model.page import Context
from dowse.model.plugins import missing_members
from dowse.model.strategy import GoesBySite, LinkView, SourcePage, Strategy
from dowse.testing.contract import expect
from dowse.testing.stories import Answers, Event, MakeStrategy, Records, Story, Telling, random_story, resumed

__all__ = ["BOUNDED_CHECKS", "STRATEGY_CHECKS", "check_strategy"]

_SEEDS = range(3)
_CLOSE = 1e-9
_MOST_ROW = 1_000  # bytes that are stored with each candidate
_SMALL_STATE = 12_000


def _told(make: MakeStrategy, story: Story) -> tuple[Strategy, list[Answers]]:
    telling = Telling(make())
    return telling.strategy, [telling.tell(event) for event in story.events]


def _expect_same(found: Sequence[Answers], wanted: Sequence[Answers], promise: str) -> None:
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        told = [(kind, id_) for kind, id_, _ in one]
        expect(told == [(kind, id_) for kind, id_, _ in other], f"{promise}: it spoke of others at event {place}")
        for (kind, id_, value), (_, _, before) in zip(one, other, strict=True):
            same = math.isclose(value, before, rel_tol=_CLOSE, abs_tol=_CLOSE)
            expect(same, f"{promise}: {kind} of {id_} at event {place} is {value!r}, was {before!r}")


def has_all_of_the_port(make: MakeStrategy) -> None:
    """A strategy has a name, and all that the port asks for."""
    strategy = make()
    missing = missing_members(strategy, Strategy)
    expect(not missing, f"a strategy has {', '.join(missing)}")
    expect(isinstance(strategy.name, str) and strategy.name.strip() != "", "a strategy has a name")
    if isinstance(strategy, GoesBySite):
        expect(strategy.sites_at_once >= 1, f"at least one site is current, not {strategy.sites_at_once!r}")
    if strategy.memory is not None:
        expect(isinstance(strategy.memory.kind, str) and strategy.memory.kind != "", "a memory says what its rows mean")


def answers_are_finite(make: MakeStrategy) -> None:
    """Priorities are finite numbers, and where they predict a value, none is below 0."""
    for seed in _SEEDS:
        strategy, answers = _told(make, random_story(seed))
        for kind, id_, value in (answer for some in answers for answer in some):
            expect(math.isfinite(value), f"answers are finite: {kind} of {id_} is {value!r}")
            if strategy.predicts_value and kind in ("rank", "rank_proposed", "revise", "refresh"):
                expect(value >= 0, f"values are at least 0: {kind} of {id_} is {value!r}")


def same_calls_give_same_answers(make: MakeStrategy) -> None:
    """A strategy is deterministic."""
    for seed in _SEEDS:
        story = random_story(seed)
        _expect_same(_told(make, story)[1], _told(make, story)[1], "the same calls give the same answers")


def nothing_is_known_beforehand(make: MakeStrategy) -> None:
    """What comes later does not show in what was answered before (no peeking)."""
    for seed in _SEEDS:
        story = random_story(seed)
        half = len(story.events) // 2
        whole = _told(make, story)[1][:half]
        _expect_same(_told(make, replace(story, events=story.events[:half]))[1], whole, "nobody sees what is to come")


def what_it_is_given_stays(make: MakeStrategy) -> None:
    """A strategy changes nothing that it was given."""
    for seed in _SEEDS:
        telling = Telling(make())
        for event in random_story(seed).events:
            before = {} if event.links is None else {name.name: _kept(event.links, name.name) for name in _COLUMNS}
            bag = None if event.page is None or event.page.bag is None else copy(event.page.bag.counts)
            telling.tell(event)
            for name, column in before.items():
                same = np.array_equal(_kept(event.links, name), column, equal_nan=column.dtype.kind == "f")
                expect(same, f"what a strategy is given stays as it was: {name} was changed")
            if bag is not None and event.page is not None and event.page.bag is not None:
                expect(bool((event.page.bag.counts == bag).all()), "what a strategy is given stays as it was")


_COLUMNS = fields(LinkView)


def _kept(links: LinkView | None, name: str) -> np.ndarray:
    return np.array(getattr(links, name))


def goes_on_after_a_stop(make: MakeStrategy) -> None:
    """From its state and its memory, a strategy goes on as if there had been no stop."""
    for seed in _SEEDS:
        story = random_story(seed)
        whole = _told(make, story)[1]
        for cut in (1, len(story.events) // 3, len(story.events) - 2):
            before, records = Telling(make()), Records()
            for place, event in enumerate(story.events[:cut]):
                before.tell(event)
                if place % 4 == 0:
                    records.commit(before.strategy)
            records.commit(before.strategy)
            after = before.after_a_stop(resumed(make, records, story.candidates))
            rest = [after.tell(event) for event in story.events[cut:]]
            _expect_same(rest, whole[cut:], f"after a stop at event {cut} it goes on as without")


def looking_changes_nothing(make: MakeStrategy) -> None:
    """Whoever asks why, or for a candidate's value, changes nothing; every candidate can be explained, known or not."""
    for seed in _SEEDS:
        story = random_story(seed)
        whole, asked = _told(make, story)[1], Telling(make())
        found = []
        for event in story.events:
            found.append(asked.tell(event))
            for candidate in (0, event.candidate, story.candidates // 2, story.candidates + 1_000):
                asked.strategy.refresh(candidate)
                why = asked.strategy.explain(candidate, 0.25)
                expect(why.priority == 0.25, "an explanation is of the priority that was asked about")
                expect(len(why.features) > 0, "every candidate can be explained")
                numbers = [number for pair in why.features.values() for number in pair]
                expect(all(map(math.isfinite, numbers)), f"features are finite: {why.features}")
        _expect_same(found, whole, "looking changes nothing")


def what_is_known_moves_with_a_redirect(make: MakeStrategy) -> None:
    """The target of a redirect is worth what was known of the URL that leads there, also after a stop."""
    for seed in _SEEDS:
        story, telling, records = random_story(seed), Telling(make()), Records()
        memory = telling.strategy.memory
        if memory is None:
            return
        for event in story.events:
            telling.tell(event)
        waiting = [id_ for id_ in telling.known if id_ not in telling.fetched]
        source, target = waiting[0], story.candidates
        wanted = _why(telling.strategy, source)
        memory.moved(source, target)
        _expect_same([_why(telling.strategy, target)], [wanted], "a redirect's target takes over what was known")
        again = Telling(make())
        for event in (*story.events, Event(source, leads_to=target)):
            again.tell(event)
        records.commit(again.strategy)
        later = resumed(make, records, target + 1)
        _expect_same([_why(later, target)], [wanted], "what moved is there after a stop")


def _why(strategy: Strategy, candidate: int) -> Answers:
    features = strategy.explain(candidate, 0.5).features
    value = strategy.refresh(candidate)
    found = [(name, 0, value * weight) for name, (value, weight) in features.items()]
    return found if value is None else [*found, ("refresh", 0, value)]


def an_empty_page_is_no_trouble(make: MakeStrategy) -> None:
    """A page without links or words is a page."""
    none, single = np.zeros(0, np.int64), np.zeros(0, np.float32)
    page = SourcePage(id=1, site=0, depth=0, ordinal=0, score=0.0, relevant=False, n_links=0)
    view = LinkView(none, none, none, single, np.zeros((0, len(Context)), np.float32), np.zeros(0, np.float64))
    expect(len(make().rank(page, view)) == 0, "a page without links is ranked with no priorities")


def what_is_stored_is_bounded(make: MakeStrategy) -> None:
    """Rows have at most 1,000 bytes, however many pages mention a candidate, and the state does not grow with pages:
    beyond 12,000 bytes, it is at most half as large again after four times as many."""
    sizes = []
    for pages in (75, 300):
        telling, records = Telling(make()), Records()
        for event in random_story(1, pages).events:
            telling.tell(event)
        records.commit(telling.strategy)
        longest = max(map(len, records.rows.values()), default=0)
        expect(longest <= _MOST_ROW, f"a row of a memory has at most {_MOST_ROW} bytes, not {longest}")
        sizes.append(sum(_size(value) for value in records.state.values()))
    before, after = sizes
    grown = f"the state does not grow with pages: {before} bytes, then {after}"
    expect(after <= max(1.5 * before, _SMALL_STATE), grown)


def _size(value: object) -> int:
    return len(value) if isinstance(value, bytes) else len(json.dumps(value))


BOUNDED_CHECKS: tuple[Callable[[MakeStrategy], None], ...] = (what_is_stored_is_bounded,)
"""For a strategy that is fit for crawls of any size."""
STRATEGY_CHECKS: tuple[Callable[[MakeStrategy], None], ...] = (
    has_all_of_the_port, answers_are_finite, same_calls_give_same_answers, nothing_is_known_beforehand,
    what_it_is_given_stays, goes_on_after_a_stop, looking_changes_nothing, what_is_known_moves_with_a_redirect,
    an_empty_page_is_no_trouble, *BOUNDED_CHECKS,
)  # fmt: skip
"""All that is promised, bounds included."""


def check_strategy(make: MakeStrategy) -> None:
    """Run every check on a strategy, made anew for each. Raises :class:`~dowse.testing.contract.ContractBroken`."""
    for check in STRATEGY_CHECKS:
        check(make)
