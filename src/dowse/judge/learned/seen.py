"""A page that the learned judge keeps, and how such pages are told to other shards of a crawl.

Told are those pages that any shard's model could be made of: of the sample as by lot, and of those nearest to the
query, our own that are in what all shards have together; so of a crawl of many shards each tells a part. A page goes
as what a model is made from: its terms by the buckets they are counted in, how much each is in it, its domains, and
its share of the query's terms. No address and no word of it are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import BUCKETS, Numbering, Text
from dowse.model.sharing import Arrays, array_of

__all__ = ["ELSEWHERE", "Role", "Seen", "Told", "told_arrays", "told_pages"]

ELSEWHERE = -1
"""In place of the number of a page that another shard has judged."""
_MOST_TERMS = 1000  # of a page, the words of its address among them


@dataclass(frozen=True, slots=True)
class Seen:
    """A page that was judged."""

    id: int
    text: Text
    shares: NDArray[np.float32]  # of the query's terms


class Role(IntFlag):
    """Why a page is kept."""

    SAMPLED = 1
    NEAR = 2
    SEED = 4


@dataclass(frozen=True, slots=True)
class Told:
    """A page with what decides whether it is kept."""

    seen: Seen
    role: Role
    lot: int
    similarity: float


def told_arrays(pages: int, told: Sequence[Told], words: Numbering) -> Arrays:
    """Our part: how many pages were judged, and those that are kept."""
    buckets, texts = words.buckets(), [one.seen.text for one in told]
    sizes = np.array([len(text.terms) for text in texts], np.int64)
    row = np.repeat(np.arange(len(texts)), sizes)
    terms = buckets[np.concatenate([np.zeros(0, np.int32), *(text.terms for text in texts)])]
    weights = np.concatenate([np.zeros(0, np.float32), *(text.weights for text in texts)])
    order = np.lexsort((terms, row))  # rising, the steps from one to the next are small
    kinds, which = np.unique(weights[order], return_inverse=True)
    domains = buckets[np.concatenate([np.zeros(0, np.int32), *(text.domains for text in texts)])]
    return {
        "pages": np.array([pages], np.uint64),
        "sizes": sizes.astype(np.uint32),
        "terms": np.diff(terms[order] + row * BUCKETS, prepend=0).astype(np.uint64),
        "weights": kinds,
        "weighs": which.reshape(-1).astype(np.uint32),
        "domain_sizes": np.array([len(text.domains) for text in texts], np.uint32),
        "domains": domains.astype(np.uint32),
        "shares": np.concatenate([np.zeros(0, np.float32), *(one.seen.shares for one in told)]),
        "roles": np.array([one.role for one in told], np.uint8),
        "lots": np.array([one.lot for one in told], np.uint64),
        "similarity": np.array([one.similarity for one in told], np.float32),
    }


def told_pages(part: Arrays, query: int, most: int, words: Numbering) -> tuple[int, list[Told]]:
    """Another's part, of a crawl whose query has so many terms: at most so many pages. ValueError where it cannot be
    one."""
    sizes = array_of(part, "sizes", np.uint32, -1).astype(np.int64)
    domain_sizes = array_of(part, "domain_sizes", np.uint32, len(sizes)).astype(np.int64)
    if len(sizes) > most or max(sizes.max(initial=0), domain_sizes.max(initial=0)) > _MOST_TERMS:
        raise ValueError("it has too many pages, or too large ones")
    terms = np.cumsum(array_of(part, "terms", np.uint64, int(sizes.sum())).astype(np.int64))
    row = np.repeat(np.arange(len(sizes)), sizes)
    kinds = array_of(part, "weights", np.float32, -1)
    which = array_of(part, "weighs", np.uint32, len(terms))
    domains = array_of(part, "domains", np.uint32, int(domain_sizes.sum()))
    shares = array_of(part, "shares", np.float32, len(sizes) * query).reshape(len(sizes), query)
    roles, lots = array_of(part, "roles", np.uint8, len(sizes)), array_of(part, "lots", np.uint64, len(sizes))
    similarity = array_of(part, "similarity", np.float32, len(sizes))
    [pages] = array_of(part, "pages", np.uint64, 1).tolist()
    if (terms // BUCKETS != row).any() or (domains >= BUCKETS).any() or (len(which) and which.max() >= len(kinds)):
        raise ValueError("its terms are none")
    if (kinds < 0).any() or (shares < 0).any() or (roles > sum(Role)).any() or pages < len(sizes):
        raise ValueError("its pages cannot be")
    numbers, of_domains = words.numbers((terms % BUCKETS).astype(np.uint32)), words.numbers(domains)
    weights, ends, domain_ends = kinds[which], np.cumsum(sizes), np.cumsum(domain_sizes)
    found = []
    for at in range(len(sizes)):
        own = slice(int(ends[at] - sizes[at]), int(ends[at]))
        theirs = slice(int(domain_ends[at] - domain_sizes[at]), int(domain_ends[at]))
        text = Text(numbers[own], weights[own], of_domains[theirs])
        seen = Seen(ELSEWHERE, text, shares[at])
        found.append(Told(seen, Role(int(roles[at])), int(lots[at]), float(similarity[at])))
    return pages, found
