"""The report's section on tunnels, over real crawls on loopback."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.blocks.tunnels_section import tunnel_lengths
from dowse.lab.report.crawl_report import write_report
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import JudgeSettings, Scope
from dowse.store import CrawlReader
from dowse.store.read_links import found_through, tunnel_pages
from tests.engine.servers import crawl_all, page, topic_for
from tests.lab import made
from tests.lab.blocks.pages import PORTAL
from tests.lab.report.test_crawl_report import Reader, check_harmless

GRAY = PORTAL.replace("<ul><li><a href=/roof>", "<ul><li><a href=/attic>the attic</a><li><a href=/roof>")
BLACK = "<title>Baker</title><p>Flour and <a href=/secret>a surprise</a>, <script>alert(1)</script>says the baker."


def solar(name: str) -> Resource:
    return Resource(f"<title>{name}</title><p>Perovskite solar cells in the {name}, and more solar cells.".encode())


SITE = {
    "/": Resource(GRAY.encode()), "/roof": solar("roof"), "/attic": solar("attic"), "/baker": Resource(BLACK.encode()),
    "/secret": solar("secret"), "/about": page("about", "bread", []),
}  # fmt: skip


def crawled(site: dict[str, Resource], folder: Path) -> Path:
    async def main() -> None:
        async with LoopbackServer(Web.of(Site("lune.test", site))) as server:
            kept = {"judge": JudgeSettings(threshold=0.5), "scope": Scope(reach="host")}
            await crawl_all(topic_for(server.address, ["http://lune.test/"], **kept), folder)

    asyncio.run(main())
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(SITE, tmp_path_factory.mktemp("tunnels") / "c")


def section(folder: Path, out: Path) -> str:
    text = write_report(folder, out / "report.html").read_text(encoding="utf-8")
    check_harmless(text, Reader(text))
    return text[text.index("<h2>Tunnels</h2>") :].partition("<h2>Best sites")[0] if "<h2>Tunnels</h2>" in text else ""


def test_the_records_tell_the_tunnels(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        found = tunnel_pages(crawl)
        assert [(tunnel.page.url, tunnel.found) for tunnel in found] == [
            ("http://lune.test/", 2), ("http://lune.test/baker", 1)
        ]  # fmt: skip
        assert not any(tunnel.page.relevant for tunnel in found)
        assert set(found_through(crawl, found[0].page.id)) == {"http://lune.test/roof", "http://lune.test/attic"}
        assert [tunnel.page.url for tunnel in tunnel_pages(crawl, 1)] == ["http://lune.test/"]


def test_tunnels_are_shown_with_their_blocks(folder: Path, tmp_path: Path) -> None:
    told = section(folder, tmp_path)
    read = Reader(told)
    with CrawlReader(folder) as crawl:
        gray, black = (tunnel.page.score or 0 for tunnel in tunnel_pages(crawl))
    assert f"a gray tunnel to 2 relevant pages; score {gray:.3f}, its best block (number 2) 0." in read.text
    assert f"a black tunnel to 1 relevant page; score {black:.3f}, no block is on the topic" in read.text
    assert told.count("<details>") == 2
    # the portal leads to the roof and the attic, and over the baker to the secret
    assert "Of 3 relevant pages that links led to, 3 were found through irrelevant pages in a row:" in read.text
    assert "2 through 1 page, 1 through 2 pages." in read.text
    assert [attributes["title"] for _, attributes in read.tags if "hit" in attributes.get("class", "")] == [
        "http://lune.test/attic", "http://lune.test/roof", "http://lune.test/secret"
    ]  # fmt: skip
    assert "0.5 (threshold)" in told


@given(st.data(), st.integers(1, 30))
def test_lengths_are_those_of_the_definition(data: st.DataObject, count: int) -> None:
    parents = [None if n == 0 else data.draw(st.none() | st.integers(0, n - 1)) for n in range(count)]
    relevant = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    expected: dict[int, int] = {}
    for number, parent in enumerate(parents):
        if relevant[number] and parent is not None:
            length = 0
            while parent is not None and not relevant[parent]:
                length, parent = length + 1, parents[parent]
            expected[length] = expected.get(length, 0) + 1
    assert tunnel_lengths(zip(range(count), parents, relevant, strict=True)) == expected


def test_the_same_folder_gives_the_same_report(folder: Path, tmp_path: Path) -> None:
    first, again = (write_report(folder, tmp_path / f"{name}.html").read_bytes() for name in ("a", "b"))
    assert first == again


def test_a_damaged_archive_leaves_pages_out(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "c")
    [archive] = (tmp_path / "c").glob("*.warc.gz")
    with CrawlReader(folder) as crawl:
        places = [tunnel.page.warc_offset or 0 for tunnel in tunnel_pages(crawl)]
    data = bytearray(archive.read_bytes())
    data[places[0] + 20 : places[0] + 60] = bytes(40)
    archive.write_bytes(data)
    told = section(tmp_path / "c", tmp_path)
    assert told.count("<details>") == 1
    assert "black tunnel" in told
    archive.write_bytes(data[:100])
    assert section(tmp_path / "c", tmp_path) == ""
    archive.unlink()
    assert section(tmp_path / "c", tmp_path) == ""


def test_no_tunnel_no_section(tmp_path: Path) -> None:
    site = {"/": Resource(solar("front").body + b"<a href=/a>a</a>"), "/a": solar("a")}
    assert section(crawled(site, tmp_path / "c"), tmp_path) == ""
    for name, settings in (("odd", {"topic": {"name": "x", "odd": 1}}), ("none", {"topic": None})):
        with made.create(tmp_path / name, **settings) as store:
            store.commit(made.pages_batch(0, 30, 60))
        assert section(tmp_path / name, tmp_path) == ""
    made.crawl(tmp_path / "made", 100)  # no archive
    assert section(tmp_path / "made", tmp_path) == ""


def test_long_pages_are_cut(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td><p>bread {n} <a href='http://other.invalid/{n}'>loaf {n}</a>" for n in range(5_000))
    site = {"/": Resource(f"<a href=/s>s</a><table>{rows}</table>".encode()), "/s": solar("s")}
    told = section(crawled(site, tmp_path / "c"), tmp_path)
    assert "Cut here" in told
    assert len(told) < 200_000
