"""A corpus as the web of a replay: answers by URL, digests by page."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.port import NoProcesses
from dowse.lab.corpus import Corpus, Digests
from dowse.lab.replay.recorded_transport import Recorded
from dowse.model.page import Counting, Digest
from dowse.model.url import fingerprint, split
from dowse.parse import Unreadable

__all__ = ["CorpusWeb", "KnownPages"]

_UNKNOWN = (math.nan, math.nan)
_REMEMBERED = 50_000  # digests
_USUAL = Counting()


class CorpusWeb:
    """Implements :class:`~dowse.lab.replay.recorded_transport.FrozenWeb`."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        index = corpus.index
        prints = index.fingerprints.tolist()
        self._numbers = dict(zip(prints, range(len(prints)), strict=True))
        self._is_page = corpus.pages.is_page()
        columns = index.columns
        self._status, self._wire_bytes = columns["status"], columns["wire_bytes"]
        self._first_byte_s, self._total_s = columns["first_byte_s"], columns["total_s"]
        self._usual = self._usual_by_host()

    def number(self, url: str) -> int:
        """The number of a canonical URL; -1 when it was not recorded."""
        number: int = self._numbers.get(fingerprint(url), -1)
        return number

    def numbers(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The numbers of many URLs, by their fingerprints; -1 where one was not recorded."""
        known = self._numbers
        return np.array([known.get(print_, -1) for print_ in fingerprints.tolist()], np.int64)

    def find(self, url: str) -> Recorded | None:
        number = self.number(url)
        if number < 0:
            return None
        headers = [("Content-Type", self._corpus.index.content_types[number])]
        location = self._corpus.index.locations[number]
        if location:
            headers.append(("Location", location))
        first_byte_s, total_s = float(self._first_byte_s[number]), float(self._total_s[number])
        return Recorded(
            number, int(self._status[number]), tuple(headers), int(self._wire_bytes[number]), first_byte_s,
            max(0.0, total_s - first_byte_s), bool(self._is_page[number]),
        )  # fmt: skip

    def usual(self, url: str) -> tuple[float, float]:
        return self._usual.get(split(url).host, _UNKNOWN)

    def _usual_by_host(self) -> dict[str, tuple[float, float]]:
        """Medians of what was recorded at each host."""
        rows: dict[str, list[int]] = {}
        for number in np.flatnonzero(~np.isnan(self._first_byte_s) & ~np.isnan(self._total_s)).tolist():
            rows.setdefault(split(self._corpus.url(number)).host, []).append(number)
        usual = {}
        for host, numbers in rows.items():
            download_s = np.maximum(self._total_s[numbers] - self._first_byte_s[numbers], 1e-6)
            speeds = self._wire_bytes[numbers] / download_s
            usual[host] = (float(np.median(self._first_byte_s[numbers])), max(1.0, float(np.median(speeds))))
        return usual

    def body(self, page: int) -> bytes:
        return self._corpus.response(page).body


class KnownPages(NoProcesses):
    """Workers that look digests up. Implements :class:`dowse.engine.workers.port.Workers`."""

    def __init__(self, web: CorpusWeb, digests: Digests) -> None:
        self._web = web
        self._digests = digests
        self._made: dict[tuple[int, bytes, int, Counting], Digest] = {}  # several runs of a topic meet the same pages

    def start_over(self) -> None:
        """Another crawl begins."""
        self._digests.start_over()

    async def run(self, job: Job) -> Work:
        number = self._web.number(job.response.url)
        try:
            return Work(self.digest(number, job.repeats, terms=job.terms, counting=job.counting))
        except Unreadable as fault:
            return Work(error=str(fault), unreadable=True)

    def digest(
        self, page: int, repeats: bytes = b"", *, terms: int = 0, counting: Counting = _USUAL
    ) -> Digest:  # fmt: skip
        """The digest of a page whose site repeats these lines, made once (unless it depends on those made before)."""
        if self._digests.learns:
            return self._digests(page, repeats, terms=terms, counting=counting)
        key = page, self._digests.repeated(page, repeats), terms, counting
        digest = self._made.get(key)
        if digest is None:
            digest = self._digests(page, repeats, terms=terms, counting=counting)
            if len(self._made) < _REMEMBERED:
                self._made[key] = digest
        return digest
