"""What becomes of a URL when its exchange is over: retry, give up, refuse, redirect, or take up the page it brought."""

from __future__ import annotations

from dowse.engine.exchange.exchange import DeadEnd, leads_on, next_hop
from dowse.engine.exchange.site_rules import Robots
from dowse.engine.life import Life
from dowse.engine.life.journal import packed
from dowse.engine.page.again import NOT_MODIFIED, Again
from dowse.engine.page.pages import Fetched, Pages, row_of
from dowse.fetch import Decision, GiveUp, Retry, decide
from dowse.frontier import Lease
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Response, Truncation
from dowse.model.page import Outcome
from dowse.model.records import PageRow
from dowse.model.sniffing import true_type
from dowse.model.topic import Topic
from dowse.model.visits import Copy
from dowse.model.wanted_types import wanted_types
from dowse.model.words import printable

__all__ = ["Disposition"]


class Disposition:
    """Decides by the table of :func:`~dowse.fetch.decide`, then by status, type and content."""

    def __init__(
        self, topic: Topic, life: Life, pages: Pages, again: Again, robots: Robots, clock: Clock
    ) -> None:  # fmt: skip
        self._topic = topic
        self._wanted = wanted_types(topic.scope)
        self._life = life
        self._pages = pages
        self._again = again
        self._robots = robots
        self._clock = clock

    async def of(self, lease: Lease, result: Response | Failure, at: float) -> Fetched | None:
        """End the URL's life or let it wait again. A page that was kept is returned."""
        if isinstance(result, Failure) and result.kind is FailureKind.BUDGET:
            self._life.wait(lease, "byte budget", forgiven=True)  # for a later run with more to spend
            return None
        if isinstance(result, Failure) and result.kind is FailureKind.CANCELLED:
            self._life.wait(lease, result.kind.value, forgiven=True)  # nobody was asked
            return None
        copy = self._life.visits.copy(lease)
        whole = copy is not None and not copy.truncated  # what is held does not give way to a part of what came after
        decision = self.decision(result, self._life.attempts(lease), whole=whole)
        if isinstance(decision, Retry) and lease.site.closed:
            decision = GiveUp(decision.reason)
        if isinstance(decision, Retry):
            if decision.whole_host and isinstance(result, Response):
                self._life.sites.set_aside(lease.site, decision.after_s)
                self._robots.say_if_clipped(lease.site, result)
            self._life.wait(lease, decision.reason, after_s=decision.after_s)
            return None
        if isinstance(decision, GiveUp):
            if decision.hold_s:
                self._life.sites.set_aside(lease.site, decision.hold_s)
            guarded = isinstance(result, Failure) and result.kind is FailureKind.ADDRESS
            outcome = Outcome.REFUSED if guarded else Outcome.FAILED
            await self._end(lease, row_of(lease, result, at, outcome, decision.reason), result)
            return None
        assert isinstance(result, Response)
        return await self._answered(lease, copy, result, at)

    def decision(self, result: Response | Failure, attempts: int, *, whole: bool = False) -> Decision:
        """What the table says of the answer to so many attempts: keep, retry or give up. ``whole``: a part is none."""
        return decide(
            result, attempts, self._topic.limits, wall=self._clock.wall(),
            max_delay_s=self._topic.politeness.max_delay_s, whole=whole,
        )  # fmt: skip

    async def _answered(self, lease: Lease, copy: Copy | None, response: Response, at: float) -> Fetched | None:
        """An answer that is worth looking at: a redirect, a page, or what is neither."""
        if leads_on(response):
            await self._redirect(lease, response, at)
            return None
        if copy is not None and response.status == NOT_MODIFIED and copy.validators != (None, None):
            return await self._again.page(lease, copy, response, at)
        if response.status >= 300:
            row = row_of(lease, response, at, Outcome.FAILED, f"http {response.status}")
            await self._end(lease, row, response)
            return None
        unwanted = self._unwanted_type(response)
        if unwanted:
            row = row_of(lease, response, at, Outcome.REFUSED, f"content-type {unwanted}")
            await self._end(lease, row, response)
            return None
        if response.truncated is Truncation.BUDGET and (copy is not None or not response.body):
            self._life.wait(lease, "byte budget", forgiven=True)
            return None
        if copy is not None:
            return await self._again.page(lease, copy, response, at)
        return await self._pages.take(lease, response, at)

    async def _end(self, lease: Lease, row: PageRow, result: Response | Failure) -> None:
        """End a URL that brought no page; what did come is archived."""
        if isinstance(result, Response):
            told = {"outcome": row.outcome, "reason": row.reason}
            row.archive = await packed(result, row.fetched_at, told)
        self._life.end(lease, row)

    def _unwanted_type(self, response: Response) -> str:
        """The type that makes a body not worth reading: what it was declared as, or what it is in truth."""
        declared = printable((response.header("Content-Type") or "").partition(";")[0].strip())[:80]
        if response.truncated is Truncation.TYPE:
            return declared or "none"
        if not response.body:
            return ""
        in_truth = true_type(declared, response.body)
        if self._wanted.take(in_truth):
            return ""
        return declared if in_truth == declared.lower() else f"{declared or 'none'}, in truth {in_truth}"

    async def _redirect(self, lease: Lease, response: Response, at: float) -> None:
        """The target is a URL of its own, which waits in place of this one."""
        row = row_of(lease, response, at, Outcome.REDIRECTED, "redirect")
        chain = self._life.redirected_from(lease)
        target = next_hop(lease.url, response, chain, self._topic.limits.max_redirects)
        if isinstance(target, DeadEnd):
            row.outcome = Outcome.REFUSED if target.refused else Outcome.FAILED
            row.reason = f"redirect: {target.reason}"
        else:
            row.final_url = target
            rule = self._life.admit_redirect(lease, target)
            if rule not in ("", "known"):
                row.outcome, row.reason = Outcome.REFUSED, f"redirect: {rule}"
        await self._end(lease, row, response)
