"""Compares strategies on the topics of a corpus: every strategy on every topic from every set of seeds.

Each result is kept as soon as it is there, so a comparison that was stopped goes on where it was, and one with a
further strategy runs that one only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import xxhash

from dowse.lab.compare.each_topic import Hands, Task, Told, distinct, each_item, on_topic
from dowse.lab.compare.plan import Plan, with_references
from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, Labels, Unfit
from dowse.lab.corpus.code_version import source_version
from dowse.model.errors import UserError
from dowse.model.files import write_whole

__all__ = ["Compared", "KeptRuns", "compare", "fitting_labels", "kept_runs"]


class KeptRuns:
    """Results of runs in a folder, a small file each, named by a digest of everything that decides them: what was run
    once on one corpus, plan and code is not run again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, *decides: object) -> RunResult | None:
        """The result of a run; None when it was not run, or its file is damaged."""
        try:
            return cast(RunResult, json.loads(self._path(decides).read_text("utf-8"))["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, result: RunResult, *decides: object) -> None:
        """Write a result; whole or not at all. UserError when it cannot be written."""
        text = json.dumps({"of": [str(part) for part in decides], "result": result})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(decides), lambda path: path.write_text(text, "utf-8"))
        except (OSError, UserError) as error:
            why = error.strerror if isinstance(error, OSError) else getattr(error.__cause__, "strerror", None)
            raise UserError(f"cannot keep runs in {self._folder}: {why or error}; --fresh keeps none") from None

    def _path(self, decides: tuple[object, ...]) -> Path:
        key = "\0".join(map(str, (source_version(), *decides)))
        return self._folder / f"{xxhash.xxh3_128_hexdigest(key.encode())}.json"


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
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None, keep: bool = True,
    yardstick: Labels | None = None, hands: Hands | None = None,
) -> Compared:  # fmt: skip
    """Run everything that is not kept yet, references included. The ``yardstick`` may take the place of the corpus' own
    labels; ``hands`` do the work in place of ``jobs`` processes. Raises UserError for a label that no page has."""
    labels, plan = distinct(labels), with_references(plan)
    parts = _parts(plan.strategies, 1 if hands is None else math.ceil(hands.places / len(labels)))
    found = each_item(
        partial(_runs_of_part, folder, [replace(plan, strategies=part) for part in parts], yardstick, keep),
        [(label, part) for label in labels for part in range(len(parts))], jobs=jobs, hands=hands,
        told=None if told is None else lambda done, of: told(done // len(parts), of // len(parts)),
        kept="what was run is kept" if keep else "",
    )  # fmt: skip
    runs: list[RunResult] = []
    unfit: list[Unfit] = []
    for label in labels:
        of_label: list[RunResult] = []
        for part in range(len(parts)):
            outcome = found[label, part]
            if isinstance(outcome, Unfit):
                unfit.append(outcome)
                break
            of_label += outcome
        for seed_set in dict.fromkeys(run["seed_set"] for run in of_label):
            runs += [run for run in of_label if run["seed_set"] == seed_set]
    return Compared(runs, unfit)


def _parts(strategies: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """So many parts, in order, or as many as there are strategies. More parts take more work in all, since the runs of
    a topic share its judge and its pages' digests."""
    count = min(count, len(strategies))
    edges = [part * len(strategies) // count for part in range(count + 1)]
    return [tuple(strategies[start:end]) for start, end in pairwise(edges)]


def _runs_of_part(
    folder: Path, plans: Sequence[Plan], yardstick: Labels | None, keep: bool, item: tuple[str, int]
) -> list[RunResult] | Unfit:  # fmt: skip
    """A topic's runs by some of the strategies."""
    label, part = item
    return on_topic(partial(kept_runs, keep=keep), folder, plans[part], yardstick, label)


def kept_runs(task: Task, keep: bool) -> list[RunResult]:
    """All runs of a topic by the strategies of its plan; ``keep``: those that are kept are not run again."""
    kept = KeptRuns(task.corpus.kept / "runs") if keep else None
    corpus, plan, topic = task.corpus, task.plan, task.topic
    runner: TopicRuns | None = None
    results = []
    for one in task.seeds:
        for strategy in plan.strategies:
            same = replace(plan, strategies=(strategy,), min_pages=1, seed_sets=1)  # neither changes a single run
            task_of = (topic.label, topic.query, topic.examples, sorted(topic.relevant))
            decides = (corpus.digest, *astuple(same), *astuple(one), *task_of)
            result = kept.find(*decides) if kept is not None else None
            if result is None:
                runner = runner or task.runs()
                result = runner.run(one, strategy)
                if kept is not None:
                    kept.keep(result, *decides)
            results.append(result)
    return results
