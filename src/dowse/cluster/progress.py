"""A crawl of several shards at one moment, as one."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from dowse.engine.loop.progress import Progress
from dowse.model.budget import Budget

__all__ = ["figures_of", "progress_from", "sum_of"]

_SUMMED = (
    "pages", "relevant", "pages_per_s", "requests", "bytes", "waiting", "sites", "in_flight", "parsing", "value",
    "saved_pages", "saved_bytes", "visited", "changed",
)  # fmt: skip
_WINDOW_PAGES = 100
_BEST = 5
NOTHING = Progress(
    elapsed_s=0.0, pages=0, relevant=0, harvest=0.0, harvest_now=0.0, pages_per_s=0.0, requests=0, bytes=0, waiting=0,
    sites=0, in_flight=0, parsing=0, outcomes={}, best_sites=[], budget_left={}, waits_for="its start", value=0.0,
)  # fmt: skip


def figures_of(progress: Progress) -> dict[str, Any]:
    """Plain JSON values. A forecast is about one shard alone, and stays there."""
    return asdict(replace(progress, forecast=None))


def progress_from(figures: dict[str, Any]) -> Progress:
    """What :func:`figures_of` gave."""
    known = {field.name for field in fields(Progress)}
    return Progress(**{name: value for name, value in figures.items() if name in known})


def sum_of(shards: Sequence[Progress], budget: Budget) -> Progress:
    """The figures of all shards together; ``budget`` is what they may spend together."""
    sums: dict[str, Any] = {name: sum(getattr(shard, name) for shard in shards) for name in _SUMMED}
    outcomes: dict[str, int] = {}
    hosts: dict[str, tuple[int, int]] = {}
    for shard in shards:
        for outcome, count in shard.outcomes.items():
            outcomes[outcome] = outcomes.get(outcome, 0) + count
        for host, relevant, pages in shard.best_sites:
            before = hosts.get(host, (0, 0))
            hosts[host] = before[0] + relevant, before[1] + pages
    best = heapq.nsmallest(_BEST, hosts.items(), key=lambda item: (-item[1][0], item[1][1], item[0]))
    recent = [min(shard.pages, _WINDOW_PAGES) for shard in shards]
    lately = sum(shard.harvest_now * count for shard, count in zip(shards, recent, strict=True))
    behind = [shard.unpublished for shard in shards if shard.unpublished is not None]
    planned = [shard.due for shard in shards if shard.due is not None]
    elapsed_s = max((shard.elapsed_s for shard in shards), default=0.0)
    return Progress(
        **sums, elapsed_s=elapsed_s, outcomes=outcomes,
        harvest=sums["relevant"] / sums["pages"] if sums["pages"] else 0.0,
        harvest_now=lately / sum(recent) if sum(recent) else 0.0,
        best_sites=[(host, relevant, pages) for host, (relevant, pages) in best],
        budget_left=_left(budget, {**sums, "seconds": elapsed_s}), waits_for=_waits_for(shards),
        due=sum(planned) if planned else None,
        unpublished=sum(behind) if behind else None,
        publish_trouble=next((shard.publish_trouble for shard in shards if shard.publish_trouble), ""),
    )  # fmt: skip


def _left(budget: Budget, spent: dict[str, float]) -> dict[str, float]:
    """Each limit with the share of it that is left."""
    limits = asdict(budget)
    return {name: max(0.0, 1.0 - spent[name] / limit) for name, limit in limits.items() if limit}


def _waits_for(shards: Sequence[Progress]) -> str:
    said = [f"{number}: {shard.waits_for}" for number, shard in enumerate(shards)]
    return "shards " + "; ".join(said) if said else "its start"
