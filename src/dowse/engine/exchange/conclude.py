"""What an exchange means for its URL: retry, give up, refuse, redirect, or take up the page it brought."""

from __future__ import annotations

from dowse.engine.exchange.errands import Errands
from dowse.engine.life.endings import Endings
from dowse.engine.life.intake import Intake
from dowse.engine.life.pricing import Worth
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Tally
from dowse.engine.page.pages import Fetched, PageIntake
from dowse.fetch import GiveUp, Retry, decide, disguised
from dowse.frontier import Frontier, Lease, Site
from dowse.model.clock import Clock
from dowse.model.http import REDIRECTS, Failure, FailureKind, Response, Truncation
from dowse.model.page import Outcome
from dowse.model.records import CandidateState
from dowse.model.topic import Topic
from dowse.model.url import Base
from dowse.model.words import printable

__all__ = ["Conclusion"]

_SET_ASIDE_AFTER = 3  # failures in a row before a site is set aside for longer and longer
_GIVE_UP_AFTER = 12  # failures in a row at which a site that never answered is closed
_GIVE_UP_LATER = 24  # the same for a site that did answer once
_LONG_S = 1.0  # that a worker was busy with a page: its site is set aside
_REST = 8  # times as long as its page took


class Conclusion:
    """Concludes exchanges; what counts against a site is counted here, too."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        intake: Intake,
        errands: Errands,
        pages: PageIntake,
        endings: Endings,
        recorder: Recorder,
        tally: Tally,
        worth: Worth,
        clock: Clock,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._intake = intake
        self._errands = errands
        self._pages = pages
        self._endings = endings
        self._recorder = recorder
        self._tally = tally
        self._worth = worth
        self._clock = clock
        self._failures: dict[int, int] = {}  # site -> failures in a row
        self._given_up: dict[int, int] = {}  # site -> pages in a row that no worker could do in time
        self.via: dict[int, int] = {}  # candidate -> the one whose redirect led to it
        self.refusals = 0  # by robots.txt so far

    # -- an exchange is over -------------------------------------------------------------------------------------

    def measured(self, lease: Lease, result: Response | Failure) -> None:
        """Keep the site's log. A site that fails again and again is set aside for longer and longer; one that is slow
        stands back while others have something to offer."""
        row, site = self._recorder.site(lease.site.id), lease.site
        row.requests += 1
        row.wire_bytes += result.wire_bytes
        row.latency_s += result.timings.first_byte_s
        row.download_s += max(0.0, result.timings.total_s - result.timings.first_byte_s)
        self._learn_cost(lease, result)
        if isinstance(result, Response):
            self._failures.pop(site.id, None)
            return
        if result.kind is FailureKind.BUDGET:
            return  # no fault of the site's
        self._fault(site, self._failures, result.kind.value + ": {} failures in a row")

    def _fault(self, site: Site, faults_of: dict[int, int], reason: str) -> None:
        """One more of a site's faults in a row."""
        row = self._recorder.site(site.id)
        row.failures += 1
        faults = faults_of[site.id] = faults_of.get(site.id, 0) + 1
        if faults >= (_GIVE_UP_LATER if row.pages else _GIVE_UP_AFTER) and not site.closed:
            self._errands.close_site(site, reason.format(faults), CandidateState.FAILED)
        elif faults >= _SET_ASIDE_AFTER:
            aside_s = self._topic.limits.retry_wait_s * 2.0 ** min(faults - _SET_ASIDE_AFTER, 6)
            self._frontier.set_aside(site, aside_s, self._clock.now())

    def _learn_cost(self, lease: Lease, result: Response | Failure) -> None:
        site, now = lease.site, self._clock.now()
        self._worth.learn(site, lease.candidate, result)
        repriced = self._worth.reprice(site, now)
        if repriced is not None:
            self._recorder.reprioritised(repriced)
        back_s = self._worth.stands_back_s(site)
        if back_s and site.back_until <= now:
            self._frontier.stand_back(site, back_s, now)

    async def conclude(self, lease: Lease, result: Response | Failure, at: float) -> Fetched | None:
        """End the URL's life or let it wait again. A page that was kept is returned."""
        attempts = int(self._frontier.candidates.attempts[lease.candidate])
        if isinstance(result, Failure) and result.kind is FailureKind.BUDGET:
            self._wait_for_bytes(lease, attempts)
            return None
        decision = decide(
            result, attempts, self._topic.limits, wall=self._clock.wall(),
            max_delay_s=self._topic.politeness.max_delay_s,
        )  # fmt: skip
        now = self._clock.now()
        if isinstance(decision, Retry) and lease.site.closed:
            decision = GiveUp(decision.reason)
        if isinstance(decision, Retry):
            if decision.whole_host and isinstance(result, Response):
                self._frontier.set_aside(lease.site, decision.after_s, now)
                self._errands.say_if_clipped(lease.site, result)
            self._frontier.retry(lease.candidate, at=now + decision.after_s, now=now)
            self._recorder.ended(lease.candidate, CandidateState.WAITING, decision.reason, attempts)
            return None
        if isinstance(decision, GiveUp):
            if decision.hold_s:
                self._frontier.set_aside(lease.site, decision.hold_s, now)
            guarded = isinstance(result, Failure) and result.kind is FailureKind.ADDRESS
            outcome = Outcome.REFUSED if guarded else Outcome.FAILED
            await self._endings.end(lease, self._endings.row(lease, result, at, outcome, decision.reason), result, at)
            return None
        assert isinstance(result, Response)
        if result.status in REDIRECTS and result.header("Location"):
            await self._redirect(lease, result, at)
            return None
        if result.status >= 300:
            await self._endings.end(
                lease, self._endings.row(lease, result, at, Outcome.FAILED, f"http {result.status}"), result, at
            )
            return None
        unwanted = self._unwanted_type(result)
        if unwanted:
            await self._endings.end(
                lease, self._endings.row(lease, result, at, Outcome.REFUSED, f"content-type {unwanted}"), result, at
            )
            return None
        if result.truncated is Truncation.BUDGET and not result.body:
            self._wait_for_bytes(lease, attempts)
            return None
        if self._pages.keeps_long(lease.url):
            self._frontier.set_aside(lease.site, _LONG_S, now)  # no more of these, for the time being
        work = await self._pages.digest(lease, result, at)
        self._took(lease.site, work.busy_s, given_up=work.given_up)
        if work.put_off:
            self._frontier.set_aside(lease.site, _REST * self._topic.limits.page_time_s, self._clock.now())
            self.wait_again(lease)
            return None
        return await self._pages.take(lease, result, at, work)

    def _wait_for_bytes(self, lease: Lease, attempts: int) -> None:
        """For a later run with more to spend."""
        now = self._clock.now()
        self._frontier.retry(lease.candidate, at=now, now=now)
        self._recorder.ended(lease.candidate, CandidateState.WAITING, "byte budget", attempts - 1)

    def _took(self, site: Site, busy_s: float, *, given_up: bool) -> None:
        """A site whose pages keep workers busy is set aside for as long as leaves most of their time to others; one
        whose pages use up all their time, again and again, is given up like one that does not answer."""
        if not given_up:
            self._given_up.pop(site.id, None)
        if busy_s < _LONG_S:
            return
        if given_up:
            self._fault(site, self._given_up, "parse: {} pages in a row took too long")
        self._frontier.set_aside(site, _REST * busy_s, self._clock.now())

    def _unwanted_type(self, response: Response) -> str:
        """The type that makes a body not worth reading: what it was declared as, or what it is in truth."""
        declared = printable((response.header("Content-Type") or "").partition(";")[0].strip())[:80]
        if response.truncated is Truncation.TYPE:
            return declared or "none"
        in_truth = disguised(declared, response.body)
        if not in_truth or in_truth.startswith(self._topic.scope.content_types):
            return ""
        return f"{declared or 'none'}, in truth {in_truth}"

    def refused_by_robots(self, lease: Lease) -> None:
        """The lease was not used: robots.txt forbids the URL."""
        self.refusals += 1
        self._frontier.finish(lease.candidate, CandidateState.REFUSED)
        self._recorder.ended(lease.candidate, CandidateState.REFUSED, "robots", 0)
        self._recorder.refused("robots", 1, lease.url)
        self._tally.ended(Outcome.REFUSED)

    def wait_again(self, lease: Lease) -> None:
        """The lease ended without an answer for its page: it waits, unless its site was given up meanwhile."""
        now, attempts = self._clock.now(), int(self._frontier.candidates.attempts[lease.candidate])
        if lease.site.closed:
            self._frontier.finish(lease.candidate, CandidateState.REFUSED)
            self._recorder.ended(lease.candidate, CandidateState.REFUSED, lease.site.closed, attempts)
            return
        self._frontier.retry(lease.candidate, at=now, now=now)
        self._recorder.ended(lease.candidate, CandidateState.WAITING, "", attempts)

    # -- redirects -----------------------------------------------------------------------------------------------

    async def _redirect(self, lease: Lease, response: Response, at: float) -> None:
        target = Base(lease.url).join(response.header("Location") or "")
        chain = self._chain(lease.candidate)
        row = self._endings.row(lease, response, at, Outcome.REDIRECTED, "redirect")
        if target is None:
            row.outcome, row.reason = Outcome.REFUSED, "redirect: not a web address"
        elif target == lease.url:
            row.outcome, row.reason = Outcome.FAILED, "redirect: to itself"
        elif target in chain:
            row.outcome, row.reason = Outcome.FAILED, "redirect: loop"
        elif len(chain) >= self._topic.limits.max_redirects:
            row.outcome, row.reason = Outcome.FAILED, "redirect: too many"
        else:
            row.final_url = target
            coming = len(self._frontier.candidates)
            rule = self._intake.redirect(
                lease.candidate, target, self._frontier.priority(lease.candidate), self._clock.now()
            )
            if rule == "":
                self.via[coming] = lease.candidate
            elif rule != "known":
                row.outcome, row.reason = Outcome.REFUSED, f"redirect: {rule}"
        await self._endings.end(lease, row, response, at)

    def _chain(self, candidate: int) -> list[str]:
        """The URLs whose redirects led to a candidate, the nearest first."""
        chain = []
        while (source := self.via.get(candidate)) is not None:
            chain.append(self._frontier.url(source))
            candidate = source
        return chain
