"""How the crawl ends: for one reason, which the first who finds it writes down, and which all hear at their next beat.

It is looked for at each beat, in the order in which a single engine does:

1. *target*: the relevant pages, or the values, of all shards' last reports together reach it; those of dead ones count.
2. *budget*: what all have spent reaches a limit, or a living shard says that its seconds are over.
3. *empty* or *stalled*: every shard is here and alive, and idle for that reason, and no letter waits. A dead shard is
   not idle: it has what it has, and comes again. So is nobody whose budget is used up while there is some to be had.

Anybody may also end it (``stop``), for a reason of his own. Whatever comes later is told the reason that stands.

Why nothing is overlooked: a shard tells that it is idle only once all it has written is posted, and that is cleared in
the transaction in which it notes letters; this looks at all of it with all shards' rows locked. So at one instant
nobody had anything to do, and nothing was under way to anybody.
"""

from __future__ import annotations

from collections.abc import Sequence

from dowse.cluster.ground.members import Shard
from dowse.model.budget import Budget

__all__ = ["Stop", "found_end"]

Stop = tuple[str, str]  # kind and detail

_NOTHING_LEFT = ("empty", "stalled")


def found_end(
    shards: Sequence[Shard], budget: Budget, relevant: int | None, value: float | None, now: float, *, mail: bool
) -> Stop | None:
    """Why the crawl is over, or None. ``mail``: some letter waits."""
    if relevant is not None and sum(shard.relevant for shard in shards) >= relevant:
        return "target", f"{relevant} relevant pages were wanted"
    if value is not None and sum(shard.value for shard in shards) >= value:
        return "target", f"pages with scores of {value:g} in all were wanted"
    if spent := _spent(shards, budget, now):
        return "budget", f"{spent} ({budget})"
    reasons = {shard.idle if shard.is_alive(now) else "" for shard in shards}
    if mail or not reasons <= {*_NOTHING_LEFT}:
        return None
    if reasons == {"empty"}:
        return "empty", "no URL is left to fetch"
    return "stalled", f"{sum(shard.waiting for shard in shards)} URLs wait for nothing that could come"


def _spent(shards: Sequence[Shard], budget: Budget, now: float) -> str:
    """Of what nothing is left."""
    for name in ("pages", "bytes", "requests"):
        limit = getattr(budget, name)
        if limit is not None and sum(getattr(shard.spent, name) for shard in shards) >= limit:
            return name
    if any(shard.idle == "budget: seconds" and shard.is_alive(now) for shard in shards):
        return "seconds"
    return ""
