"""docs/politeness.md, "Delays", measured where it counts: at the servers, under load.

Lower bounds only: a busy machine makes a gap longer, never shorter, since a server notes the time of an answer just
before it leaves and that of a request after it has come.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import ssl
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from pathlib import Path

import pytest
import trustme

from dowse.loopback import Answer, Ask, LoopbackServer, Resource, Site, Web, together
from tests.engine.servers import page

DELAY_S = 0.15
CRAWL_DELAY_S = 0.6
RETRY_AFTER_S = 1.0
SLOW_S = 0.1  # between the first byte of a slow answer and its last, at least
PAGES = 4
EXACT_S = 1e-6  # what adding and subtracting floats may cost


def site(host: str, pages: int = PAGES, robots: str = "", **how: float) -> Site:
    """A page /0 that links to the others, and a robots.txt."""
    links = [f"/{n}" for n in range(1, pages)]
    resources = {f"/{n}": page(f"{host.partition('.')[0]}x{n}", "solar", links if n == 0 else []) for n in range(pages)}
    return Site(host, {**resources, "/robots.txt": Resource(robots.encode(), "text/plain")}, **how)  # type: ignore[arg-type]


@dataclass(slots=True)
class Busy:
    """Page /1 of a host is refused once, with a Retry-After; remembers until when (by the wall clock)."""

    status: int
    header: Callable[[], tuple[str, float]]
    until: dict[str, float] = field(default_factory=dict)

    def __call__(self, ask: Ask) -> Resource:
        if ask.host in self.until:
            return page(f"{ask.host.partition('.')[0]}x1", "solar", [])
        text, self.until[ask.host] = self.header()
        return Resource(b"", status=self.status, headers=(("Retry-After", text),))

    def site(self, host: str) -> Site:
        plain = site(host)
        others = {target: resource for target, resource in plain.resources.items() if target != "/1"}
        return replace(plain, resources=others, made={"/1": self})


def in_seconds() -> tuple[str, float]:
    return f"{RETRY_AFTER_S:g}", time.time() + RETRY_AFTER_S


def as_a_date() -> tuple[str, float]:
    when = math.ceil(time.time()) + 1
    return formatdate(when, usegmt=True), float(when)


class Load:
    """200 hosts: 160 at addresses of their own, 40 at four; and one at three ports, one of them https."""

    def __init__(self) -> None:
        self.seconds, self.date = Busy(429, in_seconds), Busy(503, as_a_date)
        noise = random.Random(1).randbytes(700).hex()  # compressed, no smaller than a page
        kinds: list[tuple[int, Callable[[str], Site]]] = [
            (120, site),
            (10, lambda host: site(host, 3, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_S}\n")),
            (10, self.seconds.site),
            (10, self.date.site),
            (10, lambda host: site(host, 3, f"# {noise}", latency_s=0.05, bytes_per_s=2000)),
        ]
        makers = [make for count, make in kinds for _ in range(count)]
        self.own = [
            LoopbackServer(Web.of(make(f"n{n}.test")), host=f"127.1.{n // 100}.{n % 100 + 1}")
            for n, make in enumerate(makers)
        ]
        self.shared = [
            LoopbackServer(
                Web.of(*(site(f"s{n}.test", 2) for n in range(10 * a, 10 * a + 10))), host=f"127.2.0.{a + 1}"
            )
            for a in range(4)
        ]
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert("p.test").configure_cert(tls)
        self.ports = [
            LoopbackServer(Web.of(replace(site(f"p{n}"), host="p.test")), host="127.3.0.1", tls=use)
            for n, use in enumerate((None, None, tls))
        ]

    def servers(self) -> list[LoopbackServer]:
        return [*self.own, *self.shared, *self.ports]

    def topic(self) -> str:
        """The topic file that crawls it all."""
        seeds = [f"http://{host}/0" for server in (*self.own, *self.shared) for host in server.web.sites]
        seeds += [f"http{'s' * (n == 2)}://p.test:{server.port}/0" for n, server in enumerate(self.ports)]
        resolve = {host: server.address for server in (*self.own, *self.shared) for host in server.web.sites}
        table = ", ".join(f'"{host}" = "{address}"' for host, address in {**resolve, "p.test": "127.3.0.1"}.items())
        return (
            f'query = "solar"\nseeds = {{ urls = {json.dumps(seeds)} }}\n'
            f"[politeness]\ndelay = {DELAY_S}\n[limits]\nretry_wait = 0.5\n"
            f"[network]\nconcurrency = 256\nallow_private = true\nverify_tls = false\nresolve = {{ {table} }}\n"
        )


@contextmanager
def crawled(load: Load, folder: Path) -> Iterator[None]:
    with together(load.servers()):
        topic = folder / "topic.toml"
        topic.write_text(load.topic(), "utf-8")
        command = [sys.executable, "-m", "dowse", "crawl", str(topic), "--out", str(folder / "crawl"), "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert (done.returncode, done.stderr) == (0, "")
        yield


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """The servers after one crawl by the command line, concurrency 256, as many workers as by default."""
    load = Load()
    with crawled(load, tmp_path_factory.mktemp("load")):
        return load


def in_turn(answers: list[Answer]) -> list[tuple[Answer, Answer]]:
    """Each answer with the next one, as the requests came."""
    return list(itertools.pairwise(sorted(answers, key=lambda answer: answer.hit.time)))


def since(before: Answer, after: Answer) -> float:
    """Seconds of the delay, as the documentation counts them."""
    is_robots = before.hit.target == "/robots.txt"
    return after.hit.time - (before.last_byte if is_robots else before.first_byte) + EXACT_S


def by_host(servers: list[LoopbackServer]) -> dict[str, list[Answer]]:
    found = defaultdict(list)
    for server in servers:
        for answer in server.answers:
            found[answer.hit.host].append(answer)
    return found


def test_everything_was_fetched_and_the_hosts_side_by_side(load: Load) -> None:
    targets = {host: {answer.hit.target for answer in answers} for host, answers in by_host(load.own).items()}
    assert len(targets) == 160
    assert all(len(found) == 1 + (3 if int(host[1:-5]) // 10 in (12, 15) else PAGES) for host, found in targets.items())
    assert len(by_host(load.shared)) == 40
    answers = [answer for server in load.servers() for answer in server.answers]
    took = max(answer.last_byte for answer in answers) - min(answer.hit.time for answer in answers)
    assert took < len(answers) * DELAY_S / 2, "one after another it would have taken twice as long at least"


def test_no_host_is_asked_sooner_than_its_delay_nor_while_an_answer_is_under_way(load: Load) -> None:
    pairs = [pair for server in load.own for pair in in_turn(list(server.answers))]
    assert len(pairs) > 600
    assert min(since(*pair) for pair in pairs) >= DELAY_S
    assert all(after.hit.time >= before.last_byte for before, after in pairs)
    slow = [(before, after) for before, after in pairs if before.last_byte - before.first_byte >= SLOW_S]
    assert len(slow) == 30, "robots.txt and two pages of each slow host take their time"


def test_one_connection_and_one_exchange_a_host_at_a_time(load: Load) -> None:
    assert {server.most_connections for server in load.own} == {1}
    assert {peak for server in load.servers() for peak in server.peak.values()} == {1}


def test_a_crawl_delay_counts_from_the_robots_file_on(load: Load) -> None:
    for server in load.own[120:130]:
        pairs = in_turn(list(server.answers))
        assert len(pairs) == 3
        assert min(since(*pair) for pair in pairs) >= CRAWL_DELAY_S


@pytest.mark.parametrize("kind", ["seconds", "date"])
def test_a_retry_after_holds_the_whole_host(load: Load, kind: str) -> None:
    busy: Busy = getattr(load, kind)
    wall = time.time() - time.monotonic()
    assert len(busy.until) == 10
    for host, answers in by_host(load.own).items():
        if host in busy.until:
            [after] = [after for before, after in in_turn(answers) if before.hit.status == busy.status]
            assert after.hit.time + wall >= busy.until[host] - 0.001, "the two clocks are read one after the other"


def test_hosts_at_one_address_share_its_delay_and_take_turns(load: Load) -> None:
    for server in load.shared:
        pairs = in_turn(list(server.answers))
        assert len(pairs) == 29, "ten hosts, each with a robots.txt and two pages"
        assert min(since(*pair) for pair in pairs) >= DELAY_S
        assert all(after.hit.time >= before.last_byte for before, after in pairs)


def test_the_ports_of_a_host_are_sites_that_share_its_address(load: Load) -> None:
    answers = [answer for server in load.ports for answer in server.answers]
    assert [len(server.answers) for server in load.ports] == [1 + PAGES] * 3, "each port has a robots.txt of its own"
    assert min(since(*pair) for pair in in_turn(answers)) >= DELAY_S
