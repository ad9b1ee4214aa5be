"""A page that the learned judge keeps, and how such pages are told to other shards of a crawl.

Told are those pages that any shard's model could be made of: of the sample as by lot, and of those nearest to the
query, our own that are in what all shards have together; so of a crawl of many shards each tells a part. A page goes
as what a model is made from: its terms by the buckets they are counted in, how much each is in it, its domains, and
its share of the query's terms. No address and no word of it are told.

A page does not change, and most that are told were told before. So pages go in pieces: each has those that were new
when it was made, and stays as it is while at least half of them are still told. One more piece, the index, says which
these are, by their lots, and why. So a page is made ready and read about once, however often it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import BUCKETS, Numbering, Text
from dowse.model.sharing import Arrays, Pieces, array_of

__all__ = ["ELSEWHERE", "Elsewhere", "Role", "Seen", "Telling", "Told", "heard"]

ELSEWHERE = -1
"""In place of the number of a page that another shard has judged."""
_INDEX = "index"
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


class Told(NamedTuple):
    """A page with what decides whether it is kept."""

    seen: Seen
    role: int  # the sum of its roles
    lot: int
    similarity: float


class Telling:
    """Our part, told again and again."""

    def __init__(self, words: Numbering) -> None:
        self._words = words
        self._pieces: dict[str, set[int]] = {}  # the lots of the pages that each has
        self._made = 0

    def pieces(self, pages: int, told: Sequence[Told]) -> Pieces:
        """How many pages were judged, and those that are kept."""
        lots = {one.lot for one in told}
        stay = {name: of_piece for name, of_piece in self._pieces.items() if 2 * len(of_piece & lots) >= len(of_piece)}
        there = set[int]().union(*stay.values())
        part: dict[str, Arrays | None] = {_INDEX: _index(pages, told), **dict.fromkeys(stay)}
        if new := [one for one in told if one.lot not in there]:
            name = str(self._made)
            self._made += 1
            part[name] = self._arrays(new)
            stay[name] = {one.lot for one in new}
        self._pieces = stay
        return part

    def _arrays(self, told: Sequence[Told]) -> Arrays:
        """A piece, all its pages at once: each has little to work on."""
        texts = [one.seen.text for one in told]
        buckets, sizes = self._words.buckets(), np.array([len(text.terms) for text in texts], np.int64)
        page_of = np.repeat(np.arange(len(texts)) * BUCKETS, sizes)
        terms, places = _ordered(page_of + buckets[_flat(texts, "terms", np.int32)])
        terms -= page_of
        weights, kinds = _kinds(_flat(texts, "weights", np.float32)[places])
        steps = np.diff(terms, prepend=0)
        starts = (np.cumsum(sizes) - sizes)[sizes > 0]
        steps[starts] = terms[starts]
        return {
            "piece": np.array([one.lot for one in told], np.uint64),
            "sizes": sizes.astype(np.uint32),
            "terms": steps.astype(np.uint32),  # from bucket to bucket of a page's terms, rising: they are small
            "weights": weights,  # few numbers, which come again
            "weighs": kinds,
            "domain_sizes": np.array([len(text.domains) for text in texts], np.uint32),
            "domains": buckets[_flat(texts, "domains", np.int32)].astype(np.uint32),
            "shares": np.concatenate([one.seen.shares for one in told]),
        }


def _index(pages: int, told: Sequence[Told]) -> Arrays:
    return {
        "pages": np.array([pages], np.uint64),
        "lots": np.array([one.lot for one in told], np.uint64),
        "roles": np.array([one.role for one in told], np.uint8),
        "similarity": np.array([one.similarity for one in told], np.float32),
    }


def _flat(texts: Sequence[Text], name: str, kind: type[np.generic]) -> NDArray[Any]:
    """An array of each text, behind one another."""
    return np.concatenate([np.zeros(0, kind), *(getattr(text, name) for text in texts)])


def _ordered(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of at most 40 bits as they rise, and where each stood. Both are sorted as one: numbers are sorted much
    more quickly than their places."""
    bits = len(numbers).bit_length()
    order = np.sort((numbers << bits) | np.arange(len(numbers)))
    return order >> bits, order & ((1 << bits) - 1)


def _kinds(weights: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The weights that there are, rising, and for each which of them it is. Their bits rise as they do, since none is
    below 0."""
    rising, places = _ordered(weights.view(np.uint32).astype(np.int64))
    is_new = np.diff(rising, prepend=-1) > 0
    kinds = np.empty(len(weights), np.uint32)
    kinds[places] = np.cumsum(is_new) - 1
    return rising[is_new].astype(np.uint32).view(np.float32), kinds


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """What another shard has told."""

    pages: int  # that it has judged
    lots: NDArray[np.uint64]  # of those that it keeps
    roles: NDArray[np.uint8]
    similarity: NDArray[np.float32]
    pieces: Mapping[str, Mapping[int, Seen]]  # by lot

    def kept(self, role: Role) -> Iterator[Told]:
        """Its pages that have this role."""
        by_lot = {lot: seen for piece in self.pieces.values() for lot, seen in piece.items()}
        for lot, own, near in zip(self.lots.tolist(), self.roles.tolist(), self.similarity.tolist(), strict=True):
            if own & role:
                yield Told(by_lot[lot], own, lot, near)


_NOTHING = Elsewhere(0, np.zeros(0, np.uint64), np.zeros(0, np.uint8), np.zeros(0, np.float32), {})


def heard(part: Pieces, query: int, most: int, words: Numbering, before: Elsewhere | None = None) -> Elsewhere:
    """Another's part, of a crawl whose query has so many terms: at most so many pages. ``before`` is what it told
    before. ValueError where it cannot be one."""
    before = before or _NOTHING
    if _INDEX not in part or any(
        told is None and name not in before.pieces for name, told in part.items() if name != _INDEX
    ):
        raise ValueError("its pages are not all there")
    index = part[_INDEX]
    if index is None:
        pages, lots, roles, similarity = before.pages, before.lots, before.roles, before.similarity
    else:
        lots = array_of(index, "lots", np.uint64, -1)
        roles, similarity = (
            array_of(index, "roles", np.uint8, len(lots)), array_of(index, "similarity", np.float32, len(lots))
        )  # fmt: skip
        [pages] = array_of(index, "pages", np.uint64, 1).tolist()
    new = {name: _checked(told, query) for name, told in part.items() if name != _INDEX and told is not None}
    old = {name: before.pieces[name] for name, told in part.items() if name != _INDEX and told is None}
    told, there = lots.tolist(), set[int]().union(*old.values(), *(one.lots for one in new.values()))
    if len(told) > most or sum(map(len, old.values())) + sum(len(one.lots) for one in new.values()) > 2 * most:
        raise ValueError("it has too many pages")
    if len(set(told)) != len(told) or not there.issuperset(told):
        raise ValueError("its pages are not all there, or twice")
    if pages < len(lots) or (roles > sum(Role)).any():
        raise ValueError("its pages cannot be")
    read = {name: dict(zip(one.lots, one.seens(words), strict=True)) for name, one in new.items()}
    return Elsewhere(pages, lots, roles, similarity, old | read)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Pages as they were told, which can be such."""

    lots: list[int]
    sizes: NDArray[np.int64]
    terms: NDArray[np.uint32]
    weights: NDArray[np.float32]
    domain_sizes: NDArray[np.int64]
    domains: NDArray[np.uint32]
    shares: NDArray[np.float32]

    def seens(self, words: Numbering) -> Iterator[Seen]:
        numbers, of_domains = words.numbers(self.terms), words.numbers(self.domains)
        ends, domain_ends = np.cumsum(self.sizes).tolist(), np.cumsum(self.domain_sizes).tolist()
        places = zip([0, *ends], ends, [0, *domain_ends], domain_ends, self.shares, strict=False)
        for start, end, first, last, shares in places:
            yield Seen(ELSEWHERE, Text(numbers[start:end], self.weights[start:end], of_domains[first:last]), shares)


def _checked(part: Arrays, query: int) -> _Piece:
    sizes = array_of(part, "sizes", np.uint32, -1).astype(np.int64)
    domain_sizes = array_of(part, "domain_sizes", np.uint32, len(sizes)).astype(np.int64)
    if max(sizes.max(initial=0), domain_sizes.max(initial=0)) > _MOST_TERMS:
        raise ValueError("it has too large pages")
    sums = np.cumsum(array_of(part, "terms", np.uint32, int(sizes.sum())), dtype=np.int64)
    kinds = array_of(part, "weights", np.float32, -1)
    which = array_of(part, "weighs", np.uint32, len(sums))
    domains = array_of(part, "domains", np.uint32, int(domain_sizes.sum()))
    shares = array_of(part, "shares", np.float32, len(sizes) * query).reshape(len(sizes), query)
    lots = array_of(part, "piece", np.uint64, len(sizes)).tolist()
    sums_at = np.append(0, sums)[np.append(0, np.cumsum(sizes))]
    if (np.diff(sums_at) >= BUCKETS).any() or (domains >= BUCKETS).any() or which.max(initial=0) >= max(1, len(kinds)):
        raise ValueError("its terms are none")
    if (len(which) and not len(kinds)) or (kinds < 0).any() or (shares < 0).any():
        raise ValueError("its pages cannot be")
    terms = (sums - np.repeat(sums_at[:-1], sizes)).astype(np.uint32)
    return _Piece(lots, sizes, terms, kinds[which], domain_sizes, domains, shares)
