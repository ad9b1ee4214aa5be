"""The judge of a running crawl: it gives each page its chance by what it knows so far, and learns from all of them.

What it keeps of the pages is a function of which pages were judged in which order: a sample of them all as by lot,
those nearest to the query, and the latest. So a crawl that is resumed knows what it knew, and needs no more than the
terms of those pages (:meth:`LearnedJudge.wanted`).
"""

from __future__ import annotations

import bisect
import heapq
import math
from collections import deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.judge.learned.model import Known, Model, learned
from dowse.judge.learned.seen import ELSEWHERE, Elsewhere, Role, Seen, Telling, Told, heard
from dowse.judge.learned.texts import Floats, Numbering, Text, Vectors, Weighing
from dowse.judge.learned.vague import why_vague
from dowse.model.judge import LEARNED, JudgedPage, Revised, SeenPage
from dowse.model.page import Bag, Reason, Verdict
from dowse.model.sharing import Pieces, next_telling
from dowse.model.strategy import Answer, Sample, Subject

__all__ = ["CHANCE", "Chance", "LearnedJudge", "next_fit"]

CHANCE = "the model's chance"
"""The reason of a verdict that a model gave."""

THRESHOLD = 0.5
_SAMPLE = 800
_NEAREST = 400
_KEPT = 4096  # the latest pages, at least: their worth is told anew when the model changes
_SEEDS, _MOST_SEEDS = 64, 8  # that are kept, the first with a word of the query; and the nearest that count
_NEAR_SEED = 0.5  # as near to the query as the nearest pages: a portal has a word of it, and is about all things
_FEWEST = 5  # pages, before there is a model
_FOLDS = 5
_MOST_ANSWERS = 200  # that a model is made of, as by lot: a fit must not hold up the crawl
_DOUBT, _FEWEST_POSITIVE = (
    2.2,
    3,
)  # by how much the log odds of all may be too high, with one positive; at least so many
_SHORTEST = 50.0  # words: of a shorter page a word's share counts as if it had so many


def next_fit(pages: int) -> int:
    """How many pages are known when a model is made, after one was made of so many."""
    return max(_FEWEST, pages * 6 // 5 + 3)


class Chance(NamedTuple):
    """What a model says of a page."""

    chance: float
    relevant: bool


class LearnedJudge:
    """See the package's docstring. A chance is in [0, 1]; from ``threshold`` on a page is relevant."""

    def __init__(self, subject: Subject, precision: float | None = None, *, by_seeds: bool = True) -> None:
        """``by_seeds``: where there are no examples, seeds that have a word of the query are weak ones."""
        self._words = Numbering()
        self._query = np.sort(np.array(subject.query, np.uint32))
        self._positive = self._texts(subject.positive)
        self._negative = self._texts(subject.negative)
        self._own_text = self._query_text()
        self.precision = precision
        """So many of the pages called relevant shall be on the topic; None: nobody asked for it."""
        self._by_seeds = by_seeds and not self._positive
        self._seeds: list[Seen] = []
        self._sample: list[tuple[int, int, Seen]] = []  # by lot
        self._nearest: list[tuple[float, int, Seen]] = []
        self._latest: list[Seen] = []
        self._told: dict[int, tuple[bool, Text]] = {}  # pages of the crawl: on the topic, or off it
        self.by_lot: frozenset[int] = frozenset()
        """Those of the answered pages that were drawn by lot."""
        self.model: Model | None = None
        self.threshold = THRESHOLD
        self.pages = 0
        self.version = 0
        self._made_of = 0  # pages when the model was made
        self._made_with = 0  # pages of other shards, as far as they were known then
        self._others: dict[int, Elsewhere] = {}  # what each other shard has told
        self._of_others = 0  # pages that other shards have judged, as far as is known
        self._telling = Telling(self._words)
        self._tell_at = 1  # pages, from when on there is something to tell other shards
        self._vague: str | None = None

    def _texts(self, samples: Iterable[Sample]) -> list[Text]:
        return [self._words.text(one.bag, one.url) for one in samples]

    def _query_text(self) -> Text | None:
        """The query as if it were a page."""
        if not len(self._query):
            return None
        return self._words.text(Bag(self._query, np.ones(len(self._query), np.float32)))

    # -- judging -------------------------------------------------------------------------------------------------

    def verdict(self, page: SeenPage) -> Verdict:
        """By the model; before there is one, by the first look."""
        look = page.first_look
        if self.model is None:
            return look
        return self._verdict(self.model.chance(self._words.text(page.bag, page.url)), look)

    def _verdict(self, chance: float, look: Verdict) -> Verdict:
        reasons = (Reason(CHANCE, chance),)
        relevant = chance >= self.threshold
        return Verdict(
            chance, relevant, self.threshold, LEARNED, reasons, look.similarity, look.erid, model=self.version
        )  # fmt: skip

    def chances(self, pages: Sequence[tuple[Bag, str]]) -> Floats | None:
        """The chances of many pages, each with its URL, or the host alone; None while there is no model."""
        if self.model is None:
            return None
        return self.model.chances([self._words.text(bag, url) for bag, url in pages])

    def vectors(self, samples: Sequence[Sample]) -> Vectors:
        """Pages as the judge compares them, all words being worth the same."""
        texts = self._texts(samples)
        return Vectors(texts, Weighing(np.ones(self._words.count + 1)))

    def vague(self) -> str | None:
        """Why the topic's words are too vague to tell pages apart, as far as is known now (see :mod:`.vague`)."""
        return self._vague

    def missing(self) -> tuple[int, int]:
        """How many of the query's terms no page of the sample has, and how many terms it has."""
        found = np.zeros(len(self._query), np.bool_)
        for _, _, seen in self._sampled():
            found |= seen.shares > 0
        return int(np.count_nonzero(~found)), len(found)

    # -- learning ------------------------------------------------------------------------------------------------

    def add(self, id_: int, bag: Bag, url: str, similarity: float, *, is_seed: bool = False) -> None:
        """A page was judged."""
        seen = Seen(id_, self._words.text(bag, url), self._shares(bag))
        self.pages += 1
        bisect.insort(self._sample, (_lot(id_), id_, seen), key=_place)
        del self._sample[_SAMPLE:]
        if similarity > 0 and not self._positive:
            bisect.insort(self._nearest, (-similarity, id_, seen), key=_place)
            del self._nearest[_NEAREST:]
        if is_seed and self._by_seeds and len(self._seeds) < _SEEDS and similarity > 0:
            self._seeds.append(seen)
        self._latest.append(seen)
        if len(self._latest) >= 2 * _KEPT:
            del self._latest[:_KEPT]

    def nearness(self, bag: Bag) -> float:
        """How near a page is to the query, where nothing else was measured."""
        return float(self._shares(bag).sum())

    def _shares(self, bag: Bag) -> NDArray[np.float32]:
        """How much of the page each of the query's terms makes up, on a scale of logarithms: a short page that has
        little else is no better than a long one that is all about it."""
        if not len(self._query) or not len(bag.terms):
            return np.zeros(len(self._query), np.float32)
        at = np.minimum(np.searchsorted(bag.terms, self._query), len(bag.terms) - 1)
        found = np.where(bag.terms[at] == self._query, bag.counts[at], 0.0)
        return np.asarray(np.log1p(found) / math.log1p(max(float(bag.counts.sum()), _SHORTEST)), np.float32)

    def tell(self, answers: Iterable[Answer]) -> None:
        """From now on, this is all that somebody has said of pages of the crawl. It counts from the next model on."""
        answers = list(answers)
        self._told = {one.page: (one.positive, self._words.text(one.sample.bag, one.sample.url)) for one in answers}
        self.by_lot = frozenset(one.page for one in answers if one.by_lot)

    @property
    def answers(self) -> dict[int, bool]:
        """Pages of which somebody has said whether they are on the topic."""
        return {page: positive for page, (positive, _) in self._told.items()}

    def unknowing(self) -> dict[int, Chance]:
        """Of each page that was answered, what a model says that does not know this answer, nor some others."""
        found: dict[int, Chance] = {}
        pages, sample = sorted(self._told, key=_lot), self._unanswered()
        for first in range(min(_FOLDS, len(pages))):
            left_out = pages[first::_FOLDS]
            others = [seen for seen in sample if seen.id not in left_out]
            model = _at_once(learned(self._known(others, left_out)))
            if model is None:
                continue
            cut = _cut(model.of_background, self.precision, self.positive)
            chances = model.chances([self._told[page][1] for page in left_out]).tolist()
            found.update((page, Chance(own, own >= cut)) for page, own in zip(left_out, chances, strict=True))
        return found

    @property
    def positive(self) -> int:
        """How many pages it was told to be on the topic."""
        return len(self._positive) + sum(positive for positive, _ in self._told.values())

    @property
    def made_of(self) -> int:
        """How many pages were known when the model was made."""
        return self._made_of

    @property
    def is_due(self) -> bool:
        """Is it time to learn?"""
        return self.pages + self._of_others >= next_fit(self._made_of + self._made_with)

    def learn(self, *, revise: bool = True) -> Generator[None, None, Revised]:
        """Make a model of all that is known now, in pieces; the latest pages and their chances by it, unless nobody
        asks for them. Pages that are added between two pieces are not in it."""
        pages = self._made_of = self.pages
        self._made_with = self._of_others
        sample = self._unanswered()
        known = self._known(sample)
        model = yield from learned(known)
        self.model, self.threshold = model, THRESHOLD  # none as well: a resume could not know of an earlier one
        chances = None if model is None else model.of_background
        self._vague = why_vague(known, chances)
        if chances is not None:
            self.version += 1
            self.threshold = _cut(chances, self.precision, self.positive)
        yield
        latest = self._latest[-min(pages, _KEPT) :]
        if self.model is None or not revise:
            return np.zeros(0, np.int64), np.zeros(0)
        return np.array([seen.id for seen in latest], np.int64), self.model.chances([seen.text for seen in latest])

    def _unanswered(self) -> list[Seen]:
        """The sample without those pages of which more is known; where hardly any is left, with those off the topic."""
        sample = self._sampled()
        left = [seen for _, _, seen in sample if seen.id not in self._told]
        if len(left) >= _FEWEST:
            return left
        return [seen for _, _, seen in sample if seen.id not in self._told or not self._told[seen.id][0]]

    def _known(self, sample: Sequence[Seen], left_out: Collection[int] = ()) -> Known:
        counted = {*heapq.nsmallest(_MOST_ANSWERS, (page for page in self._told if page not in left_out), key=_lot)}
        told = {page: own for page, own in self._told.items() if page in counted}
        with_term = np.zeros(len(self._query))
        for seen in sample:
            with_term += seen.shares > 0
        rarity = np.maximum(np.log((len(sample) + 1) / (with_term + 0.5)), 0.05)
        near = [(float(seen.shares @ rarity), seen) for _, _, seen in self._near() if seen.id not in self._told]
        yes, no = ([text for own, text in told.values() if own is answer] for answer in (True, False))
        return Known(
            self._positive, self._negative, [seen.text for seen in sample], [seen.text for _, seen in near],
            np.array([value for value, _ in near]), _rarest(with_term) / max(1, len(sample)), self._words.order(),
            self._near_seeds(rarity, [value for value, _ in near]), self._own_text, yes, no, self._trust(rarity, told),
        )  # fmt: skip

    def _near_seeds(self, rarity: Floats, of_near: list[float]) -> list[Text]:
        """Those seeds that are nearly as near to the query as the nearest pages."""
        least = _NEAR_SEED * float(np.mean(heapq.nlargest(_MOST_SEEDS, of_near))) if of_near else 0.0
        found = [(float(seen.shares @ rarity), seen) for seen in self._all_seeds() if seen.id not in self._told]
        chosen = heapq.nlargest(_MOST_SEEDS, (one for one in found if one[0] >= least), key=lambda one: one[0])
        return [seen.text for _, seen in chosen]

    def _trust(self, rarity: Floats, told: Mapping[int, tuple[bool, Text]]) -> float:
        """How often what the query finds is on the topic, by the answers; one yes is taken for granted."""
        found = [told[seen.id][0] for _, _, seen in self._nearest if seen.id in told and float(seen.shares @ rarity)]
        return (1 + sum(found)) / (1 + len(found))

    # -- with other shards -------------------------------------------------------------------------------------

    def _sampled(self) -> list[tuple[int, int, Seen]]:
        """The sample of all pages, those of other shards among them: those with the lowest lots, as if one judge had
        seen them all."""
        if not self._others:
            return self._sample
        theirs = ((one.lot, ELSEWHERE, one.seen) for one in self._kept_elsewhere(Role.SAMPLED))
        return sorted((*self._sample, *theirs), key=_place)[:_SAMPLE]

    def _near(self) -> list[tuple[float, int, Seen]]:
        """The nearest of all pages, likewise."""
        if not self._others:
            return self._nearest
        theirs = ((-one.similarity, ELSEWHERE, one.seen) for one in self._kept_elsewhere(Role.NEAR))
        return sorted((*self._nearest, *theirs), key=_place)[:_NEAREST]

    def _all_seeds(self) -> list[Seen]:
        return [*self._seeds, *(one.seen for one in self._kept_elsewhere(Role.SEED))]

    def _kept_elsewhere(self, role: Role) -> Iterable[Told]:
        return (one for other in self._others.values() for one in other.kept(role))

    def own_part(self) -> Pieces | None:
        """Implements :class:`dowse.model.sharing.SharesLearning`, with :meth:`take_part`. What others told is not kept
        over a stop: they tell it again."""
        if self.pages < self._tell_at:
            return None
        self._tell_at = next_telling(self.pages)
        others = self._others.values()
        lots = [other.lots[other.roles & Role.SAMPLED > 0] for other in others]
        below = [-other.similarity[other.roles & Role.NEAR > 0].astype(np.float64) for other in others]
        similarity = {id_: -own for own, id_, _ in self._nearest}
        roles: dict[int, int] = {}
        seens: dict[int, Seen] = {}
        for some, role in (
            (_among(self._sample, np.concatenate([np.zeros(0, np.uint64), *lots]), _SAMPLE), int(Role.SAMPLED)),
            (_among(self._nearest, np.concatenate([np.zeros(0), *below]), _NEAREST), int(Role.NEAR)),
            (self._seeds, int(Role.SEED)),
        ):
            for seen in some:
                seens[seen.id] = seen
                roles[seen.id] = roles.get(seen.id, 0) | role
        told = [Told(seens[id_], roles[id_], _lot(id_), similarity.get(id_, 0.0)) for id_ in sorted(seens)]
        return self._telling.pieces(self.pages, told)

    def take_part(self, shard: int, part: Pieces) -> None:
        """What another shard has judged counts from the next model on."""
        most = _SAMPLE + _NEAREST + _SEEDS
        self._others[shard] = heard(part, len(self._query), most, self._words, self._others.get(shard))
        self._of_others = sum(other.pages for other in self._others.values())

    # -- over a stop ---------------------------------------------------------------------------------------------

    def wanted(self, judged: Sequence[JudgedPage], made_of: int) -> list[int]:
        """Of all judged pages in their order those that must be added again when the last model was made of the first
        so many."""
        chosen: set[int] = set()
        if self._by_seeds:
            chosen.update([page.id for page in judged if page.is_seed and page.similarity > 0][:_SEEDS])
        for count in (made_of, len(judged)):
            some = judged[:count]
            chosen.update(heapq.nsmallest(_SAMPLE, (page.id for page in some), key=_lot))
            chosen.update(page.id for page in some[max(0, count // _KEPT - 1) * _KEPT :])
            if not self._positive:
                near = heapq.nsmallest(_NEAREST, ((-page.similarity, page.id) for page in some if page.similarity > 0))
                chosen.update(id_ for _, id_ in near)
        return [page.id for page in judged if page.id in chosen]

    def restore(
        self, judged: Sequence[JudgedPage], pages: Mapping[int, tuple[Bag, str]], made_of: int, version: int
    ) -> None:
        """Know what was known after these pages were judged, given the terms and URLs of the wanted ones."""
        for count, page in enumerate(judged):
            if count == made_of:
                self._make_again()
            if page.id in pages:
                self.add(page.id, *pages[page.id], page.similarity, is_seed=page.is_seed)
            self.pages = count + 1
        if made_of >= len(judged):
            self._make_again()
        self.version = version

    def _make_again(self) -> None:
        if self.pages:
            deque(self.learn(revise=False), maxlen=0)


def _at_once(learning: Generator[None, None, Model | None]) -> Model | None:
    while True:
        try:
            next(learning)
        except StopIteration as end:
            found: Model | None = end.value
            return found


def _rarest(with_term: Floats) -> float:
    """How many pages have the rarest of the terms that occur."""
    return float(with_term[with_term > 0].min(initial=np.inf)) if with_term.any() else 0.0


def _among(
    ours: Sequence[tuple[float, int, Seen]], theirs: NDArray[np.uint64] | NDArray[np.float64], most: int
) -> list[Seen]:
    """Those of ours, which rise, that are among the first so many of all; of equal ones, theirs are first."""
    own = np.array([value for value, _, _ in ours], theirs.dtype)
    before = np.searchsorted(np.sort(theirs), own, side="right") + np.arange(len(own))
    return [seen for _, _, seen in ours[: int(np.searchsorted(before, most))]]


def _place(entry: tuple[float, int, Seen]) -> tuple[float, int]:
    return entry[0], entry[1]


def _lot(id_: int) -> int:
    return xxhash.xxh3_64_intdigest(id_.to_bytes(8, "little"))


def _cut(chances: Floats, precision: float | None, positive: int) -> float:
    """The lowest chance at which pages are still right as often as is wanted, and never below even odds. All chances
    may be off at once, the more so the fewer positives there are: they must suffice when they are too high."""
    if precision is None:
        return THRESHOLD
    too_high = math.exp(_DOUBT / math.sqrt(max(positive, _FEWEST_POSITIVE)))
    ordered = np.sort(chances)[::-1]
    means = np.cumsum(ordered / (ordered + too_high * (1 - ordered))) / np.arange(1, len(ordered) + 1)
    good = np.flatnonzero(means >= precision)
    least = float(ordered[good[-1]]) if len(good) else 1 / (1 + (1 - precision) / precision / too_high)
    return max(THRESHOLD, least)
