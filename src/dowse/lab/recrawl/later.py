"""The later-crawl test: plans that were learned on one day, used on another, against a full crawl of that day.

The plans come from a learning phase, which ends at 2,000 pages a site; the full crawl of the later day has no end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    @property
    def bytes_share(self) -> float:
        return self.wire_bytes / self.full_bytes


def later(web: DatedWeb, today: int, plans: Mapping[str, Plan]) -> tuple[Walked, dict[str, Later]]:
    """Run plans on a day, beside a full crawl, which is returned too."""
    routes = {name: Route(set(plan.entries), Follower(plan).follows) for name, plan in plans.items()}
    walks = walked_by(web, today, {_FULL: everything(web), **routes})
    full = walks.pop(_FULL)
    objects = distinct(full.found)
    return full, {name: _compared(full, run, objects) for name, run in walks.items()}


def _compared(full: Walked, run: Walked, objects: Sequence[DistinctObject]) -> Later:
    """A run sees no page that the full crawl does not."""
    pages = {page.url for page in run.pages}
    found = sum(not pages.isdisjoint(one.sources) for one in objects)
    return Later(found / max(len(objects), 1), len(objects), run.wire_bytes, full.wire_bytes)
