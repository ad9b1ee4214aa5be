"""A fresh start against one from what an earlier crawl learned: figures 6 and 7 of Aggarwal's paper (METHODS, 4).

The paper has two access traces, six months apart, and a predicate for each figure. A frozen web has no second date, so
two changes stand for the one: figure 6 changes the seeds alone; figure 7 hides half of the pages from the earlier
crawl, as pages that came later, and, beside it, takes the statistics of a crawl for another topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import xxhash

from dowse.judge import subject_of
from dowse.lab.compare.each_topic import Task, Told, each_topic, topic_and_seeds
from dowse.lab.compare.mean_curves import Drawn
from dowse.lab.compare.plan import Plan, parse_strategy
from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import SeedSet, Unfit
from dowse.lab.papers.lift_table import lift_rows, pages_of
from dowse.lab.papers.target_curves import harvest_curves
from dowse.lab.replay.recorded_transport import FrozenWeb, Recorded
from dowse.model.errors import UserError
from dowse.model.strategy import Strategy
from dowse.predict import build_strategy
from dowse.predict.learning import KeepsStatistics, Statistics

__all__ = ["Younger", "changed_curves", "other_seeds", "reuse_curves"]

FRESH = "fresh"
Earlier = Callable[[Task, TopicRuns, SeedSet, str], Mapping[str, Statistics]]
"""Statistics of earlier crawls, by the name of the curve that starts from them."""


def reuse_curves(folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None) -> Drawn:
    """Figure 6: the same topic, from other seeds."""
    return _drawn(_same_web, folder, plan, labels, jobs, told)


def changed_curves(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """Figure 7: the same topic on a web that lacked half of the pages; and another topic."""
    return _drawn(partial(_changed, tuple(labels)), folder, plan, labels, jobs, told)


def _drawn(
    earlier: Earlier, folder: Path, plan: Plan, labels: Sequence[str], jobs: int, told: Told | None
) -> Drawn:  # fmt: skip
    if len(plan.strategies) != 1 or not isinstance(_made(plan.strategies[0]), KeepsStatistics):
        raise UserError("this figure is of one strategy that keeps statistics: --strategy learning, or leave it out")
    plan = replace(plan, seed_sets=plan.seed_sets + 1)  # one more, so that there are always others to start from
    done = each_topic(partial(_runs, earlier), folder, plan, labels, jobs=jobs, told=told)
    runs = [run for own in done.found.values() for run in own]
    if not runs:
        return Drawn([], done.unfit)
    return Drawn(harvest_curves(runs, pages_of(folder)), done.unfit, lift_rows(runs, (FRESH,)))


def _made(strategy: str) -> object:
    return build_strategy(parse_strategy(strategy), seed_number=0)


def _runs(earlier: Earlier, task: Task) -> list[RunResult]:
    runs, [strategy] = task.runs(), task.plan.strategies
    results = []
    for seeds in task.seeds[: max(len(task.seeds) - 1, 1)]:
        results.append(runs.crawled(seeds, FRESH, _learner(runs, seeds, strategy)))
        for name, before in earlier(task, runs, seeds, strategy).items():
            results.append(runs.crawled(seeds, name, _learner(runs, seeds, strategy, before)))
    return results


def _learner(runs: TopicRuns, seeds: SeedSet, strategy: str, before: Statistics | None = None) -> Strategy:
    topic = runs.topic_for(seeds, strategy)
    return build_strategy(topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), before=before)


def _learned(runs: TopicRuns, web: FrozenWeb, seeds: SeedSet, strategy: str) -> Statistics:
    """What a crawl has learned at its end."""
    learner = _learner(runs, seeds, strategy)
    runs.crawl(web, seeds, learner)
    assert isinstance(learner, KeepsStatistics), "the plan was looked at before"
    return learner.statistics()


def _same_web(task: Task, runs: TopicRuns, seeds: SeedSet, strategy: str) -> dict[str, Statistics]:
    return {"reused": _learned(runs, runs.web, other_seeds(seeds, task.seeds), strategy)}


def _changed(
    labels: Sequence[str], task: Task, runs: TopicRuns, seeds: SeedSet, strategy: str
) -> dict[str, Statistics]:
    others = other_seeds(seeds, task.seeds)
    web = Younger(task.web, [task.corpus.url(page) for page in others.pages])
    found = {"half new": _learned(runs, web, others, strategy)}
    theirs = _other_topic(labels, task)
    if theirs is not None:
        their_runs = theirs.runs()
        found["other topic"] = _learned(their_runs, their_runs.web, theirs.seeds[0], strategy)
    return found


def _other_topic(labels: Sequence[str], task: Task) -> Task | None:
    """The next label that makes a topic; None when there is no other."""
    place = labels.index(task.topic.label)
    for label in (*labels[place + 1 :], *labels[:place]):
        made = topic_and_seeds(task.corpus, task.plan, label)
        if not isinstance(made, Unfit):
            return replace(task, topic=made[0], seeds=made[1])
    return None


def other_seeds(own: SeedSet, sets: Sequence[SeedSet]) -> SeedSet:
    """As many seeds as in a set, from the other sets and, as far as there are such, not in it."""
    others = dict.fromkeys(page for one in (*sets[own.number + 1 :], *sets[: own.number]) for page in one.pages)
    apart = [page for page in others if page not in own.pages]
    pages = tuple((apart or list(own.pages))[: len(own.pages)])
    return replace(own, number=-1, pages=pages)


class Younger:
    """A web before half of its pages were there: which half, their URLs decide. Implements
    :class:`~dowse.lab.replay.recorded_transport.FrozenWeb`."""

    def __init__(self, web: FrozenWeb, there: Sequence[str]) -> None:
        self._web = web
        self._there = frozenset(there)

    def usual(self, url: str) -> tuple[float, float]:
        return self._web.usual(url)

    def find(self, url: str) -> Recorded | None:
        came_later = xxhash.xxh3_64_intdigest(url.encode()) % 2 and url not in self._there
        return None if came_later else self._web.find(url)

    def body(self, page: int) -> bytes:
        return self._web.body(page)
