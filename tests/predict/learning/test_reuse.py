"""A learner that starts from what another has learned."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dowse.model.errors import TopicError
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy
from dowse.predict.learning import Learner, Statistics
from dowse.predict.learning.events import Events
from dowse.predict.learning.features import NAMES, Tables
from dowse.predict.learning.link_tokens import link_tokens
from dowse.predict.learning.notes import ROW, Rows
from tests.predict.learning.made import page_bag, told, url
from tests.predict.memories import hand_over

ALL = 1e9


def row_for(address: str, site: int = 0) -> Rows:
    row = np.zeros(1, ROW)
    row["own"], row["parents"], row["site"] = np.nan, 1, site
    row["token"] = link_tokens(address, "a page")
    return row


def evidence(tables: Tables, address: str) -> float:
    tables.siblings.open(np.array([0]), np.array([1]), np.array([0.5]))
    return float(tables.features(row_for(address))[0, NAMES.index("tokens")])


def test_its_own_statistics_give_the_same_token_evidence() -> None:
    first = told(Learner())
    second = Learner(before=first.statistics(), reuse=ALL)
    for number in (3, 4, 60, 61):
        assert evidence(second._tables, url(number)) == pytest.approx(evidence(first._tables, url(number)), abs=1e-6)
    assert evidence(second._tables, url(60)) > 0 > evidence(second._tables, url(61))
    assert second._tables.usual == pytest.approx(first._tables.usual)
    first._learned.fit()  # by all its examples, as the second does
    assert second._learned.weights == pytest.approx(first._learned.weights, abs=1e-6)


def test_counts_are_those_of_the_pages() -> None:
    learned = told(Learner()).statistics(bags={number: page_bag(number) for number in range(30)})
    assert learned.pages == 30
    assert {host: pages for host, (pages, _) in learned.hosts.items()} == {"rink.test": 10, "oven.test": 20}
    assert learned.words.at(7)[0] == 30, "a word that is on every page"
    assert learned.mixes[NAMES].examples == 29, "nothing led to the first"
    assert learned.value == pytest.approx(sum(value for _, value in learned.hosts.values()))


def test_words_are_those_of_pages_whose_terms_are_at_hand() -> None:
    learner = told(Learner())
    assert len(learner.statistics().words) == 0
    some = learner.statistics(bags={0: page_bag(0), 1: page_bag(1), 4: page_bag(4), 1000: page_bag(1000)})
    assert some.words.at(7) == pytest.approx([3, 0.9 + 0.1 + 0.1], abs=1e-3), "no page 1000 was judged"


def test_sites_are_known_by_their_host_whatever_their_number() -> None:
    first = told(Learner()).statistics()
    second = Learner(before=first, reuse=ALL)
    second._met(40, "rink.test")
    second._met(41, "new.test")
    sites = second._tables._sites[[40, 41]]
    assert sites[0] == pytest.approx(complex(*first.hosts["rink.test"]), abs=1e-4)
    assert sites[1] == 0


def test_the_earlier_crawl_weighs_no_more_than_asked_for() -> None:
    learned = told(Learner()).statistics()
    assert Learner(before=learned, reuse=6)._before.pages == pytest.approx(6)
    nothing = told(Learner(before=learned, reuse=0), 12)
    assert nothing._learned.weights == pytest.approx(told(Learner(), 12)._learned.weights)
    with pytest.raises(TopicError, match="reuse = -1 is no number of pages"):
        Learner(before=learned, reuse=-1)


def test_statistics_go_on_from_what_it_started_from() -> None:
    first = told(Learner()).statistics()
    second = told(Learner(before=first, reuse=10), 12).statistics()
    assert second.pages == pytest.approx(22)
    assert second.mixes[NAMES].examples == pytest.approx(11 + 29 / 3, abs=0.5)


def test_a_resumed_learner_has_the_same_statistics() -> None:
    before = told(Learner()).statistics()
    whole = told(Learner(before=before))
    again = Learner(before=before)
    hand_over(whole.memory, again.memory, 40)
    again.restore(json.loads(json.dumps(whole.state())))
    assert np.array_equal(again._tables._tokens, whole._tables._tokens)
    assert np.array_equal(again._tables._sites[:3], whole._tables._sites[:3])
    assert again.statistics() == whole.statistics()


def test_a_mix_of_other_features_is_not_taken_up() -> None:
    learned = told(Learner()).statistics()
    other = Statistics(10, 5.0, mixes={("one", "two"): learned.mixes[NAMES]})
    assert Learner(before=other)._learned.examples == 0


def test_only_a_strategy_that_learns_can_use_them() -> None:
    choice = StrategyChoice("bfs", learn_from=("earlier",))
    with pytest.raises(TopicError, match=r"strategy bfs keeps no statistics.*choose learning"):
        build_strategy(choice, seed_number=0)
    with pytest.raises(TopicError, match="form=paper starts from what a crawl in that form has counted"):
        build_strategy(StrategyChoice("learning", {"form": "paper"}), seed_number=0, before=Statistics())
    counted = Statistics(3, 1.0, events={"paper": Events(3, 1.0)})
    with pytest.raises(TopicError, match="combine=logs starts from what a crawl in that form has counted"):
        build_strategy(StrategyChoice("learning", {"combine": "logs"}), seed_number=0, before=counted)
    with pytest.raises(TopicError, match="was counted with form=paper or combine=logs: choose that form"):
        build_strategy(StrategyChoice("learning"), seed_number=0, before=counted)
    with pytest.raises(TopicError, match="reuse = -1 is no number of pages"):
        build_strategy(StrategyChoice("learning", {"form": "paper", "reuse": -1}), seed_number=0, before=counted)
