"""The later-crawl test: plans that were learned on one day, used on another, against a full crawl of that day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dowse.lab.recrawl.walk import DatedWeb, Route, Walked, everything, walked_by
from dowse.model.objects import DistinctObject
from dowse.recrawl.objects import distinct
from dowse.recrawl.selection.plan import Follower, Plan

__all__ = ["Later", "later"]

_FULL = ""


@dataclass(frozen=True, slots=True)
class Later:
    """What a plan brought on a later day."""

    found: float  # of the distinct objects of the full crawl, the share that the plan's run found
    objects: int  # of the full crawl
    wire_bytes: int  # of the run
    full_bytes: int
    beyond: int  # objects that only the run found, as a full crawl ends at 2,000 pages a site

    @property
    def bytes_share(self) -> float:
        return self.wire_bytes / self.full_bytes


def later(web: DatedWeb, today: int, plans: Mapping[str, Plan]) -> tuple[Walked, dict[str, Later]]:
    """Run plans on a day, beside a full crawl, which is returned too."""
    routes = {name: Route(set(plan.entries), Follower(plan).follows) for name, plan in plans.items()}
    walks = walked_by(web, today, {_FULL: everything(web), **routes})
    full = walks.pop(_FULL)
    known: set[str] = set()
    all_found = []
    for walk in (full, *walks.values()):
        fresh = {page.url for page in walk.pages} - known
        all_found += [one for one in walk.found if one.url in fresh]
        known |= fresh
    objects = distinct(all_found)
    return full, {name: _compared(full, run, objects) for name, run in walks.items()}


def _compared(full: Walked, run: Walked, objects: list[DistinctObject]) -> Later:
    in_full, in_run = ({page.url for page in walk.pages} for walk in (full, run))
    known = found = beyond = 0
    for one in objects:
        of_full, of_run = (not pages.isdisjoint(one.sources) for pages in (in_full, in_run))
        known += of_full
        found += of_full and of_run
        beyond += of_run and not of_full
    return Later(found / max(known, 1), known, run.wire_bytes, full.wire_bytes, beyond)
