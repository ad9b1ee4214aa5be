"""From a response that brought a page to its verdict, its record and its links."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dowse.engine.life import Life
from dowse.engine.life.journal import packed
from dowse.engine.page.verdicts import Verdicts, categories, worth
from dowse.engine.workers.freed_memory import LARGE_BYTES, give_back
from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.port import Workers
from dowse.frontier import Lease
from dowse.model.http import Failure, Response
from dowse.model.page import USUAL_TERMS, Digest, Outcome, Signature, Verdict
from dowse.model.records import PAGE_REFUSED, PageRow
from dowse.model.statistic_names import REPEATS
from dowse.model.strategy import SourcePage
from dowse.model.topic import Topic
from dowse.model.visits import Copy, VisitRow
from dowse.model.words import printable
from dowse.parse import DuplicateIndex, Repeats
from dowse.store import payload_digest

__all__ = ["Fetched", "Pages", "row_of", "told_of"]

Changed = Callable[[Response, Response, bytes], Awaitable[bool]]
"""Does a page say something else, from one answer to the other, but for the lines that its site repeats?"""
_LONGEST_HEADER = 512


def row_of(lease: Lease, result: Response | Failure, at: float, outcome: Outcome, reason: str) -> PageRow:
    """The row of an exchange that is over, nothing judged yet. What the frontier knows of the URL is filled in when its
    life ends."""
    row = PageRow(
        id=lease.candidate, url=lease.url, final_url=lease.url, fetched_at=at, outcome=outcome, reason=reason,
        wire_bytes=result.wire_bytes, timings=result.timings,
    )  # fmt: skip
    if isinstance(result, Response):
        row.status = result.status
        kind = (result.header("Content-Type") or "")[:_LONGEST_HEADER].partition(";")[0]
        row.content_type = printable(kind.strip().lower())
        row.body_bytes = len(result.body)
        row.truncated = result.truncated.value
        row.etag, row.last_modified = _short(result.header("ETag")), _short(result.header("Last-Modified"))
        row.cached_from = result.cached_from or None
    elif result.detail:
        row.reason = f"{reason}: {result.detail}"
    return row


def _page_row(lease: Lease, response: Response, at: float, work: Work, digest: Digest) -> PageRow:
    """The row of a page that was read, nothing judged yet."""
    row = row_of(lease, response, at, Outcome.FETCHED, "")
    row.content = digest.content
    row.parse_s, row.judge_s = digest.parse_s, digest.judge_s
    row.archive = work.archive
    return row


def _fetched(
    lease: Lease, response: Response, row: PageRow, digest: Digest, verdict: Verdict, *, relevant: bool
) -> Fetched:  # fmt: skip
    return Fetched(
        id=row.id, url=lease.url, status=response.status, title=row.content.title, score=verdict.score,
        relevant=relevant, verdict=verdict, depth=lease.depth, language=row.content.language,
        content_type=row.content_type, links=digest.links.urls, body=response.body, text=digest.text,
        duplicate_of=row.duplicate_of, fetched_at=row.fetched_at,
    )  # fmt: skip


def told_of(verdict: Verdict) -> list[tuple[Any, ...]]:
    """The reasons of a verdict and the parts of a predicate, as the records keep them."""
    reasons: list[tuple[Any, ...]] = [(reason.name, reason.value, reason.weight) for reason in verdict.reasons]
    return reasons + [(part.text, part.degree, 0.0, part.held, part.value, part.depth) for part in verdict.parts]


def _short(header: str | None) -> str | None:
    """A header that is worth keeping with every page: none of kilobytes."""
    return header if header is None or len(header) <= _LONGEST_HEADER else None


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


class Pages:
    """Has pages digested by a worker, and takes up what comes back."""

    def __init__(
        self, topic: Topic, life: Life, workers: Workers, verdicts: Verdicts, *, keep_text: bool = False
    ) -> None:  # fmt: skip
        self._languages = topic.scope.languages
        self._life = life
        self._workers = workers
        self._verdicts = verdicts
        self._keep_text = keep_text
        self._duplicates = DuplicateIndex()
        self._repeats = Repeats()
        self._fault_told = False

    async def take(self, lease: Lease, response: Response, at: float) -> Fetched | None:
        """Have a page parsed and judged, and take it up; None when it could not be, or waits for another time."""
        found = await self._read(lease, response, at)
        if found is None:
            return None
        page = self._absorb(lease, response, at, *found)
        await self._verdicts.learn_if_due()
        if len(response.body) >= LARGE_BYTES:
            give_back()
        return page

    async def renew(
        self, lease: Lease, copy: Copy, response: Response, at: float, held: Response | None, changed: Changed
    ) -> Fetched | None:
        """Take up another body of a page that was fetched before; None as above. ``held`` is the last one, where it is
        kept, and ``changed`` says whether the page says something else."""
        found = await self._read(lease, response, at)
        if found is None:
            return None
        repeats = self._repeats.known(lease.site.id)
        other = None if held is None else await changed(held, response, repeats)
        return self._absorb_again(lease, copy, response, at, *found, held, other)

    async def _read(self, lease: Lease, response: Response, at: float) -> tuple[Work, Digest] | None:
        """A page as a worker read it; None when it could not be, or waits for another time."""
        sites = self._life.sites
        if self._workers.keeps_long(lease.url):
            sites.keeps_busy(lease.site)
        work = await self._digested(lease, response, at)
        sites.kept_busy(lease.site, work.busy_s, given_up=work.given_up)
        if work.put_off:
            sites.put_off(lease.site)
            self._life.wait(lease)
            return None
        if work.digest is None:
            await self._lost(lease, response, at, work)
            return None
        await self._life.foresee(work.digest.links)
        return work, work.digest

    async def _digested(self, lease: Lease, response: Response, at: float) -> Work:
        return await self._workers.run(
            Job(
                response=response,
                fetched_at=at,
                depth=lease.depth,
                via=self._life.found_on(lease),
                keep_text=self._keep_text,
                terms=self._life.wants_terms,  # whatever judges now: whoever judges the page again goes by its terms
                repeats=self._repeats.known(lease.site.id),
                counting=self._life.counting,
            )
        )

    async def _lost(self, lease: Lease, response: Response, at: float, work: Work) -> None:
        """The parser could not read it: its own fault, or that of a document."""
        if work.error and not work.unreadable:
            self._life.journal.event("page lost", f"{lease.url}: {work.error}")
        what = "document" if work.unreadable else "parse"
        row = row_of(lease, response, at, Outcome.FAILED, f"{what}: {work.error}")
        row.archive = await packed(response, at, {"outcome": row.outcome, "reason": row.reason})
        self._life.end(lease, row)

    def _absorb(self, lease: Lease, response: Response, at: float, work: Work, digest: Digest) -> Fetched:
        """Judge once, learn, take up the links, write it all down."""
        journal = self._life.journal
        row = _page_row(lease, response, at, work, digest)
        verdict, relevant, exact = self._judged(row, digest, lease.url)
        if row.duplicate_of is None:  # the same page twice is no menu
            self._learn_repeats(lease.site.id, digest)
        if row.score is not None:
            self._verdicts.keep(lease, digest, relevant=relevant, wanted=self._wanted_language(digest))
        before = self._life.judged(lease, verdict.score if row.score is not None else 0.0, relevant)
        if not exact and self._wanted_language(digest):
            page = self._source(lease, digest, verdict, before, relevant=relevant)
            if not self._life.admit_links(page, lease.url, digest.links):
                row.reason = row.reason or PAGE_REFUSED
                row.archive = [] if self._life.drops_refused else row.archive
        for rule, count in digest.refused_links.items():
            journal.refused(rule, count)
        self._life.end(lease, row)
        return _fetched(lease, response, row, digest, verdict, relevant=relevant)

    def _absorb_again(
        self, lease: Lease, copy: Copy, response: Response, at: float, work: Work, digest: Digest,
        held: Response | None, changed: bool | None,
    ) -> Fetched:  # fmt: skip
        """Judge another body of a page, take up the links that are new, write it down. What its site repeats, and what
        a judged page teaches, was learned from it before."""
        row = _page_row(lease, response, at, work, digest)
        self._duplicates.forget(copy.page, copy.signature)  # what it said may stand elsewhere by now
        verdict, relevant, exact = self._judged(row, digest, lease.url)
        visit = VisitRow(page=row.id, at=at, status=row.status, digest=payload_digest(response.body))
        visit.changed = row.signature != copy.signature if changed is None else changed
        if row.score is not None and digest.bag is not None:
            self._life.journal.terms(row.id, digest.bag.most(USUAL_TERMS))
        if not exact and self._wanted_language(digest):
            page = self._source(lease, digest, verdict, self._life.tally.pages, relevant=relevant)
            self._life.admit_links_again(page, lease.url, digest.links)
        self._life.visits.renewed(lease, copy, row, visit, None if held is None else payload_digest(held.body))
        return _fetched(lease, response, row, digest, verdict, relevant=relevant)

    def _source(
        self, lease: Lease, digest: Digest, verdict: Verdict, ordinal: int, *, relevant: bool
    ) -> SourcePage:  # fmt: skip
        return SourcePage(
            id=lease.candidate, site=lease.site.id, depth=lease.depth, ordinal=ordinal, score=verdict.score,
            relevant=relevant, n_links=digest.content.n_links, threshold=verdict.threshold, worth=worth(verdict),
            bag=digest.bag, url=lease.url if self._life.learns_words else None,
            similarity=verdict.similarity if digest.similarity is None else digest.similarity,
            by_words=verdict.method in ("similarity", "erid"), categories=categories(verdict),
        )  # fmt: skip

    def _judged(self, row: PageRow, digest: Digest, url: str) -> tuple[Verdict, bool, bool]:
        """The verdict that counts: whether it adds a relevant page, and whether the content is exactly known."""
        verdict = self._verdicts.of(digest, url)
        if verdict.fault and not self._fault_told:  # the first says enough: others are likely the same
            self._fault_told = True
            self._life.journal.event("predicate failed", f"{url}: {verdict.fault}")
        if digest.noindex:
            row.reason, row.archive = "noindex", []  # the site asks that nobody keep it, so it is nobody's original
            return verdict, False, False
        same = self._duplicates.find(digest.signature)
        if same is not None and same[0] != row.id:  # not what it was itself when it was visited before
            row.duplicate_of, exact = same
            row.reason = "duplicate" if exact else "near-duplicate"
            return verdict, False, exact
        if same is None:
            self._duplicates.add(row.id, digest.signature)
        row.signature, row.minhash = digest.signature.exact, digest.signature.minhash
        relevant = verdict.relevant and self._wanted_language(digest)
        row.score, row.relevant, row.model = verdict.score, relevant, verdict.model
        row.first_score, row.first_relevant, row.first_model = row.score, row.relevant, row.model
        row.similarity, row.erid = verdict.similarity, verdict.erid
        row.verdict = told_of(verdict)
        return verdict, relevant, False

    def _learn_repeats(self, site: int, digest: Digest) -> None:
        """What the site's pages have in common, kept for a resume."""
        forgotten = self._repeats.learn(site, digest.lines)
        for changed in (site,) if forgotten is None else (site, forgotten):  # a forgotten one's state is empty
            self._life.journal.statistic_then(f"{REPEATS}{changed}", partial(self._repeats.state, changed))

    def _wanted_language(self, digest: Digest) -> bool:
        language = digest.content.language
        return not self._languages or not language or language in self._languages

    def restore(self, learned: Mapping[str, Any], signatures: Iterable[tuple[int, int, bytes]]) -> None:
        """Go on where an earlier run was: with what its sites repeat, and the signatures of its pages."""
        self._repeats.load_all(
            {int(name.removeprefix(REPEATS)): state for name, state in learned.items() if name.startswith(REPEATS)}
        )
        for page, exact, minhash in signatures:
            self._duplicates.add(page, Signature(exact, minhash))
