"""robots.txt, sitemaps, seed files and examples: what a crawl asks for beside its pages."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.loopback import LoopbackServer, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.topic import Example, Politeness, Seeds
from tests.engine.servers import adding, chain, crawl_all, page, topic_for
from tests.engine.test_engine import asked, robots, rows, run


def sitemap(*urls: str) -> Resource:
    return Resource(f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode(), "text/xml")


def test_a_robots_file_redirected_to_a_neighbour_on_the_address(tmp_path: Path) -> None:
    """The errand for one site must not wait for an address it holds itself."""
    one = adding(chain("a.test", 3), robots_txt=redirect("http://b.test/robots.txt"))
    two = adding(chain("b.test", 3), robots_txt=robots("User-agent: *\nDisallow: /1\n"))
    stop, server = run(
        Web.of(two, one), tmp_path / "c", ["http://b.test/0", "http://a.test/0"],
        lambda topic: replace(topic, politeness=Politeness(delay_s=0.05)),
    )  # fmt: skip
    assert stop.kind == "empty"
    assert {hit.host for hit in server.log} == {"a.test", "b.test"}
    assert "/1" not in asked(server)


def test_two_robots_files_that_lead_to_each_other(tmp_path: Path) -> None:
    one = adding(chain("a.test", 2), robots_txt=redirect("http://b.test/robots.txt"))
    two = adding(chain("b.test", 2), robots_txt=redirect("http://a.test/robots.txt"))
    stop, server = run(Web.of(one, two), tmp_path / "c", ["http://a.test/0", "http://b.test/0"])
    assert stop.kind == "empty"
    assert set(asked(server)) >= {"/0", "/1"}, "six redirects: there is no file, everything is allowed"


def test_a_robots_file_is_looked_for_wherever_any_3xx_leads(tmp_path: Path) -> None:
    moved = Resource(b"", status=300, headers=(("Location", "/rules.txt"),))
    site = adding(chain("a.test", 3), robots_txt=moved, rules_txt=robots("User-agent: *\nDisallow: /1\n"))
    stop, server = run(Web.of(site), tmp_path / "c", ["http://a.test/0"])
    assert stop.kind == "empty"
    assert "/rules.txt" in asked(server)
    assert "/1" not in asked(server), "its rules hold, wherever they are"


def test_sitemaps_of_linked_hosts_are_not_seeds(tmp_path: Path) -> None:
    seed = adding(chain("a.test", 1), **{"0": page("home", "solar", ["http://b.test/0"])})
    linked = adding(
        chain("b.test", 1), robots_txt=robots("Sitemap: http://b.test/map.xml"), map_xml=sitemap("http://b.test/x")
    )
    _, server = run(
        Web.of(seed, linked), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, seeds=replace(topic.seeds, robots_sitemaps=True)),
    )  # fmt: skip
    assert "/map.xml" not in asked(server)


def test_a_sitemap_behind_robots_is_not_asked_for(tmp_path: Path) -> None:
    site = adding(chain("a.test", 2), robots_txt=robots("User-agent: *\nDisallow: /map"), map_xml=sitemap())
    _, server = run(
        Web.of(site), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, seeds=replace(topic.seeds, sitemaps=("http://a.test/map.xml",))),
    )  # fmt: skip
    assert "/map.xml" not in asked(server)
    assert [hit.target for hit in server.log].count("/robots.txt") == 1
    assert rows(tmp_path / "c", "SELECT detail FROM events WHERE kind = 'sitemap problem'")


def test_a_sitemap_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "map.xml"
    path.write_bytes(sitemap("http://a.test/1").body)
    _, server = run(
        Web.of(chain("a.test", 1), chain("a.test", 2)), tmp_path / "c", [],
        lambda topic: replace(topic, seeds=Seeds(sitemaps=(str(path),))),
    )  # fmt: skip
    assert asked(server)[0] == "/1"


def test_a_walk_cut_short_is_walked_again(tmp_path: Path) -> None:
    site = adding(chain("a.test", 2), map_xml=sitemap("http://a.test/hidden"), hidden=page("hidden", "solar", []))
    web = Web.of(replace(site, latency_s=0.3))

    async def main() -> tuple[list[str], list[str]]:
        async with LoopbackServer(web) as server:
            topic = replace(topic_for(server.address, []), seeds=Seeds(sitemaps=("http://a.test/map.xml",)))
            assembly = await assemble(topic, tmp_path / "c")
            asyncio.get_running_loop().call_later(0.4, assembly.engine.abort)
            await assembly.run()
            await assembly.close()
            before = [hit.target for hit in server.log]
            await crawl_all(topic, tmp_path / "c", resume=True)
            await crawl_all(topic, tmp_path / "c", resume=True)
            return before, [hit.target for hit in server.log][len(before) :]

    before, after = asyncio.run(main())
    assert "/hidden" not in before
    assert Counter(after)["/hidden"] == 1
    assert Counter(after)["/map.xml"] == 1, "a walk that ended is not begun again"


def test_a_resumed_crawl_needs_its_seed_file_no_more(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.test/0\nnot an address\n", "utf-8")

    async def main() -> list[str]:
        async with LoopbackServer(Web.of(chain("a.test", 6))) as server:
            topic = replace(topic_for(server.address, [], budget=Budget(pages=2)), seeds=Seeds(files=(str(seeds),)))
            assembly = await assemble(topic, tmp_path / "c")
            assert assembly.notes == [f"{seeds}: line 2: 'not an address' is not a web address"]
            await assembly.run()
            await assembly.close()
            seeds.unlink()
            topic = replace(read_settings(tmp_path / "c"), budget=Budget(pages=20))
            await crawl_all(topic, tmp_path / "c", resume=True)
            return asked(server)

    assert asyncio.run(main()) == [f"/{n}" for n in range(8)]


def test_examples_from_the_web_are_paced_and_counted(tmp_path: Path) -> None:
    examples = Site("e.test", {f"/{n}": page(f"e{n}", "solar", []) for n in range(3)})

    async def main() -> tuple[int, LoopbackServer]:
        async with LoopbackServer(Web.of(examples, chain("a.test", 3))) as server:
            topic = topic_for(
                server.address, ["http://a.test/0"], query="", politeness=Politeness(delay_s=0.1),
                examples=(*(Example(f"http://e.test/{n}") for n in range(3)), Example("http://e.test/gone")),
            )  # fmt: skip
            assembly = await assemble(topic, tmp_path / "c")
            assert assembly.notes == ["example left out: cannot fetch http://e.test/gone: http 404"]
            await assembly.run()
            spent = assembly.engine.progress().requests
            await assembly.close()
            return spent, server

    spent, server = asyncio.run(main())
    assert spent == len(server.log)
    times = [hit.time for hit in server.log if hit.host == "e.test"]
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= 0.1
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE relevant")[0][0] >= 1


@pytest.mark.parametrize("order", [["/plain", "/kept-out"], ["/kept-out", "/plain"]])
def test_noindex_has_no_part_in_duplicates(tmp_path: Path, order: list[str]) -> None:
    same = page("same", "solar", [])
    kept_out = Resource(same.body, headers=(("X-Robots-Tag", "noarchive"), ("X-Robots-Tag", "noindex")))
    web = Web.of(Site("a.test", {"/": page("home", "bread", order), "/plain": same, "/kept-out": kept_out}))
    run(web, tmp_path / "c", ["http://a.test/"])
    ends = dict(rows(tmp_path / "c", "SELECT replace(url, 'http://a.test', ''), reason FROM pages"))
    assert ends["/kept-out"] == "noindex"
    assert ends["/plain"] == ""
    [(archived,)] = rows(tmp_path / "c", "SELECT warc_file FROM pages WHERE reason = 'noindex'")
    assert archived is None
    assert rows(tmp_path / "c", "SELECT relevant FROM pages WHERE url LIKE '%/plain'") == [(1,)]


def test_the_end_of_a_byte_budget_cuts_few_pages(tmp_path: Path) -> None:
    body = {f"/{n}": Resource(b"<p>" + random.Random(n).randbytes(10_000).hex().encode()) for n in range(60)}
    sites = [Site(f"s{k}.test", body, latency_s=0.05) for k in range(8)]
    seeds = [f"http://s{k}.test/{n}" for n in range(5) for k in range(8)]
    stop, _ = run(Web.of(*sites), tmp_path / "c", seeds, lambda topic: replace(topic, budget=Budget(bytes=200_000)))
    assert stop.kind == "budget"
    cut = rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE truncated = 'budget'")[0][0]
    whole = rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE truncated = '' AND outcome = 'fetched'")[0][0]
    assert cut <= 2
    assert whole >= 12
    assert rows(tmp_path / "c", "SELECT sum(bytes) <= 200000 FROM pages") == [(1,)]


def test_robots_switched_off_is_not_even_asked_for(tmp_path: Path) -> None:
    site = adding(chain("a.test", 2), robots_txt=robots("User-agent: *\nDisallow: /\n"), map_xml=sitemap())
    _, server = run(
        Web.of(site), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(
            topic,
            politeness=Politeness(delay_s=0.0, obey_robots=False),
            seeds=replace(topic.seeds, sitemaps=("http://a.test/map.xml",)),
        ),
    )  # fmt: skip
    targets = [hit.target for hit in server.log]
    assert "/robots.txt" not in targets
    assert {"/0", "/1", "/map.xml"} <= set(targets)


def test_a_sitemap_that_cannot_be_had_says_why(tmp_path: Path) -> None:
    site = adding(
        chain("a.test", 1), robots_txt=robots("User-agent: *\nDisallow: /secret"), moved_xml=redirect("file:///x")
    )
    names = ("http://a.test/secret.xml", "http://a.test/none.xml", "http://a.test/moved.xml")
    run(
        Web.of(site), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, seeds=replace(topic.seeds, sitemaps=names)),
    )  # fmt: skip
    found = [detail for (detail,) in rows(tmp_path / "c", "SELECT detail FROM events WHERE kind = 'sitemap problem'")]
    reasons = ("robots", "http 404", "redirect: not a web address")
    assert found == [f"{name}: {reason}" for name, reason in zip(names, reasons, strict=True)]
