"""Work on each topic of a corpus, by as many processes as are asked for.

A process takes a topic at a time, since the judge and the digests of a topic serve all its runs. Whatever the work, its
results come in the order of the labels, so they do not depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Generic, TypeVar

from dowse.engine.workers.calls import processes
from dowse.judge import build_judge
from dowse.lab.compare.narrowed_labels import labels_with
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, Labels, LabTopic, SeedSet, Unfit, make_seeds, make_topic, open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic

__all__ = ["EachTopic", "Task", "Told", "each_label", "each_topic", "opened", "topic_and_seeds", "topic_of"]

T = TypeVar("T")
Told = Callable[[int, int], None]
"""Told how many topics are done (worked on, or left out), and of how many."""


@dataclass(frozen=True, slots=True)
class Task:
    """One topic with its seeds, in an open corpus."""

    corpus: Corpus
    web: CorpusWeb
    plan: Plan
    topic: LabTopic
    seeds: tuple[SeedSet, ...]

    def runs(self) -> TopicRuns:
        """Builds the topic's judge: worth doing once."""
        return TopicRuns(self.corpus, self.web, self.plan, self.topic)


@dataclass(frozen=True, slots=True)
class EachTopic(Generic[T]):
    """What the work brought, by label, and the labels that make no topic; both in the order of the labels."""

    found: dict[str, T]
    unfit: list[Unfit]


def each_topic(
    work: Callable[[Task], T], folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1,
    told: Told | None = None, kept: str = "", yardstick: Labels | None = None,
) -> EachTopic[T]:  # fmt: skip
    """Do this work on every label that makes a topic. ``work`` and its results travel between processes: a function of
    a module, or a ``partial`` of one. ``kept``: what is left when a process dies over it. ``yardstick``: labels in
    place of the corpus' own. Raises UserError for a label that no page has."""
    return each_label(partial(_one, work, folder, plan, yardstick), labels, jobs=jobs, told=told, kept=kept)


def each_label(
    work: Callable[[str], T | Unfit], labels: Sequence[str], *, jobs: int = 1, told: Told | None = None, kept: str = ""
) -> EachTopic[T]:
    """Do this work on every label, whatever topic it makes of it; otherwise as :func:`each_topic`."""
    labels = list(dict.fromkeys(labels))
    if not labels:
        raise UserError("no label takes part: name some, or ask for fewer pages with --min-pages")
    found: dict[str, T | Unfit] = {}
    with closing(_outcomes(work, labels, jobs, kept)) as outcomes:
        for label, outcome in outcomes:
            found[label] = outcome
            if told is not None:
                told(len(found), len(labels))
    ordered = {label: found[label] for label in labels}
    return EachTopic(
        {label: outcome for label, outcome in ordered.items() if not isinstance(outcome, Unfit)},
        [outcome for outcome in ordered.values() if isinstance(outcome, Unfit)],
    )


def _outcomes(
    one: Callable[[str], T | Unfit], labels: Sequence[str], jobs: int, kept: str
) -> Generator[tuple[str, T | Unfit], None, None]:
    """Topics as they are done."""
    if jobs == 1 or len(labels) == 1:
        for label in labels:
            yield label, one(label)
        return
    died = "; ".join(filter(None, ("a process died while it ran a topic: try --jobs 1", kept)))
    with processes(min(jobs, len(labels)), died=died) as pool:
        waiting = {pool.submit(one, label): label for label in labels}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()


def _one(
    work: Callable[[Task], T], folder: Path, plan: Plan, yardstick: Labels | None, label: str
) -> T | Unfit:  # fmt: skip
    corpus, web = opened(folder)
    found = topic_and_seeds(corpus, plan, label, yardstick)
    return found if isinstance(found, Unfit) else work(Task(corpus, web, plan, *found))


@lru_cache(1)
def opened(folder: Path) -> tuple[Corpus, CorpusWeb]:
    """A corpus, once a process."""
    corpus = open_corpus(folder)
    return corpus, CorpusWeb(corpus)


def topic_and_seeds(
    corpus: Corpus, plan: Plan, label: str, yardstick: Labels | None = None
) -> tuple[LabTopic, tuple[SeedSet, ...]] | Unfit:
    """A label as the plan would have it: one of the corpus, or of the yardstick in its place."""
    topic = topic_of(corpus, plan, label, yardstick)
    if isinstance(topic, Unfit):
        return topic
    seeds = make_seeds(corpus, topic, plan.seeds_kind, sets=plan.seed_sets, pages=plan.seeds)
    return seeds if isinstance(seeds, Unfit) else (topic, seeds)


def topic_of(corpus: Corpus, plan: Plan, label: str, yardstick: Labels | None = None) -> LabTopic | Unfit:
    """What is looked for, wherever a crawl begins. A label that the corpus has not may be one and a predicate."""
    if label not in (yardstick or corpus.labels).pages:
        yardstick = labels_with(corpus, label)
    topic = make_topic(
        corpus, label, seed_number=plan.seed_number, examples=plan.examples, min_pages=plan.min_pages, labels=yardstick
    )
    if isinstance(topic, LabTopic) and plan.by_query and not _says_something(topic.query):
        return Unfit(label, "its name has no word to look for, and the crawler is told nothing else")
    return topic


def _says_something(query: str) -> bool:
    try:
        build_judge(Topic(query=query))
    except TopicError:
        return False
    return True
