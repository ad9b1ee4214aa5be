"""The crawl itself: lease, fetch, parse and judge, learn, again.

One asyncio loop owns all state; only parsing and judging happen elsewhere (``workers``). The loop launches as many
leases as it may, then sleeps until an exchange ends, a site's time comes, or a commit is due. Each leased URL is one
task: it fetches, frees the site at once, has the body digested, and concludes.

A stop always has a reason: a limit of the budget, the target, an empty frontier, an interruption, or a store that can
no longer be written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import numpy as np

from dowse.crawl.allowance import allowance
from dowse.crawl.cached import FromCache
from dowse.crawl.conclude import Conclusion
from dowse.crawl.errands import Errands
from dowse.crawl.extra import ExtraRequests
from dowse.crawl.heads import Heads
from dowse.crawl.outlook import Outlook
from dowse.crawl.pages import Fetched
from dowse.crawl.recorder import Recorder
from dowse.crawl.tally import Progress, Tally
from dowse.crawl.waits import budget_left, waits_for
from dowse.crawl.workers import Workers
from dowse.crawl.worth import Worth
from dowse.frontier import Errand, Frontier, Lease
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Failure, Request, Response, Transport
from dowse.model.records import DecisionRow
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic

__all__ = ["Engine", "Stop"]

_GRACE_S = 20.0  # for exchanges in flight when a crawl stops
_BACKLOG_A_WORKER = 8
_REFUSALS_AT_ONCE = 500
_PUT_BACK = 16  # URLs in a row that turn out to be worth less than they were ranked with
_NOTICED = 0.05  # of the priority a URL was ranked with: it goes unless it lost more


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a crawl ended. ``kind`` is "budget", "target", "empty", "stalled", "interrupted" or "failed"."""

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind


class Engine:
    """Drives one crawl with the parts it is given (``build`` puts them together)."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        transport: Transport,
        workers: Workers,
        strategy: Strategy,
        errands: Errands,
        extra: ExtraRequests,
        conclusion: Conclusion,
        recorder: Recorder,
        purse: Purse,
        tally: Tally,
        worth: Worth,
        outlook: Outlook,
        clock: Clock,
        on_page: Callable[[Fetched], Coroutine[Any, Any, None]] | None = None,
        cache: FromCache | None = None,
        heads: Heads | None = None,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._transport = transport
        self._workers = workers
        self._strategy = strategy
        self._errands = errands
        self._extra = extra
        self._conclusion = conclusion
        self._recorder = recorder
        self._purse = purse
        self._tally = tally
        self._worth = worth
        self.outlook = outlook
        self._clock = clock
        self._on_page = on_page
        self._cache = cache
        self._heads = heads
        self._tasks: set[asyncio.Task[None]] = set()
        self._fetching = 0
        self._stop: Stop | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._more_to_launch = False
        self._started = clock.now()
        self.failure: BaseException | None = None  # what made the crawl fail, when its stop is of that kind
        self._most_backlog = _BACKLOG_A_WORKER * max(1, workers.count)

    # -- the loop ------------------------------------------------------------------------------------------------

    async def run(self) -> Stop:
        """Crawl until there is a reason to stop; everything is committed when this returns."""
        self._started = self._clock.now()
        self._purse.start(self._started)
        try:
            while self._stop is None:
                self._purse.tick(self._clock.now())
                self._launch()
                self._recorder.commit_if_due()
                if self._stop is None:
                    self._stop = self._reason_to_stop()
                if self._stop is None:
                    await self._sleep()
        except BaseException as error:
            self._stop = self._stop or Stop("failed", str(error))
            raise
        finally:
            await self._wind_down()
        return self._stop

    def stop(self, kind: str, detail: str = "") -> None:
        """Ask for an end: nothing new is launched; what is in flight is waited for."""
        if self._stop is None:
            self._stop = Stop(kind, detail)
        self._extra.closed = True
        self._wake()

    def abort(self) -> None:
        """End at once: exchanges in flight are dropped, their URLs wait for the next run."""
        self.stop("interrupted", "at once, exchanges in flight dropped")
        for task in self._tasks:
            task.cancel()

    def _reason_to_stop(self) -> Stop | None:
        target = self._topic.target
        if target.relevant is not None and self._tally.relevant >= target.relevant:
            return Stop("target", f"{target.relevant} relevant pages were wanted")
        if target.value is not None and self._tally.value >= target.value:
            return Stop("target", f"pages with scores of {target.value:g} in all were wanted")
        spent = self._purse.exhausted()
        if spent is not None:
            return Stop("budget", f"{spent} ({self._purse.budget})")
        if self._tasks or self._more_to_launch:
            return None
        if not self._frontier.waiting:
            return Stop("empty", "no URL is left to fetch")
        if self._frontier.wake_at() is None:
            return Stop("stalled", f"{self._frontier.waiting} URLs wait for nothing that could come")
        return None

    async def _sleep(self) -> None:
        """Until something ends, a site's time comes, a commit is due or the time budget ends."""
        now = self._clock.now()
        waits = [0.0 if self._more_to_launch else self._recorder.due_in()]
        wake = self._frontier.wake_at()
        if wake is not None and self._has_room():
            waits.append(max(0.0, wake - now))
        left = self._purse.seconds_left()
        if left is not None:
            waits.append(max(0.0, left))
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(max(0.0, min(waits)), self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wind_down(self) -> None:
        """Wait for what is in flight, drop what takes too long, and write everything down."""
        self._extra.closed = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE_S)
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._purse.tick(self._clock.now())
        self.outlook.look()
        self._recorder.event("stop", str(self._stop))
        self._recorder.commit()
        self._recorder.note_spent()

    # -- leases --------------------------------------------------------------------------------------------------

    def _has_room(self) -> bool:
        most = self._topic.network.concurrency
        return (
            self._fetching < most
            and len(self._tasks) < 2 * most + self._most_backlog
            and (self._workers.backlog < self._most_backlog)
            and (self._cache is None or self._cache.has_room)
        )

    def _launch(self) -> None:
        refused, behind, self._more_to_launch = self._conclusion.refusals, 0, False
        while self._has_room():
            if self._conclusion.refusals - refused >= _REFUSALS_AT_ONCE:
                self._more_to_launch = True  # answers in flight get their turn first
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
                self._start(self._occupied(self._errands.run, lease))
            elif behind < _PUT_BACK and self._fell_behind(lease, now):
                behind += 1
            elif not self._launch_page(lease, now):
                return

    def _fell_behind(self, lease: Lease, now: float) -> bool:
        """Is a URL worth less by now than it was ranked with? Then it goes back to where it belongs."""
        fresh = self._worth.refreshed(lease.candidate, self._strategy)
        if fresh is None or fresh >= (ranked := self._frontier.priority(lease.candidate)) - _NOTICED * abs(ranked):
            return False
        self._frontier.cancel(lease, now)
        self._frontier.retry(lease.candidate, at=now, now=now)
        changed = self._frontier.update(np.array([lease.candidate]), np.array([fresh]), now)
        self._recorder.reprioritised(changed, self._frontier.priorities(changed))
        return True

    def _launch_page(self, lease: Lease, now: float) -> bool:
        """Start fetching a page, unless robots or the budget forbid it or a cache holds it. False: launch nothing more
        for now."""
        allowed = self._errands.allowed(lease.site, lease.url)
        if allowed is None:
            self._frontier.require(lease.site, Errand.ROBOTS)
            self._frontier.cancel(lease, now)
            self._frontier.retry(lease.candidate, at=now, now=now)
            return True
        if not allowed:
            self._frontier.cancel(lease, now)
            self._conclusion.refused_by_robots(lease)
            return True
        if self._cache is not None and self._cache.begin(lease.url):
            self._frontier.cancel(lease, now)
            self._note_lease(lease, requests=0)
            self.background(self._hand_over(self._cache.page, lease))
            return True
        head = self._heads is not None and self._heads.wanted(lease)
        if not self._purse.reserve(page=not head):
            self._frontier.cancel(lease, now)
            self._frontier.retry(lease.candidate, at=now, now=now)
            return False
        self._recorder.note_spent()
        if self._heads is not None:
            self._heads.leaves(lease.candidate, head=head)
            if head:
                self._start(self._occupied(self._heads.ask, lease))
                return True
        self._note_lease(lease)
        self._start(self._hand_over(self._page, lease))
        return True

    def _note_lease(self, lease: Lease, requests: int = 1) -> None:
        attempts = int(self._frontier.candidates.attempts[lease.candidate]) + requests
        self._frontier.candidates.attempts[lease.candidate] = min(attempts, 255)
        why = self._worth.explain(lease.candidate, self._strategy)
        decision = DecisionRow(
            lease.candidate, self._clock.wall(), why.priority, self._strategy.name, why.version, why.features
        )
        self._recorder.leased(lease.candidate, attempts, decision)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._fetching += 1
        self.background(work)

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the loop; the crawl does not end before it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            self._wake()
            return
        error = task.exception()
        if error is not None and (self._stop is None or self._stop.kind != "failed"):
            self._stop = Stop("failed", f"{type(error).__name__}: {error}")
            self.failure = error
        self._wake()

    async def _occupied(self, work: Callable[[Lease], Coroutine[Any, Any, None]], lease: Lease) -> None:
        """Work that counts as an exchange from its beginning to its end."""
        try:
            await work(lease)
        finally:
            self._fetching -= 1

    async def _page(self, lease: Lease) -> Fetched | None:
        page = None
        try:
            result, at = await self._exchange(lease)
            page = await self._conclusion.conclude(lease, result, at)
        finally:
            self._purse.settle(kept=page is not None)
        return page

    async def _hand_over(self, work: Callable[[Lease], Coroutine[Any, Any, Fetched | None]], lease: Lease) -> None:
        """Give the page to whoever wants it, once it is concluded."""
        page = await work(lease)
        if page is not None and self._on_page is not None:
            await self._on_page(page)

    async def _exchange(self, lease: Lease) -> tuple[Response | Failure, float]:
        """Ask for the page; the site is free again as soon as the exchange is over. Also when it began (UTC)."""
        limits = self._topic.limits
        request = Request(
            lease.url, accept_types=self._topic.scope.content_types, max_wire_bytes=limits.max_wire_bytes,
            max_body_bytes=limits.max_body_bytes,
            timeout_s=self._purse.timeout_s(limits.timeout_s),
        )  # fmt: skip
        at = self._clock.wall()
        heard = None
        try:
            result = await self._transport.fetch(request, self._purse)
            if isinstance(result, Response):
                # from the end backwards: time lost on the way then makes the delay longer, never shorter
                heard = self._clock.now() - (result.timings.total_s - result.timings.first_byte_s)
            self._conclusion.measured(lease, result)
            return self._errands.with_lookup(lease.site, result), at
        finally:
            self._fetching -= 1
            self._frontier.release(lease, self._clock.now(), counted_from=heard)
            self._wake()

    # -- looking -------------------------------------------------------------------------------------------------

    def progress(self) -> Progress:
        """The crawl at this moment."""
        now, tally, spent = self._clock.now(), self._tally, self._purse.spent
        self._purse.tick(now)
        return Progress(
            elapsed_s=spent.seconds,
            pages=tally.pages,
            relevant=tally.relevant,
            harvest=tally.harvest(),
            harvest_now=tally.harvest_now(),
            pages_per_s=tally.pages_per_s(now, self._started),
            requests=spent.requests,
            bytes=spent.bytes,
            waiting=self._frontier.waiting,
            sites=len(self._frontier.sites),
            in_flight=self._fetching,
            parsing=len(self._tasks) - self._fetching,
            outcomes=dict(tally.outcomes),
            best_sites=tally.best_sites(),
            budget_left=budget_left(self._purse),
            waits_for=waits_for(self._frontier, now, self._fetching),
            value=tally.value,
            saved_pages=tally.saved_pages,
            saved_bytes=tally.saved_bytes,
            forecast=self.outlook.forecast,
        )
