"""The judges that Dowse has itself, each behind the port of :mod:`dowse.model.judge`, and a topic's choice of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dowse.judge.category import Category
from dowse.judge.nearness import Nearness
from dowse.judge.predicate import Predicate
from dowse.judge.predicate.grade import BOUND
from dowse.judge.reading import Reading
from dowse.model.facts import PageFacts
from dowse.model.judge import Judge, ReadPage
from dowse.model.page import Reason, Verdict

__all__ = ["EridJudge", "PredicateJudge", "SimilarityJudge", "TopicJudge"]

_NO_FACTS = PageFacts()


@dataclass(frozen=True, slots=True)
class SimilarityJudge:
    """A page is as good as its cosine with the topic's words (METHODS, section 1)."""

    threshold: float
    name = "similarity"
    needs_text = False
    needs_objects = False
    can_be_sent = True

    def verdict(self, page: ReadPage) -> Verdict:
        return _by_score(self, page.facts.similarity, page.similar_terms(), page.facts)


@dataclass(frozen=True, slots=True)
class EridJudge:
    """A page is as good as the share of its words that are keywords, weighted (METHODS, section 2)."""

    threshold: float
    name = "erid"
    needs_text = False
    needs_objects = False
    can_be_sent = True

    def verdict(self, page: ReadPage) -> Verdict:
        return _by_score(self, page.facts.erid, page.keywords(), page.facts)


@dataclass(frozen=True, slots=True)
class PredicateJudge:
    """A page is relevant when it satisfies a predicate, and as good as it nearly does."""

    predicate: Predicate = field(compare=False)
    threshold: float = BOUND
    name = "predicate"

    @property
    def needs_text(self) -> bool:
        return self.predicate.needs_text

    @property
    def needs_objects(self) -> bool:
        return self.predicate.needs_objects

    @property
    def can_be_sent(self) -> bool:
        return self.predicate.can_be_sent

    def verdict(self, page: ReadPage) -> Verdict:
        found = self.predicate(page)
        return Verdict(
            found.score, found.held, self.threshold, self.name, (Reason("predicate", found.score),),
            page.facts.similarity, page.facts.erid, found.parts, found.fault,
        )  # fmt: skip


def _by_score(judge: Judge, score: float, reasons: tuple[Reason, ...], facts: PageFacts) -> Verdict:
    return Verdict(score, score >= judge.threshold, judge.threshold, judge.name, reasons, facts.similarity, facts.erid)


@dataclass(frozen=True, slots=True)
class TopicJudge:
    """How a topic's pages are judged: who gives the verdict, and how near texts are to the topic's words."""

    judge: Judge
    nearness: Nearness
    menus: bool = False  # text that a site repeats counts in full (the papers' form)

    @property
    def threshold(self) -> float:
        """The score from which a page is relevant."""
        return self.judge.threshold

    @property
    def categories(self) -> Mapping[str, Category]:
        """The categories that its predicate asks for, by name."""
        return self.judge.predicate.categories if isinstance(self.judge, PredicateJudge) else {}

    def verdict(self, page: Sequence[str], facts: PageFacts = _NO_FACTS) -> Verdict:
        """Judge a page by its words and facts."""
        own = self.nearness.pools.get(facts.language)
        return self.verdict_of(self.nearness.read(page), facts, None if own is None else own.read(page))

    def verdict_of(self, page: Reading, facts: PageFacts = _NO_FACTS, own: Reading | None = None) -> Verdict:
        """Judge a page that was read, by the keywords of its ``own`` language where it was read for these as well."""
        return self.judge.verdict(self.nearness.compared(page, facts, own))

    def kept_at(self, folder: Path) -> TopicJudge:
        """A copy that shares what it learns through the crawl's folder."""
        return replace(self, nearness=self.nearness.kept_at(folder))

    def as_of(self, folders: Sequence[Path]) -> TopicJudge:
        """A copy with what was learned in a crawl's folder, or in those of all its shards, which it leaves as they
        are."""
        return replace(self, nearness=self.nearness.as_of(folders))
