"""The verbs for pages that are visited again: a run of visits begins with URLs that were fetched before.

::

    fetched ── due ──► waiting ── lease, begin ──► asked for ── unchanged, renewed, missed ──► fetched
                        ▲  │                           │                                          ▲
                        │  └──── left: nobody is asked │ ─────────────────────────────────────────┘
                        └─────────── wait ─────────────┘

Whatever comes of a visit, the page stays what it was: ``fetched``, with the row of its last good visit. In the records
its candidate is so all the time: what is due stands in a table of its own, from which each visit is taken as it is
recorded (``store/revisits``). So nothing of this needs to be undone after a crash, and an attempt that came to nothing
leaves no trace. A page for which nobody can be asked (robots.txt forbids it by now, its site does not answer) has had
its turn as well: what can never be visited would else be the most overdue of all, run after run. What else waited when
the run of visits began waits for another run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from dowse.engine.life.journal import Journal
from dowse.engine.life.sites import Sites
from dowse.engine.life.tally import Tally
from dowse.fetch import may_be_answered_later
from dowse.frontier import Lease
from dowse.frontier.frontier import Frontier
from dowse.model.budget import Spent
from dowse.model.clock import Clock
from dowse.model.page import Outcome
from dowse.model.records import CandidateState, PageRow
from dowse.model.strategy import SEED_PRIORITY
from dowse.model.visits import NOT_ASKED, Copy, VisitRow, missed

__all__ = ["Due", "Visits"]

_FIRST = 2 * SEED_PRIORITY
"""What is due goes before any seed, in the order of its plan."""


class Due:
    """What a run of visits begins with: the pages that are due, each with its place, how many there were when it was
    ``planned`` and what had been ``spent`` by then, the first candidate that is new to it, and what the records hold of
    a page."""

    def __init__(
        self, places: Mapping[int, int], planned: int, spent: Spent, first_new: int, copy: Callable[[int], Copy]
    ) -> None:
        self.places = dict(places)
        self.planned = planned
        self.spent = spent
        self.first_new = first_new
        self.copy = copy


class Visits:
    """See the module's docstring. A part of :class:`Life`; without anything due it does nothing."""

    def __init__(self, frontier: Frontier, sites: Sites, tally: Tally, clock: Clock, due: Due | None) -> None:
        self._frontier = frontier
        self._sites = sites
        self._journal: Journal = sites.journal
        self._tally = tally
        self._clock = clock
        self._due = due
        self._places: dict[int, int] = {} if due is None else due.places
        sites.keeps = self._kept

    def __contains__(self, candidate: int) -> bool:
        """Is it due, and not visited yet?"""
        return candidate in self._places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def is_run(self) -> bool:
        """Is this a run of visits?"""
        return self._due is not None

    @property
    def planned(self) -> int | None:
        """How many pages this run was to visit, from its first beginning; None: it is no run of visits."""
        return None if self._due is None else self._due.planned

    @property
    def done(self) -> int:
        """How many of them had their visit."""
        return 0 if self._due is None else self._due.planned - len(self._places)

    def begin(self) -> None:
        """All candidates of the earlier run are loaded: what is due waits, and nothing else that it knew."""
        if self._due is not None:
            ids = np.fromiter(self._places, np.int64, len(self._places))
            places = np.fromiter(self._places.values(), np.float64, len(ids))
            self._frontier.visit_again(ids, _FIRST - places, self._due.first_new)

    def copy(self, lease: Lease) -> Copy | None:
        """What is held of a leased page that is visited again; None: it is not."""
        due = self._due
        return due.copy(lease.candidate) if due is not None and lease.candidate in self._places else None

    # -- asked for -> fetched ------------------------------------------------------------------------------------

    def left(self, candidate: int, reason: str) -> None:
        """Nobody could be asked for it, or nobody answers any more. That says nothing of the page."""
        assert self._due is not None
        copy = self._due.copy(candidate)
        self._record(copy, VisitRow(page=candidate, at=self._clock.wall(), reason=reason, misses=copy.misses), None)

    def _kept(self, candidate: int, reason: str) -> bool:
        """Its site is given up. Was it due?"""
        is_due = candidate in self._places
        if is_due:
            self.left(candidate, f"{NOT_ASKED}{reason}")
        return is_due

    def unchanged(self, copy: Copy, visit: VisitRow, digest: str | None) -> None:
        """What came is what is held. ``digest``: of the body that is."""
        visit.changed = False
        self._record(copy, visit, digest)
        self._tally.visited("unchanged")

    def renewed(self, lease: Lease, copy: Copy, row: PageRow, visit: VisitRow, digest: str | None) -> None:
        """Another body came: its row takes the place of the one before."""
        row.depth, row.attempts = lease.depth, self._frontier.candidates.attempts.item(lease.candidate)
        row.ordinal, row.visited_at = copy.ordinal, visit.at
        visit.of_page = True
        self._journal.page(row)
        self._record(copy, visit, digest)
        self._tally.visited("changed" if visit.changed else "unchanged")
        before, relevant = copy.relevant is True, row.relevant is True
        self._tally.value += (row.score or 0.0) - (copy.score or 0.0)
        if relevant is not before:
            self._tally.judged_again(lease.site.host, relevant)
            self._sites.judged_again(lease.site, relevant)

    def missed(self, lease: Lease, copy: Copy, row: PageRow, digest: str | None = None) -> None:
        """No page came: ``row`` tells what did."""
        passes = row.outcome == Outcome.FAILED and (may_be_answered_later(row.status) or row.status < 300)
        visit = VisitRow(
            page=lease.candidate, at=row.fetched_at, status=row.status, reason=row.reason or row.outcome,
            misses=missed(copy.misses, lasting=not passes), archive=row.archive, archive_response=row.archive_response,
        )  # fmt: skip
        self._record(copy, visit, digest)
        self._tally.visited("missed")

    def _record(self, copy: Copy, visit: VisitRow, digest: str | None) -> None:
        """With a page's second visit the first is written down."""
        if copy.visited_at is None:
            first = VisitRow(
                page=copy.page, at=copy.fetched_at, status=copy.status, digest=digest, warc_file=copy.warc_file,
                warc_offset=copy.warc_offset, warc_length=copy.warc_length, stands=False,
            )  # fmt: skip
            self._journal.visit(first)
        self._journal.visit(visit)
        del self._places[copy.page]
        self._frontier.finish(copy.page, CandidateState.FETCHED)
