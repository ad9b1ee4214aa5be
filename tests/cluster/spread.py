"""A web that several shards have to share: hosts at addresses of their own, rules in robots.txt, and what the servers
saw of it, checked to the request."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from dowse.cluster.shared_folder import shard_folder
from dowse.cluster.slots import slot_of
from dowse.loopback import Hit, LoopbackServer, Site, Web
from dowse.loopback.web import TEXT, Resource
from dowse.model.clock import SystemClock
from dowse.model.records import CandidateState
from dowse.model.topic import Politeness, Seeds, Topic
from dowse.store.schema import DATABASE
from tests.engine.servers import page, topic_for

__all__ = ["Death", "Spread", "last_words", "records_of", "served"]

_DONE = (CandidateState.FETCHED, CandidateState.FAILED, CandidateState.REFUSED)
_HELD_BACK = "/private"


@dataclass(frozen=True)
class Death:
    """A shard was killed: by then it, or any, had recorded the end of these URLs."""

    shard: int
    at: float
    recorded: frozenset[str]
    recorded_by_any: frozenset[str] = frozenset()


@dataclass
class Spread:
    """So many hosts at so few addresses, each with so many pages; its log of requests is in order of arrival."""

    hosts: int = 8
    addresses: int = 2
    pages: int = 8
    latency_s: float = 0.0
    servers: list[LoopbackServer] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)

    def host(self, number: int) -> str:
        return f"h{number}.a{number % self.addresses}.test"

    def owner(self, number: int, shards: int) -> int:
        """Whose a host is, where each is a slot's."""
        return slot_of(f"http://{self.host(number)}/", "host") % shards

    @property
    def everything(self) -> set[tuple[str, str]]:
        """Every page that a crawl can reach."""
        return {(self.host(host), f"/{n}") for host in range(self.hosts) for n in range(self.pages)}

    def site(self, number: int) -> Site:
        """Each page links to the next of its host, to pages of two others, and to one that robots.txt forbids."""

        def links(n: int) -> list[str]:
            found = [(number, n + 1), ((number + 1) % self.hosts, n), ((number + 3) % self.hosts, n + 1)]
            return [
                *(f"http://{self.host(h)}/{m}" for h, m in found if m < self.pages),
                f"http://{self.host(number)}{_HELD_BACK}/{n}",
            ]

        pages = {f"/{n}": page(f"h{number}n{n}", "solar" if (number + n) % 3 else "bread", links(n))
                 for n in range(self.pages)}  # fmt: skip
        robots = Resource(f"User-agent: *\nDisallow: {_HELD_BACK}\n".encode(), TEXT)
        return Site(self.host(number), {**pages, "/robots.txt": robots}, latency_s=self.latency_s)

    def topic(self, *, delay_s: float = 0.0) -> Topic:
        resolve = {f"*.a{n}.test": server.address for n, server in enumerate(self.servers)}
        topic = topic_for("", [], politeness=Politeness(delay_s=delay_s))
        return replace(
            topic, seeds=Seeds(urls=(f"http://{self.host(0)}/0",)), network=replace(topic.network, resolve=resolve)
        )

    @property
    def log(self) -> list[Hit]:
        return sorted((hit for server in self.servers for hit in server.log), key=lambda hit: hit.time)

    @property
    def asked(self) -> Mapping[tuple[str, str], list[float]]:
        """When each page was asked for."""
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for hit in self.log:
            if hit.target != "/robots.txt":
                found[hit.host, hit.target].append(hit.time)
        return found

    def died(self, folder: Path, shard: int) -> None:
        """Note what a shard that is dead by now has recorded. Call it before the shard is started again."""
        own = records_of(shard_folder(folder, shard))
        others = (records_of(other) for other in shard_folder(folder, shard).parent.glob("*"))
        self.deaths.append(Death(shard, SystemClock().now(), own, own.union(*others)))

    # -- what is promised ------------------------------------------------------------------------------------------

    def check_all_fetched(self) -> None:
        assert set(self.asked) == self.everything, "every page that can be reached, and none that robots.txt forbids"

    def check_once(self, shards: int, *, moving: bool = False) -> None:
        """No URL was asked for twice, unless its shard died in between without a record of the first time. Where sites
        are ``moving``, that may be any shard, and none may have one."""
        for (host, target), times in self.asked.items():
            url = f"http://{host}{target}"
            owner = slot_of(url, "host") % shards
            for first, second in pairwise(times):
                excused = [
                    death for death in self.deaths
                    if (moving or death.shard == owner) and first <= death.at <= second
                    and url not in (death.recorded_by_any if moving else death.recorded)
                ]  # fmt: skip
                assert excused, f"{url} was asked for at {first:.3f} and at {second:.3f}, and nobody died over it"

    def check_delays(self, delay_s: float) -> None:
        """At each address, whichever hosts it has: and so of each host."""
        for server in self.servers:
            hits = sorted(server.log, key=lambda hit: hit.time)
            for sooner, later in pairwise(hits):
                gap = later.time - sooner.time
                assert gap >= delay_s, f"{sooner.host}{sooner.target}, {later.host}{later.target}: {gap:.3f} s"


@asynccontextmanager
async def served(spread: Spread) -> AsyncIterator[Spread]:
    """Its servers, while the block runs."""
    async with AsyncExitStack() as running:
        for address in range(spread.addresses):
            own = [spread.site(host) for host in range(spread.hosts) if host % spread.addresses == address]
            server = LoopbackServer(Web.of(*own), host=f"127.0.0.{address + 2}")
            spread.servers.append(await running.enter_async_context(server))
        yield spread


def records_of(folder: Path) -> frozenset[str]:
    """The URLs whose end is in a shard's records."""
    path = folder / DATABASE
    if not path.exists():
        return frozenset()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as records:
        marks = ", ".join(str(int(state)) for state in _DONE)
        try:
            return frozenset(url for (url,) in records.execute(f"SELECT url FROM candidates WHERE state IN ({marks})"))
        except sqlite3.OperationalError:  # killed before it had made its tables
            return frozenset()


def last_words(folder: Path, shards: int) -> Sequence[str]:
    """Why each shard stopped, by its own records."""
    found = []
    for shard in range(shards):
        with closing(sqlite3.connect(f"file:{shard_folder(folder, shard) / DATABASE}?mode=ro", uri=True)) as records:
            [(why,)] = records.execute("SELECT detail FROM events WHERE kind = 'stop' ORDER BY rowid DESC LIMIT 1")
            found.append(why)
    return found
