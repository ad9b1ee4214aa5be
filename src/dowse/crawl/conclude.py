"""How a leased URL ends: from an exchange to its record, its verdict and its links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dowse.crawl.errands import Errands
from dowse.crawl.intake import Intake
from dowse.crawl.job import Job, Work
from dowse.crawl.outlook import Outlook
from dowse.crawl.recorder import Recorder
from dowse.crawl.tally import Tally
from dowse.crawl.workers import Workers
from dowse.crawl.worth import Worth
from dowse.fetch import GiveUp, Retry, decide, disguised
from dowse.frontier import Frontier, Lease
from dowse.model.clock import Clock
from dowse.model.http import REDIRECTS, Failure, FailureKind, Response, Truncation
from dowse.model.page import Digest, Outcome, Signature, Verdict
from dowse.model.records import REPEATS, CandidateState, PageRow
from dowse.model.strategy import SourcePage
from dowse.model.topic import Topic
from dowse.model.url import Base
from dowse.model.words import printable
from dowse.parse import Repeats
from dowse.store import compose

__all__ = ["Conclusion", "Duplicates", "Fetched"]

_SET_ASIDE_AFTER = 3  # failures in a row before a site is set aside for longer and longer
_GIVE_UP_AFTER = 12  # failures in a row at which a site that never answered is closed
_GIVE_UP_LATER = 24  # the same for a site that did answer once
_STATES = {
    Outcome.FETCHED: CandidateState.FETCHED, Outcome.REDIRECTED: CandidateState.FETCHED,
    Outcome.FAILED: CandidateState.FAILED, Outcome.REFUSED: CandidateState.REFUSED,
}  # fmt: skip


class Duplicates(Protocol):
    """Finds pages whose content was seen under another URL."""

    def find(self, signature: Signature) -> tuple[int, bool] | None:
        """The first page with (nearly) this content, and whether it is exactly the same."""
        ...

    def add(self, page: int, signature: Signature) -> None: ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched page, as ``dowse.crawl`` gives it to Python."""

    id: int
    url: str
    status: int
    title: str
    score: float
    relevant: bool
    verdict: Verdict
    depth: int
    language: str
    content_type: str
    links: list[str]
    body: bytes  # content-decoded
    text: str | None  # visible text, when asked for
    duplicate_of: int | None
    fetched_at: float  # seconds since 1970


class Conclusion:
    """Concludes exchanges: retry, fail, refuse, redirect, or digest and learn."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        intake: Intake,
        errands: Errands,
        workers: Workers,
        duplicates: Duplicates,
        repeats: Repeats,
        recorder: Recorder,
        tally: Tally,
        worth: Worth,
        outlook: Outlook,
        clock: Clock,
        keep_text: bool = False,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._intake = intake
        self._errands = errands
        self._workers = workers
        self._duplicates = duplicates
        self._repeats = repeats
        self._recorder = recorder
        self._tally = tally
        self._worth = worth
        self._outlook = outlook
        self._clock = clock
        self._keep_text = keep_text
        self._failures: dict[int, int] = {}  # site -> failures in a row
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
        row.failures += 1
        failures = self._failures[site.id] = self._failures.get(site.id, 0) + 1
        if failures >= (_GIVE_UP_LATER if row.pages else _GIVE_UP_AFTER) and not site.closed:
            reason = f"{result.kind.value}: {failures} failures in a row"
            self._errands.close_site(site, reason, CandidateState.FAILED)
        elif failures >= _SET_ASIDE_AFTER:
            aside_s = self._topic.limits.retry_wait_s * 2.0 ** min(failures - _SET_ASIDE_AFTER, 6)
            self._frontier.set_aside(site, aside_s, self._clock.now())

    def _learn_cost(self, lease: Lease, result: Response | Failure) -> None:
        site, now = lease.site, self._clock.now()
        self._worth.learn(site, lease.candidate, result)
        repriced = self._worth.reprice(site, now)
        if repriced is not None:
            self._recorder.reprioritised(*repriced)
        back_s = self._worth.stands_back_s(site)
        if back_s and site.back_until <= now:
            self._frontier.stand_back(site, back_s, now)

    async def conclude(self, lease: Lease, result: Response | Failure, at: float) -> Fetched | None:
        """End the URL's life or let it wait again. A page that was kept is returned."""
        attempts = int(self._frontier.candidates.attempts[lease.candidate])
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
            self._end(lease, self._row(lease, result, at, outcome, decision.reason), result, at)
            return None
        assert isinstance(result, Response)
        if result.status in REDIRECTS and result.header("Location"):
            self._redirect(lease, result, at)
            return None
        if result.status >= 300:
            self._end(lease, self._row(lease, result, at, Outcome.FAILED, f"http {result.status}"), result, at)
            return None
        unwanted = self._unwanted_type(result)
        if unwanted:
            self._end(lease, self._row(lease, result, at, Outcome.REFUSED, f"content-type {unwanted}"), result, at)
            return None
        if result.truncated is Truncation.BUDGET and not result.body:
            self._frontier.retry(lease.candidate, at=now, now=now)  # for a later run with more to spend
            self._recorder.ended(lease.candidate, CandidateState.WAITING, "byte budget", attempts - 1)
            return None
        return await self._digest(lease, result, at)

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

    def _redirect(self, lease: Lease, response: Response, at: float) -> None:
        target = Base(lease.url).join(response.header("Location") or "")
        chain = self._chain(lease.candidate)
        row = self._row(lease, response, at, Outcome.REDIRECTED, "redirect")
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
        self._end(lease, row, response, at)

    def _chain(self, candidate: int) -> list[str]:
        """The URLs whose redirects led to a candidate, the nearest first."""
        chain = []
        while (source := self.via.get(candidate)) is not None:
            chain.append(self._frontier.url(source))
            candidate = source
        return chain

    # -- documents -----------------------------------------------------------------------------------------------

    async def _digest(self, lease: Lease, response: Response, at: float) -> Fetched | None:
        columns = self._frontier.candidates
        parent = int(columns.parent[lease.candidate])
        work = await self._workers.run(
            Job(
                response=response,
                fetched_at=at,
                depth=int(columns.depth[lease.candidate]),
                via=self._frontier.url(parent) if parent >= 0 else "",
                keep_text=self._keep_text,
                repeats=self._repeats.known(lease.site.id),
            )
        )
        if work.digest is None:
            if work.error:
                self._recorder.event("page lost", f"{lease.url}: {work.error}")
            self._end(lease, self._row(lease, response, at, Outcome.FAILED, f"parse: {work.error}"), response, at)
            return None
        return self._absorb(lease, response, at, work, work.digest)

    def _absorb(self, lease: Lease, response: Response, at: float, work: Work, digest: Digest) -> Fetched:
        """Judge once, learn, take up the links, write it all down."""
        now, id_ = self._clock.now(), lease.candidate
        row = self._row(lease, response, at, Outcome.FETCHED, "")
        row.title, row.language, row.charset = digest.title, digest.language, digest.charset
        row.words, row.text_len, row.n_links = digest.words, digest.text_len, digest.n_links
        row.canonical = digest.canonical
        row.parse_s, row.judge_s = digest.parse_s, digest.judge_s
        row.archive = work.archive
        verdict, relevant, exact = self._judged(row, digest)
        if row.duplicate_of is None:  # the same page twice is no menu
            self._learn_repeats(lease.site.id, digest)
        host = lease.site.host
        self._tally.judged(host, verdict.score if row.score is not None else 0.0, relevant, now)
        site = self._recorder.site(lease.site.id)
        site.pages += 1
        site.relevant += relevant
        if not exact and self._wanted_language(digest):
            page = SourcePage(
                id=id_, site=lease.site.id, depth=row.depth, ordinal=self._tally.pages - 1, score=verdict.score,
                relevant=relevant, n_links=digest.n_links,
            )  # fmt: skip
            self._intake.links(page, lease.url, digest.links, now)
        for rule, count in digest.refused_links.items():
            self._recorder.refused(rule, count)
        self._close(lease, row)
        return Fetched(
            id=id_, url=lease.url, status=response.status, title=digest.title, score=verdict.score, relevant=relevant,
            verdict=verdict, depth=row.depth, language=digest.language, content_type=row.content_type,
            links=digest.links.urls, body=response.body, text=digest.text, duplicate_of=row.duplicate_of,
            fetched_at=at,
        )  # fmt: skip

    def _judged(self, row: PageRow, digest: Digest) -> tuple[Verdict, bool, bool]:
        """The verdict that counts: whether it adds a relevant page, and whether the content is exactly known."""
        verdict = digest.verdict
        if digest.noindex:
            row.reason, row.archive = "noindex", []  # the site asks that nobody keep it, so it is nobody's original
            return verdict, False, False
        same = self._duplicates.find(digest.signature)
        if same is not None:
            row.duplicate_of, exact = same
            row.reason = "duplicate" if exact else "near-duplicate"
            return verdict, False, exact
        self._duplicates.add(row.id, digest.signature)
        row.signature, row.minhash = digest.signature.exact, digest.signature.minhash
        relevant = verdict.relevant and self._wanted_language(digest)
        row.score, row.relevant = verdict.score, relevant
        row.similarity, row.erid = verdict.similarity, verdict.erid
        row.verdict = [(reason.name, reason.value, reason.weight) for reason in verdict.reasons]
        return verdict, relevant, False

    def _learn_repeats(self, site: int, digest: Digest) -> None:
        """What the site's pages have in common, kept for a resume."""
        forgotten = self._repeats.learn(site, digest.lines)
        if forgotten is not None:
            self._recorder.statistic(f"{REPEATS}{forgotten}", b"")
        self._recorder.statistic(f"{REPEATS}{site}", self._repeats.state(site))

    def _wanted_language(self, digest: Digest) -> bool:
        wanted = self._topic.scope.languages
        return not wanted or not digest.language or digest.language in wanted

    # -- records -------------------------------------------------------------------------------------------------

    def _row(self, lease: Lease, result: Response | Failure, at: float, outcome: Outcome, reason: str) -> PageRow:
        columns = self._frontier.candidates
        row = PageRow(
            id=lease.candidate, url=lease.url, final_url=lease.url, fetched_at=at, outcome=outcome, reason=reason,
            wire_bytes=result.wire_bytes, depth=int(columns.depth[lease.candidate]),
            attempts=int(columns.attempts[lease.candidate]), timings=result.timings,
        )  # fmt: skip
        if isinstance(result, Response):
            row.status = result.status
            row.content_type = printable((result.header("Content-Type") or "").partition(";")[0].strip().lower())
            row.body_bytes = len(result.body)
            row.truncated = result.truncated.value
            row.etag, row.last_modified = result.header("ETag"), result.header("Last-Modified")
            row.cached_from = result.cached_from or None
        elif result.detail:
            row.reason = f"{reason}: {result.detail}"
        return row

    def _end(self, lease: Lease, row: PageRow, result: Response | Failure, at: float) -> None:
        """End a URL that brought no page; what did come is archived."""
        if isinstance(result, Response):
            row.archive = compose(result, at, {"outcome": row.outcome, "reason": row.reason})
        self._close(lease, row)

    def _close(self, lease: Lease, row: PageRow) -> None:
        state = _STATES[Outcome(row.outcome)]
        self._frontier.finish(lease.candidate, state)
        self._recorder.ended(lease.candidate, state, row.reason, row.attempts)
        self._recorder.page(row)
        self._tally.ended(row.outcome)
        if row.cached_from is not None:
            self._tally.saved(int(row.outcome == Outcome.FETCHED), row.wire_bytes)
        self._outlook.ended(row)
