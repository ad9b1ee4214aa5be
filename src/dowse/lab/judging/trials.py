"""Every judge on every label, told little or much: whose verdicts are right?

Pages that were given (examples, counter-examples, seeds on the topic) are left out of what is measured. With more
examples, a judge is given those that it had with fewer, and others besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.lab.compare.each_topic import Told as Progress
from dowse.lab.compare.each_topic import each_label, opened
from dowse.lab.compare.narrowed_labels import labels_with
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import Corpus, LabTopic, Unfit, make_topic
from dowse.lab.corpus.topics import drawn
from dowse.lab.judging.backgrounds import backgrounds, on_topic, seeds_of
from dowse.lab.judging.contestants import CONTESTANTS, MakeContestant
from dowse.lab.judging.metrics import Figures, figures
from dowse.lab.judging.port import NO_CRAWL, Background, Contestant, Scores, Told
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import StrategyChoice
from dowse.model.words import words

__all__ = ["CRAWL_EXAMPLES", "EXAMPLES", "Crawled", "Setting", "Trial", "TrialPlan", "Trials", "judge_labels"]

EXAMPLES = (0, 1, 3, 8, 20)
CRAWL_EXAMPLES = 8  # of the crawls whose pages are the background, whatever the judge is told


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """What is tried on every label. Two equal plans on equal corpora give equal figures."""

    judges: tuple[str, ...] = tuple(CONTESTANTS)
    examples: tuple[int, ...] = EXAMPLES  # how many, besides the label's name
    counter_examples: bool = True  # each number of examples also with as many pages off the label
    backgrounds: tuple[str, ...] = ("bfs", StrategyChoice().name)  # strategies of the crawls
    background_pages: int = 1_000
    seeds_kind: str = ""  # of the crawls; "": see ``seeds_of``
    min_pages: int = 40
    seed_number: int = 0
    last_part: bool = False  # the name of a label with dots, a path of subjects, is what stands behind the last

    def __post_init__(self) -> None:
        unknown = [name for name in self.judges if name not in CONTESTANTS]
        if unknown or not self.judges:
            what = f"there is no judge {unknown[0]!r} to be measured" if unknown else "there is no judge to be measured"
            raise UserError(f"{what}: choose from {', '.join(CONTESTANTS)}")
        if not self.examples or min(self.examples) < 0:
            raise UserError("examples: give a number, 0 or more")
        if self.background_pages < 1:
            raise UserError("background-pages is at least 1")
        self.crawls()

    def crawls(self) -> Plan:
        """The crawls whose pages are the background. Raises UserError where there is no such strategy."""
        return Plan(
            self.backgrounds, examples=CRAWL_EXAMPLES, min_pages=self.min_pages, seed_number=self.seed_number,
            seeds_kind=self.seeds_kind or "near", inside=True,
        )  # fmt: skip

    @property
    def most(self) -> int:
        """Pages of a label that are given away at most."""
        return max(*self.examples, CRAWL_EXAMPLES)


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """A judge, what it is told besides the label's name, and whose pages it has for background."""

    judge: str
    background: str  # the strategy of the crawl; "" for a judge that learns nothing from it
    examples: int
    counter_examples: int

    @property
    def told(self) -> str:
        """
        >>> Setting("similarity", "", 8, 8).told, Setting("similarity", "", 0, 0).told
        ('name, 8 for, 8 against', 'name alone')
        """
        if not self.examples:
            return "name alone"
        return f"name, {self.examples} for" + (f", {self.counter_examples} against" if self.counter_examples else "")


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One judge on one label. A judge that was told nothing that it can go by has ``refused``: no page is relevant."""

    label: str
    setting: Setting
    figures: Figures
    threshold: float
    refused: bool
    chances: NDArray[np.float32] = field(repr=False)  # of the pages that were measured
    truth: NDArray[np.bool_] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Crawled:
    """How far a background is from a sample of the corpus: shares of pages with the label, seeds on it left out."""

    label: str
    strategy: str
    pages: int
    share: float  # of what was fetched
    corpus_share: float


@dataclass(frozen=True, slots=True)
class Trials:
    """In the order of labels, judges, backgrounds and examples; and the labels that could not take part."""

    trials: list[Trial]
    crawled: list[Crawled]
    unfit: list[Unfit]


def judge_labels(
    folder: Path, plan: TrialPlan, labels: Sequence[str], *, jobs: int = 1, progress: Progress | None = None
) -> Trials:
    """Try everything. Raises UserError for a label that no page has. By several processes, every judge must be in a
    module that they can import."""
    judges = tuple(CONTESTANTS[name] for name in plan.judges)  # who was added in this process is not in theirs
    done = each_label(partial(_label, folder, plan, judges), labels, jobs=jobs, told=progress)
    return Trials(
        [trial for trials, _ in done.found.values() for trial in trials],
        [one for _, crawled in done.found.values() for one in crawled],
        done.unfit,
    )


def _label(
    folder: Path, plan: TrialPlan, judges: Sequence[MakeContestant], label: str
) -> tuple[list[Trial], list[Crawled]] | Unfit:
    corpus, web = opened(folder)
    topic = make_topic(
        corpus, label, seed_number=plan.seed_number, examples=plan.most, min_pages=plan.min_pages,
        labels=labels_with(corpus, label),
    )  # fmt: skip
    if isinstance(topic, Unfit):
        return topic
    if plan.last_part:
        topic = replace(topic, query=" ".join(words(label.rpartition(".")[2])))
    return _LabelTrials(corpus, web, plan, topic).run([make(corpus) for make in judges])


class _LabelTrials:
    """All trials of one label."""

    def __init__(self, corpus: Corpus, web: CorpusWeb, plan: TrialPlan, topic: LabTopic) -> None:
        self._corpus, self._web, self._plan, self._topic = corpus, web, plan, topic
        known = topic.examples[:CRAWL_EXAMPLES]
        self._crawled = replace(topic, examples=known, targets=topic.relevant.difference(known))
        self._seeds = seeds_of(corpus, self._crawled, plan.seeds_kind)
        self._truth = np.zeros(len(corpus), np.bool_)
        self._truth[list(topic.relevant)] = True
        self._is_page = corpus.pages.is_page()
        off = np.flatnonzero(self._is_page & ~self._truth).tolist()
        self._against = drawn(corpus, off, plan.most, topic.label, str(plan.seed_number), "counter-examples")

    def run(self, judges: Sequence[Contestant]) -> tuple[list[Trial], list[Crawled]]:
        crawls = self._crawls() if any(judge.learns for judge in judges) else []
        trials = [
            self._trial(judge, told, background)
            for judge in judges
            for background in (crawls if judge.learns else [NO_CRAWL])
            for told in self._tellings()
        ]
        return trials, [self._bias(crawl) for crawl in crawls]

    def _crawls(self) -> list[Background]:
        plan = self._plan
        if self._seeds is None:
            return []
        return backgrounds(
            self._corpus, self._web, plan.crawls(), self._crawled, self._seeds, plan.background_pages
        )  # fmt: skip

    def _tellings(self) -> list[Told]:
        topic, seed_number = self._topic, self._plan.seed_number
        return [
            Told(topic.query, topic.examples[:examples], self._against[:against], seed_number)
            for examples in dict.fromkeys(self._plan.examples)
            for against in ((0, examples) if examples and self._plan.counter_examples else (0,))
        ]

    def _trial(self, judge: Contestant, told: Told, background: Background) -> Trial:
        refused = False
        try:
            scores = judge.scores(told, background)
        except TopicError:
            scores, refused = Scores(np.zeros(len(self._corpus)), 1.0), True
        measured = self._is_page.copy()
        measured[[*told.positive, *told.negative, *on_topic(self._seeds)]] = False
        chances, truth = scores.chances[measured], self._truth[measured]
        if not ((chances >= 0) & (chances <= 1)).all():
            raise ValueError(f"{judge.name} gave a page a chance that is not between 0 and 1")
        setting = Setting(judge.name, background.strategy, len(told.positive), len(told.negative))
        return Trial(
            self._topic.label, setting, figures(chances, truth, scores.threshold), scores.threshold, refused,
            chances.astype(np.float32), truth,
        )  # fmt: skip

    def _bias(self, crawl: Background) -> Crawled:
        others = self._is_page.copy()
        others[list(on_topic(self._seeds))] = False
        came = crawl.pages[others[crawl.pages]]
        share = float(self._truth[came].mean()) if len(came) else float("nan")
        return Crawled(self._topic.label, crawl.strategy, len(crawl.pages), share, float(self._truth[others].mean()))
