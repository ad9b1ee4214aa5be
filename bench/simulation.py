"""Many shards and many URLs, without network and without pages: what the common ground has to carry.

``python -m bench.simulation [--urls 200000] [--shards 64] [--deaths 0.001] [--ground postgresql] [--json FILE]``; with
``--urls 10000000`` it takes a while. The ground, its letters, grants, addresses of slots and ends are those of a crawl;
a shard is only what it has to say to the ground. Its pages link to others of their site, and each to some anywhere.
Time is virtual: a second is one beat of every shard, and as many pages each as its grant and ``--pages-per-s`` allow.

First half of the URLs is the budget; then the crawl goes on until nothing is left. Shards die at random between any two
steps, and come again from what they had recorded. At every step and at the end it is checked that

* a URL is taken up by its owner, once, and fetched once;
* letters come in order, none twice, and at the end all have come;
* all together never have spent more than the budget, and have spent it to the page when it ends for that;
* all hear the same reason of the end.

Told are letters a page, how unevenly the pages fell on shards, how large the ground became, and the CPU time in calls
of the ground (for PostgreSQL: without the server's).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.cluster.ground import create_ground
from dowse.cluster.membership import Membership
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import PROMISED, CommonGround, Member, Report
from dowse.model.others import Letter

Ints = NDArray[np.int64]
Stop = tuple[str, str]
LEVELS = 64  # of what URLs are worth
IN_SITE, TO_SITES = 3, 8  # new links of a page to its site; and of the first page of a site to others
AT_ONCE = 20_000  # letters
ARRIVED_EVERY = 10  # beats
DOWN_S = 20  # at most, until a shard that died comes again
MENTION = b'{"anchor": "perovskite solar cells", "block": "Research", "page": %d}'


class Web:
    """URLs by number. A site has numbers that follow each other; how many, by Zipf's law."""

    def __init__(self, urls: int, sites: int, links: int) -> None:
        shares = 1 / np.arange(1, sites + 1)
        sizes = np.maximum(1, (shares * (urls / shares.sum())).astype(np.int64))
        sizes[0] += max(0, urls - int(sizes.sum()))  # what was rounded off
        self.starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.random.default_rng(1).permutation(sizes))))
        self.urls, self.sites, self.links = int(self.starts[-1]), sites, links

    def host(self, site: int) -> str:
        return f"site{site}.com"

    def url(self, number: int, site: int) -> str:
        return f"https://site{site}.com/2026/{number % 97}/page-{number}"

    def sites_of(self, numbers: Ints) -> Ints:
        return np.searchsorted(self.starts, numbers, side="right") - 1

    def links_of(self, pages: Ints) -> Ints:
        """All that these pages link to: together, every URL from the first on is reached."""
        sites = self.sites_of(pages)
        first = self.starts[sites]
        inside = (IN_SITE * (pages - first))[:, None] + np.arange(1, IN_SITE + 1)
        inside = (first[:, None] + inside)[inside < (self.starts[sites + 1] - first)[:, None]]
        others = (TO_SITES * sites[pages == first])[:, None] + np.arange(1, TO_SITES + 1)
        anywhere = _scattered(pages[:, None] * self.links + np.arange(self.links)) % self.urls
        return np.concatenate((inside, self.starts[others[others < self.sites]], anywhere.ravel().astype(np.int64)))

    def levels(self, numbers: Ints) -> Ints:
        return (_scattered(numbers + self.urls * 77) >> np.uint64(32)).astype(np.int64) % LEVELS


def _scattered(numbers: Ints) -> NDArray[np.uint64]:
    """64 bits for each number (splitmix64)."""
    bits = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(31))


class Timed:
    """A ground, with the CPU time of its calls."""

    def __init__(self, ground: CommonGround) -> None:
        self._ground = ground
        self.calls: dict[str, int] = defaultdict(int)
        self.seconds: dict[str, float] = defaultdict(float)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._ground, name)

        def timed(*given: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return call(*given, **named)
            finally:
                self.calls[name] += 1
                self.seconds[name] += time.process_time() - start

        return timed


class Died(Exception):
    """A shard is killed here."""


class World:
    """What is true of all shards together."""

    def __init__(self, web: Web, shards: int, deaths: float) -> None:
        self.web = web
        self.dice, self.deaths = random.Random(7), deaths
        self.now = 1.7e9
        self.known = np.zeros(web.urls, np.bool_)  # to their owners
        self.fetched = np.zeros(web.urls, np.uint8)
        self.sent = np.zeros((shards, shards), np.int64)
        self.taken = np.zeros((shards, shards), np.int64)
        self.owner_of_site: Ints = np.zeros(0, np.int64)
        self.pages, self.budget, self.died = 0, 0, 0

    def wall(self) -> float:
        return self.now

    def may_die(self) -> None:
        """While there is anything to fetch: nothing ends without those who died."""
        if self.pages < min(self.budget, self.web.urls) and self.dice.random() < self.deaths:
            self.died += 1
            raise Died

    def fetch(self, pages: Ints) -> None:
        self.fetched[pages] += 1
        self.pages += len(pages)
        assert (self.fetched[pages] == 1).all(), "a page was fetched twice"
        assert self.pages <= self.budget, "more was spent than the budget"


class Shard:
    """First what it has recorded, then what it knows while it runs."""

    def __init__(self, number: int, world: World, ground: Any) -> None:
        self.number, self.world, self.ground = number, world, ground
        self.waiting: list[list[int]] = [[] for _ in range(LEVELS)]
        self.count = self.spent = 0
        self.outbox: list[Letter] = []
        self.written = 0
        self.noted: dict[int, int] = {}
        self.down_until = 0.0
        self.member: Member | None = None
        self.stop: Stop | None = None

    def start(self) -> None:
        joined = self.ground.join(self.number)
        self.member, self.stop = joined.member, None
        self.posted, self.granted, self.beats = joined.posted, joined.granted.pages, self.number
        self.membership = Membership(self.number, joined.owners, "domain", _Still())
        assert self.granted >= self.spent

    def step(self, most: int) -> None:
        """A second of it: a beat, and what it fetches."""
        if self.member is None:
            if self.world.now < self.down_until:
                return
            self.start()
        try:
            self._take_up()
            self._post()
            self._beat()
            if self.stop is None:
                self._fetch(min(most, self.granted - self.spent, self.count))
        except Died:
            self.member, self.down_until = None, self.world.now + self.world.dice.randint(0, DOWN_S)

    def leave(self) -> None:
        if self.member is not None:
            self.ground.leave(self.member, self._report())
        self.member = None

    def _take_up(self) -> None:
        while received := self.ground.receive(self.member, dict(self.noted), AT_ONCE):
            self.world.may_die()
            for batch in received:
                numbers = [letter.number for letter in batch.letters]
                assert numbers[0] > self.noted.get(batch.sender, 0), "a letter came twice"
                assert numbers == sorted(set(numbers)), "letters came out of order"
                assert all(self.membership.owner(letter.url) is None for letter in batch.letters), (
                    "a letter went astray"
                )
                ids = [int(letter.url.rpartition("-")[2]) for letter in batch.letters]
                self._admit(np.array(ids, np.int64))
                self.noted[batch.sender] = numbers[-1]
                self.world.taken[batch.sender, self.number] += len(numbers)
            self.world.may_die()
            self.ground.noted(self.member, dict(self.noted))
            self.world.may_die()

    def _admit(self, ids: Ints) -> None:
        new = np.unique(ids)
        new = new[~self.world.known[new]]
        self.world.known[new] = True
        levels = self.world.web.levels(new)
        order = np.argsort(levels, kind="stable")
        ends = np.searchsorted(levels[order], np.arange(LEVELS + 1))
        for level in np.unique(levels).tolist():
            self.waiting[level] += new[order[ends[level] : ends[level + 1]]].tolist()
        self.count += len(new)

    def _post(self) -> None:
        while letters := [letter for letter in self.outbox if letter.number > self.posted][:AT_ONCE]:
            self.ground.post(self.member, letters)
            self.world.may_die()
            self.posted = letters[-1].number
        self.beats += 1
        if self.beats % ARRIVED_EVERY == 0:
            arrived = self.ground.arrived(self.member)
            self.outbox = [letter for letter in self.outbox if letter.number > arrived.get(letter.shard, 0)]

    def _beat(self) -> None:
        self.world.may_die()
        orders = self.ground.beat(self.member, self._report())
        self.world.may_die()
        self.granted, self.stop = orders.granted.pages, orders.stop
        assert self.granted >= self.spent

    def _report(self) -> Report:
        idle = "empty" if not self.count else "budget: pages" if self.granted <= self.spent else ""
        values, left = [], PROMISED
        for level in range(LEVELS - 1, -1, -1):
            some = min(left, len(self.waiting[level]))
            values += [level / LEVELS] * some
            left -= some
        spent = Spent(pages=self.spent, requests=self.spent)
        return Report(spent, spent, 0, 0.0, self.count, np.array(values), idle, 1.0)

    def _fetch(self, many: int) -> None:
        chosen: list[int] = []
        for level in range(LEVELS - 1, -1, -1):
            if len(chosen) == many:
                break
            some = self.waiting[level][-(many - len(chosen)) :]
            del self.waiting[level][-len(some) or len(self.waiting[level]) :]
            chosen += some
        if not chosen:
            return
        pages, web = np.array(chosen, np.int64), self.world.web
        self.world.fetch(pages)
        self.spent += len(pages)
        self.count -= len(pages)
        links = web.links_of(pages)
        sites = web.sites_of(links)
        owners = self.world.owner_of_site[sites]
        self._admit(links[owners == self.number])
        away = owners != self.number
        told = zip(links[away].tolist(), sites[away].tolist(), owners[away].tolist(), strict=True)
        for link, site, owner in told:
            self.written += 1
            self.outbox.append(Letter(self.written, owner, web.url(link, site), 1, 0.5, MENTION % (link // 40)))
        self.world.sent[self.number] += np.bincount(owners[away], minlength=len(self.world.sent))


class _Still:
    def now(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    def wall(self) -> float:
        return 0.0


def until_the_end(shards: list[Shard], world: World, most: int, look: Callable[[], None]) -> tuple[Stop, int]:
    """The reason of the end, which all have heard, and how many seconds it took."""
    seconds = 0
    while not all(shard.stop for shard in shards):
        world.now += 1.0
        seconds += 1
        for shard in shards:
            if shard.stop is None:
                shard.step(most)
        look()
    reasons = {shard.stop for shard in shards}
    assert len(reasons) == 1, f"it ended for several reasons: {reasons}"
    for shard in shards:
        shard.leave()
    [reason] = reasons
    assert reason is not None
    return reason, seconds


@contextmanager
def place(kind: str) -> Iterator[tuple[Path | str, Callable[[], int]]]:
    """Where the ground is, and how large it is now."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            path = Path(folder) / "ground.sqlite"
            yield path, lambda: sum(one.stat().st_size for one in Path(folder).iterdir())
            return
        import psycopg
        from tests.servers import postgresql

        server = postgresql()
        try:
            with psycopg.connect(server.url, autocommit=True) as by_hand:
                size = "SELECT pg_database_size('postgres')"
                yield server.url, lambda: int((by_hand.execute(size).fetchone() or (0,))[0])
        finally:
            server.remove()


def simulate(given: argparse.Namespace) -> dict[str, Any]:
    web = Web(given.urls, max(given.shards, given.urls // given.urls_a_site), given.links)
    world = World(web, given.shards, given.deaths)
    with place(given.ground) as (where, size):
        made = create_ground(
            where, shards=given.shards, budget=Budget(pages=web.urls // 2), settings={}, wall=world.wall
        )
        ground = Timed(made)
        sizes = [size()]
        watch = Membership(0, ground.join(0).owners, "domain", _Still())
        owners = [watch.owner(web.url(0, site)) for site in range(web.sites)]
        world.owner_of_site = np.array([0 if owner is None else owner for owner in owners], np.int64)
        shards = [Shard(number, world, ground) for number in range(given.shards)]
        shards[int(world.owner_of_site[0])]._admit(np.zeros(1, np.int64))
        ground.calls.clear()
        ground.seconds.clear()
        started = time.process_time()
        world.budget = web.urls // 2
        look = _every(20, lambda: sizes.append(size()))
        reason, first_s = until_the_end(shards, world, given.pages_per_s, look)
        assert (reason[0], world.pages) == ("budget", world.budget), "the budget was not spent to the page"
        world.budget = 2 * web.urls
        ground.go_on(budget=Budget(pages=world.budget))
        for shard in shards:
            shard.start()
        reason, second_s = until_the_end(shards, world, given.pages_per_s, look)
        whole = time.process_time() - started
        assert reason[0] == "empty"
        assert (world.fetched == 1).all(), "not every URL was fetched once"
        assert (world.sent == world.taken).all(), "not every letter was taken up once"
        assert all(standing.unread == 0 for standing in ground.standings())
        made.close()
    pages = np.array([shard.spent for shard in shards])
    letters = int(world.sent.sum())
    shard_s = given.shards * (first_s + second_s)
    of_mail = sum(ground.seconds[name] for name in ("post", "receive", "noted", "arrived"))
    return {
        "urls": web.urls, "sites": web.sites, "shards": given.shards, "ground": given.ground, "deaths": world.died,
        "virtual_s": first_s + second_s, "letters": letters, "letters_a_page": letters / world.pages,
        "largest_over_mean": float(pages.max() / pages.mean()), "ground_bytes": max(sizes),
        "beats": ground.calls["beat"], "beat_ms": 1e3 * ground.seconds["beat"] / ground.calls["beat"],
        "letter_us": 1e6 * of_mail / letters, "ground_ms_a_shard_s": 1e3 * sum(ground.seconds.values()) / shard_s,
        "cpu_s": whole,
    }  # fmt: skip


def _every(many: int, look: Callable[[], None]) -> Callable[[], None]:
    count = 0

    def now_and_then() -> None:
        nonlocal count
        count += 1
        if count % many == 0:
            look()

    return now_and_then


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=200_000)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--urls-a-site", type=int, default=100, help="on average")
    parser.add_argument("--links", type=int, default=2, help="of a page to URLs anywhere")
    parser.add_argument("--pages-per-s", type=int, default=500, help="that a shard could fetch")
    parser.add_argument("--deaths", type=float, default=0.001, help="how probably a shard dies at a step")
    parser.add_argument("--ground", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--json", type=Path, help="write the figures")
    given = parser.parse_args()
    told = simulate(given)
    print(
        "{urls:,} URLs of {sites:,} sites, {shards} shards in {ground}, {deaths} deaths: every URL once, the budget to "
        "the page, one reason\n{letters_a_page:.2f} letters a page, largest load {largest_over_mean:.2f} times the "
        "mean, ground of {mb:.1f} MB at most\n{beats:,} beats of {beat_ms:.2f} ms, {letter_us:.1f} us a letter, "
        "{ground_ms_a_shard_s:.2f} ms of CPU a second of a shard; {cpu_s:.0f} s of CPU in all".format(
            mb=told["ground_bytes"] / 1e6, **told
        )
    )
    if given.json is not None:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
