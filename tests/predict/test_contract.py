"""What every strategy promises, checked on each of them, in all of its forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import LinkView, Sample, SourcePage, Strategy, Subject
from dowse.model.topic import StrategyChoice
from dowse.predict import STRATEGIES, build_strategy, parameters, split_strategy
from dowse.predict.learning import KeepsStatistics, Statistics
from dowse.predict.measures import LINK_MEASURES
from dowse.predict.rerank import RanksOnMention
from dowse.testing import BOUNDED_CHECKS, STRATEGY_CHECKS, ContractBroken, check_strategy, random_story
from dowse.testing.stories import Telling

FORMS = [
    *STRATEGIES,
    *(f"{name}:form=paper" for name in STRATEGIES if "form" in parameters(name)),
    "learning:combine=logs", "learning:exact=true", "learning:url=0,siblings=0", "tunnel:form=max",
    "tunnel:alpha=0.2,k=3", "best-n-first:n=3", "black-tunnel:d=0", "hybrid:predictor=average-2,link=link", "random",
    *(f"hybrid:form=paper,predictor={predictor},link={link}" for predictor in ("average", "average-2", "weighted")
      for link in LINK_MEASURES),
    "weighted:form=paper,menus=0", "weighted:menus=1", "site-first:sites=3,free_levels=0,drop_refused=true",
]  # fmt: skip
# They keep every page that links to a URL.
GROWS = (
    "average-2:form=paper", "learning:form=paper", "learning:combine=logs", "combined", "combined:form=paper",
    *(f"hybrid:form=paper,predictor=average-2,link={link}" for link in LINK_MEASURES),
)  # fmt: skip
EXAMPLES = Subject(
    (Sample(Bag(np.array([3, 9, 40], np.uint32), np.ones(3, np.float32)), "site1.test"),),
    (Sample(Bag(np.array([9, 77], np.uint32), np.ones(2, np.float32))),),
)


def made(text: str, subject: Subject | None = None, before: Statistics | None = None) -> Strategy:
    name, params = split_strategy(text)
    return build_strategy(StrategyChoice(name, params), seed_number=3, subject=subject, before=before)


def earlier(form: str = "learning") -> Statistics:
    """What another crawl has learned."""
    telling = Telling(made(form))
    for event in random_story(9, pages=60).events:
        telling.tell(event)
    assert isinstance(telling.strategy, KeepsStatistics)
    return telling.strategy.statistics()


@pytest.mark.parametrize("check", STRATEGY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("form", dict.fromkeys(FORMS))
def test_every_strategy_keeps_the_contract(form: str, check: Callable[..., None]) -> None:
    if form in GROWS and check in BOUNDED_CHECKS:
        with pytest.raises(ContractBroken, match="a row of a memory has at most 1000 bytes"):
            check(partial(made, form))
    else:
        check(partial(made, form))


@pytest.mark.parametrize("check", [check for check in STRATEGY_CHECKS if check not in BOUNDED_CHECKS],
                         ids=lambda check: check.__name__)  # fmt: skip
@pytest.mark.parametrize("form", ["learning:form=paper", "learning:combine=logs"])
def test_interest_ratios_keep_it_with_what_was_learned_before(form: str, check: Callable[..., None]) -> None:
    check(partial(made, form, EXAMPLES, earlier(form)))


@pytest.mark.parametrize("check", STRATEGY_CHECKS, ids=lambda check: check.__name__)
def test_the_default_keeps_it_with_examples_and_what_was_learned_before(check: Callable[..., None]) -> None:
    check(partial(made, "learning", EXAMPLES, earlier()))


def test_names_are_those_that_users_write() -> None:
    assert [made(name).name for name in STRATEGIES] == list(STRATEGIES)


def test_a_strategy_that_breaks_its_word_is_found_out() -> None:
    with pytest.raises(ContractBroken, match="looking changes nothing"):
        check_strategy(Restless)


def test_at_least_one_site_is_current() -> None:
    def nowhere() -> Strategy:
        strategy = made("site-first")
        strategy.sites_at_once = 0  # type: ignore[attr-defined]
        return strategy

    with pytest.raises(ContractBroken, match="at least one site is current"):
        check_strategy(nowhere)


@pytest.mark.parametrize(("urls", "priority", "told"), [
    (["http://a.test/"] * 2, 1.0, "propose names each URL once"),
    ([f"http://a.test/{number}" for number in range(1001)], 1.0, "1000 at most"),
    (["a.test"], 1.0, "what is proposed is canonical"),
    (["http://a.test/"], float("nan"), "answers are finite: rank_proposed of"),
    (["http://a.test/"], -1.0, "values are at least 0: rank_proposed of"),
])  # fmt: skip
def test_proposals_that_break_their_word_are_found_out(urls: list[str], priority: float, told: str) -> None:
    with pytest.raises(ContractBroken, match=told):
        check_strategy(lambda: Leading(urls, priority))


def test_a_strategy_may_propose() -> None:
    check_strategy(lambda: Leading(["http://a.test/", "http://b.test/x"], 0.5))


class Leading(RanksOnMention):
    """Best-first that leads to the same few URLs from every page."""

    name = "leading"
    predicts_value = True
    memory = None

    def __init__(self, urls: list[str], priority: float) -> None:
        best = made("best-first")
        self.rank, self.explain = best.rank, best.explain
        self._urls, self._priority = urls, priority

    def propose(self, page: SourcePage) -> list[str]:
        return self._urls

    def rank_proposed(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        return np.full(len(links.ids), self._priority)


class Restless:
    """Best-first that thinks better of a URL each time it is asked about it."""

    name = "restless"
    predicts_value = True
    learns_words = False
    memory = None

    def __init__(self) -> None:
        self._best = made("best-first")
        self.asked = 0
        self.rank = self._best.rank
        self.revise = self._best.revise
        self.explain = self._best.explain
        self.state = self._best.state
        self.restore = self._best.restore

    def refresh(self, candidate: int) -> float | None:
        self.asked += candidate > 1_000
        return float(self.asked)
