"""Work on each topic of a corpus, by as many processes as are asked for, here or on other machines.

A process takes a topic at a time, since the judge and the digests of a topic serve all its runs. Whatever the work, its
results come in the order of the labels, so they do not depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dowse.engine.workers.calls import processes
from dowse.judge import build_judge
from dowse.lab.compare.narrowed_labels import labels_with
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, Labels, LabTopic, SeedSet, Unfit, make_seeds, make_topic, open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic

__all__ = [
    "EachTopic", "Hands", "Pool", "Task", "Told", "distinct", "each_item", "each_label", "each_topic", "on_topic",
    "opened", "topic_and_seeds", "topic_of",
]  # fmt: skip

T = TypeVar("T")
Item = TypeVar("Item", bound=Hashable)
Told = Callable[[int, int], None]
"""Told how many topics are done (worked on, or left out), and of how many."""


class Pool(Protocol):
    """Takes calls, to be made elsewhere."""

    def submit(self, function: Callable[[Item], T], argument: Item, /) -> Future[T]:
        """Call a function of a module, or a ``partial`` of one."""
        ...


class Hands(Protocol):
    """Whoever makes the calls, in place of processes of this machine."""

    @property
    def places(self) -> int:
        """How many calls at a time."""
        ...

    def pool(self, died: str) -> AbstractContextManager[Pool]:
        """For as long as the block lasts. ``died``: what to tell when one is lost over its work."""
        ...


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
    return each_label(partial(on_topic, work, folder, plan, yardstick), labels, jobs=jobs, told=told, kept=kept)


def each_label(
    work: Callable[[str], T | Unfit], labels: Sequence[str], *, jobs: int = 1, told: Told | None = None, kept: str = ""
) -> EachTopic[T]:
    """Do this work on every label, whatever topic it makes of it; otherwise as :func:`each_topic`."""
    found = each_item(work, distinct(labels), jobs=jobs, told=told, kept=kept)
    return EachTopic(
        {label: outcome for label, outcome in found.items() if not isinstance(outcome, Unfit)},
        [outcome for outcome in found.values() if isinstance(outcome, Unfit)],
    )


def distinct(labels: Sequence[str]) -> list[str]:
    """Each label once; UserError where there is none."""
    if not labels:
        raise UserError("no label takes part: name some, or ask for fewer pages with --min-pages")
    return list(dict.fromkeys(labels))


def each_item(
    work: Callable[[Item], T], items: Sequence[Item], *, jobs: int = 1, hands: Hands | None = None,
    told: Told | None = None, kept: str = "",
) -> dict[Item, T]:  # fmt: skip
    """Do this work on every item, in whatever order; what it brought in theirs. With ``hands``, these do it."""
    found: dict[Item, T] = {}
    with closing(_outcomes(work, items, jobs, hands, kept)) as outcomes:
        for item, outcome in outcomes:
            found[item] = outcome
            if told is not None:
                told(len(found), len(items))
    return {item: found[item] for item in items}


def _outcomes(
    work: Callable[[Item], T], items: Sequence[Item], jobs: int, hands: Hands | None, kept: str
) -> Generator[tuple[Item, T], None, None]:
    """What was done, as it is done."""
    if hands is None and (jobs == 1 or len(items) == 1):
        for item in items:
            yield item, work(item)
        return
    advice = ": try --jobs 1" if hands is None else ""
    died = "; ".join(filter(None, (f"a process died while it ran a topic{advice}", kept)))
    with processes(min(jobs, len(items)), died=died) if hands is None else hands.pool(died) as pool:
        waiting = {pool.submit(work, item): item for item in items}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()


def on_topic(
    work: Callable[[Task], T], folder: Path, plan: Plan, yardstick: Labels | None, label: str
) -> T | Unfit:  # fmt: skip
    """Do this work on a label of a corpus, where it makes a topic."""
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
