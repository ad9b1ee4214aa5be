"""The crawl itself: lease, fetch, parse and judge, learn, again.

One asyncio loop owns all state; only parsing and judging happen elsewhere (``workers``). The loop launches as many
leases as it may, then sleeps until an exchange ends, a site's time comes, or a commit is due. Each leased URL is one
task: it fetches, frees the site at once, has the body digested, and concludes.

A stop always has a reason: a limit of the budget, the target, an empty frontier, an interruption, or a store that can
no longer be written.
"""

from __future__ import annotations

from dataclasses import dataclass

from dowse.engine.exchange.conclude import Conclusion
from dowse.engine.exchange.errands import Errands
from dowse.engine.exchange.extra import ExtraRequests
from dowse.engine.life.outlook import Outlook
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Progress, Tally
from dowse.engine.loop.dispatch import Launcher
from dowse.engine.loop.tasks import Tasks
from dowse.engine.loop.waits import budget_left, waits_for
from dowse.engine.page.pages import Fetched
from dowse.frontier import Frontier, Lease
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Failure, Request, Response, Transport
from dowse.model.topic import Topic

__all__ = ["Engine", "Stop"]

_GRACE_S = 20.0  # for exchanges in flight when a crawl stops


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a crawl ended. ``kind`` is "budget", "target", "empty", "stalled", "interrupted" or "failed"."""

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind


class Engine:
    """Drives one crawl with the parts it is given (``join`` puts them together)."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        transport: Transport,
        launcher: Launcher,
        errands: Errands,
        extra: ExtraRequests,
        conclusion: Conclusion,
        recorder: Recorder,
        purse: Purse,
        tally: Tally,
        outlook: Outlook,
        clock: Clock,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._transport = transport
        self._launcher = launcher
        self._errands = errands
        self._extra = extra
        self._conclusion = conclusion
        self._recorder = recorder
        self._purse = purse
        self._tally = tally
        self.outlook = outlook
        self._clock = clock
        self.tasks = Tasks(self._failed)
        self._stop: Stop | None = None
        self._started = clock.now()
        self.failure: BaseException | None = None  # what made the crawl fail, when its stop is of that kind

    # -- the loop ------------------------------------------------------------------------------------------------

    async def run(self) -> Stop:
        """Crawl until there is a reason to stop; everything is committed when this returns."""
        self._started = self._clock.now()
        self._purse.start(self._started)
        try:
            while self._stop is None:
                self._purse.tick(self._clock.now())
                self._launcher.launch(self.tasks, self._fetch)
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
        self.tasks.wake()

    def abort(self) -> None:
        """End at once: exchanges in flight are dropped, their URLs wait for the next run."""
        self.stop("interrupted", "at once, exchanges in flight dropped")
        self.tasks.cancel()

    def _reason_to_stop(self) -> Stop | None:
        target = self._topic.target
        if target.relevant is not None and self._tally.relevant >= target.relevant:
            return Stop("target", f"{target.relevant} relevant pages were wanted")
        if target.value is not None and self._tally.value >= target.value:
            return Stop("target", f"pages with scores of {target.value:g} in all were wanted")
        spent = self._purse.exhausted()
        if spent is not None:
            return Stop("budget", f"{spent} ({self._purse.budget})")
        if len(self.tasks) or self._launcher.has_more:
            return None
        if not self._frontier.waiting:
            return Stop("empty", "no URL is left to fetch")
        if self._frontier.wake_at() is None:
            return Stop("stalled", f"{self._frontier.waiting} URLs wait for nothing that could come")
        return None

    def _failed(self, error: BaseException) -> None:
        if self._stop is None or self._stop.kind != "failed":
            self._stop = Stop("failed", f"{type(error).__name__}: {error}")
            self.failure = error

    async def _sleep(self) -> None:
        """Until something ends, a site's time comes, a commit is due or the time budget ends."""
        now = self._clock.now()
        waits = [0.0 if self._launcher.has_more else self._recorder.due_in()]
        wake = self._frontier.wake_at()
        if wake is not None and self._launcher.has_room(self.tasks):
            waits.append(wake - now)
        left = self._purse.seconds_left()
        if left is not None:
            waits.append(left)
        await self.tasks.sleep(max(0.0, min(waits)))

    async def _wind_down(self) -> None:
        """Wait for what is in flight, drop what takes too long, and write everything down."""
        self._extra.closed = True
        await self.tasks.finish(_GRACE_S)
        self._errands.end_some(None)
        self._purse.tick(self._clock.now())
        self.outlook.look()
        self._recorder.event("stop", str(self._stop))
        self._recorder.commit()
        self._recorder.note_spent()

    # -- a page --------------------------------------------------------------------------------------------------

    async def _fetch(self, lease: Lease) -> Fetched | None:
        """From a lease to its page, if there is one to keep."""
        page = None
        try:
            result, at = await self._exchange(lease)
            page = await self._conclusion.conclude(lease, result, at)
        finally:
            self._purse.settle(kept=page is not None)
        return page

    async def _exchange(self, lease: Lease) -> tuple[Response | Failure, float]:
        """Ask for the page; the site is free again as soon as the exchange is over. Also when it began (UTC)."""
        limits = self._topic.limits
        request = Request(
            lease.url, accept_types=self._topic.scope.content_types, max_wire_bytes=limits.max_wire_bytes,
            max_body_bytes=limits.max_body_bytes,
            timeout_s=self._purse.timeout_s(limits.timeout_s), address=lease.site.address_key,
        )  # fmt: skip
        at = self._clock.wall()
        heard = None
        try:
            result = await self._transport.fetch(request, self._purse)
            if isinstance(result, Response):
                # from the end backwards: time lost on the way then makes the delay longer, never shorter
                heard = self._clock.now() - (result.timings.total_s - result.timings.first_byte_s)
            self._conclusion.measured(lease, result)
            await self._errands.renew_if_dead(lease.site, result)
            return self._errands.with_lookup(lease.site, result), at
        finally:
            self._frontier.release(lease, self._clock.now(), counted_from=heard)
            self.tasks.answered()

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
            in_flight=self.tasks.fetching,
            parsing=len(self.tasks) - self.tasks.fetching,
            outcomes=dict(tally.outcomes),
            best_sites=tally.best_sites(),
            budget_left=budget_left(self._purse),
            waits_for=waits_for(self._frontier, now, self.tasks.fetching),
            value=tally.value,
            saved_pages=tally.saved_pages,
            saved_bytes=tally.saved_bytes,
            forecast=self.outlook.forecast,
        )
