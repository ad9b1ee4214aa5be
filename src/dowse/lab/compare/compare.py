"""Compares strategies on the topics of a corpus: every strategy on every topic from every set of seeds.

A process takes a topic at a time, since its judge and its digests serve all its runs. Each result is kept as soon as it
is there, so a comparison that was stopped goes on where it was, and one with a further strategy runs that one only.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import closing
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from pathlib import Path

from dowse.judge import build_judge
from dowse.lab.compare.kept import Kept
from dowse.lab.compare.plan import REFERENCES, Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, LabTopic, SeedSet, Unfit, make_seeds, make_topic, open_corpus
from dowse.lab.processes import processes
from dowse.lab.replay.web import CorpusWeb
from dowse.lab.results import RunResult
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic

__all__ = ["Compared", "Told", "compare", "fitting_labels", "opened", "topic_and_seeds"]

Told = Callable[[int, int], None]
"""Told how many topics are done (run, found among what is kept, or left out), and of how many."""

_DIED = "a process died while it ran a topic: try --jobs 1; what was run is kept"


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
    """Run everything that is not kept yet. Raises UserError for a label that no page has."""
    labels = list(dict.fromkeys(labels))
    if not labels:
        raise UserError("no label takes part: name some, or ask for fewer pages with --min-pages")
    strategies = tuple(dict.fromkeys((*REFERENCES, *plan.strategies)))
    plan = replace(plan, strategies=strategies)
    found: dict[str, list[RunResult] | Unfit] = {}
    with closing(_outcomes(folder, plan, labels, jobs, keep)) as outcomes:
        for label, outcome in outcomes:
            found[label] = outcome
            if told is not None:
                told(len(found), len(labels))
    ordered = [found[label] for label in labels]
    runs = [run for outcome in ordered if not isinstance(outcome, Unfit) for run in outcome]
    return Compared(runs, [outcome for outcome in ordered if isinstance(outcome, Unfit)])


def _outcomes(
    folder: Path, plan: Plan, labels: Sequence[str], jobs: int, keep: bool
) -> Generator[tuple[str, list[RunResult] | Unfit], None, None]:
    """Topics as they are done."""
    if jobs == 1 or len(labels) == 1:
        for label in labels:
            yield label, _topic(folder, plan, label, keep)
        return
    with processes(min(jobs, len(labels)), died=_DIED) as pool:
        waiting = {pool.submit(_topic, folder, plan, label, keep): label for label in labels}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()


@lru_cache(1)
def opened(folder: Path) -> tuple[Corpus, CorpusWeb]:
    """A corpus, once a process."""
    corpus = open_corpus(folder)
    return corpus, CorpusWeb(corpus)


def _topic(folder: Path, plan: Plan, label: str, keep: bool) -> list[RunResult] | Unfit:
    """All runs of a topic; why it has none."""
    corpus, web = opened(folder)
    found = topic_and_seeds(corpus, plan, label)
    if isinstance(found, Unfit):
        return found
    topic, seeds = found
    return list(_runs(corpus, web, plan, topic, seeds, Kept(corpus.kept / "runs") if keep else None))


def topic_and_seeds(corpus: Corpus, plan: Plan, label: str) -> tuple[LabTopic, tuple[SeedSet, ...]] | Unfit:
    """A label as the plan would have it."""
    topic = make_topic(corpus, label, seed_number=plan.seed_number, examples=plan.examples, min_pages=plan.min_pages)
    if isinstance(topic, Unfit):
        return topic
    if plan.by_query and not _says_something(topic.query):
        return Unfit(label, "its name has no word to look for, and the crawler is told nothing else")
    seeds = make_seeds(corpus, topic, plan.seeds_kind, sets=plan.seed_sets, pages=plan.seeds)
    return seeds if isinstance(seeds, Unfit) else (topic, seeds)


def _says_something(query: str) -> bool:
    try:
        build_judge(Topic(query=query))
    except TopicError:
        return False
    return True


def _runs(
    corpus: Corpus, web: CorpusWeb, plan: Plan, topic: LabTopic, seeds: Sequence[SeedSet], kept: Kept | None
) -> Iterator[RunResult]:
    runner: TopicRuns | None = None
    for one in seeds:
        for strategy in plan.strategies:
            same = replace(plan, strategies=(strategy,), min_pages=1, seed_sets=1)  # neither changes a single run
            decides = (corpus.digest, *astuple(same), *astuple(one), topic.examples, sorted(topic.relevant))
            result = kept.find(*decides) if kept is not None else None
            if result is None:
                runner = runner or TopicRuns(corpus, web, plan, topic)
                result = runner.run(one, strategy)
                if kept is not None:
                    kept.keep(result, *decides)
            yield result
