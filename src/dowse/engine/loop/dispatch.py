"""Which URL goes next, and whether it may go at all: robots, budgets, caches and second thoughts."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np

from dowse.engine.exchange.cached import FromCache
from dowse.engine.exchange.conclude import Conclusion
from dowse.engine.exchange.errands import Errands
from dowse.engine.exchange.heads import Heads
from dowse.engine.life.pricing import Worth
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Tally
from dowse.engine.loop.allowance import allowance
from dowse.engine.loop.tasks import Tasks
from dowse.engine.page.pages import Fetched
from dowse.engine.workers.port import Workers
from dowse.frontier import Errand, Frontier, Lease
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.records import DecisionRow
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic

__all__ = ["Concluding", "Launcher"]

Concluding = Callable[[Lease], Coroutine[Any, Any, Fetched | None]]
"""From a lease to its page, if there is one to keep."""

_BACKLOG_A_WORKER = 8
_AT_ONCE_US = 25_000  # of looking URLs up in robots.txt and turning leases down, before others get their turn
_TURNED_DOWN_US = 50  # a lease: a URL that robots.txt refuses, a name that has to wait to be looked up
_PUT_BACK = 16  # URLs in a row that turn out to be worth less than they were ranked with
_NOTICED = 0.05  # of the priority a URL was ranked with: it goes unless it lost more


class Launcher:
    """Leases what the frontier offers, as long as there is room, and starts a task for each lease."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        workers: Workers,
        strategy: Strategy,
        errands: Errands,
        conclusion: Conclusion,
        recorder: Recorder,
        purse: Purse,
        tally: Tally,
        worth: Worth,
        clock: Clock,
        on_page: Callable[[Fetched], Coroutine[Any, Any, None]] | None = None,
        cache: FromCache | None = None,
        heads: Heads | None = None,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._workers = workers
        self._strategy = strategy
        self._errands = errands
        self._conclusion = conclusion
        self._recorder = recorder
        self._purse = purse
        self._tally = tally
        self._worth = worth
        self._clock = clock
        self._on_page = on_page
        self._cache = cache
        self._heads = heads
        self._most_backlog = _BACKLOG_A_WORKER * max(1, workers.count)
        self.has_more = False  # there is more to do, but answers in flight get their turn first

    def has_room(self, tasks: Tasks) -> bool:
        most = self._topic.network.concurrency
        return (
            tasks.fetching < most
            and len(tasks) - self._errands.looking_up < 2 * most + self._most_backlog
            and (self._workers.backlog < self._most_backlog)
            and (self._cache is None or self._cache.has_room)
        )

    def launch(self, tasks: Tasks, fetch: Concluding) -> None:
        """Start all that may start now; ``fetch`` is for what is asked of its site."""
        refused, work_us, behind, self.has_more = self._conclusion.refusals, 0, 0, self._errands.end_some()
        while self.has_room(tasks):
            if work_us + _TURNED_DOWN_US * (self._conclusion.refusals - refused) >= _AT_ONCE_US:
                self.has_more = True
                return
            now = self._clock.now()
            within = allowance(self._purse.fetches_left(), self._topic.target, self._tally)
            lease = self._frontier.next(now, within=within)
            if lease is None:
                return
            if lease.errand is not Errand.PAGE:
                if lease.errand is Errand.ROBOTS and self._purse.exhausted() is not None:
                    self._frontier.cancel(lease, now)
                    return
                if not self._errands.may_begin(lease):
                    work_us += _TURNED_DOWN_US
                elif lease.errand is Errand.ADDRESS:
                    tasks.look_up(self._errands.run, lease)
                else:
                    tasks.start(tasks.occupied(self._errands.run, lease))
            elif behind < _PUT_BACK and self._fell_behind(lease, now):
                behind += 1
            else:
                work_us += self._errands.effort(lease.site, lease.url)
                if not self._page(lease, now, tasks, fetch):
                    return

    def _fell_behind(self, lease: Lease, now: float) -> bool:
        """Is a URL worth less by now than it was ranked with? Then it goes back to where it belongs."""
        fresh = self._worth.refreshed(lease.candidate, self._strategy)
        if fresh is None or fresh >= (ranked := self._frontier.priority(lease.candidate)) - _NOTICED * abs(ranked):
            return False
        self._put_back(lease, now)
        changed = self._frontier.update(np.array([lease.candidate]), np.array([fresh]), now)
        self._recorder.reprioritised(changed)
        return True

    def _put_back(self, lease: Lease, now: float) -> None:
        self._frontier.cancel(lease, now)
        self._frontier.retry(lease.candidate, at=now, now=now)

    def _page(self, lease: Lease, now: float, tasks: Tasks, fetch: Concluding) -> bool:
        """Start fetching a page, unless robots or the budget forbid it or a cache holds it. False: launch nothing more
        for now."""
        allowed = self._errands.allowed(lease.site, lease.url)
        if allowed is None:
            self._frontier.require(lease.site, Errand.ROBOTS)
            self._put_back(lease, now)
            return True
        if self._errands.is_aged(lease.site):
            tasks.background(self._errands.renew(lease.site))
        if not allowed:
            self._frontier.cancel(lease, now)
            self._conclusion.refused_by_robots(lease)
            return True
        if self._cache is not None and self._cache.begin(lease.url):
            self._frontier.cancel(lease, now)
            self._note(lease, requests=0)
            tasks.background(self._hand_over(self._cache.page, lease))
            return True
        head = self._heads is not None and self._heads.wanted(lease)
        if not self._purse.reserve(page=not head):
            self._put_back(lease, now)
            return False
        self._recorder.note_spent()
        if self._heads is not None:
            self._heads.leaves(lease.candidate, head=head)
            if head:
                tasks.start(tasks.occupied(self._heads.ask, lease))
                return True
        self._note(lease)
        tasks.start(self._hand_over(fetch, lease))
        return True

    def _note(self, lease: Lease, requests: int = 1) -> None:
        attempts = int(self._frontier.candidates.attempts[lease.candidate]) + requests
        self._frontier.candidates.attempts[lease.candidate] = min(attempts, 255)
        why = self._worth.explain(lease.candidate, self._strategy)
        decision = DecisionRow(
            lease.candidate, self._clock.wall(), why.priority, self._strategy.name, why.version, why.features
        )
        self._recorder.leased(lease.candidate, attempts, decision)

    async def _hand_over(self, concluding: Concluding, lease: Lease) -> None:
        """Give the page to whoever wants it, once it is concluded."""
        page = await concluding(lease)
        if page is not None and self._on_page is not None:
            await self._on_page(page)
