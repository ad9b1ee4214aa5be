"""``learning``: what the crawl has seen so far, of words, URLs, links and siblings, tells what a URL is worth.

Statistics change with every judged page, and with them what every waiting URL is worth. A page's own links are valued
at once, all others by a sweep that goes round and round (see :mod:`dowse.predict.rerank`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Bag
from dowse.model.revive import revived
from dowse.model.sharing import Pieces, next_telling
from dowse.model.strategy import Carried, Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.model.url import split
from dowse.predict.learning.answers import Answers, Failed
from dowse.predict.learning.columns import Columns, Further
from dowse.predict.learning.features import Tables, weighted
from dowse.predict.learning.notes import (
    EXACT,
    PARENTS,
    Notes,
    Rows,
    judged,
    name_links,
    name_paths,
    note_links,
    notes_of,
)
from dowse.predict.learning.reuse import REUSE, statistics_of
from dowse.predict.learning.shards import Told
from dowse.predict.learning.statistics import Mix, Statistics
from dowse.predict.regression import Regression
from dowse.predict.rerank import Sweep

__all__ = ["KIND", "Learner"]

KIND = "learning, by worth"
"""What its records of candidates mean."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_LOW = 0.01  # values below are squeezed between it and 0: never below 0, and in the same order
_SQUEEZE = 0.1
_SAME = 1e-6
_CHANCE = "chance to be on the topic"
_FEW = 3  # pages; then each time there are a tenth and so many more
_SUMS = "sums"  # all that is told: of most tokens something is new
_AT_ONCE = 256  # half as many, or four times as many every fourth page, cost a point of the oracle's area


class Learner:
    """Everything that was learned, mixed as it proved right.

    The mix is a :class:`~dowse.predict.regression.Regression`: when a page is judged, its evidence is set against
    what it is worth. ``trust`` says how many pages it takes to outweigh the first weights. ``exact`` values every
    waiting URL after every page. ``before`` is what earlier crawls have learned; it weighs as ``reuse`` pages do at
    the most. ``further`` evidence is mixed in like the learner's own.
    """

    name = "learning"
    predicts_value = True
    learns_words = True

    def __init__(
        self, trust: float = 20.0, parts: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0), *,
        exact: bool = False, before: Statistics | None = None, reuse: float = REUSE, further: Further | None = None,
    ) -> None:  # fmt: skip
        if not 0 < trust < float("inf"):
            raise TopicError(f"trust = {trust:g} is no number of pages: it is above 0")
        if min(parts) < 0 or not max(parts) > 0:
            raise TopicError("content, url, links and siblings are weights: none below 0, and one above")
        if not 0 <= reuse < float("inf"):
            raise TopicError(f"reuse = {reuse:g} is no number of pages: it is 0 or above")
        prior, left_out = weighted(*parts)
        self.memory = Notes(KIND)
        self._before = (before or Statistics()).weighing(reuse)
        self._tables = Tables()
        self._columns = Columns(self._tables, left_out, further)
        self._answers = Answers()
        self._learned = Regression(prior if further is None else prior + further.priors, trust)
        self._sweep = Sweep(_AT_ONCE)
        self._exact = exact
        self._due = _FEW
        self._version = 0
        self._hosts: dict[int, str] = {}  # of sites
        self._tell_at = 1  # URLs asked for, from when on there is something to tell other shards
        self._revalued = (
            0.0  # by how much pages are worth something else since we told: by one is as good as a new page
        )
        self._others: dict[int, Told] = {}  # what each of them has told
        self._begin()

    @property
    def nbytes(self) -> int:
        """What it takes in memory, but for the words of the pages it keeps."""
        return self.memory.nbytes + self._tables.nbytes + self._answers.nbytes

    # -- learning ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        self._judged(page)
        if self._columns.further is not None:
            self._columns.further.judged(page, links)
        return self._value(links.ids, self._link(page, links))

    def rank_named(self, links: LinkView) -> Floats:
        """The values of candidates that were found without a link; their addresses are noted."""
        rows = self.memory.at(links.ids)
        rows["site"] = links.sites
        name_links(rows, links.urls, [""] * len(links.urls))
        self._meet(links)
        self.memory.put(links.ids, rows)
        return self._value(links.ids, rows)

    def rank_again(self, page: SourcePage, links: LinkView) -> Floats:
        if np.isnan(self.memory.one(page.id)["own"].item()):  # it had nothing to show: a copy of another, say
            return self.rank(page, links)
        # where they stand among the links of before is not known: at the page's beginning, which is always there
        at_start = replace(links, positions=np.zeros_like(links.positions))
        return self._value(links.ids, self._link(page, at_start))

    def rank_mentions(self, page: SourcePage, links: LinkView) -> Floats:
        self._judged_elsewhere(page.id, page.site, _rounded(page.worth))
        return self._value(links.ids, self._link(page, links))

    def _judged_elsewhere(self, page: int, site: int, value: float) -> None:
        row = self.memory.one(page)
        before = row["own"].item()
        if np.isnan(before) or row["failed"].item() == Failed.ELSEWHERE:
            self.memory.elsewhere(page, site, value, Failed.ELSEWHERE)
            new = np.isnan(before)
            self._tables.known(row, np.array([value if new else value - before]), times=int(new))
            self._tables.siblings.revalue(np.array([page]), np.array([value]))

    def carried(self, ids: Ints) -> list[Carried | None]:
        found: list[Carried | None] = []
        for row in self.memory.at(ids):
            pages = row["page"][: min(int(row["parents"]), PARENTS)].tolist()
            told = Carried(row.tobytes(), pages, self.memory.own[pages].tolist())
            found.append(told if pages else None)
        return found

    def take_carried(
        self, ids: Ints, sites: Ints, told: Sequence[Carried], site_of: Mapping[int, int]
    ) -> Floats:  # fmt: skip
        rows = notes_of([one.row for one in told], sites, [one.pages for one in told])
        worths, last = dict[int, float](), dict[int, int]()
        for one, places in zip(told, rows["place"].tolist(), strict=True):
            for page, worth, place in zip(one.pages, one.worths, places, strict=False):
                worths[page], last[page] = worth, max(place, last.get(page, 0))
        siblings = self._tables.siblings
        for page, worth in worths.items():
            self._judged_elsewhere(page, site_of[page], _rounded(worth))
            if siblings.is_open(page):
                siblings.make_room(page, last[page])
            else:
                siblings.open_one(page, last[page], self.memory.own.item(page))
        self.memory.reach(int(ids.max()) + 1)
        self.memory.put(ids, rows)
        return self._value(ids, rows)

    def _judged(self, page: SourcePage) -> None:
        """A page shows what its links promised, and what others like them may promise."""
        row = self.memory.one(page.id)
        row["site"] = page.site
        value = _rounded(page.worth)
        if self._has_value(page.id, row):
            self._learned.learn(self._columns.one(page.id, row), value)
            if not row["parents"].item():
                self._tables.alone += complex(1, value)
        self._columns.forget()
        self.memory.judged(page.id, page.site, value)
        self._tables.judged_one(row, value)
        self._answers.count(row)
        self._fit_if_due()
        self._sweep.begin(self.memory.count)

    def _fit_if_due(self) -> None:
        if self._learned.known >= self._due:
            self._learned.fit()
            self._due = int(self._learned.known) * 11 // 10 + _FEW
            self._version += 1

    def failed(self, candidate: int, site: int, *, lasting: bool) -> None:
        how = Failed.LASTING if lasting else Failed.PASSING
        row = self.memory.failed(candidate, site, how, lasting=lasting)
        self._answers.count(row)
        if lasting:
            self._tables.failed(row)
        self._sweep.begin(self.memory.count)

    def revalue(self, ids: Ints, values: Floats) -> None:
        known = ids < self.memory.count
        ids, values = ids[known], values[known]
        rows = self.memory.at(ids)
        known = judged(rows)
        ids, rows = ids[known], rows[known]
        values = np.round(values[known] * EXACT) / EXACT
        more = values - rows["own"]
        changed = more != 0
        rows["own"] = values
        self.memory.put(ids[changed], rows[changed])
        self._tables.judged(rows[changed], more[changed], times=0)
        self._tables.siblings.revalue(ids, values)
        self._sweep.begin(self.memory.count)
        self._revalued += float(np.abs(more).sum())

    def _link(self, page: SourcePage, links: LinkView) -> Rows:
        """The page's links are noted at their targets, whether these are known already or not. The records of those
        that may still be fetched."""
        ids = np.concatenate((links.ids, links.others))
        if not len(ids):
            return self.memory.at(ids)
        if len(links.positions) == len(links.ids) and len(links.others_at) == len(links.others):
            positions = np.concatenate((links.positions, links.others_at))
        else:
            positions = np.arange(len(ids), dtype=np.int32)
        siblings = self._tables.siblings
        places = siblings.place(positions)
        if not siblings.is_open(page.id):
            siblings.open_one(page.id, int(places.max()), self.memory.own.item(page.id))
        else:
            siblings.make_room(page.id, int(places.max()))
        rows = self.memory.at(ids)
        note_links(rows, page.id, places, links.sites, links.similarity, siblings)
        if len(links.urls) == len(links.ids):
            self._meet(links)
            name_links(rows[: len(links.ids)], links.urls, links.anchors)
        if len(links.paths) == len(links.ids):
            name_paths(rows[: len(links.ids)], page.site, links.paths)
        self.memory.put(ids, rows)
        return rows[: len(links.ids)]

    # -- values --------------------------------------------------------------------------------------------------

    def _value(self, ids: Ints, rows: Rows) -> Floats:
        return _squeezed(self._columns.of(ids, rows) @ self._learned.weights) * self._answers.chances(rows)

    def _has_value(self, id_: int, row: Rows) -> bool:
        return bool(self._columns.valued(np.array([id_]), row)[0])

    def _predicted(self, id_: int, row: Rows) -> tuple[float, float]:
        """The chance of a single candidate to be on the topic, and that times the chance that it answers."""
        chance = _squeezed_one(float(self._columns.one(id_, row) @ self._learned.weights))
        return chance, chance * self._answers.chances(row).item()

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        if self._exact:
            ids = np.arange(self.memory.count)
            ids = ids[is_waiting(ids)]
        else:
            some = self._sweep.some(self.memory.count, is_waiting)
            if some is None:
                return None
            ids = some
        return self.value(ids)

    def value(self, ids: Ints) -> Revision:
        """Those of these that are valued, and what they are worth now."""
        rows = self.memory.at(ids)
        seen = self._columns.valued(ids, rows)
        if not seen.all():
            ids, rows = ids[seen], rows[seen]
        return ids, self._value(ids, rows)

    def refresh(self, candidate: int) -> float | None:
        row = self.memory.one(candidate)
        return self._predicted(candidate, row)[1] if self._has_value(candidate, row) else None

    def explain(self, candidate: int, priority: float) -> Explanation:
        row = self.memory.one(candidate)
        parents = {"parents": (float(row["parents"].item()), 0.0)}
        if not self._has_value(candidate, row):
            return Explanation(priority, {_CHANCE: (0.0, 0.0), **parents}, self._version)
        told = zip(
            self._columns.names, self._columns.one(candidate, row).tolist(), self._learned.weights.tolist(), strict=True
        )
        parts = {name: (value, weight) for name, value, weight in told if value * weight}
        mixed = sum(value * weight for value, weight in parts.values())
        chance, predicted = self._predicted(candidate, row)
        beside = {
            "kept above 0": (chance - mixed, 1.0),
            "chance of no answer": (1 - predicted / chance if chance else 0.0, -chance),
            "what was learned since it was ranked": (priority - predicted, 1.0),
        }
        parts |= {name: part for name, part in beside.items() if abs(part[0] * part[1]) > _SAME}
        return Explanation(priority, {_CHANCE: (chance, 0.0), **parts, **parents}, self._version)

    # -- with other shards -------------------------------------------------------------------------------------

    def own_part(self) -> Pieces | None:
        asked = self._answers.asked
        if asked + self._revalued < self._tell_at:
            return None
        self._tell_at, self._revalued = next_telling(asked), 0.0
        tables, answers, rows = self._tables, self._answers, self.memory.all()
        buckets, asked_with = answers.own(rows)
        told = Told.of_tables(
            complex(tables.pages, tables.total), tables.alone, complex(asked, answers.failed), buckets,
            tables.own(rows), asked_with, self._own_mix(),
        )  # fmt: skip
        return {_SUMS: told.arrays(self._columns.names)}

    def _own_mix(self) -> tuple[Floats, Floats, float]:
        """The sums of the mix, without those of earlier crawls, which all shards may have begun with."""
        products, targets, examples = self._learned.sums()
        before = self._before.mixes.get(self._columns.names)
        if before is None:
            return products, targets, examples
        return products - before.products, targets - before.targets, examples - round(before.examples)

    def take_part(self, shard: int, part: Pieces) -> None:
        sums = part.get(_SUMS)
        if sums is None:
            raise ValueError("its sums are missing")
        told, before = Told.of_arrays(sums, self._columns.names), self._others.get(shard)
        for one, times in ((before, -1), (told, 1)):
            if one is not None:
                self._tables.take(one, times)
                self._answers.take(one, times)
        self._others[shard] = told
        all_ = self._others.values()
        self._learned.beside(
            np.sum([one.products for one in all_], axis=0), np.sum([one.targets for one in all_], axis=0),
            sum(one.examples for one in all_),
        )  # fmt: skip
        self._columns.forget()
        self._fit_if_due()
        self._sweep.begin(self.memory.count)

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {
            "learned": self._learned.state(),
            "progress": [self._due, self._version, *self._sweep.state()],
            "hosts": self._known_before(),
            "alone": [self._tables.alone.real, self._tables.alone.imag],
        }

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        self._learned.restore(state["learned"])
        self._due, self._version, *sweep = revived(tuple[int, ...], state["progress"])
        self._sweep.restore(sweep)
        self._due = min(self._due, self._learned.examples * 11 // 10 + _FEW)  # what others had told is not known now
        self._tables.restore(self.memory.all())
        self._tables.alone = complex(*revived(tuple[float, ...], state.get("alone", [0.0, 0.0])))
        self._answers.restore(self.memory.all())
        self._hosts = {}
        for site, host in state.get("hosts", {}).items():
            self._met(int(site), host)

    # -- over crawls ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Start from what was learned before."""
        self._tables.begin(self._before)
        mix = self._before.mixes.get(self._columns.names)
        if mix is not None:
            self._learned.begin(mix.products, mix.targets, mix.examples)
            self._due = int(mix.examples) + _FEW

    def _meet(self, links: LinkView) -> None:
        sites = links.sites.tolist()
        new = set(sites).difference(self._hosts)
        if new:
            rows = dict(zip(sites, range(len(sites)), strict=True))  # a page may lead to thousands of new ones
            for site in new:
                url = links.urls[rows[site]]
                self._met(site, split(url[: url.index("/", 8) + 1]).host)  # the path may be long

    def _met(self, site: int, host: str) -> None:
        self._hosts[site] = host
        self._tables.met(site, host)

    def _known_before(self) -> dict[str, str]:
        """The sites of which an earlier crawl has learned something."""
        if not self._before.hosts:
            return {}
        return {str(site): host for site, host in self._hosts.items() if host in self._before.hosts}

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        """What was learned, with what it started from. ``hosts`` names sites beyond those that links told of; ``bags``
        has the terms of pages, as far as they are at hand."""
        own = statistics_of(self.memory.all(), bags or {}, {**self._hosts, **(hosts or {})})
        return replace(
            own.merged(self._before), mixes={**self._before.mixes, self._columns.names: Mix(*self._learned.sums())}
        )


def _squeezed(values: Floats) -> Floats:
    low = np.flatnonzero(values <= _LOW)
    if len(low):
        values[low] = _LOW * np.exp((values[low] - _LOW) / _SQUEEZE)
    return values


def _squeezed_one(value: float) -> float:
    return value if value > _LOW else _LOW * exp((value - _LOW) / _SQUEEZE)


def _rounded(value: float) -> float:
    return round(value * EXACT) / EXACT
