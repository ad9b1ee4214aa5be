"""The crawl itself: lease, fetch, parse and judge, learn, again.

One asyncio loop owns all state; only parsing and judging happen elsewhere (``workers``). The loop launches as many
leases as it may (``dispatch``), then sleeps until an exchange ends, a site's time comes, or a commit is due. Each
leased URL is one task (``fetcher``): it fetches, frees the site at once, has the body digested, ends the URL's life.

A stop always has a reason: a limit of the budget, the target, an empty frontier, an interruption, or a store that can
no longer be written.
"""

from __future__ import annotations

from dataclasses import dataclass

from dowse.engine.exchange.exchange import Exchange
from dowse.engine.life import Life
from dowse.engine.loop.dispatch import Dispatcher
from dowse.engine.loop.progress import Progress, progress_of
from dowse.engine.loop.tasks import Tasks
from dowse.model.clock import Clock
from dowse.model.topic import Target

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
    """Drives one crawl with the parts it is given."""

    def __init__(
        self, target: Target, life: Life, dispatcher: Dispatcher, exchange: Exchange, tasks: Tasks, clock: Clock, *,
        alone: bool = True,
    ) -> None:  # fmt: skip
        """Not ``alone``: the crawl goes on elsewhere, and may go on here, until :meth:`stop` is called."""
        self._target = target
        self._life = life
        self._dispatcher = dispatcher
        self._exchange = exchange
        self._alone = alone
        self.purse = exchange.purse
        self._clock = clock
        self._stop: Stop | None = None
        self._started = clock.now()
        self.tasks = tasks
        self.failure: BaseException | None = None  # what made the crawl fail, when its stop is of that kind
        tasks.on_error = self._failed

    # -- the loop ------------------------------------------------------------------------------------------------

    async def run(self) -> Stop:
        """Crawl until there is a reason to stop; everything is committed when this returns."""
        self._started = self._clock.now()
        self.purse.start(self._started)
        try:
            while self._stop is None:
                self.purse.tick(self._clock.now())
                self._dispatcher.launch()
                self._life.journal.commit_if_due()
                reason = self.reason_to_stop() if self._stop is None else None
                if reason is not None and self._alone:
                    self._stop = reason
                elif reason is not None:
                    await self.tasks.sleep(self._life.journal.due_in())
                elif self._stop is None:
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
        self._exchange.closed = True
        self.tasks.wake()

    def fail(self, error: BaseException) -> None:
        """End the crawl for what happened beside it."""
        self._failed(error)
        self.stop("failed", str(error))

    def abort(self) -> None:
        """End at once: exchanges in flight are dropped, their URLs wait for the next run."""
        self.stop("interrupted", "at once, exchanges in flight dropped")
        self.tasks.cancel()

    def why_idle(self) -> Stop | None:
        """Why the crawl waits for something new. None also while there is something new that the loop has yet to see:
        what may be leased counts as nothing that could come before it was tried."""
        return self.reason_to_stop() if self.tasks.is_asleep else None

    def reason_to_stop(self) -> Stop | None:
        """Why there is nothing to do here at this moment."""
        target, tally = self._target, self._life.tally
        if target.relevant is not None and tally.relevant >= target.relevant:
            return Stop("target", f"{target.relevant} relevant pages were wanted")
        if target.value is not None and tally.value >= target.value:
            return Stop("target", f"pages with scores of {target.value:g} in all were wanted")
        spent = self.purse.exhausted()
        if spent is not None:
            return Stop("budget", f"{spent} ({self.purse.own_budget})")
        if len(self.tasks) or self._dispatcher.has_more:
            return None
        if not self._life.waiting:
            return Stop("empty", "nothing is left to visit" if self._life.visits.is_run else "no URL is left to fetch")
        if self._life.wake_at() is None:
            return Stop("stalled", f"{self._life.waiting} URLs wait for nothing that could come")
        return None

    def _failed(self, error: BaseException) -> None:
        if self._stop is None or self._stop.kind != "failed":
            self._stop = Stop("failed", f"{type(error).__name__}: {error}")
            self.failure = error

    async def _sleep(self) -> None:
        """Until something ends, a site's time comes, a commit is due or the time budget ends."""
        if not len(self.tasks) and not self._dispatcher.has_more:
            self._life.sites.hasten()
        now = self._clock.now()
        waits = [0.0 if self._dispatcher.has_more else self._life.journal.due_in()]
        wake = self._life.wake_at()
        if wake is not None and self._dispatcher.has_room:
            waits.append(wake - now)
        left = self.purse.seconds_left()
        if left is not None:
            waits.append(left)
        await self.tasks.sleep(max(0.0, min(waits)))

    async def _wind_down(self) -> None:
        """Wait for what is in flight, drop what takes too long, and write everything down."""
        self._exchange.closed = True
        await self.tasks.finish(_GRACE_S)
        self._life.sites.end_some(None)
        self.purse.tick(self._clock.now())
        self._life.forecasts.look()
        journal = self._life.journal
        journal.event("stop", str(self._stop))
        journal.commit()
        journal.note_spent()

    def progress(self) -> Progress:
        """The crawl at this moment."""
        now = self._clock.now()
        self.purse.tick(now)
        return progress_of(self._life, self.tasks, self.purse, now, self._started)
