"""Hosts of one address that belong to different shards, as the server sees it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dowse.cluster.slots import slot_of
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer, Site, Web
from dowse.model.common_ground import CommonGround, GroundAway
from dowse.model.topic import Politeness
from tests.cluster.crawls import crawled
from tests.cluster.webs import pages_asked
from tests.engine.servers import page, topic_for

DELAY_S = 0.05
TERM_S = 1.0  # a beat


def to_and_fro(pages: int) -> tuple[Web, str]:
    """Two hosts, of two shards: each page leads to the next of the other host, and nowhere else. And the first URL."""
    host_of = {slot_of(f"http://h{n}.test/", "host") % 2: f"h{n}.test" for n in range(20)}
    urls = [f"http://{host_of[n % 2]}/{n}" for n in range(pages)]
    links = {url: [next_url] for url, next_url in pairwise([*urls, ""]) if next_url}
    sites = [
        Site(host, {f"/{n}": page(f"n{n}", "solar", links.get(url, []))
                    for n, url in enumerate(urls) if n % 2 == owner})
        for owner, host in host_of.items()
    ]  # fmt: skip
    return Web.of(*sites), urls[0]


class Unsteady:
    """A common ground with outages: a call is not heard, and when it is repeated, its answer is lost."""

    def __init__(self, ground: CommonGround) -> None:
        self._ground = ground
        self._calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._ground, name)
        if name not in ("want", "free"):
            return call

        def tried(*arguments: object) -> object:
            self._calls[name] += 1
            outage = self._calls[name] % 4
            if outage == 1:
                raise GroundAway("not heard")
            answer = call(*arguments)
            if outage == 2:
                raise GroundAway("the answer is lost")
            return answer

        return tried


@pytest.mark.parametrize("seen", [lambda ground: ground, Unsteady], ids=["steady", "unsteady"])
def test_an_address_that_was_given_up_is_had_back_when_something_waits_there(
    tmp_path: Path, seen: Callable[[CommonGround], CommonGround]
) -> None:
    """Whoever gives it up has nothing to ask there, until the other's page leads back."""

    async def main() -> None:
        web, first = to_and_fro(3)
        async with LoopbackServer(web) as server:
            topic = topic_for(server.address, [first], politeness=Politeness(delay_s=DELAY_S))
            stop = await crawled(topic, tmp_path / "c", 2, seen=seen)
            assert stop == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (3, {1})
            times = sorted(hit.time for hit in server.log)
            assert min(later - sooner for sooner, later in pairwise(times)) >= DELAY_S

    asyncio.run(main())


def side_by_side(pages: int) -> tuple[Web, str]:
    """Two hosts, of two shards, whose pages all stand on the first one's front page."""
    host_of = {slot_of(f"http://h{n}.test/", "host") % 2: f"h{n}.test" for n in range(20)}
    links = [f"http://{host}/{n}" for n in range(pages) for host in host_of.values()]
    sites = [
        Site(host, {"/": page(f"h{owner}", "solar", links)}
             | {f"/{n}": page(f"h{owner}n{n}", "solar", []) for n in range(pages)})
        for owner, host in host_of.items()
    ]  # fmt: skip
    return Web.of(*sites), f"http://{host_of[0]}/"


def test_an_address_that_two_shards_want_all_the_time_is_kept_for_a_term(tmp_path: Path) -> None:
    """Else it would be on its way for most of the time."""
    pages = 30

    async def main() -> None:
        web, first = side_by_side(pages)
        async with LoopbackServer(web) as server:
            topic = topic_for(server.address, [first], politeness=Politeness(delay_s=DELAY_S))
            stop = await crawled(topic, tmp_path / "c", 2)
            assert stop == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (2 * pages + 1, {1})
            hits = sorted(server.log, key=lambda hit: hit.time)
            assert min(later.time - sooner.time for sooner, later in pairwise(hits)) >= DELAY_S
            handovers = sum(sooner.host != later.host for sooner, later in pairwise(hits))
            terms = (hits[-1].time - hits[0].time) / TERM_S
            assert handovers <= terms + 4, "at the beginning and at the end one of them has nothing to ask there"

    asyncio.run(main())
