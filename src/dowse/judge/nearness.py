"""How near texts are to a topic, by its words: pages, lines, blocks and anchors. It decides nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.judge.erid import KeywordPool, LanguagePool
from dowse.judge.frequencies import TERMS, Frequencies, is_whole
from dowse.judge.lexicon import Lexicon, Vocabulary
from dowse.judge.reading import Counts, Reading
from dowse.judge.similarity import TopicVector, text_norm
from dowse.judge.terms import Terms, weights
from dowse.model.facts import PageFacts
from dowse.model.page import Reason
from dowse.model.url import path_words
from dowse.model.words import WordLines, words

__all__ = ["ComparedPage", "Nearness"]

_REASONS = 8
_Part = tuple[str, float, float]  # name, value, weight


@dataclass(frozen=True, slots=True)
class Nearness:
    """Compares texts with the words of one topic. A pure value: it can be sent to another process and gives the same
    answers. With idf it also learns which terms are rare, from each page it is told to :meth:`learn`."""

    terms: Terms
    vector: TopicVector
    pool: KeywordPool | None
    _lexicon: Lexicon = field(repr=False, compare=False)
    _weights: NDArray[np.float64] = field(repr=False, compare=False)  # of the lexicon's topical terms
    frequencies: Frequencies | None = field(default=None, compare=False)  # with idf only: then it learns
    pools: Mapping[str, LanguagePool] = field(default_factory=dict)  # keywords for pages of a language, by its code

    def read(self, page: Sequence[str]) -> Reading:
        """Look a page's words up, once for all that is asked about it."""
        return self._lexicon.read(page)

    def read_lines(self, lines: WordLines, behind: WordLines | None = None) -> tuple[Reading, int]:
        """Look text up that is not cut into words yet; see :meth:`~dowse.judge.lexicon.Lexicon.read_lines`."""
        return self._lexicon.read_lines(lines, behind)

    def reader(self, vocabulary: Vocabulary) -> Callable[[NDArray[np.int32]], Reading]:
        """Looks pages up that are kept as numbers of a vocabulary, which is of this topic's language."""
        if vocabulary.language != self.terms.language:
            raise ValueError(f"a vocabulary in {vocabulary.language} for a topic in {self.terms.language}")
        return vocabulary.reader(self._lexicon.topical)

    def compared(self, page: Reading, facts: PageFacts, own: Reading | None = None) -> ComparedPage:
        """A page for a judge to see. ``own``: the same, as read for the keywords of its language."""
        by_term: list[_Part] = []
        by_keyword: list[_Part] = []
        if page.is_near:
            counts, all_counts = page.count()
            by_term = self._shared(page, counts, all_counts)
            if self.pool is not None and own is None:
                by_keyword = _by_keyword(self.pool, page)
        if own is not None and own.is_near:
            by_keyword = _by_keyword(self.pools[facts.language].pool, own)
        return ComparedPage(page, facts, by_term, by_keyword)

    def _shared(self, page: Reading, counts: Mapping[str, float], all_counts: Counts) -> list[_Part]:
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
        return vector / norm if norm else vector  # a topic need not name any word

    def learn(self, page: Reading) -> None:
        """A page was fetched: its terms are a little less rare."""
        if self.frequencies is not None:
            self.frequencies.learn(self._lexicon.term_hashes()[page.distinct()[0]])

    def kept_at(self, folder: Path) -> Nearness:
        """A copy that shares what it learns with others through a file in the crawl's folder."""
        return self if self.frequencies is None else replace(self, frequencies=Frequencies(folder / TERMS))

    def as_of(self, folders: Sequence[Path]) -> Nearness:
        """A copy with what was learned in a crawl's folder, or in those of all its shards, which it leaves as they
        are."""
        known = [folder / TERMS for folder in folders if is_whole(folder / TERMS)]
        if self.frequencies is None or not known:
            return self
        found = Frequencies(known[0], writable=False) if len(known) == 1 else Frequencies.together(known)
        return replace(self, frequencies=found)

    def similarity(self, text: str) -> float:
        """Cosine of any text with the topic (METHODS, section 1)."""
        if self.frequencies is not None:
            [found] = np.nan_to_num(self.similarities(self.read(words(text))))
            return float(found)
        return self.vector.cosine(Counter(self.terms.sequence(words(text))))

    def of_urls(self, urls: Sequence[str]) -> NDArray[np.float64]:
        """The cosine of the words of each URL's path; NaN where it has none."""
        if not urls:
            return np.zeros(0)
        return self.similarities(self.read_lines(WordLines("\n".join(map(path_words, urls))))[0])

    def similarities(self, page: Reading, groups: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """The cosine of each line of a text, or of each of the groups that lines belong to; NaN where no word is."""
        rarity = None
        if self.frequencies is not None:
            numbers, _ = page.distinct()
            rarity = np.ones(len(self._lexicon.term_hashes()))
            rarity[numbers] = self._rarity(numbers)
        return page.similarities(self._topic(), self.vector.weighting, rarity, groups)


def _by_keyword(pool: KeywordPool, page: Reading) -> list[_Part]:
    counts, all_counts = page.count()
    shares = pool.shares(counts, all_counts.sum().item(), page.occurrences)
    return [(share.text, share.share, share.weight) for share in shares]


class ComparedPage:
    """A page beside a topic's words. Implements :class:`dowse.model.judge.ReadPage`."""

    __slots__ = ("_by_keyword", "_by_term", "_reading", "_terms", "facts")

    def __init__(self, reading: Reading, facts: PageFacts, by_term: list[_Part], by_keyword: list[_Part]) -> None:
        self._reading = reading
        self._by_term, self._by_keyword = by_term, by_keyword
        self._terms: tuple[NDArray[np.uint64], Counts] | None = None
        self.facts = replace(facts, similarity=_sum(by_term), erid=_sum(by_keyword))

    def terms(self) -> tuple[NDArray[np.uint64], Counts]:
        if self._terms is None:
            self._terms = self._reading.hashed_terms()
        return self._terms

    def count(self, phrase: Sequence[str]) -> float:
        return self._reading.occurrences(phrase, whole=True) if self._reading.is_near else 0.0

    def similar_terms(self) -> tuple[Reason, ...]:
        return _top("term", self._by_term)

    def keywords(self) -> tuple[Reason, ...]:
        return _top("keyword", self._by_keyword)


def _sum(parts: Sequence[_Part]) -> float:
    return min(1.0, math.fsum([value * weight for _, value, weight in parts]))


def _top(kind: str, parts: list[_Part]) -> tuple[Reason, ...]:
    """The greatest contributions, and the rest as one, so that all still add up to the score."""
    ordered = sorted([(-value * weight, name, value, weight) for name, value, weight in parts])
    reasons = [Reason(f"{kind}: {name}", value, weight) for _, name, value, weight in ordered[:_REASONS]]
    rest = ordered[_REASONS:]
    if rest:
        reasons.append(Reason(f"{len(rest)} more", math.fsum([-part[0] for part in rest])))
    return tuple(reasons)
