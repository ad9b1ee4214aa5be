"""The journal: what happened since the last commit, handed to the store about once a second.

Life and Sites write down here what becomes of URLs and sites; everybody may note events, statistics and refusals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.frontier import Frontier
from dowse.model.batch import Batch, Records
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Response
from dowse.model.others import Letter
from dowse.model.page import Bag, Links
from dowse.model.records import (
    CandidateRow,
    CandidateState,
    DecisionRow,
    EventRow,
    PageRow,
    SiteRow,
    VerdictRow,
    link_rows,
)
from dowse.model.statistic_names import EVIDENCE_KIND, LOOP_HELD, STRATEGY_STATE
from dowse.model.strategy import Strategy
from dowse.model.visits import VisitRow
from dowse.store import compose

__all__ = ["NO_PAGE", "Journal", "packed"]

_EVERY_S = 1.0
_EVERY_PAGES = 128
_EVERY_ROWS = 8_192  # a page may have thousands of links, and a transaction holds the loop
_SAMPLES = 20
_MOST_PLACES = 50
_FARTHEST_S = 1e9  # some thirty years: a wait beyond has no date that could be written
NO_PAGE = -1
_LARGE_BYTES = 1_000_000  # some 3 ms to pack


async def packed(response: Response, at: float, fields: Mapping[str, Any]) -> list[bytes]:
    """The archive records of an answer that no worker has seen; a thread packs a large one."""
    if len(response.body) < _LARGE_BYTES:
        return compose(response, at, fields)
    return await asyncio.to_thread(compose, response, at, fields)


class Journal:
    """The only writer of the records. Nothing it was told is lost unless the process dies before the next commit,
    and then the URLs concerned are still leased in the store, so that they are fetched again.

    It can be written to before there is a store (example pages are read before a crawl's folder is made): what it was
    told goes into the first commit after :meth:`open`.
    """

    def __init__(self, frontier: Frontier, purse: Purse, clock: Clock) -> None:
        self._frontier = frontier
        self._purse = purse
        self._clock = clock
        self._store: Records | None = None
        self._strategy: Strategy | None = None
        self._batch = Batch()
        self._committed_at = clock.now()
        self._sites: list[SiteRow] = []
        self._samples: dict[str, int] = {}
        self._changing: dict[str, Callable[[], Any]] = {}
        self._reprioritised: list[NDArray[np.int64]] = []
        self._held: dict[str, tuple[int, float]] = {}  # place -> how often the loop was held there, seconds at most
        self.on_event: Callable[[str, str], None] | None = None  # told of each event as it happens
        self.archives = True  # False: there will never be a store, so answers need not be packed

    def open(self, store: Records, strategy: Strategy) -> None:
        """From now on there is a store to commit to; what the strategy has learned goes into each commit."""
        self._store, self._strategy = store, strategy
        self._purse.on_bytes = self.note_spent

    # -- what happened -------------------------------------------------------------------------------------------

    def taken_up(
        self, ids: NDArray[np.int64], urls: list[str], sites: NDArray[np.int64], priorities: NDArray[np.float64], *,
        depth: int, parent: int | None, runs: list[int] | None = None, via: int | None = None,
    ) -> None:  # fmt: skip
        rows = zip(ids.tolist(), urls, sites.tolist(), priorities.tolist(), runs or repeat(0, len(urls)), strict=True)
        self._batch.candidates.extend(
            CandidateRow(id_, url, site, depth, parent, priority, run, via=via)
            for id_, url, site, priority, run in rows
        )

    def reprioritised(self, ids: NDArray[np.int64]) -> None:
        """The frontier has other priorities for these by now. They may change often before they are written."""
        if len(ids):
            self._reprioritised.append(ids)

    def leased(self, candidate: int, attempts: int, decision: DecisionRow) -> None:
        self._batch.states[candidate] = (CandidateState.LEASED, "", attempts)
        self._batch.decisions.append(decision)

    def ended(self, candidate: int, state: CandidateState, reason: str, attempts: int) -> None:
        self._batch.states[candidate] = (state, reason, attempts)

    def page(self, row: PageRow) -> None:
        self._batch.pages.append(row)

    def visit(self, row: VisitRow) -> None:
        """A page was visited again; where that brought another body, its page is in the same batch."""
        self._batch.visits.append(row)

    def verdict(self, page: int, row: VerdictRow) -> None:
        """A page that was judged is judged again."""
        self._batch.verdicts[page] = row

    def terms(self, page: int, bag: Bag) -> None:
        """The terms of a judged page."""
        self._batch.details[page] = bag.packed()

    def links(self, page: int, links: Links, rows: NDArray[np.int64] | None, targets: NDArray[np.int64]) -> None:
        """Links of a page: these rows of its columns (None: all), leading to these candidates."""
        self._batch.links.extend(link_rows(page, targets, links, rows))

    def letter(self, candidate: int, letter: Letter, page: int = NO_PAGE) -> None:
        """Another shard is to be told of a candidate of its own, and perhaps of its link on a page: then that it is
        there need not be told beside."""
        letters = self._batch.letters
        if page != NO_PAGE:
            letters.pop((candidate, NO_PAGE), None)
        letters[candidate, page] = letter

    def pass_on(self, letter: Letter) -> None:
        """Another shard is to have a letter, behind all that were written for it before."""
        self._batch.passed_on.append(letter)

    async def archive(self, response: Response, at: float, fields: Mapping[str, Any]) -> None:
        """Archive an answer that is no page (a robots.txt, a sitemap): who replays the crawl needs those too."""
        if self.archives:
            self._batch.archive_only.append((await packed(response, at, fields), at))

    def refused(self, rule: str, count: int, sample: str | None = None) -> None:
        refusals = self._batch.refusals
        refusals[rule] = refusals.get(rule, 0) + count
        if sample is not None and self._samples.get(rule, 0) < _SAMPLES:
            self._samples[rule] = self._samples.get(rule, 0) + 1
            self._batch.refusal_samples.append((rule, sample))

    def statistic(self, name: str, value: Any) -> None:
        """Something learned, to be found again after a resume."""
        self._batch.statistics[name] = value

    def statistic_then(self, name: str, made: Callable[[], Any]) -> None:
        """Something learned that changes with every page: ``made`` is asked for it when it is written."""
        self._changing[name] = made

    def event(self, kind: str, detail: str) -> None:
        self._batch.events.append(EventRow(self._clock.wall(), kind, detail))
        if self.on_event is not None:
            self.on_event(kind, detail)

    def held(self, place: str, seconds: float) -> None:
        """The engine's loop was held: told the first time at each place, and counted every time."""
        if place not in self._held:
            if len(self._held) >= _MOST_PLACES:
                return
            self.event("loop held", f"{place}: {seconds:.2f} s")
        times, longest_s = self._held.get(place, (0, 0.0))
        self._held[place] = times + 1, max(longest_s, round(seconds, 3))
        self.statistic(LOOP_HELD, self._held)

    def site(self, number: int) -> SiteRow:
        """The row of a site, to be changed by the caller; it goes into the next commit."""
        for site in self._frontier.sites[len(self._sites) : number + 1]:
            made = SiteRow(site.id, site.origin, site.host, delay_s=site.delay_s)
            self._sites.append(made)
            self._batch.sites[site.id] = made
        row = self._batch.sites[number] = self._sites[number]
        return row

    def restore_site(self, row: SiteRow) -> None:
        """Go on with the row of an earlier run; rows come in order."""
        self._sites.append(row)

    # -- commits -------------------------------------------------------------------------------------------------

    def due_in(self) -> float:
        """Seconds until the next commit is due."""
        if not (self._batch or self._reprioritised):
            return _EVERY_S
        if len(self._batch.pages) + len(self._batch.visits) >= _EVERY_PAGES or self._batch.rows >= _EVERY_ROWS:
            return 0.0
        return max(0.0, self._committed_at + _EVERY_S - self._clock.now())

    @property
    def is_clean(self) -> bool:
        """Is everything that happened written down?"""
        return not (self._batch or self._reprioritised)

    def commit_if_due(self) -> None:
        if self.due_in() <= 0:
            self.commit()

    def commit(self) -> None:
        """Write everything down now."""
        if self._store is None or self._strategy is None:
            return
        batch = self._batch
        # Sites are numbered by the frontier; one without a row would shift the numbers of all later ones on a resume.
        if len(self._sites) < len(self._frontier.sites):
            self.site(len(self._frontier.sites) - 1)
        for number, turn in self._frontier.turned():
            self.site(number).turn = int(turn)
        self._note_waits()
        self._note_priorities()
        self._note_learned(self._strategy)
        batch.spent = replace(self._purse.spent)
        self._store.commit(batch)
        self._batch = Batch()  # only now: what could not be written is not forgotten
        self._changing = {}
        self._committed_at = self._clock.now()

    def _note_waits(self) -> None:
        """When each site of the batch may be asked again, so that a later run keeps to it as well."""
        now, wall = self._clock.now(), self._clock.wall()
        for number, row in self._batch.sites.items():
            site = self._frontier.sites[number]
            if site.ready_at and not site.closed:
                row.not_before = wall + min(site.ready_at - now, _FARTHEST_S)

    def _note_priorities(self) -> None:
        if self._reprioritised:
            ids = np.unique(np.concatenate(self._reprioritised))
            self._reprioritised.clear()
            self._batch.priorities.update(zip(ids.tolist(), self._frontier.priorities(ids).tolist(), strict=True))

    def _note_learned(self, strategy: Strategy) -> None:
        batch, memory = self._batch, strategy.memory
        if memory is not None:
            batch.evidence.update(zip(*memory.changes(), strict=True))
            batch.statistics[EVIDENCE_KIND] = memory.kind
        for key, value in strategy.state().items():
            batch.statistics[f"{STRATEGY_STATE}{strategy.name}.{key}"] = value
        batch.statistics.update((name, made()) for name, made in self._changing.items())

    def note_spent(self) -> None:
        """Make the counters survive a kill: before the request they count has left, and as bytes come."""
        if self._store is not None:
            self._store.note_spent(self._purse.spent)
