"""What visits found, told as values, as text, as JSON and as a feed."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.lab.finished.changes import Changes, Edited, changes_since, marked
from dowse.lab.finished.changes_feed import changes_feed
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.store import CrawlReader, VisitedPage
from dowse.store.times import seconds
from tests.cli.labelled import mistake, said
from tests.engine.servers import WORDS, crawl_all, topic_for

ATOM = "{http://www.w3.org/2005/Atom}"
MENU = "<ul><li>All events <li>About us and the site <li>Contact the people</ul>"


def event(name: str, text: str, links: list[str] | None = None) -> Resource:
    anchors = "".join(f'<a href="{link}">more of {link[1:]}</a> ' for link in links or [])
    body = f"<title>{name}</title>{MENU}<h1>{name}</h1><p>{WORDS['solar']}<p>{text}<p>{anchors}"
    return Resource(body.encode())


def site(changed: dict[str, Resource | None]) -> Web:
    pages: dict[str, Resource | None] = {
        f"/{n}": event(f"Meeting {n}", f"It is in hall {n}", [f"/{m}" for m in range(6)]) for n in range(6)
    }
    pages.update(changed)
    return Web.of(Site("a.test", {path: made for path, made in pages.items() if made is not None}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pages; then one is elsewhere, one has another menu only, one is gone and one new."""
    folder = tmp_path_factory.mktemp("crawls") / "events"
    with in_thread(site({})) as server:
        topic = topic_for(server.address, ["http://a.test/0"])
        asyncio.run(crawl_all(topic, folder))
        links = [f"/{m}" for m in range(6)]
        server.web = site({
            "/0": event("Meeting 0", "It is in hall 0", [*links, "/6"]),
            "/1": event("Meeting 1", "It is in the <b>garden</b>\x01 & late", links),
            "/2": Resource(event("Meeting 2", "It is in hall 2", links).body.replace(b"<ul>", b"<ul class=x>")),
            "/3": None, "/6": event("Meeting 6", "It is new"),
        })  # fmt: skip

        async def visits() -> None:
            for _ in range(2):
                assembly = await assemble(replace(topic), folder, resume=True, revisit=Revisit("0s"))
                await assembly.run()
                await assembly.close()

        asyncio.run(visits())
    return folder


def first_run_over(folder: Path) -> float:
    """When the first visits began."""
    with CrawlReader(folder) as crawl:
        return seconds(crawl.summary().runs[1].started_at)


def test_what_is_new_changed_and_gone(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        found = changes_since(crawl, first_run_over(folder))
        assert [page.title for page in found.new] == ["Meeting 6"]
        assert [(one.page.title, one.lines) for one in found.changed] == [
            ("Meeting 0", ("+ more of 0 more of 1 more of 2 more of 3 more of 4 more of 5 more of 6",)),
            ("Meeting 1", ("- It is in hall 1", "+ It is in the garden & late")),
        ]  # fmt: skip
        assert [page.title for page in found.gone] == ["Meeting 3"]
        assert changes_since(crawl, 4e9) == Changes(4e9, (), (), ())
        everything = changes_since(crawl, 0)
        assert (len(everything.new), len(everything.changed), len(everything.gone)) == (6, 0, 1), "new, and no more"


def test_several_changes_are_told_as_one_from_what_it_was_at_that_time(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(site({"/3": event("Meeting 3", "It is on Monday")})) as server:
        topic = topic_for(server.address, ["http://a.test/0"])
        asyncio.run(crawl_all(topic, folder))

        async def visit() -> None:
            assembly = await assemble(topic, folder, resume=True, revisit=Revisit("0s"))
            await assembly.run()
            await assembly.close()

        for now in (event("Meeting 3", "It is on Tuesday"), None, event("Meeting 3", "It is on Friday")):
            server.web = site({"/3": now})
            asyncio.run(visit())
    with CrawlReader(folder) as crawl:
        starts = [seconds(run.started_at) for run in crawl.summary().runs]
        told = [[one.lines for one in changes_since(crawl, start).changed] for start in starts[1:]]
    assert told == [
        [("- It is on Monday", "+ It is on Friday")], [("- It is on Tuesday", "+ It is on Friday")],
        [("- It is on Tuesday", "+ It is on Friday")],
    ]  # fmt: skip


def test_a_feed_that_readers_take(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        feed = changes_feed(changes_since(crawl, first_run_over(folder)), "events", "abc")
    names = {"a": "http://www.w3.org/2005/Atom"}
    root = ElementTree.fromstring(feed)
    kinds = [found.get("term", "") for found in root.iterfind("a:entry/a:category", names)]
    assert sorted(kinds) == ["changed", "changed", "gone", "new"]
    ids = [entry.findtext("a:id", namespaces=names) for entry in root.findall("a:entry", names)]
    assert len(set(ids)) == 4
    assert root.findtext("a:updated", namespaces=names) == max(
        entry.findtext("a:updated", "", names) for entry in root.findall("a:entry", names)
    )
    [told] = [
        entry.find("a:content", names) for entry in root.findall("a:entry", names)
        if entry.findtext("a:title", "", names) == "changed: Meeting 1"
    ]  # fmt: skip
    assert told is not None
    assert told.get("type") == "html"
    assert told.text == "<del>- It is in hall 1</del><br>\n<ins>+ It is in the garden &amp; late</ins>"


def test_a_feed_has_what_its_standard_asks_for(folder: Path) -> None:
    """RFC 4287, 4.1.1 and 4.1.2: what must be there, once, and in which form."""
    with CrawlReader(folder) as crawl:
        found = changes_since(crawl, first_run_over(folder))
    for changes in (found, Changes(0.0, (), (), ())):
        root = ElementTree.fromstring(changes_feed(changes, "events", "abc"))
        assert root.tag == f"{ATOM}feed"
        assert Counter(part.tag for part in root if part.tag != f"{ATOM}entry") == {
            f"{ATOM}title": 1, f"{ATOM}id": 1, f"{ATOM}updated": 1, f"{ATOM}author": 1
        }  # fmt: skip
        assert root.findtext(f"{ATOM}author/{ATOM}name")
        for whole in (root, *root.iter(f"{ATOM}entry")):
            assert (whole.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", whole.findtext(f"{ATOM}updated") or "")
        for entry in root.iter(f"{ATOM}entry"):
            assert Counter(part.tag for part in entry) == {
                f"{ATOM}{name}": 1 for name in ("title", "id", "updated", "link", "category", "content")
            }
            [link] = entry.findall(f"{ATOM}link")
            assert (link.get("href") or "").startswith("http://a.test/")


def test_whatever_a_page_is_called_the_feed_is_xml() -> None:
    odd = VisitedPage(1, "http://a.test/\x00?a&b", "<\x0b\ud800]]>", None, False, 0, "2026-01-01T00:00:00.000000Z")
    found = Changes(0.0, (odd,), (Edited(odd, None), Edited(odd, ("+ \x1b[31m",))), (odd,))
    ElementTree.fromstring(changes_feed(found, "\x08", "x").encode())


def test_as_a_user_types_it(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, _ = said(capsys, "changes", str(folder), "--since", "1d")
    assert text.startswith("6 new pages, 0 changed, 1 gone since ")
    text, _ = said(capsys, "changes", str(folder))
    assert text.startswith("0 new pages, 0 changed, 1 gone since "), "since the last visits"
    found = json.loads(said(capsys, "changes", str(folder), "--format", "json", "--since", "1d")[0])
    assert [page["title"] for page in found["gone"]] == ["Meeting 3"]
    out = tmp_path / "feed.xml"
    said(capsys, "changes", str(folder), "-f", "atom", "--out", str(out))
    ElementTree.parse(out)
    assert "exists" in mistake(capsys, "changes", str(folder), "-f", "atom", "--out", str(out))
    assert "--since: 'now' is not a length of time" in mistake(capsys, "changes", str(folder), "--since", "now")
    assert "holds no crawl" in mistake(capsys, "changes", str(tmp_path))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [("abc", "abc", []), ("", "ab", ["+ a", "+ b"]), ("ab", "", ["- a", "- b"]), ("abcd", "xbcy",
     ["- a", "+ x", "...", "- d", "+ y"])],
)  # fmt: skip
def test_lines_that_came_and_went(before: str, after: str, told: list[str]) -> None:
    assert list(marked(list(before), list(after))) == told
