"""A judge that learns from somebody's answers, question by question."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.learned_judge import Chance, LearnedJudge
from dowse.judge.questions import Expected, Kind, Pages, answered, expected, next_kind, next_question
from dowse.model.page import Bag
from dowse.model.strategy import Answer, Sample

__all__ = ["AskedPage", "Asking"]

_SOME = 600  # pages that may stand for others
_UNMODELLED = 0.4  # the chance of the page nearest to the topic's words, while there is no model


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A page of the crawl that may be asked about."""

    id: int
    sample: Sample


class Asking:
    """Asks about some pages of a crawl, of which the judge has seen all that it wanted to. After every answer it
    learns, which takes some hundred milliseconds, and judges these pages again."""

    def __init__(
        self, judge: LearnedJudge, pages: Sequence[AskedPage], verdicts: NDArray[np.bool_] | None = None
    ) -> None:
        """``verdicts``: those that another judge gave, which stay what they are, whatever this one learns."""
        self._judge = judge
        self._pages = {page.id: page for page in pages}
        self._answers: dict[int, bool] = {}
        self._drawn: set[int] = set()
        self._skipped: set[int] = set()
        self._verdicts = verdicts
        self._vectors = judge.vectors([page.sample for page in pages])
        self._places = {page.id: place for place, page in enumerate(pages)}
        self._some = np.sort(np.random.default_rng(0).permutation(len(pages))[:_SOME])
        self._alike = np.zeros(len(pages))  # of each page, to the most similar one that was answered
        self.pages = Pages(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.bool_), judge.threshold)
        self._by_words = self.pages.chances

    @property
    def answers(self) -> Mapping[int, bool]:
        """Page -> is it on the topic?"""
        return self._answers

    @property
    def drawn(self) -> int:
        """How many of the answers are about pages that were drawn by lot."""
        return len(self._drawn & self._answers.keys())

    @property
    def has_model(self) -> bool:
        """Is there anything to judge by?"""
        return self._judge.model is not None

    def chance(self, page: int) -> float:
        """What the page's chance is by now."""
        return float(self.pages.chances[self._places[page]])

    def know(self, answers: Mapping[int, bool], drawn: set[int]) -> None:
        """Take up the answers of earlier sittings, as far as they are about these pages, and learn."""
        self._answers = {page: answer for page, answer in answers.items() if page in self._pages}
        self._drawn = drawn & self._answers.keys()
        for page in self._answers:
            self._compare(page)
        self.learn()

    def question(self) -> tuple[int, Kind] | None:
        """The page to ask about, and why this one; None when there is none left."""
        done = self._answers.keys() | self._skipped
        yes = sum(self._answers.values())
        kind = next_kind(yes, len(self._answers) - yes)
        found = next_question(self.pages, self._by_words, self._alike, self._speaks_for(kind), done, self._drawn, kind)
        return None if found is None else (int(self.pages.ids[found[0]]), found[1])

    def _speaks_for(self, kind: Kind) -> NDArray[np.float64]:
        """Of some pages, drawn by lot, how much more like an answered one they would all be if this one were answered:
        asked in this way, few pages stand for most (Nemhauser, Wolsey and Fisher, 1978). None of the others does."""
        found = np.zeros(len(self._pages))
        if kind is Kind.NEW:
            more = self._likeness - self._alike[self._some]
            found[self._some] = np.maximum(more, 0.0).sum(axis=1)
        return found

    @cached_property
    def _likeness(self) -> NDArray[np.float64]:
        pages = list(self._pages.values())
        return self._judge.vectors([pages[at].sample for at in self._some.tolist()]).products()

    def find(self, terms: NDArray[np.uint32]) -> int | None:
        """The page that says most of these terms, rare ones counting most, of those that nobody was asked about; None
        when none says any."""
        pages = [page for page in self._pages.values() if page.id not in self._answers.keys() | self._skipped]
        counts = np.array([_counts(page.sample.bag, terms) for page in pages]).reshape(len(pages), len(terms))
        rarity = np.log((len(pages) + 1) / ((counts > 0).sum(axis=0) + 0.5))
        said = np.log1p(counts) @ np.maximum(rarity, 0.0)
        return pages[int(np.argmax(said))].id if said.any() else None

    def answer(self, page: int, answer: bool, kind: Kind) -> None:
        """Take up an answer, and learn from it."""
        self._answers[page] = answer
        self._compare(page)
        if kind is Kind.RANDOM:
            self._drawn.add(page)
        self.learn()

    def _compare(self, page: int) -> None:
        self._alike = np.maximum(self._alike, self._vectors.likeness(self._places[page]))

    def skip(self, page: int) -> None:
        """Do not ask about it again; another page has its turn."""
        self._skipped.add(page)

    def take_back(self, page: int) -> None:
        """As if it had not been asked about."""
        self._skipped.discard(page)
        if self._answers.pop(page, None) is not None:
            self._drawn.discard(page)
            self._alike = np.zeros(len(self._places))
            for other in self._answers:
                self._compare(other)
            self.learn()

    def learn(self) -> None:
        """Make a model of all that is known, and judge the pages by it."""
        judge = self._judge
        judge.tell(
            Answer(page, answer, self._pages[page].sample, page in self._drawn)
            for page, answer in self._answers.items()
        )
        deque(judge.learn(), maxlen=0)
        pages = list(self._pages.values())
        ids = np.array([page.id for page in pages], np.int64)
        chances = judge.chances([(page.sample.bag, page.sample.url) for page in pages])
        if chances is None:
            near = np.array([judge.nearness(page.sample.bag) for page in pages])
            chances = _UNMODELLED * near / max(float(near.max(initial=0.0)), 1e-9)
        relevant = chances >= judge.threshold if self._verdicts is None else self._verdicts
        by_words = judge.chances([(page.sample.bag, "") for page in pages])
        self.pages = Pages(ids, chances, relevant, judge.threshold)
        self._by_words = chances if by_words is None else by_words

    def expected(self) -> Expected:
        """What is to be expected of the verdicts on these pages."""
        pages, unknowing = self.pages, self._judge.unknowing()
        if self._verdicts is None:
            pages = answered(pages, self._answers)
        else:
            own = dict(zip(pages.ids.tolist(), self._verdicts.tolist(), strict=True))
            unknowing = {page: Chance(one.chance, own[page]) for page, one in unknowing.items()}
        return expected(pages, self._answers, self._drawn, unknowing)


def _counts(bag: Bag, terms: NDArray[np.uint32]) -> NDArray[np.float32]:
    if not len(bag.terms):
        return np.zeros(len(terms), np.float32)
    at = np.minimum(np.searchsorted(bag.terms, terms), len(bag.terms) - 1)
    return np.where(bag.terms[at] == terms, bag.counts[at], np.float32(0.0))
