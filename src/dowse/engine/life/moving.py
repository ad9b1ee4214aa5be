"""Slots that go to other shards, and slots that come: what goes with them, as letters (see ``cluster/ground/moves``).

**To give** a slot takes one transaction of our records, in which nothing of it is under way. Each of its sites is
told with its delay, how long nobody may ask it, its failures in a row; each URL whose life has ended, by its name
alone; each that waits, with its depth, its value, and what the strategy knows of it; and at the end that this was all.
Here the URLs that waited are *elsewhere* from then on. What else is known of the slot's pages stays here.

**To take** it, each letter is taken up like any other, with its number in one transaction. A URL that has ended becomes
*ended elsewhere*, whatever it was here; one that waits, waits here; but as long as the slot is not whole, its sites are
held: nothing of them is leased. The last letter makes it ours.

URLs of the slot that were elsewhere before, of which its former owner had no word, he did not want. They come in like
new ones when a page mentions them again.

**To pass on** is what becomes of letters about URLs that are not ours (any more).

What holds: a site's pages are leased only while its slot is ours and stays so; a URL that ever began to be fetched
is known, and does not wait, at whoever has its slot, unless it waits there to be tried again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life.journal import Journal
from dowse.engine.life.pricing import Pricing
from dowse.engine.life.sites import Sites
from dowse.frontier import Site
from dowse.frontier.frontier import Frontier
from dowse.frontier.scope import StaticScope
from dowse.frontier.traps import GrowthRules
from dowse.model.clock import Clock
from dowse.model.errors import StoreError
from dowse.model.moved import MovedSite, Moving, Waits, Whole, moving
from dowse.model.others import SLOT_AT, Letter, MovingSlots
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR, Carried, Carries, Strategy
from dowse.model.url import canonical

Ids = NDArray[np.int64]

if TYPE_CHECKING:
    from dowse.engine.life.life import Life

__all__ = ["Moves"]

_MINUTE_S = 60.0
_LEAST = 0.01  # of what a URL is worth that nothing is known of


class Moves:
    """Part of :class:`Life`, where slots may move."""

    def __init__(
        self, life: Life, others: MovingSlots, frontier: Frontier, sites: Sites, pricing: Pricing, journal: Journal,
        growth: GrowthRules, scope: StaticScope, clock: Clock, strategy: Strategy, page_of: Callable[[str, int], int],
    ) -> None:  # fmt: skip
        """``page_of`` gives the candidate that stands for a page that was judged, here or elsewhere."""
        self._life = life
        self._others = others
        self._frontier = frontier
        self._sites = sites
        self._pricing = pricing
        self._journal = journal
        self._growth = growth
        self._scope = scope
        self._carries = strategy if isinstance(strategy, Carries) else None
        self._page_of = page_of
        self._clock = clock
        self._slots: list[int] = []  # of each site
        frontier.holds = self._is_held
        for site in frontier.sites:  # of an earlier run
            site.held = self._is_held(site.origin)

    def _is_held(self, origin: str) -> bool:
        return not self._others.stays(f"{origin}/")

    def _slot(self, site: Site) -> int:
        for later in self._frontier.sites[len(self._slots) :]:
            self._slots.append(self._others.slot(f"{later.origin}/"))
        return self._slots[site.id]

    def _sites_of(self, slots: Collection[int]) -> dict[int, list[Site]]:
        found: dict[int, list[Site]] = {slot: [] for slot in slots}
        for site in self._frontier.sites:
            slot = self._slot(site)
            if slot in found:
                found[slot].append(site)
        return found

    # -- what slots are worth ------------------------------------------------------------------------------------

    @property
    def can_move(self) -> bool:
        """May slots move at all? Where the crawl goes site by site, what is current or processed would have to."""
        return not self._frontier.goes_by_site

    def loads(self) -> dict[int, float]:
        """What each slot may bring in the next minute: of each site as many of the URLs that wait as its delay allows,
        each at the worth of the best. Looks at every site: :meth:`add_loads` does so for some at a time."""
        found: dict[int, float] = {}
        self.add_loads(found, 0, len(self._frontier.sites))
        return found

    def add_loads(self, found: dict[int, float], first: int, end: int) -> None:
        """The same for the sites of these numbers."""
        for site in self._frontier.sites[first:end]:
            if not site.waiting or site.held or site.closed:
                continue
            best = self._frontier.best_at(site)
            if best is None:
                continue
            worth = 1.0 if best >= SEED_FLOOR else max(best, _LEAST)
            may = min(site.waiting, _MINUTE_S / site.delay_s) if site.delay_s > 0 else site.waiting
            slot = self._slot(site)
            found[slot] = found.get(slot, 0.0) + worth * may

    # -- giving --------------------------------------------------------------------------------------------------

    def hold(self, slots: Collection[int]) -> None:
        """These slots are to be given away: nothing more is begun there."""
        for sites in self._sites_of(slots).values():
            for site in sites:
                self._frontier.hold(site)

    def give(self, heirs: Mapping[int, int]) -> bool:
        """Of these slots, which are held, give those to their heirs of which nothing is under way. Are there others?"""
        of_slot = self._sites_of(heirs)
        idle = {slot: sites for slot, sites in of_slot.items() if not any(map(self._is_busy, sites))}
        if not idle:
            return bool(heirs)
        self._journal.commit()  # so that what goes stands alone, and in order
        waiting, ended = self._frontier.of_sites([site for sites in idle.values() for site in sites])
        waits_of, ended_of = self._by_slot(waiting.tolist()), self._by_slot(ended.tolist())
        for slot, sites in idle.items():
            self._give(slot, heirs[slot], sites, waits_of.get(slot, []), ended_of.get(slot, []))
        self._journal.commit()
        return len(idle) < len(heirs)

    def _is_busy(self, site: Site) -> bool:
        return bool(site.in_flight or site.leased) or self._sites.is_walked(site)

    def _by_slot(self, ids: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for id_ in ids:
            found.setdefault(self._slot(self._frontier.site_of(id_)), []).append(id_)
        return found

    def _give(self, slot: int, heir: int, sites: Sequence[Site], waiting: list[int], ended: list[int]) -> None:
        frontier, tell = self._frontier, self._journal.pass_on
        waits_s = frontier.wait_s(sites, self._clock.now())
        for site in sites:
            told = self._sites.to_move(site, waits_s[site], self._growth.fruitless.of_site(site.id))
            tell(Letter(0, heir, f"{site.origin}/", 0, 0.0, told.packed()))
        columns, mark = frontier.candidates, bytes((Moving.ENDED,))
        for id_ in ended:
            tell(Letter(0, heir, frontier.url(id_), columns.depth.item(id_), 0.0, mark))
        ids = np.array(waiting, np.int64)
        values = self._pricing.values(ids, frontier.priorities(ids))
        url_of = cache(frontier.url)  # many URLs have the same pages behind them
        known = [None] * len(waiting) if self._carries is None else self._carries.carried(ids)
        for id_, value, carried in zip(waiting, values.tolist(), known, strict=True):
            also = Waits(columns.attempts.item(id_), columns.run.item(id_))
            if carried is not None:
                pages = zip(map(url_of, carried.pages), carried.worths, strict=True)
                also = replace(also, row=carried.row, pages=tuple(pages))
            tell(Letter(0, heir, frontier.url(id_), columns.depth.item(id_), value, also.packed()))
            self._journal.ended(id_, CandidateState.ELSEWHERE, "elsewhere", 0)
        frontier.hand_over(sites, ids)
        move = self._others.gave(slot, heir)
        self._journal.statistic(f"{SLOT_AT}{slot}", [heir, move])
        place = f"{sites[0].origin}/" if sites else "http://none.invalid/"
        tell(Letter(0, heir, place, 0, 0.0, Whole(slot, move).packed()))
        self._journal.event(
            "slot given",
            f"{slot} to shard {heir}: {len(sites)} sites, {len(waiting)} URLs that wait, {len(ended)} more",
        )

    # -- taking --------------------------------------------------------------------------------------------------

    def sorted_out(self, letters: Sequence[Letter]) -> Iterable[list[Letter]]:
        """Take up what moves here, and pass on what is not ours; what is left, in its order. The next part is looked
        at when what is left of the one before has been taken up."""
        at = 0
        while at < len(letters):
            kind, end = self._kind(letters[at]), at + 1
            while end < len(letters) and kind is not Moving.WHOLE and self._kind(letters[end]) == kind:
                end += 1
            part, at = list(letters[at:end]), end
            if isinstance(kind, Moving):
                self._take(kind, part)
            elif kind == "ours":
                yield part
            else:
                for letter in part:
                    self._pass_on(letter)

    def _kind(self, letter: Letter) -> Moving | str:
        kind = moving(letter)
        if kind is not None:
            return kind
        return "ours" if self._others.owner(letter.url) is None else "theirs"

    def _pass_on(self, letter: Letter) -> None:
        owner = self._others.owner(letter.url)
        assert owner is not None
        self._journal.pass_on(Letter(0, owner, letter.url, letter.depth, letter.value, letter.mention))

    def _take(self, kind: Moving, letters: Sequence[Letter]) -> None:
        try:
            if kind is Moving.SITE:
                for letter in letters:
                    self._take_site(letter)
            elif kind is Moving.WHOLE:
                for letter in letters:
                    self._take_whole(Whole.unpacked(letter.mention or b""))
            else:
                by_depth: dict[int, list[Letter]] = {}
                for letter in {letter.url: letter for letter in letters}.values():
                    by_depth.setdefault(letter.depth, []).append(letter)
                for depth, part in by_depth.items():
                    (self._take_ended if kind is Moving.ENDED else self._take_waiting)(part, depth)
        except ValueError as fault:
            raise StoreError(f"the letters of a slot that moves here are damaged: {fault}") from fault

    def _take_site(self, letter: Letter) -> None:
        site, told = self._sites.of(letter.url), MovedSite.unpacked(letter.mention or b"")
        self._frontier.hold(site)
        self._sites.take_over(site, told)
        self._growth.fruitless.take(site.id, told.fruitless)

    def _take_ended(self, letters: Sequence[Letter], depth: int) -> None:
        ids = self._known_or_new(letters, depth, [0] * len(letters))
        self._end(ids[~self._frontier.was_ended_elsewhere(ids)])

    def _end(self, ids: Ids) -> None:
        ids = ids[self._frontier.is_elsewhere(ids) | self._frontier.is_waiting(ids) | self._frontier.is_below(ids)]
        self._frontier.end_elsewhere(ids)
        for id_ in ids.tolist():
            self._journal.ended(id_, CandidateState.ENDED_ELSEWHERE, "elsewhere", 0)

    def _take_waiting(self, letters: Sequence[Letter], depth: int) -> None:
        also = [Waits.unpacked(letter.mention or b"") for letter in letters]
        ids = self._known_or_new(letters, depth, [one.run for one in also])
        wanted = np.array([self._scope.refuse(letter.url) is None for letter in letters], np.bool_)
        self._end(ids[~wanted])
        wanted &= self._frontier.is_elsewhere(ids)
        ids = ids[wanted]
        values = np.array([letter.value for letter in letters])[wanted]
        attempts = np.array([one.attempts for one in also])[wanted]
        self._frontier.candidates.attempts[ids] = attempts
        self._life.come_back(ids, values, attempts.tolist())
        if self._carries is not None:
            self._take_evidence(self._carries, ids, values, list(itertools.compress(also, wanted)), depth)

    def _take_evidence(
        self, strategy: Carries, ids: Ids, values: NDArray[np.float64], told: Sequence[Waits], depth: int
    ) -> None:  # fmt: skip
        """What the strategy of their former owner knows of URLs, ours knows. A seed keeps its place."""
        urls = {url for one in told for url, _ in one.pages}
        pages = {url: self._page_of(url, max(0, depth - 1)) for url in sorted(urls) if canonical(url) == url}
        carried = [
            Carried(one.row, [pages[url] for url, _ in one.pages], [worth for _, worth in one.pages])
            if one.row and all(url in pages for url, _ in one.pages) else None
            for one in told
        ]  # fmt: skip
        known = np.array([one is not None for one in carried], np.bool_)
        if known.any():
            sites = self._frontier.candidates.site
            worths = strategy.take_carried(
                ids[known], sites[ids[known]].astype(np.int64), [one for one in carried if one is not None],
                {page: sites.item(page) for page in pages.values()},
            )  # fmt: skip
            ours = values[known] < SEED_FLOOR
            self._life.worth.rerank(ids[known][ours], worths[ours])

    def _known_or_new(self, letters: Sequence[Letter], depth: int, runs: list[int]) -> Ids:
        """The candidates of these URLs. Those that are new are taken up as if another shard had them."""
        urls = [letter.url for letter in letters]
        prints = self._frontier.fingerprints(urls)
        ids = self._frontier.find(prints)
        new = np.flatnonzero(ids < 0).tolist()
        if new:
            for row in new:
                self._growth.count(self._sites.of(urls[row]).id, urls[row])
            ids[new] = self._life.take_up(
                [urls[row] for row in new], prints[new], depth=depth, priorities=np.zeros(len(new)),
                runs=[runs[row] for row in new], moves_here=True,
            )  # fmt: skip
        return ids

    def _take_whole(self, whole: Whole) -> None:
        self._others.took(whole.slot, whole.move)
        self._journal.statistic(f"{SLOT_AT}{whole.slot}", [self._others.shard, whole.move])
        now = self._clock.now()
        for site in self._sites_of([whole.slot])[whole.slot]:
            self._frontier.let_go(site, now)
        self._journal.event("slot taken", f"{whole.slot}")
