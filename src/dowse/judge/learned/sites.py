"""What a page's site says of it: where many pages are likely on the topic, the next one is likelier, too.

A page of a database's manual need not name databases; its neighbours do. So a page's odds are taken times those of its
site, relative to those of all pages, as Bayes has it for a class that is more frequent in one place than in another
(Saerens, Latinne and Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities, 2002). How
frequent it is in a site is the mean chance of the site's pages in the sample, drawn to that of the domain the site lies
in, and this to that of all, as if so many more pages had been seen there (an empirical Bayes estimate).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import Floats, Text, Vectors

__all__ = ["Census", "Sites"]

_AS_IF = 40.0  # pages as in the domain above, before any of a domain has been seen
_ANSWER = 5.0  # a page of which somebody said what it is counts like so many
_LEAST = 1e-3  # a share of pages on the topic, or off it


@dataclass(frozen=True, slots=True)
class Sites:
    """What the domains of a page add to its log odds."""

    log_odds: Floats  # by a domain's number: what it adds to those it lies in; the last place is for unknown ones, 0

    def of(self, texts: Vectors) -> Floats:
        """For each text, the sum over its domains."""
        return texts.of_domains(self.log_odds)

    def of_each(self, text: Text) -> Floats:
        """What each of a text's domains adds."""
        return np.asarray(self.log_odds.take(text.domains, mode="clip"))


class Census:
    """How many pages of each domain are known, and how many of these are on the topic: those of a sample by their
    chances, and others by what somebody said."""

    def __init__(
        self, sample: Sequence[Text], chances: Floats, asked: Sequence[Text], answers: NDArray[np.bool_]
    ) -> None:
        self._sample = [(text, 1.0, chance) for text, chance in zip(sample, chances.tolist(), strict=True)]
        self._asked = [(text, _ANSWER, _ANSWER * yes) for text, yes in zip(asked, answers.tolist(), strict=True)]
        self._pages: dict[int, float] = {}
        self._on: dict[int, float] = {}
        known = [*self._sample, *self._asked]
        for text, pages, on in known:
            for domain in text.domains.tolist():
                self._pages[domain] = self._pages.get(domain, 0.0) + pages
                self._on[domain] = self._on.get(domain, 0.0) + on
        self._all = math.fsum(pages for _, pages, _ in known)
        self._all_on = math.fsum(on for _, _, on in known)

    def sites(self, size: int) -> Sites:
        """What follows for pages, among so many terms."""
        log_odds = np.zeros(size)
        for text in {tuple(text.domains.tolist()): text for text, _, _ in (*self._sample, *self._asked)}.values():
            log_odds[text.domains] = self._added(text)
        return Sites(log_odds)

    def of_sample(self) -> Floats:
        """For each page of the sample, what its domains would add to its log odds if it were not there."""
        return np.array([sum(self._added(*one)) for one in self._sample])

    def of_asked(self) -> Floats:
        """The same for each page that was answered."""
        return np.array([sum(self._added(*one)) for one in self._asked])

    def _added(self, text: Text, less: float = 0.0, less_on: float = 0.0) -> list[float]:
        """What each of a text's domains adds, the widest first, where so many pages fewer are known. One with the same
        pages as what it lies in tells no more."""
        pages_above, above = self._all, _LEAST
        if pages_above > less:
            above = _inside((self._all_on - less_on) / (pages_above - less))
        added = []
        for domain in text.domains.tolist():
            pages, own = self._pages[domain], above
            if pages < pages_above:
                own = _inside((self._on[domain] - less_on + _AS_IF * above) / (pages - less + _AS_IF))
            added.append(_log_odds(own) - _log_odds(above))
            pages_above, above = pages, own
        return added


def _inside(share: float) -> float:
    return min(max(share, _LEAST), 1 - _LEAST)


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))
