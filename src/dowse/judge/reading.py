"""A page's words once they are numbers: counted, compared and signed with arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.judge.terms import weights
from dowse.model.page import USUAL_TERMS, Bag

__all__ = ["LINE_END_NUMBER", "NO_TERM", "Counts", "Reading"]

NO_TERM = -1
"""Instead of the number of a term: a word that is none."""
LINE_END_NUMBER = 0
"""The number of what ends a line, among the words; it is counted as the only one that is 0."""
Counts = NDArray[np.int64] | NDArray[np.float64]
MOST_OFTEN = 60_000
"""A term that occurs more often is taken to occur so often."""
_COUNTS = 4_096  # more than nearly any page has of a term


class Reading:
    """A text as arrays of its words and terms. What is measured does not depend on how either are numbered."""

    __slots__ = ("_distinct", "_hashed", "_hashes", "_lines", "_numbers", "_of_term", "_terms", "_topical", "_worth")

    def __init__(
        self,
        numbers: NDArray[np.int64] | NDArray[np.int32],
        terms: NDArray[np.int32],
        hashes: NDArray[np.uint64],
        topical: tuple[str, ...],
        term_hashes: Callable[[], NDArray[np.uint64]],
        worth: NDArray[np.float64] | None = None,
    ) -> None:
        self._numbers = numbers
        self._of_term = term_hashes  # by the number of a term
        self._worth = worth  # of each line: so much of an occurrence a word of it counts for; None: all of it
        self._terms = terms
        self._hashes = hashes  # of all words known when this was read
        self._topical = topical
        self._lines: NDArray[np.int64] | None = None  # see _bounds
        self._distinct: tuple[NDArray[np.int32], Counts] | None = None
        self._hashed: tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]] | None = None  # see _by_line

    def first(self, size: int) -> Reading:
        """A reading of its first words only, line ends counted."""
        return Reading(self._numbers[:size], self._terms[:size], self._hashes, self._topical, self._of_term)

    def _bounds(self) -> NDArray[np.int64]:
        """Where lines end, with one before the first: line n is what stands between two neighbours."""
        if self._lines is None:
            ends = (self._numbers == LINE_END_NUMBER).nonzero()[0]
            bounds = self._lines = np.empty(len(ends) + 2, np.int64)
            bounds[0], bounds[1:-1], bounds[-1] = -1, ends, len(self._numbers)
        return self._lines

    def count_lines(self) -> int:
        return len(self._numbers) - int(np.count_nonzero(self._numbers)) + 1

    def lines(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """How many words each line has, and a hash of them, whatever their order; 0 where there is none."""
        sizes, sums, _ = self._by_line()
        return sizes, sums

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each word, line ends left out."""
        return self._by_line()[2]

    def _by_line(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """The size of each line, the sum of its words' hashes, and the hash of each word."""
        if self._hashed is None:
            lines = self.count_lines()
            sizes, sums = np.empty(lines, np.int64), np.empty(lines, np.uint64)
            hashes = np.empty(len(self._numbers) - lines + 1, np.uint64)
            if (
                core is None
                or self._numbers.dtype != np.int32
                or not core.lines(self._numbers, self._hashes, sizes, sums, hashes)
            ):
                bounds, running = self._bounds(), np.zeros(len(self._numbers) + 1, np.uint64)
                of_words = self._hashes[self._numbers]
                of_words.cumsum(out=running[1:])  # a line end's is 0
                sizes, sums = bounds[1:] - bounds[:-1] - 1, running[bounds[1:]] - running[bounds[:-1] + 1]
                hashes = of_words[self._numbers != LINE_END_NUMBER]
            self._hashed = sizes, sums, hashes
        return self._hashed

    def weighed(self, lines: NDArray[np.float64]) -> Reading:
        """A reading in which each occurrence of a term counts for so much as its line is worth, when it is counted. The
        words themselves, and single lines, stay what they are."""
        return Reading(self._numbers, self._terms, self._hashes, self._topical, self._of_term, lines)

    def _shares(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much of an occurrence each word counts for, by what its line is worth."""
        bounds = self._bounds()
        return worth.repeat(bounds[1:] - bounds[:-1])[: len(self._numbers)]  # a line's end is worth as much as it

    def _near(self) -> NDArray[np.bool_]:
        """Which words are terms of the topic. What is no term is the greatest number there is, without its sign."""
        near: NDArray[np.bool_] = self._terms.view(np.uint32) < len(self._topical)
        return near

    @property
    def is_near(self) -> bool:
        """Does any term of the topic occur?"""
        return bool(self._near().any())

    def distinct(self) -> tuple[NDArray[np.int32], Counts]:
        """The number of each term that occurs, rising, and how often it does."""
        if self._distinct is None:
            self._distinct = self._counted()
        return self._distinct

    def _counted(self) -> tuple[NDArray[np.int32], Counts]:
        size = len(self._terms)
        if core is not None and self._numbers.dtype == np.int32:
            numbers = np.empty(size, np.int32)
            often: Counts = np.empty(size, np.int64) if self._worth is None else np.empty(size, np.float64)
            found = core.distinct(self._terms, self._numbers, self._worth, numbers, often)
            if found >= 0:
                return numbers[:found], often[:found]
        if self._worth is None:
            terms = np.sort(self._terms)
            return _runs(terms[terms.searchsorted(0) :])  # what is no term stands before
        # a term and its place in one number: sorting these is much quicker than asking for an order
        keys = (self._terms.astype(np.int64) << 32) | np.arange(size)
        keys.sort()
        keys = keys[keys.searchsorted(0) :]
        order = keys & 0xFFFFFFFF
        terms, counts = _runs((keys >> 32).astype(np.int32))
        if not len(terms):
            return terms, counts
        return terms, np.add.reduceat(self._shares(self._worth)[order], np.cumsum(counts) - counts)

    def hashed_terms(self) -> tuple[NDArray[np.uint64], Counts]:
        """The hash of each term that occurs, rising, and how often it does."""
        numbers, counts = self.distinct()
        hashes = self._of_term()[numbers]
        order = np.argsort(hashes)
        return hashes[order], counts[order]

    def bag(self, most: int = USUAL_TERMS) -> Bag:
        """Its terms by their hashes: of too many, those that occur most often."""
        numbers, counts = self.distinct()
        if core is not None and most > 0:
            size, whole = min(len(numbers), most), counts.dtype == np.int64
            terms, often = np.empty(size, np.uint32), np.empty(size, np.float32)
            if core.bag(self._of_term(), numbers, counts, whole, most, MOST_OFTEN, terms, often):
                return Bag(terms, often)
        hashes = self._of_term()[numbers]
        kept = np.lexsort((hashes, -counts))[:most]  # of equals, those with the lowest hash
        terms, counts = hashes[kept].astype(np.uint32), counts[kept]
        order = np.argsort(terms)
        return Bag(terms[order], np.minimum(counts[order], MOST_OFTEN).astype(np.float16).astype(np.float32))

    def count(self) -> tuple[dict[str, float], Counts]:
        """How often each topical term occurs, and how often each term does, topical or not."""
        first, counts = self.distinct()
        shared = int(first.searchsorted(len(self._topical)))
        pairs = zip(first[:shared].tolist(), counts[:shared].tolist(), strict=True)
        return {self._topical[number]: count for number, count in pairs}, counts

    def occurrences(self, phrase: Sequence[str], *, whole: bool = False) -> float:
        """How often topical terms stand in a row, what is no term passed over. ``whole``: whatever their line is
        worth."""
        is_term = self._terms >= 0
        terms = self._terms[is_term]
        size = len(terms) - len(phrase) + 1
        if size <= 0:
            return 0
        found = np.ones(size, bool)
        for place, term in enumerate(phrase):
            found &= terms[place : place + size] == self._topical.index(term)
        if self._worth is not None and not whole:
            return float(self._shares(self._worth)[is_term][:size][found].sum())
        return int(np.count_nonzero(found))

    def _measured(
        self, topic: NDArray[np.float64], weighting: str, groups: NDArray[np.intp] | None
    ) -> NDArray[np.float64] | None:
        """:meth:`similarities` by the compiled core; None where it cannot do it."""
        if core is None or self._numbers.dtype != np.int32:
            return None
        lines, table = self.count_lines(), _weights_of_counts(weighting)
        # groups rise, or the core does not take them
        result = np.empty(lines if groups is None else max(groups[-1] + 1, 0) if len(groups) else 0)
        done = core.similarities(self._numbers, self._terms, groups, lines, topic, table, result)
        return result if done else None

    def similarities(
        self,
        topic: NDArray[np.float64],
        weighting: str,
        rarity: NDArray[np.float64] | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """The cosine of each line with the topic, given the weight of each topical term (and of each term its rarity,
        which is in the topic's weights already); NaN where there is no word. With ``groups``, the group from 0 on of
        each line (below 0: in none), the same for each group as one text.

        Only what has a term of the topic is looked at, all at once: terms are sorted by line, then term, so that equal
        ones stand together.
        """
        if rarity is None and (measured := self._measured(topic, weighting, groups)) is not None:
            return measured
        bounds = self._bounds()
        sizes = bounds[1:] - bounds[:-1] - 1
        if groups is None:
            result = np.where(sizes > 0, 0.0, np.nan)
        else:
            result = np.full(int(groups.max(initial=-1)) + 1, np.nan)
            result[groups[(sizes > 0) & (groups >= 0)]] = 0.0
        at = self._near().nonzero()[0]
        if not len(at):
            return result
        lines = bounds[1:-1].searchsorted(at)
        if groups is None:
            near, _ = _runs(lines)
            rank = np.arange(len(near))
            lines = near
        else:
            near = np.unique(groups[lines])
            near = near[near >= 0]
            places = np.full(len(result) + 1, -1)  # the last is for lines without a group
            places[near] = np.arange(len(near))
            lines = (places[groups] >= 0).nonzero()[0]
            rank = places[groups[lines]]
        starts, sizes = bounds[lines] + 1, sizes[lines]
        # of each word: not the number of its line or group, but its rank among the near ones
        line = rank.repeat(sizes)
        at = np.arange(len(line)) + (starts - sizes.cumsum() + sizes).repeat(sizes)
        keys = line << 32 | self._terms[at]
        keys.sort()
        keys, counts = _runs(keys[keys.searchsorted(0) :])  # what is no term has made its key negative
        line, term = keys >> 32, keys & 0xFFFFFFFF
        own = weights(counts, weighting) if rarity is None else weights(counts, weighting) * rarity[term]
        shared = term < len(topic)
        products = np.bincount(line[shared], own[shared] * topic[term[shared]], len(near))
        order = np.lexsort((own, line))  # so that how terms are numbered, which differs by process, does not show
        norms = np.sqrt(np.bincount(line[order], own[order] ** 2, len(near)))
        result[near] = np.minimum(1.0, products / norms)
        return result


@cache
def _weights_of_counts(weighting: str) -> NDArray[np.float64]:
    """The weight of a term that occurs 0, 1, 2, ... times, for the compiled core."""
    return weights(np.arange(_COUNTS), weighting)


def _runs(ordered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct values of a sorted array and how often each occurs."""
    if not len(ordered):
        return ordered, np.zeros(0, np.int64)
    new = np.empty(len(ordered), np.bool_)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    starts = new.nonzero()[0]
    counts = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = len(ordered) - starts[-1]
    return ordered[starts], counts
