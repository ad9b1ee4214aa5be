"""A crawl that follows a plan and nothing else: its order, its judge and its topic (METHODS, section 5, step 5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dowse.model.judge import ReadPage
from dowse.model.page import Reason, Verdict
from dowse.model.strategy import Explanation, LinkView, SourcePage
from dowse.model.topic import Scope, Seeds, StrategyChoice, Topic, Traps
from dowse.predict.rerank import RanksOnMention
from dowse.recrawl.selection.plan import Follower, Plan

__all__ = ["PLAN", "ByPlan", "FollowsPlan", "planned_topic"]

PLAN = "plan"
_LEFT_OUT = -1.0  # below the lowest priority, 0: such a link is not taken up, until a page has it that may lead there


class FollowsPlan(RanksOnMention):
    """Follow a plan's links only, those nearest to an entry page first."""

    name = PLAN
    predicts_value = False
    learns_words = True  # for the addresses of links
    memory = None

    def __init__(self, plan: Plan) -> None:
        self._follower = Follower(plan)

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        follows = self._follower.follows(page.url or "", links.urls)
        fresh = np.where(np.array(follows, bool), 1.0 / (1.0 + links.depths), _LEFT_OUT)
        return np.fmax(links.current, fresh)

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {"1 / (1 + depth), where the plan leads": (priority, 1.0)})


class ByPlan:
    """A page counts as relevant where the plan expects objects."""

    name = PLAN
    threshold = 0.5
    needs_text = False
    needs_objects = False
    can_be_sent = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._follower = Follower(plan)

    def __reduce__(self) -> tuple[type[ByPlan], tuple[Plan]]:
        return ByPlan, (self._plan,)

    def verdict(self, page: ReadPage) -> Verdict:
        expected = self._follower.states_objects(page.facts.url)
        score = float(expected)
        return Verdict(score, expected, self.threshold, self.name, (Reason("objects are expected", score, 1.0),))


def planned_topic(plan: Plan, topic: Topic) -> Topic:
    """The topic of a run: from the plan's entries, with no rule against sites without end, since a plan has an end."""
    traps = Traps(
        max_per_host=0, max_hosts_per_domain=0, max_repeated_segments=0, max_per_pattern=0, max_pattern_run=0,
        session_ids=False,
    )  # fmt: skip
    return replace(
        topic,
        name=topic.name or "recrawl",
        seeds=Seeds(urls=plan.entries, on_topic=False),
        scope=Scope(traps=traps),
        strategy=StrategyChoice(PLAN, min_priority=0.0),
    )
