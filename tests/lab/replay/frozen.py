"""A frozen web of hubs and leaves, to see what an engine makes of what sites are worth and cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.port import NoProcesses
from dowse.frontier.scope import StaticScope
from dowse.lab.replay.recorded_transport import Recorded
from dowse.lab.replay.replay import Replayed, replay
from dowse.model.budget import Budget
from dowse.model.page import Context, Digest, Links, PageContent, Verdict
from dowse.model.topic import Politeness, Seeds, StrategyChoice, Topic
from dowse.model.url import fingerprint, split

HTML = (("Content-Type", "text/html"),)


@dataclass(frozen=True, slots=True)
class Host:
    """How a host answers, and what its pages are worth."""

    latency_s: float = 0.1
    bytes_per_s: float = 1e6
    score: float = 0.5
    size: int = 10_000


@dataclass(slots=True)
class Frozen:
    """A front page on ``front.test`` links to ``/0`` of every host; page ``/n`` of a host links to the next."""

    hosts: dict[str, Host]
    pages: int = 40
    sizes: dict[str, int] = field(default_factory=dict)  # of single URLs

    def usual(self, url: str) -> tuple[float, float]:
        host = self.hosts.get(split(url).host, Host())
        return host.latency_s, host.bytes_per_s

    def find(self, url: str) -> Recorded | None:
        parts = split(url)
        if parts.host == "front.test":
            return Recorded(0, 200, HTML, 1000)
        host, number = self.hosts.get(parts.host), url.rpartition("/")[2]
        if host is None or not number.isdigit() or int(number) >= self.pages:
            return None
        size = self.sizes.get(url, host.size)
        return Recorded(1, 200, (*HTML, ("Content-Length", str(size))), size)

    def body(self, page: int) -> bytes:
        return b""

    def links(self, url: str) -> list[str]:
        parts = split(url)
        if parts.host == "front.test":
            return [f"http://{host}/0" for host in self.hosts]
        number = int(url.rpartition("/")[2])
        return [f"http://{parts.host}/{number + step}" for step in (1, 2) if number + step < self.pages]


class Reader(NoProcesses):
    """Workers that know what a frozen page says."""

    def __init__(self, web: Frozen) -> None:
        self._web = web

    async def run(self, job: Job) -> Work:
        url = job.response.url
        host = self._web.hosts.get(split(url).host, Host())
        targets = self._web.links(url)
        n = len(targets)
        similar = np.full((n, len(Context)), host.score, np.float32)
        links = Links(
            targets, np.fromiter(map(fingerprint, targets), np.uint64, n), ["more"] * n, np.ones(n, np.float32),
            np.arange(n, dtype=np.int32), [""] * n, similar,
        )  # fmt: skip
        verdict = Verdict(host.score, host.score >= 0.4, 0.4, "similarity", similarity=host.score)
        return Work(Digest(verdict, PageContent(title=url, words=10, n_links=n), links))


def crawl(web: Frozen, *, strategy: StrategyChoice, budget: Budget, **changes: object) -> Replayed:
    """One request at a time and no delay, unless changed."""
    topic = Topic(
        query="solar", seeds=Seeds(urls=("http://front.test/",)), strategy=strategy, budget=budget,
        politeness=Politeness(delay_s=0.0, obey_robots=False),
    )  # fmt: skip
    topic = replace(topic, network=replace(topic.network, concurrency=1))
    topic = replace(topic, **changes)  # type: ignore[arg-type]
    return replay(web, Reader(web), topic, StaticScope(topic.scope))


def by_host(replayed: Replayed) -> dict[str, int]:
    counts: dict[str, int] = {}
    for exchange in replayed.exchanges:
        if exchange.is_page:
            host = split(exchange.url).host
            counts[host] = counts.get(host, 0) + 1
    return counts
