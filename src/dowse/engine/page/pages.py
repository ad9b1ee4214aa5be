"""From a response that brought a page to its verdict, its record and its links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from dowse.engine.life.endings import Endings
from dowse.engine.life.intake import Intake
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Tally
from dowse.engine.page.heap import LARGE_BYTES, give_back
from dowse.engine.page.job import Job, Work
from dowse.engine.page.workers import Workers
from dowse.frontier import Frontier, Lease
from dowse.model.clock import Clock
from dowse.model.http import Response
from dowse.model.page import Digest, Outcome, Signature, Verdict
from dowse.model.records import REPEATS, PageRow
from dowse.model.strategy import SourcePage
from dowse.model.topic import Topic
from dowse.parse import Repeats

__all__ = ["Duplicates", "Fetched", "PageIntake"]


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


class PageIntake:
    """Has pages digested by a worker, and learns from what comes back."""

    def __init__(
        self,
        topic: Topic,
        *,
        frontier: Frontier,
        intake: Intake,
        workers: Workers,
        duplicates: Duplicates,
        repeats: Repeats,
        endings: Endings,
        recorder: Recorder,
        tally: Tally,
        clock: Clock,
        keep_text: bool = False,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._intake = intake
        self._workers = workers
        self._duplicates = duplicates
        self._repeats = repeats
        self._endings = endings
        self._recorder = recorder
        self._tally = tally
        self._clock = clock
        self._keep_text = keep_text
        self._fault_told = False

    def keeps_long(self, url: str) -> bool:
        """Does a page of this one's domain keep a worker for long just now?"""
        return self._workers.keeps_long(url)

    async def digest(self, lease: Lease, response: Response, at: float) -> Work:
        """Have a page parsed and judged."""
        columns = self._frontier.candidates
        parent = int(columns.parent[lease.candidate])
        return await self._workers.run(
            Job(
                response=response,
                fetched_at=at,
                depth=int(columns.depth[lease.candidate]),
                via=self._frontier.url(parent) if parent >= 0 else "",
                keep_text=self._keep_text,
                keep_bag=self._intake.learns_words,
                repeats=self._repeats.known(lease.site.id),
            )
        )

    async def take(self, lease: Lease, response: Response, at: float, work: Work) -> Fetched | None:
        """Take up a page that was digested; None when the parser could not."""
        if work.digest is None:
            if work.error:
                self._recorder.event("page lost", f"{lease.url}: {work.error}")
            await self._endings.end(
                lease, self._endings.row(lease, response, at, Outcome.FAILED, f"parse: {work.error}"), response, at
            )
            return None
        await self._intake.foresee(work.digest.links)
        page = self._absorb(lease, response, at, work, work.digest)
        if len(response.body) >= LARGE_BYTES:
            give_back()
        return page

    def _absorb(self, lease: Lease, response: Response, at: float, work: Work, digest: Digest) -> Fetched:
        """Judge once, learn, take up the links, write it all down."""
        now, id_ = self._clock.now(), lease.candidate
        row = self._endings.row(lease, response, at, Outcome.FETCHED, "")
        row.content = digest.content
        row.parse_s, row.judge_s = digest.parse_s, digest.judge_s
        row.archive = work.archive
        verdict, relevant, exact = self._judged(row, digest)
        if verdict.fault and not self._fault_told:  # the first says enough: others are likely the same
            self._fault_told = True
            self._recorder.event("predicate failed", f"{lease.url}: {verdict.fault}")
        if row.duplicate_of is None:  # the same page twice is no menu
            self._learn_repeats(lease.site.id, digest)
        self._tally.judged(lease.site.host, verdict.score if row.score is not None else 0.0, relevant, now)
        site = self._recorder.site(lease.site.id)
        site.pages += 1
        site.relevant += relevant
        if not exact and self._wanted_language(digest):
            page = SourcePage(
                id=id_, site=lease.site.id, depth=row.depth, ordinal=self._tally.pages - 1, score=verdict.score,
                relevant=relevant, n_links=digest.content.n_links, threshold=verdict.threshold, bag=digest.bag,
                host=lease.site.host,
            )  # fmt: skip
            self._intake.links(page, lease.url, digest.links, now)
        for rule, count in digest.refused_links.items():
            self._recorder.refused(rule, count)
        self._endings.close(lease, row)
        return Fetched(
            id=id_, url=lease.url, status=response.status, title=row.content.title, score=verdict.score,
            relevant=relevant, verdict=verdict, depth=row.depth, language=row.content.language,
            content_type=row.content_type, links=digest.links.urls, body=response.body, text=digest.text,
            duplicate_of=row.duplicate_of, fetched_at=at,
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
        row.verdict += [(part.text, part.degree, 0.0, part.held, part.value, part.depth) for part in verdict.parts]
        return verdict, relevant, False

    def _learn_repeats(self, site: int, digest: Digest) -> None:
        """What the site's pages have in common, kept for a resume."""
        forgotten = self._repeats.learn(site, digest.lines)
        for changed in (site,) if forgotten is None else (site, forgotten):  # a forgotten one's state is empty
            self._recorder.statistic_then(f"{REPEATS}{changed}", partial(self._repeats.state, changed))

    def _wanted_language(self, digest: Digest) -> bool:
        wanted = self._topic.scope.languages
        language = digest.content.language
        return not wanted or not language or language in wanted
