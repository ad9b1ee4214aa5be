"""Texts as vectors over the terms that a crawl has met, all weighed at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.judge.learned.addresses import domain_terms, host_of, word_terms
from dowse.model.page import Bag

__all__ = ["BUCKETS", "Floats", "Numbering", "Text", "Vectors", "Weighing", "term_weights"]

Floats = NDArray[np.float64]
BUCKETS = 1 << 18
"""Terms that share one count as one."""
_MASK = np.uint32(BUCKETS - 1)
_LEAST = 1e-12  # a length to divide by
_DOMAIN = 0.3  # what a domain weighs beside words of length 1
_IN_ADDRESS = 3.2  # what a word of the address weighs: like one that occurs nine times
_NONE = np.zeros(0, np.int32)
_MOST_HOSTS = 1 << 14  # whose numbers are kept at hand


@dataclass(frozen=True, slots=True)
class Weighing:
    """What the terms of a text weigh: how much each is in it, or the square of that, times its rarity."""

    rarity: Floats  # by term
    squared: bool = False

    def own(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.square(weights) if self.squared else weights


@dataclass(frozen=True, slots=True)
class Text:
    """Its terms by their numbers, behind those of its words those of its address; how much each is in it; and the
    domains it is from, numbered like terms."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float32]
    domains: NDArray[np.int32]

    def weighed(self, weighing: Weighing) -> Floats:
        """Its terms as they are weighed, before they are drawn to length 1."""
        return np.asarray(weighing.own(self.weights) * weighing.rarity.take(self.terms, mode="clip"))

    def dot(self, weighing: Weighing, vector: Floats) -> float:
        """Itself times a vector: what :class:`Vectors` would say of it alone."""
        own = self.weighed(weighing)
        length = max(math.sqrt(float((own * own).sum())), _LEAST)
        words = float((own * vector.take(self.terms, mode="clip")).sum()) / length
        return words + _DOMAIN * float(vector.take(self.domains, mode="clip").sum())


def term_weights(counts: NDArray[Any]) -> NDArray[Any]:
    """``1 + log`` of how often a term occurs; where it counts for less than once, just that."""
    return np.asarray(np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1))))


class Numbering:
    """Numbers terms as they are met, so that tables over them are no longer than there are."""

    def __init__(self) -> None:
        self._numbers = np.full(BUCKETS, -1, np.int32)
        self._of_host: dict[str, NDArray[np.int32]] = {}
        self._buckets = np.zeros(0, np.int64)  # by number, as far as was asked
        self.count = 0

    def order(self) -> NDArray[np.int32]:
        """The numbers of all terms, in an order that does not depend on when each was met: sums over terms in it are
        the same to the last bit after a stop, though pages that were forgotten are not met again."""
        return self._numbers[self._numbers >= 0]

    def buckets(self) -> NDArray[np.int64]:
        """By number, the bucket of the terms that have it: a term for whoever numbers them otherwise."""
        known = len(self._buckets)
        if known < self.count:
            new = np.flatnonzero(self._numbers >= known)
            found = np.concatenate((self._buckets, np.empty(len(new), np.int64)))
            found[self._numbers[new]] = new
            self._buckets = found
        return self._buckets

    def numbers(self, terms: NDArray[np.uint32]) -> NDArray[np.int32]:
        if core is not None:
            numbers = np.empty(len(terms), np.int32)
            self.count = core.number_terms(self._numbers, np.ascontiguousarray(terms), self.count, numbers)
            return numbers
        buckets = terms & _MASK
        found = self._numbers.take(buckets)
        if len(found) and found.min() < 0:
            new = np.unique(buckets[found < 0])
            self._numbers[new] = np.arange(self.count, self.count + len(new))
            self.count += len(new)
            found = self._numbers.take(buckets)
        return found

    def text(self, bag: Bag, url: str = "") -> Text:
        """A page with these terms, from this URL or host. One without terms is from nowhere: it says nothing."""
        weights = term_weights(bag.counts).astype(np.float32)
        if not url or not len(bag.terms):
            return Text(self.numbers(bag.terms), weights, _NONE)
        address = word_terms(url)
        if len(address):
            weights = np.concatenate((weights, np.full(len(address), _IN_ADDRESS, np.float32)))
        return Text(self.numbers(np.concatenate((bag.terms, address))), weights, self._domains(host_of(url)))

    def _domains(self, host: str) -> NDArray[np.int32]:
        known = self._of_host.get(host)
        if known is None:
            if len(self._of_host) >= _MOST_HOSTS:
                self._of_host.clear()
            known = self._of_host[host] = self.numbers(domain_terms(host))
        return known


class Vectors:
    """Texts behind one another in flat arrays, each of length 1 once its terms are weighed; and beside the words of
    each, the domains it is from, which weigh the same in all. A table over terms has one place more than the terms it
    knows: the last is for all that were met since."""

    def __init__(self, texts: Sequence[Text], weighing: Weighing) -> None:
        self.count = len(texts)
        self._words = _flat([text.terms for text in texts])
        self._domains = _flat([text.domains for text in texts])
        weights = np.concatenate([np.zeros(0, np.float32), *(text.weights for text in texts)])
        self._unit = self._weighed(weighing.own(weights), weighing.rarity)
        self._of_domains = np.full(len(self._domains.terms), _DOMAIN)
        self._products: Floats | None = None

    def _weighed(self, weights: NDArray[np.float32], rarity: Floats) -> Floats:
        sizes, terms = self._words
        found = np.empty(len(terms))
        if core is not None and core.unit_texts(sizes, terms, weights, rarity, found):
            return found
        own = weights * rarity.take(terms, mode="clip")
        lengths = np.sqrt(_by_text(sizes, own * own))
        return np.asarray(own / np.repeat(np.maximum(lengths, _LEAST), sizes))

    def compact(self, order: NDArray[np.int32]) -> tuple[Vectors, NDArray[np.int32]]:
        """The same with the terms that occur numbered from 0 on in this order of all terms, and their numbers of
        before. Tables over a few thousand terms are cheaper than over all that a crawl has met."""
        there = np.zeros(len(order), np.bool_)
        there[self._words.terms] = True
        there[self._domains.terms] = True
        kept = order[there[order]]
        numbers = np.zeros(len(order), np.int32)
        numbers[kept] = np.arange(len(kept), dtype=np.int32)
        made = object.__new__(Vectors)
        made.count, made._unit, made._of_domains, made._products = self.count, self._unit, self._of_domains, None
        made._words = _Flat(self._words.sizes, numbers[self._words.terms])
        made._domains = _Flat(self._domains.sizes, numbers[self._domains.terms])
        return made, kept

    def from_only(self, texts: Sequence[Text]) -> None:
        """Domains that none of these texts is from say nothing from now on."""
        theirs = np.concatenate([np.zeros(0, np.int32), *(text.domains for text in texts)])
        self._of_domains[~np.isin(self._domains.terms, theirs)] = 0.0

    def likeness(self, place: int) -> Floats:
        """The cosine of each text with the one at this place; a domain that both are from adds to it."""
        alone = np.zeros(self.count)
        alone[place] = 1.0
        size = int(max(self._words.terms.max(initial=0), self._domains.terms.max(initial=0))) + 1
        return self.dot(self.sums(alone, size))

    def sums(self, of: NDArray[Any], size: int) -> Floats:
        """By term, the sum over texts, each times a number of its own."""
        of = of.astype(np.float64)
        return _sums(self._words, self._unit, of, size) + _sums(self._domains, self._of_domains, of, size)

    def dot(self, vector: Floats) -> Floats:
        """Each text times a vector."""
        return _dot(self._words, self._unit, vector) + _dot(self._domains, self._of_domains, vector)

    def of_domains(self, vector: Floats) -> Floats:
        """The sum of a vector over the domains of each text, whatever these weigh."""
        return _by_text(self._domains.sizes, vector.take(self._domains.terms, mode="clip"))

    def products(self) -> Floats:
        """Each text times each other; worked out once. A word and a domain that share a number are two here: that is
        rare, and changes little."""
        if self._products is None:
            self._products = np.zeros((self.count, self.count))
            _add_products(self._words, self._unit, self._products)
            _add_products(self._domains, self._of_domains, self._products)
        return self._products


class _Flat(NamedTuple):
    sizes: NDArray[np.int64]
    terms: NDArray[np.int32]


def _flat(parts: Sequence[NDArray[np.int32]]) -> _Flat:
    return _Flat(np.array([len(part) for part in parts], np.int64), np.concatenate([np.zeros(0, np.int32), *parts]))


def _sums(flat: _Flat, unit: Floats, of: Floats, size: int) -> Floats:
    found = np.empty(size)
    if core is not None and core.sum_texts(flat.sizes, flat.terms, unit, of, found):
        return found
    return np.asarray(np.bincount(flat.terms, unit * np.repeat(of, flat.sizes), size), np.float64)


def _dot(flat: _Flat, unit: Floats, vector: Floats) -> Floats:
    found = np.empty(len(flat.sizes))
    if core is not None and core.dot_texts(flat.sizes, flat.terms, unit, vector, found):
        return found
    return _by_text(flat.sizes, unit * vector.take(flat.terms, mode="clip"))


def _add_products(flat: _Flat, unit: Floats, products: Floats) -> None:
    if core is not None and core.multiply_texts(flat.sizes, flat.terms, unit, None, products):
        return
    size = int(flat.terms.max(initial=-1)) + 1
    ends = np.cumsum(flat.sizes)
    for text, (start, end) in enumerate(zip((ends - flat.sizes).tolist(), ends.tolist(), strict=True)):
        alone = np.bincount(flat.terms[start:end], unit[start:end], size)
        products[text] += _by_text(flat.sizes, unit * alone.take(flat.terms))


def _by_text(sizes: NDArray[np.int64], of_terms: Floats) -> Floats:
    rows = np.repeat(np.arange(len(sizes)), sizes)
    return np.asarray(np.bincount(rows, of_terms, len(sizes)), np.float64)
