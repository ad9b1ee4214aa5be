"""A page that the learned judge keeps, and how such pages are told to other shards of a crawl.

Told are those pages that any shard's model could be made of: of the sample as by lot, and of those nearest to the
query, our own that are in what all shards have together; so of a crawl of many shards each tells a part. A page goes
as what a model is made from: its terms by the buckets they are counted in, how much each is in it, its domains, and
its share of the query's terms. No address and no word of it are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import BUCKETS, Numbering, Text
from dowse.model.sharing import Arrays, array_of

__all__ = ["ELSEWHERE", "Role", "Seen", "Telling", "Told", "told_pages"]

ELSEWHERE = -1
"""In place of the number of a page that another shard has judged."""
_MOST_TERMS = 1000  # of a page, the words of its address among them


@dataclass(frozen=True, slots=True)
class Seen:
    """A page that was judged."""

    id: int
    text: Text
    shares: NDArray[np.float32]  # of the query's terms


class Role(IntEnum):
    """Why a page is kept."""

    SAMPLED = 1
    NEAR = 2
    SEED = 4


@dataclass(frozen=True, slots=True)
class Told:
    """A page with what decides whether it is kept."""

    seen: Seen
    role: int  # the sum of its roles
    lot: int
    similarity: float


class _Row(NamedTuple):
    """A page as it is told."""

    steps: NDArray[np.uint32]  # from bucket to bucket of its terms, rising: they are small
    kinds: NDArray[np.intp]  # of how much each is in it
    domains: NDArray[np.uint32]


class Telling:
    """Our part, told again and again: what goes of each page is worked out once."""

    def __init__(self, words: Numbering) -> None:
        self._words = words
        self._rows: dict[int, _Row] = {}
        self._kind_of: dict[float, int] = {}  # how much a term is in its page: few numbers, which come again

    def arrays(self, pages: int, told: Sequence[Told]) -> Arrays:
        """How many pages were judged, and those that are kept."""
        self._rows = rows = self._known([one.seen for one in told])
        ours = [rows[one.seen.id] for one in told]
        which = np.concatenate([np.zeros(0, np.intp), *(row.kinds for row in ours)])
        weights, there = np.array(list(self._kind_of), np.float32), np.zeros(len(self._kind_of), np.bool_)
        there[which] = True
        told_kinds = np.flatnonzero(there)
        told_kinds = told_kinds[np.argsort(weights[told_kinds])]
        places = np.empty(len(weights), np.uint32)
        places[told_kinds] = np.arange(len(told_kinds), dtype=np.uint32)
        nothing = np.zeros(0, np.uint32)
        return {
            "pages": np.array([pages], np.uint64),
            "sizes": np.array([len(row.steps) for row in ours], np.uint32),
            "terms": np.concatenate([nothing, *(row.steps for row in ours)]),
            "weights": weights[told_kinds],
            "weighs": places[which],
            "domain_sizes": np.array([len(row.domains) for row in ours], np.uint32),
            "domains": np.concatenate([nothing, *(row.domains for row in ours)]),
            "shares": np.concatenate([np.zeros(0, np.float32), *(one.seen.shares for one in told)]),
            "roles": np.array([one.role for one in told], np.uint8),
            "lots": np.array([one.lot for one in told], np.uint64),
            "similarity": np.array([one.similarity for one in told], np.float32),
        }

    def _known(self, seens: Sequence[Seen]) -> dict[int, _Row]:
        """The rows of these pages, by their numbers."""
        if all(seen.id in self._rows for seen in seens):
            return {seen.id: self._rows[seen.id] for seen in seens}
        buckets = self._words.buckets()
        return {seen.id: self._rows.get(seen.id) or self._row(seen.text, buckets) for seen in seens}

    def _row(self, text: Text, buckets: NDArray[np.int64]) -> _Row:
        terms = buckets[text.terms]
        order = np.argsort(terms, kind="stable")
        own, which = np.unique(text.weights[order], return_inverse=True)
        kinds = np.array([self._kind_of.setdefault(weight, len(self._kind_of)) for weight in own.tolist()], np.intp)
        steps = np.diff(terms[order], prepend=0).astype(np.uint32)
        return _Row(steps, kinds[which.reshape(-1)], buckets[text.domains].astype(np.uint32))


def told_pages(
    part: Arrays, query: int, most: int, words: Numbering, before: Sequence[Told] = ()
) -> tuple[int, list[Told]]:
    """Another's part, of a crawl whose query has so many terms: at most so many pages. ``before`` is what it told
    before: a page does not change. ValueError where it cannot be one."""
    sizes = array_of(part, "sizes", np.uint32, -1).astype(np.int64)
    domain_sizes = array_of(part, "domain_sizes", np.uint32, len(sizes)).astype(np.int64)
    if len(sizes) > most or max(sizes.max(initial=0), domain_sizes.max(initial=0)) > _MOST_TERMS:
        raise ValueError("it has too many pages, or too large ones")
    sums = np.cumsum(array_of(part, "terms", np.uint32, int(sizes.sum())), dtype=np.int64)
    kinds = array_of(part, "weights", np.float32, -1)
    which = array_of(part, "weighs", np.uint32, len(sums))
    domains = array_of(part, "domains", np.uint32, int(domain_sizes.sum()))
    shares = array_of(part, "shares", np.float32, len(sizes) * query).reshape(len(sizes), query)
    roles, lots = array_of(part, "roles", np.uint8, len(sizes)), array_of(part, "lots", np.uint64, len(sizes))
    similarity = array_of(part, "similarity", np.float32, len(sizes))
    [pages] = array_of(part, "pages", np.uint64, 1).tolist()
    ends, domain_ends = np.cumsum(sizes), np.cumsum(domain_sizes)
    sums_at = np.concatenate((np.zeros(1, np.int64), sums))[np.concatenate((np.zeros(1, np.int64), ends))]
    if (np.diff(sums_at) >= BUCKETS).any() or (domains >= BUCKETS).any() or which.max(initial=0) >= max(1, len(kinds)):
        raise ValueError("its terms are none")
    if (len(which) and not len(kinds)) or (kinds < 0).any() or (shares < 0).any() or pages < len(sizes):
        raise ValueError("its pages cannot be")
    if (roles > sum(Role)).any():
        raise ValueError("its pages cannot be")
    known = {one.lot: one.seen for one in before}
    found = []
    for at, (lot, role, near) in enumerate(zip(lots.tolist(), roles.tolist(), similarity.tolist(), strict=True)):
        seen = known.get(lot)
        if seen is None or len(seen.text.terms) != sizes[at]:
            own = slice(int(ends[at] - sizes[at]), int(ends[at]))
            theirs = slice(int(domain_ends[at] - domain_sizes[at]), int(domain_ends[at]))
            terms = words.numbers((sums[own] - sums_at[at]).astype(np.uint32))
            seen = Seen(ELSEWHERE, Text(terms, kinds[which[own]], words.numbers(domains[theirs])), shares[at])
        found.append(Told(seen, role, lot, near))
    return pages, found
