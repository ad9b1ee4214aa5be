"""A web of several hosts that link to each other, for crawls of several shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dowse.loopback import Hit, LoopbackServer, Site, Web
from dowse.model.topic import Seeds, Topic
from tests.engine.servers import page, topic_for

__all__ = ["ALL", "HOSTS", "at", "knotted", "pages_asked"]

HOSTS, PAGES = 8, 10
ALL = HOSTS * PAGES


def knotted(latency_s: float = 0.0) -> Web:
    """Each page links to the next of its host and to pages of two others."""

    def links(host: int, n: int) -> list[str]:
        found = [(host, n + 1), ((host + 1) % HOSTS, n), ((host + 3) % HOSTS, n + 1)]
        return [f"http://h{h}.test/{m}" for h, m in found if m < PAGES]

    return Web.of(*(
        Site(f"h{host}.test", {f"/{n}": page(f"h{host}n{n}", "solar" if (host + n) % 3 else "bread", links(host, n))
                               for n in range(PAGES)}, latency_s=latency_s)
        for host in range(HOSTS)
    ))  # fmt: skip


def at(server: LoopbackServer) -> Topic:
    return replace(topic_for(server.address, []), seeds=Seeds(urls=("http://h0.test/0",)))


def pages_asked(hits: Sequence[Hit]) -> Counter[tuple[str, str]]:
    return Counter((hit.host, hit.target) for hit in hits if hit.target != "/robots.txt")
