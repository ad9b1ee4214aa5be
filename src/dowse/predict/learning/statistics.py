"""What a crawl has learned, as additive counts: they can be kept, merged, aged, and give the next crawl a start
(METHODS, section 4; Aggarwal, section 4.1).

Everything here is a sum over judged pages. So the statistics of two crawls are added up number by number, in any order,
and an old crawl weighs less when all its numbers are multiplied by a factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.predict.learning.events import Events
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.sums import Sums, no_pair

__all__ = ["Crawled", "KeepsStatistics", "Mix", "Statistics", "Sums"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Mix:
    """The sums that a regression's weights come from (see :class:`dowse.predict.regression.Regression`)."""

    products: Floats
    targets: Floats
    examples: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mix):
            return NotImplemented
        same = np.array_equal(self.products, other.products) and np.array_equal(self.targets, other.targets)
        return same and self.examples == other.examples

    __hash__ = None  # type: ignore[assignment]

    def merged(self, other: Mix) -> Mix:
        return Mix(self.products + other.products, self.targets + other.targets, self.examples + other.examples)

    def aged(self, factor: float) -> Mix:
        return Mix(self.products * factor, self.targets * factor, self.examples * factor)


@dataclass(frozen=True, slots=True, order=True)
class Crawled:
    """A crawl whose pages are counted: how many it had judged by then, and what it is about."""

    pages: float
    name: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """What judged pages turned out to be. A page's value is in [0, 1]: how likely it is on the topic.

    A word or token is a key by its hash. What it was is known where somebody looked it up: names are for people, and no
    crawl depends on them.
    """

    pages: float = 0.0
    value: float = 0.0  # the sum of their values
    tokens: Sums = field(default_factory=no_pair)  # of URLs and anchors: pages, and the sum of their values
    words: Sums = field(default_factory=no_pair)  # of the pages themselves: the same
    hosts: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # the same by host
    mixes: Mapping[tuple[str, ...], Mix] = field(default_factory=dict)  # by the names of the features
    token_names: Mapping[int, str] = field(default_factory=dict)
    word_names: Mapping[int, str] = field(default_factory=dict)
    events: Mapping[str, Events] = field(default_factory=dict)  # by the form of interest ratios that counted them
    people: Mapping[str, Readers] = field(default_factory=dict)  # by the mark of the key that made users numbers
    crawls: Mapping[str, Crawled] = field(default_factory=dict)  # whose pages these are, by what each calls itself

    @property
    def usual(self) -> float:
        """``P(C)``: what a page is worth on average, never 0 or 1."""
        return (self.value + 0.5) / (self.pages + 1)

    def merged(self, other: Statistics) -> Statistics:
        """What both have learned, as if one crawl had seen all their pages. That no page is in both is for the caller
        to see to (``crawls``)."""
        return Statistics(
            pages=self.pages + other.pages,
            value=self.value + other.value,
            tokens=self.tokens.merged(other.tokens),
            words=self.words.merged(other.words),
            hosts=_added(self.hosts, other.hosts),
            mixes={
                names: _both(self.mixes.get(names), other.mixes.get(names)) for names in {**self.mixes, **other.mixes}
            },
            token_names=_named(self.token_names, other.token_names),
            word_names=_named(self.word_names, other.word_names),
            events={
                form: self.events.get(form, Events()).merged(other.events.get(form, Events()))
                for form in {**self.events, **other.events}
            },
            people={
                key: self.people.get(key, Readers()).merged(other.people.get(key, Readers()))
                for key in {**self.people, **other.people}
            },
            crawls={
                own: max(found[own] for found in (self.crawls, other.crawls) if own in found)
                for own in {**self.crawls, **other.crawls}
            },
        )

    def aged(self, factor: float) -> Statistics:
        """As if only that part of every page had been seen: what is old tells less."""
        if not 0 <= factor <= 1:
            raise ValueError(f"a factor is from 0 to 1, not {factor}")
        return replace(
            self, pages=self.pages * factor, value=self.value * factor, tokens=self.tokens.aged(factor),
            words=self.words.aged(factor),
            hosts={host: (pages * factor, value * factor) for host, (pages, value) in self.hosts.items()},
            mixes={names: mix.aged(factor) for names, mix in self.mixes.items()},
            events={form: events.aged(factor) for form, events in self.events.items()},
            people={key: readers.aged(factor) for key, readers in self.people.items()},
        )  # fmt: skip

    def weighing(self, most: float) -> Statistics:
        """Aged so far that it counts as no more than so many pages."""
        return self if self.pages <= most else self.aged(most / self.pages)


def _added(
    ours: Mapping[str, tuple[float, float]], theirs: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    found = dict(ours)
    for host, (pages, value) in theirs.items():
        before = found.get(host, (0.0, 0.0))
        found[host] = (before[0] + pages, before[1] + value)
    return found


def _both(ours: Mix | None, theirs: Mix | None) -> Mix:
    if ours is None or theirs is None:
        found = ours or theirs
        assert found is not None, "one of them has these names"
        return found
    return ours.merged(theirs)


def _named(ours: Mapping[int, str], theirs: Mapping[int, str]) -> dict[int, str]:
    """All names; where two share a hash, the first in the alphabet, so that it does not matter who is merged first."""
    found = dict(ours)
    for key, name in theirs.items():
        found[key] = min(found.get(key, name), name)
    return found


@runtime_checkable
class KeepsStatistics(Protocol):
    """A strategy that hands on what it has learned."""

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        """What it has learned, with what it started from. ``hosts`` names sites; ``bags`` has the terms of pages, as
        far as they are at hand."""
        ...
