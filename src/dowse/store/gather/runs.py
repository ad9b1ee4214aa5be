"""The runs of a shared crawl, from those of its shards: what went on at the same time is one run.

A shard that was killed and started again while others went on has more runs than they; all of these are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ShardRun", "joined_runs"]


@dataclass(frozen=True, slots=True)
class ShardRun:
    """One run of one shard, as its records have it; times as text, which sorts."""

    shard: int
    started_at: str
    ended_at: str | None
    reached: str  # what is known to have happened last in it
    stop_reason: str | None
    by: tuple[Any, ...]  # judge, threshold, model, made_of, vague, verdicts


def joined_runs(runs: Sequence[ShardRun], alone: bool) -> list[tuple[Any, ...]]:
    """The runs of the crawl, each with the values of its columns, but for its number. ``alone``: of one shard only,
    whose final verdicts are those of the crawl."""
    groups: list[list[ShardRun]] = []
    reached = ""
    for run in sorted(runs, key=lambda run: run.started_at):
        if groups and run.started_at <= reached:
            groups[-1].append(run)
        else:
            groups.append([run])
        reached = max(reached, run.ended_at or run.reached)
    return [_joined(group, alone, last=group is groups[-1]) for group in groups]


def _joined(group: Sequence[ShardRun], alone: bool, *, last: bool) -> tuple[Any, ...]:
    latest = {run.shard: run for run in group}  # of each shard: they come in the order of their beginnings
    ends = [run.ended_at for run in latest.values()]
    ended_at = None if None in ends else max(end for end in ends if end is not None)
    reasons = Counter(run.stop_reason for run in latest.values() if run.stop_reason)
    reason = reasons.most_common(1)[0][0] if reasons and (ended_at or not last) else None
    judge, threshold, model, made_of, _, verdicts = max(
        (run.by for run in latest.values()), key=lambda by: (by[3], by[2])
    )
    vague = next((run.by[4] for run in latest.values() if run.by[4]), "")
    return (
        min(run.started_at for run in group), ended_at, reason, judge, threshold, model, made_of, vague,
        verdicts if alone else None,
    )  # fmt: skip
