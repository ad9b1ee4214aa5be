"""The later-crawl test: a plan that was learned on one day, used on another, against a full crawl of that day."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.lab.recrawl.walk import DatedWeb, Walked, followed, walked
from dowse.recrawl.objects import distinct
from dowse.recrawl.selection.plan import Follower, Plan

__all__ = ["Later", "later"]


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


def later(web: DatedWeb, today: int, plan: Plan, full: Walked | None = None) -> Later:
    """Run a plan on a day, beside a full crawl."""
    full = full or walked(web, today)
    run = followed(web, today, plan.entries, Follower(plan).follows)
    in_full, in_run = ({page.url for page in walk.pages} for walk in (full, run))
    known = found = beyond = 0
    for one in distinct([*full.found, *run.found]):
        of_full, of_run = (not pages.isdisjoint(one.sources) for pages in (in_full, in_run))
        known += of_full
        found += of_full and of_run
        beyond += of_run and not of_full
    return Later(found / max(known, 1), known, run.wire_bytes, full.wire_bytes, beyond)
