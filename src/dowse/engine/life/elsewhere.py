"""URLs of other shards: ours are taken up, theirs become letters; and letters that come are taken up like links.

A URL that another shard owns is a candidate like any other, with its links and what the strategy knows of it, but it
never waits. It is told there when it is found, and again whenever a page has it thought worth more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life.journal import Journal
from dowse.engine.life.pricing import Pricing
from dowse.frontier.frontier import Frontier
from dowse.model.others import Letter, Others
from dowse.model.records import CandidateState

__all__ = ["Elsewhere", "best_of_each"]

Ids = NDArray[np.int64]


class Elsewhere:
    """Sends what is not ours. Part of :class:`Life`, where there are other shards."""

    def __init__(self, others: Others, frontier: Frontier, pricing: Pricing, journal: Journal) -> None:
        self._others = others
        self._frontier = frontier
        self._pricing = pricing
        self._journal = journal
        self._owners: dict[int, int] = {}  # site -> whose it is, of those that are not ours
        self._ours: set[int] = set()

    def send(self, ids: Ids) -> None:
        """Of these candidates, which were just taken up, those of others are told to them and do not wait here."""
        theirs = np.array([self._owner(id_) is not None for id_ in ids.tolist()], np.bool_)
        ids = ids[theirs]
        if len(ids):
            self._frontier.give_away(ids)
            for id_ in ids.tolist():
                self._journal.ended(id_, CandidateState.ELSEWHERE, "elsewhere", 0)
            self._tell(ids)

    def tell_again(self, ids: Ids, before: NDArray[np.float64]) -> None:
        """These candidates have other priorities than ``before``: where others' are worth more, they are told."""
        ids = ids[self._frontier.is_elsewhere(ids) & (self._frontier.priorities(ids) > before)]
        if len(ids):
            self._tell(ids)

    def _tell(self, ids: Ids) -> None:
        frontier = self._frontier
        depths = frontier.candidates.depth[ids]
        values = self._pricing.values(ids, frontier.priorities(ids))
        for id_, depth, value in zip(ids.tolist(), depths.tolist(), values.tolist(), strict=True):
            owner = self._owner(id_)
            if owner is not None:
                self._journal.letter(id_, Letter(0, owner, frontier.url(id_), depth, value))

    def _owner(self, candidate: int) -> int | None:
        site = self._frontier.candidates.site.item(candidate)
        if site in self._ours:
            return None
        owner = self._owners.get(site)
        if owner is None:
            owner = self._others.owner(self._frontier.url(candidate))
            if owner is None:
                self._ours.add(site)
            else:
                self._owners[site] = owner
        return owner


def best_of_each(letters: Iterable[Letter]) -> Sequence[Letter]:
    """The letters about each URL as one: the highest value, the least depth."""
    best: dict[str, Letter] = {}
    for letter in letters:
        known = best.get(letter.url)
        if known is None:
            best[letter.url] = letter
        else:
            value, depth = max(known.value, letter.value), min(known.depth, letter.depth)
            best[letter.url] = Letter(letter.number, letter.shard, letter.url, depth, value)
    return list(best.values())
