"""A fresh start against reuse of what earlier traces told of people: figures 6 and 7 of Aggarwal's collaborative
crawling (METHODS, section 4).

As in the paper there are two traces, one after the other: the corpus' log up to its cut, and from there on. An earlier
crawl goes by the first one, from other seeds; what it learned of each user is where the later crawl, which knows the
second trace only, begins, beside one that begins with nothing. Users who came once are in one of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dowse.judge import subject_of
from dowse.lab.compare.each_topic import Task, Told, each_topic, opened
from dowse.lab.compare.mean_curves import Drawn
from dowse.lab.compare.plan import Plan, parse_strategy
from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, SeedSet
from dowse.lab.papers.lift_table import lift_rows, pages_of
from dowse.lab.papers.reuse_curves import FRESH, other_seeds
from dowse.lab.papers.target_curves import harvest_curves
from dowse.lab.people.own_log import PEOPLE, WHOLE, Span, parse_cut, traces_folder
from dowse.model.errors import UserError
from dowse.model.strategy import Strategy
from dowse.model.traces import Traces
from dowse.predict import build_strategy
from dowse.predict.learning import KeepsStatistics, Statistics
from dowse.traces import load_traces

__all__ = ["REUSED", "affinity_curves"]

REUSED = "users known from earlier"


def affinity_curves(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """One strategy that goes by the corpus' own people, or by simulated ones."""
    if len(plan.strategies) != 1 or parse_strategy(plan.strategies[0]).traces not in PEOPLE:
        raise UserError(
            "this figure is of one strategy that goes by the corpus' own people: --strategy traces, or leave it out"
        )
    before, after = _halves(opened(folder)[0], plan)
    known = int(np.isin(after.users, before.users).sum())
    plan = replace(plan, seed_sets=plan.seed_sets + 1)  # one more, so that there are always others to start from
    done = each_topic(_runs, folder, plan, labels, jobs=jobs, told=told)
    runs = [run for own in done.found.values() for run in own]
    if not runs:
        return Drawn([], done.unfit)
    note = f"of {len(after.users):,} users of the later trace, {known:,} were in the earlier one"
    return Drawn(harvest_curves(runs, pages_of(folder)), done.unfit, lift_rows(runs, (FRESH,)), [note])


def _halves(corpus: Corpus, plan: Plan) -> tuple[Traces, Traces]:
    whose, cut = parse_strategy(plan.strategies[0]).traces, parse_cut(plan.traces_until)
    spans = Span(until=cut), Span(until=WHOLE, since=cut)
    before, after = (load_traces(traces_folder(corpus, whose, span)) for span in spans)
    return before, after


def _runs(task: Task) -> list[RunResult]:
    runs, [strategy] = task.runs(), task.plan.strategies
    before, after = _halves(task.corpus, task.plan)
    results = []
    for seeds in task.seeds[: max(len(task.seeds) - 1, 1)]:
        others = other_seeds(seeds, task.seeds)
        earlier = _made(runs, others, strategy, before)
        runs.crawl(runs.web, others, earlier)
        if not isinstance(earlier, KeepsStatistics):
            raise UserError(f"{strategy} keeps nothing of what it learned of users")
        learned = earlier.statistics()
        results.append(runs.crawled(seeds, FRESH, _made(runs, seeds, strategy, after)))
        results.append(runs.crawled(seeds, REUSED, _made(runs, seeds, strategy, after, learned)))
    return results


def _made(runs: TopicRuns, seeds: SeedSet, strategy: str, traces: Traces, before: Statistics | None = None) -> Strategy:
    topic = runs.topic_for(seeds, strategy)
    return build_strategy(
        topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), before=before, traces=traces
    )
