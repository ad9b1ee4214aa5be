"""The pure step between fetching and deciding: a response becomes a digest and finished archive records.

It parses the page (``parsed``), judges it (``judged``) and packs the response for the archive. It runs in
worker processes and touches nothing outside its argument, so a page parsed there, in the engine's process or in a
replay gives the same digest. (A judge with idf is the exception: what it learned from earlier pages counts.)
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from dowse.engine.page.judged import PageWords, facts_of, judge_page
from dowse.engine.page.parsed import Parsed, parse_response
from dowse.engine.workers.job import Job, Work
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge
from dowse.model.block_rule import BlockRule
from dowse.model.http import Response
from dowse.model.objects import Stated
from dowse.model.page import Digest
from dowse.model.url import path_words
from dowse.model.words import WordLines
from dowse.parse import Memo, Unreadable, anchor_lines
from dowse.store import compose

__all__ = ["PageStep"]

_PUBLISHED = BlockRule()
_MOST_URLS = 16_384  # some 3 MB


class PageStep:
    """Parses, judges and packs one page. Picklable: it is sent to each worker once."""

    def __init__(
        self, judge: TopicJudge, scope: StaticScope, max_links: int, hash_seed: int = 0, rule: BlockRule = _PUBLISHED
    ) -> None:
        """``hash_seed``: that of the frontier, for the fingerprints of links. ``rule``: how pages are cut."""
        self._judge = judge
        self._scope = scope
        self._max_links = max_links
        self._hash_seed = hash_seed
        self._rule = rule
        self._memo = Memo()  # of where links lead, which the scope decides
        self._url_nearness: dict[str, float] = {}

    def __call__(self, job: Job) -> Work:
        try:
            digest = self.digest(job)
        except Unreadable as fault:
            return Work(error=str(fault), unreadable=True)
        return Work(digest, compose(job.response, job.fetched_at, _fields(job, digest)))

    def digest(self, job: Job) -> Digest:
        """Everything the engine keeps of a page. Raises Unreadable for a document of which nothing can be read."""
        start, response, refuse = perf_counter(), job.response, self._scope.refuse
        judge, asks = self._judge, self._judge.judge
        parsed = parse_response(response, refuse, self._max_links, self._memo, self._rule)
        if parsed.document.fault:
            raise Unreadable(parsed.document.fault)
        parsed_at = perf_counter()
        words = self._page_words(parsed)
        document, page = parsed.document, parsed.read(words.page.hashes())
        pool = judge.nearness.pools.get(page.content.language)
        if pool is not None:
            words = replace(words, own=pool.read_lines(document.lines))
        facts = facts_of(
            document.url, page.content,
            stated=_stated(response, document.url) if asks.needs_objects else None,
            text=document.text if asks.needs_text else "",
        )  # fmt: skip
        digest = judge_page(
            judge, page, words, facts, refuse, repeats=job.repeats, terms=job.terms, hash_seed=self._hash_seed,
            counting=job.counting, feeds=self._scope.takes_feeds,
        )  # fmt: skip
        judge.nearness.learn(words.page)
        digest.text = document.text if job.keep_text else None
        digest.parse_s, digest.judge_s = parsed_at - start, perf_counter() - parsed_at
        return digest

    def _page_words(self, parsed: Parsed) -> PageWords:
        # anchors and URLs stand behind the page's own lines, so that one reading serves for all: most of its time is
        # the calls
        (anchors, of_mentions), urls = anchor_lines(parsed.links), parsed.links.urls
        new = self._new_urls(urls)
        behind = [*anchors, *map(path_words, new)]
        reading, size = self._judge.nearness.read_lines(
            parsed.document.lines, WordLines("\n".join(behind)) if behind else None
        )
        similarities = self._judge.nearness.similarities(reading)
        lines = len(similarities) - len(behind)
        known, of_urls = self._url_nearness, lines + len(anchors)
        known.update(zip(new, similarities[of_urls:].tolist(), strict=True))
        by_url = np.array([known[url] for url in urls])
        by_anchor = similarities[lines:of_urls][of_mentions] if of_mentions else np.zeros(0)
        return PageWords(reading.first(size), similarities[:lines], by_anchor, by_url)

    def _new_urls(self, urls: list[str]) -> list[str]:
        """Those that must be read: most are met again and again, on the pages of a site."""
        known = self._url_nearness
        if len(known) > _MOST_URLS or self._judge.nearness.frequencies is not None:  # these change with every page
            known.clear()
        return [url for url in urls if url not in known]


def _stated(response: Response, url: str) -> Stated:
    from dowse.parse.objects.stated import read_stated  # few judges ask, and it takes 10 ms to load

    return read_stated(response.body, response.header("Content-Type") or "", url, parts=True)


def _fields(job: Job, digest: Digest) -> dict[str, object]:
    """What the metadata record says of the page."""
    verdict, content, timings = digest.verdict, digest.content, job.response.timings
    return {
        "via": job.via,
        "hopsFromSeed": job.depth,
        "fetchTimeMs": round(timings.total_s * 1000),
        "charsetForLinkExtraction": content.charset,
        "title": content.title,
        "language": content.language,
        "score": f"{verdict.score:.6f}",
        "threshold": f"{verdict.threshold:.6f}",
        "relevant": str(verdict.relevant).lower(),
    }
