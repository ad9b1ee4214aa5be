"""A page that the learned judge keeps, and how such pages are told to other shards of a crawl.

Told are those pages that any shard's model could be made of: of the sample as by lot, and of those nearest to the
query, our own that are in what all shards have together; so of a crawl of many shards each tells a part. A page goes
as what a model is made from: its terms by the buckets they are counted in, how much each is in it, its domains, and
its share of the query's terms. No address and no word of it are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

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
    kinds: NDArray[np.int32]  # of how much each is in it
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
        which = np.concatenate([np.zeros(0, np.int32), *(row.kinds for row in ours)])
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
        new = [seen for seen in seens if seen.id not in self._rows]
        if new:
            self._rows.update(zip((seen.id for seen in new), self._made([seen.text for seen in new]), strict=True))
        return {seen.id: self._rows[seen.id] for seen in seens}

    def _made(self, texts: Sequence[Text]) -> Iterator[_Row]:
        """The rows of pages, all at once: each has little to work on."""
        buckets, sizes = self._words.buckets(), np.array([len(text.terms) for text in texts], np.int64)
        ends = np.cumsum(sizes)
        whole = int(sizes.sum())
        # sorted by page, bucket and place: numbers are sorted much more quickly than their places
        first = np.repeat(np.arange(len(texts)) * BUCKETS, sizes)
        order = np.sort((first + buckets[_flat(texts, "terms", np.int32)]) * whole + np.arange(whole))
        terms, places = order // max(1, whole) - first, order % max(1, whole)
        weights = _flat(texts, "weights", np.float32)[places]
        own = np.unique(weights)
        numbers = np.array([self._kind_of.setdefault(weight, len(self._kind_of)) for weight in own.tolist()], np.int32)
        kinds = numbers[np.searchsorted(own, weights)] if whole else np.zeros(0, np.int32)
        steps = np.diff(terms, prepend=0)
        starts = (ends - sizes)[sizes > 0]
        steps[starts] = terms[starts]
        steps = steps.astype(np.uint32)
        for text, start, end in zip(texts, (ends - sizes).tolist(), ends.tolist(), strict=True):
            yield _Row(steps[start:end], kinds[start:end], buckets[text.domains].astype(np.uint32))


def _flat(texts: Sequence[Text], name: str, kind: type[np.generic]) -> NDArray[Any]:
    """An array of each text, behind one another."""
    return np.concatenate([np.zeros(0, kind), *(getattr(text, name) for text in texts)])


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
    sums_at = np.append(0, sums)[np.append(0, np.cumsum(sizes))]
    if (np.diff(sums_at) >= BUCKETS).any() or (domains >= BUCKETS).any() or which.max(initial=0) >= max(1, len(kinds)):
        raise ValueError("its terms are none")
    if (len(which) and not len(kinds)) or (kinds < 0).any() or (shares < 0).any() or pages < len(sizes):
        raise ValueError("its pages cannot be")
    if (roles > sum(Role)).any():
        raise ValueError("its pages cannot be")
    known = {one.lot: one.seen for one in before}
    old = [known.get(lot) for lot in lots.tolist()]
    new = np.array(
        [seen is None or len(seen.text.terms) != size for seen, size in zip(old, sizes.tolist(), strict=True)]
    )
    texts = iter(
        _texts(
            new.astype(np.bool_),
            sizes,
            sums - np.repeat(sums_at[:-1], sizes),
            kinds,
            which,
            domain_sizes,
            domains,
            words,
        )
    )
    found = []
    for at, (lot, role, near) in enumerate(zip(lots.tolist(), roles.tolist(), similarity.tolist(), strict=True)):
        seen = old[at]
        if seen is None or new[at]:
            seen = Seen(ELSEWHERE, next(texts), shares[at])
        found.append(Told(seen, role, lot, near))
    return pages, found


def _texts(
    new: NDArray[np.bool_], sizes: NDArray[np.int64], terms: NDArray[np.int64], kinds: NDArray[np.float32],
    which: NDArray[np.uint32], domain_sizes: NDArray[np.int64], domains: NDArray[np.uint32], words: Numbering,
) -> Iterator[Text]:  # fmt: skip
    """Those of the pages that are new."""
    own, theirs = np.repeat(new, sizes), np.repeat(new, domain_sizes)
    numbers, of_domains = words.numbers(terms[own].astype(np.uint32)), words.numbers(domains[theirs])
    weights = kinds[which[own]]
    ends, domain_ends = np.cumsum(sizes[new]).tolist(), np.cumsum(domain_sizes[new]).tolist()
    for start, end, first, last in zip([0, *ends], ends, [0, *domain_ends], domain_ends, strict=False):
        yield Text(numbers[start:end], weights[start:end], of_domains[first:last])
