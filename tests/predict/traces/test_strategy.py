"""The order ``traces``: the contract with traces at hand, and what it proposes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import numpy as np
import pytest

from dowse.model.errors import TopicError
from dowse.model.page import Bag
from dowse.model.strategy import LinkView, Proposes, SourcePage, Strategy
from dowse.model.topic import StrategyChoice
from dowse.model.traces import Traces
from dowse.predict import build_strategy
from dowse.testing import BOUNDED_CHECKS, STRATEGY_CHECKS, random_story
from tests.model.test_traces import made_of

FORMS = ("robust", "paper")
GROWS = ("combined",)  # it keeps every page that links to a URL


def _people(stories: int = 40) -> Traces:
    """Who read what of the webs of the stories that strategies are checked with."""
    dice, rows = Random(7), []
    for seed in range(stories):
        for event in random_story(seed % 5).events:
            if event.links is not None:
                rows += [(dice.randrange(1, 9), dice.randrange(50_000), url) for url in event.links.urls]
    return made_of(sorted(rows)[::3])


TRACES = _people(5)


def made(form: str, traces: Traces = TRACES, name: str = "traces") -> Strategy:
    return build_strategy(StrategyChoice(name, {"form": form}), seed_number=3, traces=traces)


@pytest.mark.parametrize("check", STRATEGY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("name", "form"), [*((n, f) for n in ("traces", "combined") for f in FORMS), ("learning", "robust")]
)
def test_the_contract_holds_where_people_went(name: str, form: str, check: Callable[..., None]) -> None:
    if name in GROWS and check in BOUNDED_CHECKS:
        return
    check(partial(made, form, name=name))


def _source(id_: int, url: str, relevant: bool, word: int = 1) -> SourcePage:
    bag = Bag(np.array([word], np.uint32), np.ones(1, np.float32))
    return SourcePage(id_, 0, 0, id_, float(relevant), relevant, 0, url=url, bag=bag)


def _view(ids: list[int], urls: list[str]) -> LinkView:
    nothing = np.zeros(len(ids), np.int64)
    return LinkView(
        np.array(ids, np.int64), nothing, nothing, np.zeros(len(ids), np.float32),
        np.full((len(ids), 6), np.nan, np.float32), np.full(len(ids), np.nan), urls=urls,
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_it_proposes_what_was_read_around_a_page_the_most_often_read_first(form: str) -> None:
    rows = [(user, 10 * step, f"http://a.org/{page}") for user, read in enumerate(["sab", "sb", "s", "xy"], 1)
            for step, page in enumerate(read)]  # fmt: skip
    strategy = made(form, made_of(rows))
    assert isinstance(strategy, Proposes)
    page = _source(0, "http://a.org/s", True)
    strategy.rank(page, _view([], []))
    assert list(strategy.propose(page)) == ["http://a.org/b", "http://a.org/a"]
    other = _source(1, "http://b.org/", True)
    strategy.rank(other, _view([], []))
    assert list(strategy.propose(other)) == []


@pytest.mark.parametrize("form", FORMS)
def test_people_lead_and_what_nobody_went_to_comes_last(form: str) -> None:
    rows = [(user, 10 * step, f"http://a.org/{page}") for user in range(1, 7)
            for step, page in enumerate(range(user % 2, 40, 2))]  # fmt: skip
    strategy = made(form, made_of(rows))
    empty = _view([], [])
    for page in range(30):
        strategy.rank(_source(page, f"http://a.org/{page}", page % 2 == 0, page % 2), empty)
    urls = ["http://a.org/36", "http://a.org/37", "http://b.org/"]
    assert isinstance(strategy, Proposes)
    good, bad, unknown = strategy.rank_proposed(_source(29, "", False), _view([50, 51, 52], urls)).tolist()
    assert good > 0 > bad > unknown
    assert strategy.refresh(50) == good
    assert strategy.refresh(52) is None
    told = strategy.explain(50, good).features
    assert sum(value * weight for value, weight in told.values()) == pytest.approx(good)
    assert told["people who went there"][0] == 3
    assert told["was read near a page on the topic"][0] == 1
    if form == "robust":
        assert any(name.startswith("log interest ratio of user ") and "(15 of 15 pages)" in name for name in told)


def test_rows_of_other_traces_are_not_taken_for_its_own() -> None:
    one, other = made("robust"), made("robust", Traces.none())
    assert one.memory is not None
    assert other.memory is not None
    assert one.memory.kind != other.memory.kind
    with pytest.raises(ValueError, match="in no trace"):
        other.memory.load(0, [b"\5" + bytes(38)])


def test_others_do_not_take_traces() -> None:
    with pytest.raises(TopicError, match="strategy bfs does not go by people's traces"):
        build_strategy(StrategyChoice("bfs", traces="folder"), seed_number=0)
