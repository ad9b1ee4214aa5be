"""One spelling of each address, one site of each host, whatever links, redirects and old records say."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.prepare import documents_of
from dowse.fetch.http import HttpTransport
from dowse.loopback import LoopbackServer, Site, Web, redirect, together
from dowse.model.budget import Budget
from dowse.model.clock import SystemClock
from dowse.model.errors import TopicError
from dowse.model.topic import Politeness, Scope
from tests.engine.servers import chain, crawl_all, page, topic_for
from tests.engine.test_engine import asked, robots, rows, run

DELAY_S = 0.1


def test_a_host_is_asked_once_a_delay_however_it_is_spelled(tmp_path: Path) -> None:
    """Each spelling was a site of its own, at an address of its own."""
    twisted = [f"http://;jsessionid={n}//h{n}.test:x@victim.test/{n}" for n in range(6)]
    plain = [f"http://h{n}.test:x@victim.test/{n}" for n in range(3)]
    dotted = [f"http://VICTIM.test{'.' * n}/{n}" for n in range(1, 4)]
    evil = Site("evil.test", {"/": page("evil", "solar", [*twisted, *plain, *dotted])})
    victim = Site("victim.test", {f"/{n}": page(f"v{n}", "solar", []) for n in range(6)})
    # the victim is at another address than the names that stand in for it
    ours, theirs = LoopbackServer(Web.of(evil)), LoopbackServer(Web.of(victim), host="127.0.0.2")
    with together([ours, theirs]):
        topic = topic_for(ours.address, ["http://evil.test/"], politeness=Politeness(delay_s=DELAY_S))
        resolve = {"victim.test": theirs.address, "*.test": ours.address}
        topic = replace(topic, network=replace(topic.network, resolve=resolve))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
        times = [hit.time for hit in theirs.log]
    assert {hit.target for hit in theirs.log} == {"/robots.txt", "/0", "/1", "/2", "/3"}
    assert len(times) == 5
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) > DELAY_S / 2
    assert rows(tmp_path / "c", "SELECT origin FROM sites ORDER BY id") == [
        ("http://evil.test",), ("http://victim.test",)
    ]  # fmt: skip
    assert rows(tmp_path / "c", "SELECT count FROM refusals WHERE rule = 'bad-url'") == [(6,)]


def test_a_redirect_does_not_lead_to_an_excluded_host_by_another_spelling(tmp_path: Path) -> None:
    targets = ["http://secret.test./1", "http://u:p@secret.test/2", "http://SECRET.test..:80/3"]
    moved = {f"/{n}": redirect(target) for n, target in enumerate(targets)}
    site = Site("a.test", {"/": page("a", "solar", list(moved)), **moved})
    _, server = run(
        Web.of(site, chain("secret.test", 4)), tmp_path / "c", ["http://a.test/"],
        lambda topic: replace(topic, scope=Scope(exclude_hosts=("Secret.test.",))),
    )  # fmt: skip
    assert {hit.host for hit in server.log} == {"a.test"}
    found = rows(tmp_path / "c", "SELECT outcome, reason FROM pages WHERE id > 0")
    assert found == [("refused", "redirect: excluded-host")] * 3


def test_records_of_old_are_gone_on_with(tmp_path: Path) -> None:
    """They may have credentials, a dot behind a host, or a host that is none by now."""
    hosts = [chain("a.test", 5), chain("b.test", 5)]
    seeds = ["http://a.test/0", "http://b.test/0"]
    run(Web.of(*hosts), tmp_path / "c", seeds, lambda topic: replace(topic, budget=Budget(pages=4)))
    old = {"http://a.test": "http://a.test.", "http://b.test": "http://u:p@b.test"}
    with closing(sqlite3.connect(tmp_path / "c" / "dowse.sqlite")) as records, records:
        for new, odd in old.items():
            records.execute("UPDATE sites SET origin = ? WHERE origin = ?", (odd, new))
            records.execute("UPDATE candidates SET url = replace(url, ?, ?)", (f"{new}/", f"{odd}/"))
    stop, server = run(
        Web.of(*hosts, chain("a.test.", 5)), tmp_path / "c", [], lambda topic: replace(topic, budget=Budget(pages=40)),
        resume=True,
    )  # fmt: skip
    assert stop.kind == "empty"
    # what waited is asked for, and leads to sites that are spelled as they are now
    assert {"/3", "/4"} <= set(asked(server))
    assert rows(tmp_path / "c", "SELECT origin FROM sites ORDER BY id")[:2] == [(odd,) for odd in old.values()]
    assert rows(tmp_path / "c", "SELECT count(*) FROM candidates WHERE state < 2") == [(0,)]


def test_the_secret_of_the_tables_changes_nothing(tmp_path: Path) -> None:
    def crawled(folder: Path, seed: int | None) -> list[tuple[object, ...]]:
        async def main() -> None:
            async with LoopbackServer(Web.of(*(chain(f"s{n}.test", 12) for n in range(3)))) as server:
                topic = topic_for(server.address, [f"http://s{n}.test/0" for n in range(3)])
                assembly = await assemble(topic, folder, hash_seed=seed)
                try:
                    await assembly.run()
                finally:
                    await assembly.close()

        asyncio.run(main())
        return rows(folder, "SELECT url, state, depth, parent, priority FROM candidates ORDER BY url")

    first = crawled(tmp_path / "one", 0)
    assert len(first) == 3 * 14
    assert crawled(tmp_path / "two", 2**64 - 1) == first
    assert crawled(tmp_path / "three", None) == first


def test_a_crawl_has_a_secret_of_its_own(tmp_path: Path) -> None:
    async def prints(folder: Path) -> int:
        assembly = await assemble(topic_for("127.0.0.1:2", ["http://a.test/"]), folder)
        try:
            return int(assembly.life._frontier.fingerprints(["http://a.test/"])[0])
        finally:
            await assembly.close()

    assert asyncio.run(prints(tmp_path / "one")) != asyncio.run(prints(tmp_path / "two"))


def test_ports_of_others_are_asked_only_where_the_user_says_so(tmp_path: Path) -> None:
    site = Site("a.test", {"/": page("a", "solar", ["http://a.test:6667/x"]), "/x": page("x", "solar", [])})
    _, server = run(Web.of(site), tmp_path / "c", ["http://a.test/", "http://a.test:25/"])
    assert asked(server) == ["/"]
    assert rows(tmp_path / "c", "SELECT count FROM refusals WHERE rule = 'port'") == [(2,)]
    _, server = run(
        Web.of(site), tmp_path / "d", ["http://a.test/"], lambda topic: replace(topic, scope=Scope(allow_ports=(6667,)))
    )
    assert asked(server) == ["/", "/x"]


def test_what_waits_at_such_a_port_since_before_is_refused(tmp_path: Path) -> None:
    """An older version has taken it up."""
    site = Site("a.test", {"/": page("a", "solar", ["http://a.test:6667/x"]), "/x": page("x", "solar", [])})
    everywhere = Scope(allow_ports=(6667,))
    run(
        Web.of(site), tmp_path / "c", ["http://a.test/"],
        lambda topic: replace(topic, scope=everywhere, budget=Budget(pages=1)),
    )  # fmt: skip
    _, server = run(Web.of(site), tmp_path / "c", [], resume=True)
    assert asked(server) == []
    [(reason,)] = rows(tmp_path / "c", "SELECT reason FROM candidates WHERE url LIKE '%:6667/x'")
    assert reason.startswith("address: web servers do not answer at port 6667")


def test_a_named_page_does_not_lead_to_a_port_of_others(tmp_path: Path) -> None:
    async def read(url: str) -> str:
        site = Site("a.test", {"/": redirect("http://a.test:25/x"), "/x": page("x", "solar", []), "/y": redirect("/x")})
        async with LoopbackServer(Web.of(site)) as server:
            topic = topic_for(server.address, [])
            transport = HttpTransport(topic.network, topic.limits, SystemClock())
            try:
                return (await documents_of(topic, transport, SystemClock()).read(url)).url
            finally:
                await transport.close()

    with pytest.raises(TopicError, match="web servers do not answer at port 25"):
        asyncio.run(read("http://a.test/"))
    assert asyncio.run(read("http://a.test:25/y")) == "http://a.test:25/x", "the user has named that port"


def test_others_are_crawled_beside_a_crowd_of_subdomains(tmp_path: Path) -> None:
    """10,000 names on one address share its delay, and only so many become sites."""
    links = {f"/{part}": [f"http://n{part}{n}.crowd.test/" for n in range(5_000)] for part in "ab"}
    pages = {path: page(f"crowd{path[1:]}", "solar", names) for path, names in links.items()}
    crowd = Site("crowd.test", {"/": page("crowd", "solar", list(links)), **pages, "/robots.txt": robots("")})
    good = chain("good.test", 15)
    theirs, ours = LoopbackServer(Web.of(crowd)), LoopbackServer(Web.of(good), host="127.0.0.2")
    with together([theirs, ours]):
        topic = topic_for(
            theirs.address, ["http://crowd.test/", "http://good.test/0"],
            politeness=Politeness(delay_s=0.02), budget=Budget(seconds=3.0),  # by requests, only the best of all may go
        )  # fmt: skip
        resolve = {"good.test": ours.address, "*": theirs.address}
        asyncio.run(crawl_all(replace(topic, network=replace(topic.network, resolve=resolve)), tmp_path / "c"))
        assert len([hit for hit in ours.log if hit.status == 200 and hit.target != "/robots.txt"]) == 15
    [(sites,)] = rows(tmp_path / "c", "SELECT count(*) FROM sites")
    assert sites == 2_000 + 1
    assert rows(tmp_path / "c", "SELECT count FROM refusals WHERE rule = 'domain-cap'") == [(10_000 - 1_999,)]
