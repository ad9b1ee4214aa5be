"""A crawl at one moment, as a progress display shows it."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.engine.life import Life
from dowse.engine.loop.tasks import Tasks
from dowse.frontier import Errand
from dowse.model.budget import Purse
from dowse.model.forecast import Forecast

__all__ = ["Progress", "progress_of"]

_PLURALS = {
    "answer": "answers",
    "site's delay": "sites' delays",
    "robots.txt": "robots.txt",
    "site set aside": "sites set aside",
}
_LOOK_AT = 2000  # sites looked at for the sentence; more would slow a large crawl's display


@dataclass(frozen=True, slots=True)
class Progress:
    """The figures of a crawl at one moment."""

    elapsed_s: float
    pages: int
    relevant: int
    harvest: float  # relevant pages a page, overall
    harvest_now: float  # over the last hundred pages
    pages_per_s: float  # over the last ten seconds
    requests: int
    bytes: int
    waiting: int
    sites: int
    in_flight: int
    parsing: int
    outcomes: dict[str, int]  # pages by how they ended
    best_sites: list[tuple[str, int, int]]  # host, relevant, pages
    budget_left: dict[str, float]  # limit -> share left, in [0, 1]
    waits_for: str
    value: float  # sum of scores
    saved_pages: int = 0  # taken from caches instead of the network
    saved_bytes: int = 0
    unpublished: int | None = None  # pages that the shared database does not have yet; None: there is none
    publish_trouble: str = ""  # why it does not get them
    forecast: Forecast | None = None  # what the next fetches may bring; None before the first look
    due: int | None = None  # pages that are to be visited again; None: it is no run of visits
    visited: int = 0  # of these, those that had their visit
    changed: int = 0  # of these, those that had changed, as far as this process has seen


def progress_of(life: Life, tasks: Tasks, purse: Purse, now: float, started: float) -> Progress:
    """The figures of a crawl as they are ``now``; ``started`` is when this run began."""
    tally, spent = life.tally, purse.spent
    return Progress(
        elapsed_s=spent.seconds,
        pages=tally.pages,
        relevant=tally.relevant,
        harvest=tally.harvest(),
        harvest_now=tally.harvest_now(),
        pages_per_s=tally.pages_per_s(now, started),
        requests=spent.requests,
        bytes=spent.bytes,
        waiting=life.waiting,
        sites=len(life.sites),
        in_flight=tasks.fetching,
        parsing=len(tasks) - tasks.fetching,
        outcomes=dict(tally.outcomes),
        best_sites=tally.best_sites(),
        budget_left=purse.shares_left(),
        waits_for=_waits_for(life, now, tasks.fetching),
        value=tally.value,
        saved_pages=tally.saved_pages,
        saved_bytes=tally.saved_bytes,
        forecast=life.forecasts.forecast,
        due=life.visits.planned,
        visited=life.visits.done,
        changed=tally.visits.get("changed", 0),
    )


def _waits_for(life: Life, now: float, in_flight: int) -> str:
    """One phrase: what keeps the next request from leaving."""
    if not life.waiting:
        return f"{in_flight} {_several('answer', in_flight)}" if in_flight else "nothing: no URL is left"
    held = robots = delays = 0
    for site in life.sites.first(_LOOK_AT):
        if not site.waiting:
            continue
        if site.errand is not Errand.PAGE:
            robots += 1
        elif site.ready_at - now > max(5.0, 2 * site.delay_s):
            held += 1
        elif site.ready_at > now or site.in_flight:
            delays += 1
    kinds = ((in_flight, "answer"), (delays, "site's delay"), (robots, "robots.txt"), (held, "site set aside"))
    parts = [f"{count} {_several(what, count)}" for count, what in kinds if count]
    wake = life.wake_at()
    if not in_flight and wake is not None and wake - now >= 1:
        parts.append(f"next in {wake - now:.0f} s")
    return ", ".join(parts) or "nothing"


def _several(what: str, count: int) -> str:
    return what if count == 1 else _PLURALS[what]
