"""The pure step between fetching and deciding: a response becomes a digest and finished archive records.

It runs in worker processes and touches nothing outside its argument, so a page parsed there, in the engine's process
or in a replay gives the same digest.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from dowse.crawl.job import Job, Work
from dowse.frontier.scope import StaticScope
from dowse.judge import Judge
from dowse.model.page import Digest, Links
from dowse.model.url import fingerprint
from dowse.parse import base_of, collect_links, detect_language, parse_page, sign_hashes
from dowse.store import compose

__all__ = ["PageStep"]


class PageStep:
    """Parses, judges and packs one page. Picklable: it is sent to each worker once."""

    def __init__(self, judge: Judge, scope: StaticScope, max_links: int) -> None:
        self._judge = judge
        self._scope = scope
        self._max_links = max_links

    def __call__(self, job: Job) -> Work:
        digest = self.digest(job)
        return Work(digest, compose(job.response, job.fetched_at, _fields(job, digest)))

    def digest(self, job: Job) -> Digest:
        """Everything the engine keeps of a page."""
        start = perf_counter()
        response = job.response
        document = parse_page(
            response.body, url=response.url, content_type=response.header("Content-Type") or "",
            robots_tag=", ".join(response.header_values("X-Robots-Tag")) or None,
        )  # fmt: skip
        words = document.words()
        judged_from = perf_counter()
        numbers = self._judge.lexicon.numbers(words)
        verdict = self._judge.verdict_of(words, numbers)
        signature = sign_hashes(self._judge.lexicon.hashes(numbers))
        judge_s = perf_counter() - judged_from
        found = collect_links(
            document, refuse=self._scope.refuse, similarity=self._judge.similarity_of_words,
            text_is_topical=verdict.similarity > 0, max_links=self._max_links,
        )  # fmt: skip
        base = base_of(document)
        refresh = base.join(document.refresh) if document.refresh else None
        if refresh is not None and not document.nofollow and self._scope.refuse(refresh) is None:
            _add_link(found.links, refresh)
        language = detect_language(document.raw_text, document.lang)
        return Digest(
            verdict=verdict,
            title=document.title,
            language=language,
            charset=document.charset,
            words=len(words),
            text_len=len(document.raw_text),
            links=found.links,
            n_links=found.n_links,
            refused_links=found.refused,
            canonical=base.join(document.canonical) if document.canonical else None,
            refresh=refresh,
            noindex=document.noindex,
            nofollow=document.nofollow,
            signature=signature,
            text=document.text if job.keep_text else None,
            parse_s=perf_counter() - start - judge_s,
            judge_s=judge_s,
        )


def _add_link(links: Links, url: str) -> None:
    """Follow a refresh like a link without an anchor."""
    if url in links.urls:
        return
    links.urls.append(url)
    links.anchors.append("")
    links.rels.append("refresh")
    links.positions = np.append(links.positions, np.int32(len(links.positions)))
    links.fingerprints = np.append(links.fingerprints, np.uint64(fingerprint(url)))
    links.counts = np.append(links.counts, np.float32(1))
    links.anchor_similarity = np.append(links.anchor_similarity, np.float32(0))
    links.paragraph_similarity = np.append(links.paragraph_similarity, np.float32(0))


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
