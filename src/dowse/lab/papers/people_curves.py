"""Traces against linkage, and both together: figures 2 to 5 of Aggarwal's collaborative crawling (METHODS, section 4).

Figures 2 and 3 set traces against the best of five crawls that links lead from other seeds: as in the paper, where one
crawl by traces is the better of nothing, and linkage is given every chance. Figures 4 and 5 look for a category and a
word: here each label with the word that stands for it best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from dowse.lab.compare.comparison import kept_runs
from dowse.lab.compare.each_topic import Task, Told, each_topic, opened
from dowse.lab.compare.mean_curves import Drawn
from dowse.lab.compare.narrowed_labels import and_its_word
from dowse.lab.compare.plan import DEFAULT, Plan
from dowse.lab.compare.run_results import RunResult
from dowse.lab.corpus import Unfit
from dowse.lab.papers.lift_table import lift_rows, pages_of
from dowse.lab.papers.target_curves import harvest_curves
from dowse.model.errors import UserError

__all__ = ["BEST", "best_linkage_curves", "strategy_curves", "word_curves"]

LINKAGE = DEFAULT
_OTHERS = 5
BEST = f"{LINKAGE}, best of {_OTHERS}"
_KEPT = "what was run is kept"
_NO_WORD = "no word stands on a quarter to six tenths of its pages, and on as many as are asked for"


def strategy_curves(
    against: Sequence[str], folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """Strategies from the same seeds, each set against some of them."""
    done = each_topic(
        partial(kept_runs, keep=True), folder, plan, labels, jobs=jobs, told=told, kept="what was run is kept"
    )
    return _drawn(
        [run for own in done.found.values() for run in own], done.unfit, _named(against, plan.strategies), folder
    )


def _named(against: Sequence[str], strategies: Sequence[str]) -> list[str]:
    """The strategies of a plan that these are, whosever traces they go by.

    >>> _named(["learning", "traces"], ["learning", "traces:traces=simulated", "learning:traces=own"])
    ['learning', 'traces:traces=simulated']
    """
    found: dict[str, str] = {}
    for strategy in strategies:
        found.setdefault(strategy.partition(":traces=")[0], strategy)
    return [found[name] for name in against if name in found]


def word_curves(
    against: Sequence[str], folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """The same for topics of a label and a predicate, and for each plain label with its word
    (:func:`~dowse.lab.compare.narrowed_labels.and_its_word`)."""
    corpus = opened(folder)[0]
    known = corpus.labels.pages
    named = {label: and_its_word(corpus, label, plan.min_pages) if label in known else label for label in labels}
    topics = [topic for topic in named.values() if topic is not None]
    unfit = [Unfit(label, _NO_WORD) for label, topic in named.items() if topic is None]
    if not topics:
        return Drawn([], unfit)
    drawn = strategy_curves(against, folder, plan, topics, jobs=jobs, told=told)
    return replace(drawn, unfit=[*unfit, *drawn.unfit], notes=[f"topics: {'; '.join(topics)}"])


def best_linkage_curves(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """Strategies against the best of five crawls that links lead, each from seeds of its own."""
    if plan.seeds_kind == "roots":
        raise UserError("this figure begins at other seeds each time, and roots are always the same: near or far")
    more = replace(plan, seed_sets=plan.seed_sets + _OTHERS)
    done = each_topic(_against_best, folder, more, labels, jobs=jobs, told=told, kept=_KEPT)
    return _drawn([run for own in done.found.values() for run in own], done.unfit, (BEST,), folder)


def _against_best(task: Task) -> list[RunResult]:
    own, others = task.seeds[:-_OTHERS], task.seeds[-_OTHERS:]
    results = kept_runs(replace(task, seeds=own), keep=True)
    linkage = replace(task, seeds=others, plan=replace(task.plan, strategies=(LINKAGE,)))
    best = max(kept_runs(linkage, keep=True), key=lambda run: run["auc"] or 0.0)
    for seeds in own:  # the same one stands beside each of them
        results.append({**best, "strategy": BEST, "seed_set": f"{seeds.kind}-{seeds.number}"})
    return results


def _drawn(runs: Sequence[RunResult], unfit: list[Unfit], against: Sequence[str], folder: Path) -> Drawn:
    if not runs:
        return Drawn([], unfit)
    return Drawn(harvest_curves(runs, pages_of(folder)), unfit, lift_rows(runs, against))
