"""What a crawl is waiting for, and how much of its budget is left, in words and shares."""

from __future__ import annotations

from dowse.frontier import Errand, Frontier
from dowse.model.budget import Purse

__all__ = ["budget_left", "waits_for"]

_PLURALS = {
    "answer": "answers",
    "site's delay": "sites' delays",
    "robots.txt": "robots.txt",
    "site set aside": "sites set aside",
}
_LOOK_AT = 2000  # sites looked at for the sentence; more would slow a large crawl's display


def budget_left(purse: Purse) -> dict[str, float]:
    """Each limit with the share of it that is left."""
    left = {}
    for name in ("pages", "bytes", "seconds", "requests"):
        limit, spent = getattr(purse.budget, name), getattr(purse.spent, name)
        if limit is not None:
            left[name] = max(0.0, 1.0 - spent / limit)
    return left


def waits_for(frontier: Frontier, now: float, in_flight: int) -> str:
    """One phrase: what keeps the next request from leaving."""
    if not frontier.waiting:
        return f"{in_flight} {_several('answer', in_flight)}" if in_flight else "nothing: no URL is left"
    held = robots = delays = 0
    for site in frontier.sites[:_LOOK_AT]:
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
    wake = frontier.wake_at()
    if not in_flight and wake is not None and wake - now >= 1:
        parts.append(f"next in {wake - now:.0f} s")
    return ", ".join(parts) or "nothing"


def _several(what: str, count: int) -> str:
    return what if count == 1 else _PLURALS[what]
