"""Compares strategies on the topics of a corpus: every strategy on every topic from every set of seeds.

Each result is kept as soon as it is there, so a comparison that was stopped goes on where it was, and one with a
further strategy runs that one only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path

from dowse.lab.compare.each_topic import Task, Told, each_topic
from dowse.lab.compare.kept import Kept
from dowse.lab.compare.plan import Plan, with_references
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, Unfit
from dowse.lab.results import RunResult

__all__ = ["Compared", "compare", "fitting_labels"]


@dataclass(frozen=True, slots=True)
class Compared:
    """The runs in the order of topics, seed sets and strategies; and the labels that could not take part."""

    runs: list[RunResult]
    unfit: list[Unfit]


def fitting_labels(corpus: Corpus, plan: Plan) -> list[str]:
    """Every label with enough pages, in the order of their names."""
    pages = corpus.labels.pages
    return sorted(label for label in pages if len(pages[label]) >= plan.min_pages)


def compare(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None, keep: bool = True
) -> Compared:
    """Run everything that is not kept yet, references included. Raises UserError for a label that no page has."""
    done = each_topic(
        partial(_runs, keep=keep), folder, with_references(plan), labels, jobs=jobs, told=told,
        kept="what was run is kept" if keep else "",
    )  # fmt: skip
    return Compared([run for runs in done.found.values() for run in runs], done.unfit)


def _runs(task: Task, keep: bool) -> list[RunResult]:
    """All runs of a topic."""
    kept = Kept(task.corpus.kept / "runs") if keep else None
    corpus, plan, topic = task.corpus, task.plan, task.topic
    runner: TopicRuns | None = None
    results = []
    for one in task.seeds:
        for strategy in plan.strategies:
            same = replace(plan, strategies=(strategy,), min_pages=1, seed_sets=1)  # neither changes a single run
            decides = (corpus.digest, *astuple(same), *astuple(one), topic.examples, sorted(topic.relevant))
            result = kept.find(*decides) if kept is not None else None
            if result is None:
                runner = runner or task.runs()
                result = runner.run(one, strategy)
                if kept is not None:
                    kept.keep(result, *decides)
            results.append(result)
    return results
