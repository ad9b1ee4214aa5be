"""The judge: is a page on the topic, how sure, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.judge.category import Category
from dowse.judge.erid import KeywordPool
from dowse.judge.frequencies import TERMS, Frequencies, is_whole
from dowse.judge.lexicon import Lexicon, Vocabulary
from dowse.judge.predicate import FunctionPredicate, Measured, Predicate
from dowse.judge.reading import Counts, Reading
from dowse.judge.similarity import TopicVector, text_norm
from dowse.judge.terms import Terms, weights
from dowse.model.facts import PageFacts
from dowse.model.page import Reason, Verdict
from dowse.model.words import WordLines, words

__all__ = ["Judge"]

_REASONS = 8
_NO_FACTS = PageFacts()


@dataclass(frozen=True, slots=True)
class Judge:
    """Scores texts against one topic. A pure value: it can be sent to another process and gives the same answers. With
    idf it also learns which terms are rare, from each page it is told to :meth:`learn`."""

    method: str
    threshold: float
    terms: Terms
    vector: TopicVector
    pool: KeywordPool | None
    _lexicon: Lexicon = field(repr=False, compare=False)
    _weights: NDArray[np.float64] = field(repr=False, compare=False)  # of the lexicon's topical terms
    frequencies: Frequencies | None = field(default=None, compare=False)  # with idf only: then it learns
    predicate: Predicate | None = field(default=None, compare=False)  # where there is one, it decides

    @property
    def needs_objects(self) -> bool:
        """Does a verdict depend on :attr:`PageFacts.objects`?"""
        return self.predicate is not None and self.predicate.needs_objects

    @property
    def needs_text(self) -> bool:
        """Does a verdict depend on :attr:`PageFacts.text`?"""
        return self.predicate is not None and self.predicate.needs_text

    @property
    def categories(self) -> Mapping[str, Category]:
        """The categories that its predicate asks for, by name."""
        return {} if self.predicate is None else self.predicate.categories

    @property
    def can_be_sent(self) -> bool:
        """Can it be sent to another process? Not where its predicate is a function that lives in this one only."""
        return not isinstance(self.predicate, FunctionPredicate) or self.predicate.can_be_sent

    def verdict(self, page: Sequence[str], facts: PageFacts = _NO_FACTS) -> Verdict:
        """Judge a page by its words; a predicate may ask for its facts, too."""
        return self.verdict_of(self.read(page), facts)

    def read(self, page: Sequence[str]) -> Reading:
        """Look a page's words up, once for all that is asked about it."""
        return self._lexicon.read(page)

    def read_lines(self, lines: WordLines, behind: WordLines | None = None) -> tuple[Reading, int]:
        """The same for text that is not cut into words yet; see :meth:`~dowse.judge.lexicon.Lexicon.read_lines`."""
        return self._lexicon.read_lines(lines, behind)

    def reader(self, vocabulary: Vocabulary) -> Callable[[NDArray[np.int32]], Reading]:
        """The same for pages kept as numbers of a vocabulary, which is of this judge's language."""
        if vocabulary.language != self.terms.language:
            raise ValueError(f"a vocabulary in {vocabulary.language} for a judge in {self.terms.language}")
        return vocabulary.reader(self._lexicon.topical)

    def verdict_of(self, page: Reading, facts: PageFacts = _NO_FACTS) -> Verdict:
        """Judge a page; similarity and ERID are both measured, ``method`` decides."""
        by_term, shares = [], []
        if page.is_near:
            counts, all_counts = page.count()
            by_term = self._parts(page, counts, all_counts)
            if self.pool is not None:
                shares = self.pool.shares(counts, all_counts.sum().item(), page.occurrences)
        similarity = min(1.0, math.fsum([own * topic for _, own, topic in by_term]))
        erid = min(1.0, math.fsum([share.share * share.weight for share in shares]))
        if self.predicate is not None:
            return self._satisfied(self.predicate, page, facts, similarity, erid)
        if self.method == "erid":
            score = erid
            reasons = _top("keyword", [(share.text, share.share, share.weight) for share in shares])
        else:
            score = similarity
            reasons = _top("term", by_term)
        return Verdict(
            score=score,
            relevant=score > 0 and score >= self.threshold,
            threshold=self.threshold,
            method=self.method,
            reasons=reasons,
            similarity=similarity,
            erid=erid,
        )

    def _satisfied(
        self, predicate: Predicate, page: Reading, facts: PageFacts, similarity: float, erid: float
    ) -> Verdict:
        count = page.occurrences if page.is_near else lambda _: 0.0
        found = predicate(Measured(facts, similarity, erid, count, _probability(page, facts)))
        return Verdict(
            score=found.score,
            relevant=found.held,
            threshold=self.threshold,
            method=self.method,
            reasons=(Reason("predicate", found.score),),
            similarity=similarity,
            erid=erid,
            parts=found.parts,
            fault=found.fault,
        )

    def _parts(self, page: Reading, counts: Mapping[str, float], all_counts: Counts) -> list[tuple[str, float, float]]:
        """(term, its weight in the page's unit vector, its weight in the topic's) for each shared term."""
        if self.frequencies is None:
            return self.vector.parts(counts, text_norm(all_counts, self.vector.weighting))
        numbers, found = page.distinct()
        own = weights(found, self.vector.weighting) * self._rarity(numbers)
        norm = math.sqrt(math.fsum((own * own).tolist()))  # exact, so that the order of terms does not show
        topic, topical = self._topic(), self._lexicon.topical
        shared = int(np.searchsorted(numbers, len(topical)))
        parts = zip(numbers[:shared].tolist(), own[:shared].tolist(), strict=True)
        return [(topical[number], value / norm, float(topic[number])) for number, value in parts if topic[number] > 0]

    def _rarity(self, numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        """The idf of terms."""
        assert self.frequencies is not None
        return self.frequencies.idf(self._lexicon.term_hashes()[numbers])

    def _topic(self) -> NDArray[np.float64]:
        """The topic's unit vector, with idf where it is used."""
        if self.frequencies is None:
            return self._weights
        vector = self._weights * self.frequencies.idf(self._lexicon.term_hashes()[: len(self._weights)])
        norm = math.sqrt(math.fsum((vector * vector).tolist()))
        return vector / norm if norm else vector  # a predicate may ask for no word at all

    def learn(self, page: Reading) -> None:
        """A page was fetched: its terms are a little less rare."""
        if self.frequencies is not None:
            self.frequencies.learn(self._lexicon.term_hashes()[page.distinct()[0]])

    def kept_at(self, folder: Path) -> Judge:
        """The same judge, which shares what it learns with others through a file in the crawl's folder."""
        return self if self.frequencies is None else replace(self, frequencies=Frequencies(folder / TERMS))

    def as_of(self, folder: Path) -> Judge:
        """The same judge with what was learned in a crawl's folder, which it leaves as it is."""
        if self.frequencies is None or not is_whole(folder / TERMS):
            return self
        return replace(self, frequencies=Frequencies(folder / TERMS, writable=False))

    def similarity(self, text: str) -> float:
        """Cosine of any text with the topic (METHODS, section 1)."""
        if self.frequencies is not None:
            [found] = np.nan_to_num(self.similarities(self.read(words(text))))
            return float(found)
        return self.vector.cosine(Counter(self.terms.sequence(words(text))))

    def similarities(self, page: Reading, groups: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """The same for each line of a text, or for each of the groups that lines belong to; NaN where no word is."""
        rarity = None
        if self.frequencies is not None:
            numbers, _ = page.distinct()
            rarity = np.ones(len(self._lexicon.term_hashes()))
            rarity[numbers] = self._rarity(numbers)
        return page.similarities(self._topic(), self.vector.weighting, rarity, groups)


def _probability(page: Reading, facts: PageFacts) -> Callable[[Category], float]:
    """How likely a page is one of a category: each is asked once, however often the predicate names it."""
    terms = cache(page.hashed_terms)
    text = cache(lambda: f"{facts.title}\n{facts.text}")
    return cache(lambda category: category.probability(*terms(), text() if category.needs_text else None))


def _top(kind: str, parts: list[tuple[str, float, float]]) -> tuple[Reason, ...]:
    """The greatest contributions, and the rest as one, so that all still add up to the score."""
    ordered = sorted([(-value * weight, name, value, weight) for name, value, weight in parts])
    reasons = [Reason(f"{kind}: {name}", value, weight) for _, name, value, weight in ordered[:_REASONS]]
    rest = ordered[_REASONS:]
    if rest:
        reasons.append(Reason(f"{len(rest)} more", math.fsum([-part[0] for part in rest])))
    return tuple(reasons)
