"""A run of visits: which pages are due, and what it may spend.

It is a run of its own on a crawl that there is, recorded like any other. Its budget counts from where it begins,
whatever the crawl had spent before. A run that was interrupted or killed left its plan behind: the next one goes on
with that, unless it is told to make a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from dowse.engine.life import Due
from dowse.model.budget import Budget, Spent, parse_budget, parse_duration
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Target, Topic
from dowse.model.visits import RevisitPlan, Visitable
from dowse.recrawl.revisit import POLICIES, older_than, worth_most
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable

__all__ = ["Revisit", "budget_from", "chosen", "plan_of", "revisit_run", "spent_before"]

_NO_LIMIT = Budget()
_SHORTEST_S = 3600.0  # that the last visits are taken to be ago, when it is not said how often such runs come
_NEW_SHARE = 5  # of the pages of a run: one in so many is left for what is found new
_POLICY_HELP = "write an age such as 7d, or auto, uniform or proportional with a budget of pages"


@dataclass(frozen=True, slots=True)
class Revisit:
    """What a run of visits is told: an age or a policy, what it may spend, and how often such runs come."""

    how: str
    budget: Budget = _NO_LIMIT
    period_s: float | None = None

    def __post_init__(self) -> None:
        if self.how in POLICIES:
            if self.budget.pages is None:
                raise UserError(f"--revisit {self.how} shares visits out: say how many with --budget, such as 500p")
            return
        try:
            parse_duration(self.how)
        except TopicError:
            raise UserError(f"--revisit: {self.how!r} says nothing: {_POLICY_HELP}") from None


def revisit_run(
    store: CrawlStore, topic: Topic, asked: Revisit | None, now_wall: float, tell: Callable[[str], None]
) -> tuple[Topic, Due | None]:
    """The topic by which visits are made, and what is due; as it was, and None, where it is no run of visits."""
    room = Revisitable(store)
    plan = room.plan()
    if asked is not None:
        plan = _planned(room, asked, store, now_wall)
        tell(f"{plan.due} of the crawl's pages are due; at most {plan.budget} are spent")
    elif plan is not None:
        tell(f"going on with the visits that were begun ({plan.how}, at most {plan.budget})")
    if plan is None:
        return topic, None
    budget = budget_from(parse_budget(plan.budget), spent_before(plan))
    cache = replace(topic.cache, folders=())  # what an earlier crawl holds is no news
    return replace(topic, budget=budget, target=Target(), cache=cache), Due(
        room.due(), plan.due, spent_before(plan), plan.first_new, room.copy
    )


def _planned(room: Revisitable, asked: Revisit, store: CrawlStore, now_wall: float) -> RevisitPlan:
    due, budget = chosen(room, asked, now_wall)
    plan = plan_of(room, store, asked.how, budget, len(due), now_wall)
    room.begin(due, plan)
    return plan


def chosen(room: Revisitable, asked: Revisit, now_wall: float) -> tuple[list[int], Budget]:
    """The pages that are due, in the order of the plan, and what the run may spend."""
    due = _due(room, asked, room.pages(), now_wall)
    if asked.budget == _NO_LIMIT:
        return due, Budget(pages=len(due) + len(due) // (_NEW_SHARE - 1) + 1)
    return due, asked.budget


def plan_of(
    room: Revisitable, store: CrawlStore, how: str, budget: Budget, due: int, now_wall: float
) -> RevisitPlan:  # fmt: skip
    """The plan of a run that begins now, in these records."""
    spent = {name: float(value) for name, value in asdict(store.spent()).items()}
    return RevisitPlan(how, str(budget), spent, room.candidates(), now_wall, due)


def _due(room: Revisitable, asked: Revisit, pages: Visitable, now_wall: float) -> list[int]:
    if asked.how not in POLICIES:
        return older_than(pages, parse_duration(asked.how), now_wall)
    latest = room.latest()
    ago_s = _SHORTEST_S if latest is None else now_wall - latest
    visits = max(1, (asked.budget.pages or 0) * (_NEW_SHARE - 1) // _NEW_SHARE)
    return worth_most(asked.how, pages, room.visits(), visits, asked.period_s or max(ago_s, _SHORTEST_S), now_wall)


def spent_before(plan: RevisitPlan) -> Spent:
    """What the records say that the crawl had spent when the run began."""
    base = plan.base
    return Spent(int(base["pages"]), int(base["bytes"]), base["seconds"], int(base["requests"]))


def budget_from(budget: Budget, spent: Spent) -> Budget:
    """The budget of a run that begins when so much is spent."""
    return Budget(
        pages=None if budget.pages is None else budget.pages + spent.pages,
        bytes=None if budget.bytes is None else budget.bytes + spent.bytes,
        seconds=None if budget.seconds is None else budget.seconds + spent.seconds,
        requests=None if budget.requests is None else budget.requests + spent.requests,
    )
