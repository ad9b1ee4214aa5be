"""Visits to the pages of a crawl that several engines share: one plan over all, of which each shard has its part.

What is due is chosen among the pages of the whole crawl, as one engine would choose it. The part of each shard is
written into its own records, as a plan that was begun: so its engine goes on with it, and whoever dies at whatever
moment, what is left to do is there. What the run may spend is what all shards had spent before, and its budget: the
common ground grants no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dowse.engine.assembly.revisit import Revisit, budget_from, chosen, plan_of, spent_before
from dowse.model.budget import Budget, Spent, parse_budget
from dowse.model.errors import UserError
from dowse.model.visits import RevisitPlan
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable
from dowse.store.sharded import holds_crawl, shard_folders

__all__ = ["budget_of_visits", "plan_visits"]


def plan_visits(
    folder: Path, shards: int, asked: Revisit, now_wall: float, tell: Callable[[str], None]
) -> Budget:  # fmt: skip
    """Write the plan of a run of visits, in place of one that was begun: what all shards may have spent at its end.
    UserError where the records of a shard are not here."""
    places = [place for place in shard_folders(folder) if holds_crawl(place)]
    if len(places) < shards:
        raise UserError(
            f"visits are planned over the records of all {shards} shards, and {folder} has those of {len(places)}:"
            " bring their folders together first"
        )
    with CrawlStore.open(folder) as whole:
        room = Revisitable(whole)
        due, budget = chosen(room, asked, now_wall)
        left = {url: place for place, url in enumerate(room.urls(due))}
    tell(f"{len(left)} of the crawl's pages are due; at most {budget} are spent")
    spent = []
    for place in places:
        with CrawlStore.open(place) as store:
            room = Revisitable(store)
            own = room.among(left)
            room.begin(list(own.values()), plan_of(room, store, asked.how, budget, len(own), now_wall))
            spent.append(store.spent())
        left = {url: at for url, at in left.items() if url not in own}
    return budget_from(budget, _together(spent))


def budget_of_visits(folder: Path) -> Budget | None:
    """Of a run of visits that has not come to its end: what all shards may have spent at its end; None: there is none.
    A shard that was not told of it, or has ended its part, has nothing to visit."""
    spent: list[Spent] = []
    plan: RevisitPlan | None = None
    without: list[Path] = []
    for place in filter(holds_crawl, shard_folders(folder)):
        with CrawlStore.open(place) as store:
            found = Revisitable(store).plan()
            if found is None:
                without.append(place)
            else:
                plan = plan or found
                spent.append(spent_before(found))
    if plan is None:
        return None
    for place in without:
        with CrawlStore.open(place) as store:
            room, budget = Revisitable(store), parse_budget(plan.budget)
            room.begin([], plan_of(room, store, plan.how, budget, 0, plan.began_at))
            spent.append(store.spent())
    return budget_from(parse_budget(plan.budget), _together(spent))


def _together(spent: Sequence[Spent]) -> Spent:
    """What shards have spent side by side."""
    return Spent(
        sum(one.pages for one in spent), sum(one.bytes for one in spent),
        max((one.seconds for one in spent), default=0.0), sum(one.requests for one in spent),
    )  # fmt: skip
