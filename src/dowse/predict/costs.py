"""What pages cost before they are fetched, by the site log: what each site's answers have cost so far.

TH-Gatherer's Site Log (section 4.1), made robust: a site of which little is known is taken to be like the others, and
what happened long ago counts less, so that a site that has become slow, or quick again, is soon known as such.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Costs", "Estimate", "Exchanged", "SiteLog", "path_prefix"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64] | NDArray[np.int32]

_PRIOR = 3.0  # exchanges: so much does the mean of all sites weigh in the estimate for one
_REMEMBERED = 64.0  # exchanges of a site; then older ones count half
_REMEMBERED_OF_ALL = 4096.0
_MOST_PREFIXES = 100_000  # beyond, a page is taken to be as large as its site's usually are
_SEGMENTS = 2
_FIRST_GUESS = (1.0, 0.3, 20_000.0, 0.1, 1.0, 0.0, 1.0)  # one exchange: 0.3 s to the first byte, 20 KB at 200 KB/s
_COUNT, _LATENCY, _BYTES, _SECONDS, _ASKED, _FAILED, _TIMED = range(7)
_FAILURE = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0)
_SHORTEST_S = 1e-6
_MOST_HOPELESS = 0.9  # of all requests failing: beyond, a site's cost grows no further


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What one exchange cost. ``wire_bytes`` of a page is its size as it travels."""

    latency_s: float
    download_s: float
    wire_bytes: int
    failed: bool = False


class Estimate(NamedTuple):
    """What to expect of the next answer of a site."""

    latency_s: float  # to the first byte
    bytes_per_s: float  # from there
    size: float  # bytes
    download_s: float
    failure_rate: float  # share of requests that bring no answer

    @property
    def takes_s(self) -> float:
        """From the request to the last byte."""
        return self.latency_s + self.download_s


class SiteLog:
    """Learns latency, speed, size and failures, per site and (sizes) per path prefix of a site.

    Every estimate is shrunk: a prefix towards its site, a site towards all sites.
    """

    def __init__(self) -> None:
        # sums by site: pages, latency, bytes, download seconds, asked, failed, and answers whose latency is known
        self._sites = np.zeros((64, len(_FIRST_GUESS)))
        self._all = list(_FIRST_GUESS)
        self._usual = math.log(_FIRST_GUESS[_LATENCY] + _FIRST_GUESS[_SECONDS])
        self._prefixes: dict[tuple[int, str], int] = {}
        self._sizes = np.zeros((64, 2))  # answers and bytes by prefix; the first row is for all that have none
        self._used = 1

    def prefix(self, site: int, path: str) -> int:
        """The number of a path's prefix, for :meth:`sizes`; 0 when there are too many."""
        key = (site, path_prefix(path))
        number = self._prefixes.get(key)
        if number is None:
            if len(self._prefixes) >= _MOST_PREFIXES:
                return 0
            number = self._prefixes[key] = self._used
            self._used += 1
            if number >= len(self._sizes):
                self._sizes = np.concatenate((self._sizes, np.zeros_like(self._sizes)))
        return number

    def learn(self, site: int, prefix: int, exchanged: Exchanged) -> None:
        """An exchange with a site is over."""
        self._reach(site + 1)
        cost = _FAILURE if exchanged.failed else (
            1.0, exchanged.latency_s, float(exchanged.wire_bytes), exchanged.download_s, 1.0, 0.0, 1.0
        )  # fmt: skip
        self._add(site, cost)
        if exchanged.failed:
            return
        took = math.log(max(exchanged.latency_s + exchanged.download_s, _SHORTEST_S))
        self._usual += (took - self._usual) / min(self._all[_COUNT], _REMEMBERED_OF_ALL)
        if prefix:
            row = self._sizes[prefix]
            if row[0] >= _REMEMBERED:
                row *= 0.5
            row += (1.0, exchanged.wire_bytes)

    def learn_latency(self, site: int, latency_s: float) -> None:
        """A site answered, and there was no body: as after a HEAD, which tells nothing of speed and size."""
        self._reach(site + 1)
        self._add(site, (0.0, latency_s, 0.0, 0.0, 0.0, 0.0, 1.0))

    def _add(self, site: int, cost: tuple[float, ...]) -> None:
        self._sites[site] = _added(self._sites[site].tolist(), cost, _REMEMBERED)
        self._all = _added(self._all, cost, _REMEMBERED_OF_ALL)

    def _reach(self, sites: int) -> None:
        if sites > len(self._sites):
            grown = np.zeros((sites * 5 // 4 + 64, len(_FIRST_GUESS)))
            grown[: len(self._sites)] = self._sites
            self._sites = grown

    def usual_s(self) -> float:
        """What a page usually takes, wherever it is: the geometric mean, which one slow site does not spoil."""
        return math.exp(self._usual)

    def of(self, site: int) -> Estimate:
        """What to expect of a site: its own means, with a few exchanges such as those of all sites added."""
        self._reach(site + 1)
        own, every = self._sites[site].tolist(), self._all
        scale, count = _PRIOR / every[_COUNT], own[_COUNT] + _PRIOR
        asked, failed = own[_ASKED] + _PRIOR, own[_FAILED] + _PRIOR / every[_ASKED] * every[_FAILED]
        size = max((own[_BYTES] + scale * every[_BYTES]) / count, 1.0)
        seconds = max((own[_SECONDS] + scale * every[_SECONDS]) / count, _SHORTEST_S)
        latency = (own[_LATENCY] + _PRIOR / every[_TIMED] * every[_LATENCY]) / (own[_TIMED] + _PRIOR)
        return Estimate(latency, size / seconds, size, seconds, failed / asked)

    def size(self, prefix: int, of_site: float) -> float:
        """The expected size of one page (:meth:`sizes` has many)."""
        count, total = self._sizes[prefix].tolist()
        return float((total + _PRIOR * of_site) / (count + _PRIOR))

    def sizes(self, prefixes: Ints, of_site: Floats | float) -> Floats:
        """Bytes of pages: as usual below their prefixes, shrunk to what is usual at their sites."""
        own = self._sizes[prefixes]
        return np.asarray((own[:, 1] + _PRIOR * of_site) / (own[:, 0] + _PRIOR))


def _added(sums: list[float], cost: tuple[float, ...], most: float) -> list[float]:
    """Sums with one more exchange; once they hold many, what they held counts half."""
    if sums[_ASKED] >= most:
        sums = [0.5 * total for total in sums]
    return [total + more for total, more in zip(sums, cost, strict=True)]


def path_prefix(path: str) -> str:
    """Pages of one kind are of like size: the first directories of a path, and what kind of file it is.

    >>> path_prefix("/docs/api/v2/index.html?x=1"), path_prefix("/paper.pdf"), path_prefix("/")
    ('/docs/api/ html', '/ pdf', '/ ')
    """
    path = path.partition("?")[0]
    *directories, name = path.split("/")
    kind = name.rpartition(".")[2].lower() if "." in name else ""
    return f"{'/'.join(directories[: _SEGMENTS + 1])}/ {kind[:5]}"


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds a page takes, clipped to ``[min_s, max_s]`` (TH-Gatherer's MINC and MAXC, section 2.3).

    Paper form: ``size / speed``. Robust form: ``latency + size / speed + politeness wait``, over the share of requests
    that bring an answer, since a page of a failing site must be asked for more than once.
    """

    log: SiteLog
    min_s: float
    max_s: float
    robust: bool

    def of_pages(self, site: int, prefixes: Ints, wait_s: float) -> Floats:
        """The cost of pages of one site below these prefixes; ``wait_s`` is the site's delay."""
        expected = self.log.of(site)
        return np.clip(self._seconds(expected, self.log.sizes(prefixes, expected.size), wait_s), self.min_s, self.max_s)

    def of_page(self, site: int, size: float | None, wait_s: float) -> float:
        """The cost of a page of this size; None: of the site's usual size."""
        expected = self.log.of(site)
        seconds = self._seconds(expected, expected.size if size is None else size, wait_s)
        return min(max(float(seconds), self.min_s), self.max_s)

    def _seconds(self, expected: Estimate, size: Floats | float, wait_s: float) -> Floats | float:
        seconds = size / expected.bytes_per_s
        if not self.robust:
            return seconds
        return (expected.latency_s + seconds + wait_s) / (1 - min(expected.failure_rate, _MOST_HOPELESS))
