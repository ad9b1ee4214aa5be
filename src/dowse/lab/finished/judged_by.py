"""By what the pages of a crawl were judged, run by run: a resume may change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dowse.lab.wording import score_told
from dowse.model.judge import LEARNED
from dowse.model.runs import JudgedBy
from dowse.store import Run

__all__ = ["changes", "counts_now", "run_of", "told"]


def run_of(runs: Sequence[Run], fetched_at: str) -> Run | None:
    """The run in which something was fetched; None when it was before all of them, in the crawl of a cache."""
    return next((run for run in reversed(runs) if run.started_at <= fetched_at), None)


def counts_now(runs: Sequence[Run], final: dict[str, Any] | None) -> JudgedBy:
    """By what the verdicts were given that count now: the last run's, unless all pages were judged again since."""
    last = runs[-1].judged_by if runs else JudgedBy()
    if final is None or last.judge not in ("", LEARNED):
        return last
    return replace(
        last, judge=LEARNED, threshold=final["threshold"], model=final["model"], made_of=final["made_of"],
        verdicts=final,
    )  # fmt: skip


def told(by: JudgedBy) -> str:
    """
    >>> told(JudgedBy(judge="similarity", threshold=0.2)), told(JudgedBy(judge="learned", threshold=0.5, model=3))
    ('similarity from 0.200 on', 'chances from 0.50 on')
    """
    if by.threshold is None:
        return by.judge or "not known"
    if by.judge == LEARNED:
        return f"chances from {by.threshold:.2f} on"
    return f"{by.judge} from {score_told(by.threshold, by.judge)} on"


def changes(runs: Sequence[Run]) -> list[str]:
    """What a resume changed: one line for each run that judged by something else than the one before."""
    lines = []
    known = [run for run in runs if run.judged_by.judge]
    for before, run in pairwise(known):
        if told(before.judged_by) != told(run.judged_by):
            lines.append(f"since run {run.id} by {told(run.judged_by)}, before by {told(before.judged_by)}")
    return lines
