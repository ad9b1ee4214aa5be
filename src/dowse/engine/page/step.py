"""The pure step between fetching and deciding: a response becomes a digest and finished archive records.

It runs in worker processes and touches nothing outside its argument, so a page parsed there, in the engine's process
or in a replay gives the same digest. (A judge with idf is the exception: what it learned from earlier pages counts.)
"""

from __future__ import annotations

from time import perf_counter

from dowse.engine.page.facts import facts_of
from dowse.engine.page.job import Job, Work
from dowse.engine.page.judged import judged
from dowse.engine.workers.freed_memory import LARGE_BYTES, give_back
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge
from dowse.model.page import Digest
from dowse.model.words import WordLines
from dowse.parse import (
    SAMPLE_CHARACTERS,
    Measures,
    Memo,
    add_refresh,
    base_of,
    block_starts,
    detect_language,
    gather_links,
    measure_links,
    mentions_of,
    parse_page,
    sign_hashes,
)
from dowse.store import compose

__all__ = ["PageStep"]


class PageStep:
    """Parses, judges and packs one page. Picklable: it is sent to each worker once."""

    def __init__(self, judge: TopicJudge, scope: StaticScope, max_links: int, hash_seed: int = 0) -> None:
        """``hash_seed``: that of the frontier, for the fingerprints of links."""
        self._judge = judge
        self._nearness = judge.nearness
        self._scope = scope
        self._max_links = max_links
        self._hash_seed = hash_seed
        self._memo = Memo()  # of where links lead, which the scope decides

    def __call__(self, job: Job) -> Work:
        digest = self.digest(job)
        return Work(digest, compose(job.response, job.fetched_at, _fields(job, digest)))

    def digest(self, job: Job) -> Digest:
        """Everything the engine keeps of a page."""
        start = perf_counter()
        response = job.response
        content_type = response.header("Content-Type") or ""
        document = parse_page(
            response.body, url=response.url, content_type=content_type,
            robots_tag=", ".join(response.header_values("X-Robots-Tag")) or None,
        )  # fmt: skip
        if len(response.body) >= LARGE_BYTES:
            give_back()  # its tree, ten times as large: what follows need not come on top of it
        gathered = gather_links(document, self._scope.refuse, self._max_links, self._memo)
        language = detect_language(document.opening(SAMPLE_CHARACTERS), document.lang)
        judged_from = perf_counter()
        # anchors stand behind the page's own lines, so that one reading serves for all: most of its time is the calls
        anchors = WordLines("\n".join(gathered.anchors)) if gathered.anchors else None
        reading, size = self._nearness.read_lines(document.lines, anchors)
        similarities = self._nearness.similarities(reading)
        page = reading.first(size)
        starts = block_starts(document)
        hashes = page.hashes()
        facts = facts_of(
            self._judge.judge, document, language=language, n_words=len(hashes), n_links=gathered.n_links,
            body=response.body, content_type=content_type,
        )  # fmt: skip
        of_page = judged(self._judge, page, starts, job.repeats, facts, keep_bag=job.keep_bag)
        self._nearness.learn(page)
        signature = sign_hashes(hashes)
        judge_s = perf_counter() - judged_from
        lines = len(similarities) - len(gathered.anchors)
        measures = Measures(similarities[lines:], similarities[:lines], of_page.by_block, of_page.weights)
        links = measure_links(gathered, mentions_of(document, gathered, starts), measures, self._hash_seed)
        refresh = base_of(document).join(document.refresh) if document.refresh else None
        if refresh is not None and not document.nofollow and self._scope.refuse(refresh) is None:
            add_refresh(links, refresh, self._hash_seed)
        return Digest(
            verdict=of_page.verdict,
            title=document.title,
            language=language,
            charset=document.charset,
            words=len(hashes),
            text_len=document.text_len,
            links=links,
            n_links=gathered.n_links,
            refused_links=gathered.refused,
            canonical=base_of(document).join(document.canonical) if document.canonical else None,
            refresh=refresh,
            noindex=document.noindex,
            nofollow=document.nofollow,
            signature=signature,
            lines=of_page.lines,
            bag=of_page.bag,
            text=document.text if job.keep_text else None,
            parse_s=perf_counter() - start - judge_s,
            judge_s=judge_s,
        )


def _fields(job: Job, digest: Digest) -> dict[str, object]:
    """What the metadata record says of the page."""
    verdict, timings = digest.verdict, job.response.timings
    return {
        "via": job.via,
        "hopsFromSeed": job.depth,
        "fetchTimeMs": round(timings.total_s * 1000),
        "charsetForLinkExtraction": digest.charset,
        "title": digest.title,
        "language": digest.language,
        "score": f"{verdict.score:.6f}",
        "threshold": f"{verdict.threshold:.6f}",
        "relevant": str(verdict.relevant).lower(),
    }
