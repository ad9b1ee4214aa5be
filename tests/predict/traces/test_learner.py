"""``learning`` with traces: what people went to is weighed like its other evidence, and nothing changes without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dowse.model.errors import TopicError
from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, Proposes, SourcePage, Strategy
from dowse.model.topic import StrategyChoice
from dowse.model.traces import Traces
from dowse.predict import build_strategy
from dowse.predict.learning import Learner
from dowse.predict.learning.features import NAMES
from dowse.predict.traces.learner import AmongPeople
from dowse.testing import random_story
from dowse.testing.stories import Telling
from tests.model.test_traces import made_of

BEST_BEFORE = [144, 32, 102, 244, 173, 155, 242, 105, 179, 295, 265, 41]
"""What waits in the end of one story, best first, before there were traces."""


def learning(traces: Traces | None = None, **params: object) -> Strategy:
    return build_strategy(StrategyChoice("learning", params), seed_number=3, traces=traces)


def _read() -> Traces:
    """Twenty people: half of them read the even pages, and half the odd ones."""
    rows = [(user, 600 * step + user, f"http://a.org/{page}") for user in range(1, 21)
            for step, page in enumerate(range(user % 2, 90, 2))]  # fmt: skip
    return made_of(rows)


def _page(id_: int, url: str, worth: float, ordinal: int = 0) -> SourcePage:
    bag = Bag(np.array([1 + id_ % 2], np.uint32), np.ones(1, np.float32))
    return SourcePage(id_, 0, 0, ordinal, worth, worth >= 0.5, 0, url=url, bag=bag, worth=worth)


def _view(ids: list[int], urls: list[str]) -> LinkView:
    nothing = np.zeros(len(ids), np.int64)
    return LinkView(
        np.array(ids, np.int64), nothing, nothing, np.zeros(len(ids), np.float32),
        np.full((len(ids), len(Context)), np.nan, np.float32), np.full(len(ids), np.nan), urls=urls,
        anchors=[""] * len(ids), positions=np.arange(len(ids), dtype=np.int32),
    )  # fmt: skip


def _taught(pages: int = 60) -> tuple[Strategy, list[float]]:
    """Even pages are on the topic; a page leads to the next three, so that nothing but people tells even from odd."""
    strategy = learning(_read())
    weights = []
    for id_ in range(pages):
        ids = list(range(id_ + 1, id_ + 4))
        strategy.rank(
            _page(id_, f"http://a.org/{id_}", float(id_ % 2 == 0), id_), _view(ids, [f"http://a.org/{n}" for n in ids])
        )
        assert isinstance(strategy, AmongPeople)
        weights.append(float(strategy._learner._learned.weights[-3:].sum()))
    return strategy, weights


def test_without_traces_it_is_what_it_was() -> None:
    strategy = learning()
    assert type(strategy) is Learner
    assert not isinstance(strategy, Proposes)
    assert strategy._columns.names == NAMES
    telling = Telling(strategy)
    for event in random_story(4, 120).events:
        telling.tell(event)
    waiting = [id_ for id_ in telling.known if id_ not in telling.fetched]
    best = sorted(waiting, key=lambda id_: -telling.known[id_])[:12]
    assert best == BEST_BEFORE


def test_it_learns_to_go_by_people_where_they_tell() -> None:
    strategy, weights = _taught()
    assert weights[-1] > weights[0]
    assert isinstance(strategy, Proposes)
    page = _page(59, "http://a.org/59", 0.0)
    good, bad = strategy.rank_proposed(page, _view([200, 201], ["http://a.org/84", "http://a.org/85"])).tolist()
    assert good > 2 * bad
    assert good == pytest.approx(strategy.refresh(200))
    told = strategy.explain(200, good).features
    assert {name for name in told if name.startswith("people: ")} >= {"people: user"}
    assert told["people who went there"] == (10.0, 0.0)
    assert "pages that link to it" not in told
    assert sum(value * weight for value, weight in told.values()) == pytest.approx(good)


def test_people_count_as_shares_more_than_usual() -> None:
    strategy, _ = _taught()
    assert isinstance(strategy, AmongPeople)
    learner, people = strategy._learner, strategy._people
    usual = learner._tables.usual
    for candidate in (60, 61, 62):
        row = learner._columns.one(candidate, learner.memory.one(candidate))[-3:]
        expected = [usual * (np.exp(log) - 1) for log in people.now(candidate)]  # P(C|E) - P(C)
        assert row.tolist() == pytest.approx(expected)


def test_what_no_page_links_to_is_known_by_its_address_and_its_site() -> None:
    strategy, _ = _taught()
    assert isinstance(strategy, AmongPeople)
    for other in (300, 301, 302):  # another site is all off the topic
        strategy.rank(replace(_page(other, f"http://b.org/{other}", 0.0), site=1), _view([], []))
    strategy.rank_proposed(_page(59, "", 0.0), _view([200], ["http://a.org/84"]))
    learner = strategy._learner
    own = dict(zip(NAMES, learner._columns.one(200, learner.memory.one(200)).tolist(), strict=False))
    linked = dict(zip(NAMES, learner._columns.one(60, learner.memory.one(60)).tolist(), strict=False))
    assert own["site"] == linked["site"] > 0
    assert own["best page"] == own["mean of pages"] == learner._tables.usual
    assert own["siblings on the page, mean"] == 0
    assert own["always"] == 1


def test_what_no_page_links_to_is_worth_what_others_like_it_turned_out_to_be() -> None:
    strategy, _ = _taught()
    assert isinstance(strategy, AmongPeople)
    learner = strategy._learner
    worths = [0.0, 0.25, 0.0, 0.0]
    for id_, worth in enumerate(worths, 200):
        urls = [f"http://a.org/{id_ - 130}", f"http://a.org/{id_ - 100}"]
        strategy.rank_proposed(_page(59, "", 0.0), _view([id_, id_ + 100], urls[:1] * 2))
        strategy.rank(_page(id_, urls[0], worth, id_), _view([], []))
    best, mean = learner._columns.one(300, learner.memory.one(300))[:2].tolist()
    usual = learner._tables.usual
    assert best == mean == pytest.approx((sum(worths) + 10 * usual) / (len(worths) + 10))
    again = learning(_read())
    assert isinstance(again, AmongPeople)
    again.memory.load(0, strategy.memory.rows(list(range(learner.memory.count))))
    again.restore(strategy.state())
    assert again.refresh(300) == strategy.refresh(300)


def test_a_seed_is_no_proposal() -> None:
    strategy = learning(_read())
    assert isinstance(strategy, AmongPeople)
    strategy.rank(_page(0, "http://a.org/0", 1.0), _view([], []))
    assert strategy._learner._tables.alone == 0
    assert strategy._learner._learned.examples == 0
    assert strategy.refresh(0) is None


def test_it_proposes_what_people_read_around_a_page() -> None:
    strategy, _ = _taught(3)
    assert isinstance(strategy, Proposes)
    page = _page(40, "http://a.org/40", 1.0)
    strategy.rank(page, _view([], []))
    around = [f"http://a.org/{page}" for page in range(30, 51, 2) if page != 40]
    assert sorted(strategy.propose(page)) == sorted(around)


@pytest.mark.parametrize("params", [{"form": "paper"}, {"combine": "logs"}])
def test_interest_ratios_go_by_links_alone(params: dict[str, object]) -> None:
    with pytest.raises(TopicError, match="choose the strategy combined"):
        learning(_read(), **params)
