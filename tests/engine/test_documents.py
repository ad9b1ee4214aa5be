"""Documents on the way of a page: asked for, read, judged, recorded, archived and explained like pages."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dowse.lab.corpus import open_corpus
from dowse.lab.finished.chosen_pages import ArchivedPages
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.loopback.hostile.papers import encrypted_pdf, packed_pdf
from dowse.loopback.paper import Entry, Section, made_docx, made_feed, made_pdf
from dowse.model import converters
from dowse.model.converters import Added
from dowse.model.errors import TopicError
from dowse.model.plugin_ports import Converted
from dowse.model.topic import Cost, Scope, Topic
from dowse.model.topic_check import check_topic
from dowse.store import CrawlReader, PageView
from dowse.store.export import PagePlace
from tests.engine.servers import WORDS, adding, chain, crawl_all, page, topic_for

SOLAR = [Section("Layers", [WORDS["solar"]] * 3, [("/behind", "perovskite films")])]
BREAD = [Section("Bread", [WORDS["bread"]] * 3)]
FILE = "application/octet-stream"
HOST = "http://a.test"
TWICE = ("/news", "/feed/", "/a.pdf", "/download?id=7")  # of two alike, that which comes first is the original


def web(*more: Site) -> Web:
    links = ["/a.pdf", "/b.docx", "/c.pdf", "/locked.pdf", "/login.pdf", "/news", "/d.zip", "/download?id=7"]
    feed = made_feed("News", HOST, [Entry("Perovskite news", f"{HOST}/entry", "solar cells of perovskite")])
    head = '<link rel="alternate" type="application/rss+xml" href="/feed/"><link rel=alternate hreflang=de href=/de>'
    return Web.of(
        Site("a.test", {
            "/": page("start", "solar", links, head),
            "/a.pdf": Resource(made_pdf("A paper", SOLAR), "application/pdf"),
            "/b.docx": Resource(made_docx("Minutes", BREAD), FILE),
            "/c.pdf": Resource(b"<!doctype html><title>Moved</title><p>The paper is elsewhere", "application/pdf"),
            "/locked.pdf": Resource(encrypted_pdf(), "application/pdf"),
            "/login.pdf": Resource(b"\x00\x01 nothing of the kind", "application/pdf"),
            "/news": Resource(feed, "text/xml"),
            "/feed/": Resource(feed.replace(b"News", b"Feed"), "application/rss+xml"),
            "/d.zip": Resource(b"PK", "application/zip"),
            "/download?id=7": Resource(made_pdf("Nameless", SOLAR), "text/html"),
            "/behind": page("behind", "solar", []),
            "/entry": page("entry", "solar", []),
            "/kept": Resource(made_pdf("Secret", SOLAR), "application/pdf", headers=(("X-Robots-Tag", "noindex"),)),
        }),
        *more,
    )  # fmt: skip


def pages_of(folder: Path, urls: set[str]) -> dict[str, PageView]:
    with CrawlReader(folder) as crawl:
        return {url: view for url in urls if (view := crawl.page(f"{HOST}{url}")) is not None}


def crawled(folder: Path, **changes: object) -> tuple[dict[str, PageView], set[str]]:
    """The pages of a crawl by their paths, and what it asked for."""
    with in_thread(web()) as server:
        topic = topic_for(server.address, [f"{HOST}/", f"{HOST}/kept"], **changes)
        asyncio.run(crawl_all(topic, folder))
        asked = {hit.url.removeprefix(HOST) for hit in server.log}
    return pages_of(folder, asked), asked


def told(pages: dict[str, PageView]) -> dict[str, tuple[str, str, str, str, bool | None]]:
    return {
        url: (view.outcome, view.reason, view.kind, view.title, view.relevant)
        for url, view in pages.items()
        if url not in ("/", "/robots.txt", "/behind", "/entry", *TWICE)
    }


@pytest.mark.parametrize("workers", [0, 1])
def test_each_ends_as_what_it_is(tmp_path: Path, workers: int) -> None:
    pages, asked = crawled(tmp_path / "crawl", workers=workers)
    assert told(pages) == {
        "/b.docx": ("fetched", "", "docx", "Minutes", False),
        "/c.pdf": ("fetched", "", "html", "Moved", False),
        "/locked.pdf": ("failed", "document: it is encrypted", "", "", None),
        "/login.pdf": ("refused", "content-type application/pdf, in truth application/octet-stream", "", "", None),
        "/kept": ("fetched", "noindex", "pdf", "Secret", None),
    }
    assert {pages[url].kind for url in TWICE} == {"pdf", "feed"}
    assert (pages["/a.pdf"].n_parts, pages["/a.pdf"].n_links, pages["/a.pdf"].language) == (1, 1, "en")
    assert {"/behind", "/entry"} <= asked  # a PDF, and a feed, lead on
    assert "/d.zip" not in asked
    with CrawlReader(tmp_path / "crawl") as crawl:
        assert [event.detail for event in crawl.events() if event.kind == "page lost"] == []


def test_none_is_asked_for_where_they_are_not_wanted(tmp_path: Path) -> None:
    pages, asked = crawled(tmp_path / "crawl", scope=Scope(documents=False))
    assert asked == {"/", "/robots.txt", "/news", "/download?id=7", "/kept"}
    assert pages["/news"].reason == "content-type text/xml"
    assert pages["/download?id=7"].reason == "content-type text/html, in truth application/pdf"


def test_content_types_decide_alone(tmp_path: Path) -> None:
    pages, asked = crawled(tmp_path / "crawl", scope=Scope(content_types=("text/html", "application/pdf")))
    assert {"/a.pdf", "/c.pdf"} <= asked
    assert not {"/b.docx", "/feed/"} & asked
    assert pages["/news"].reason == "content-type text/xml"


def test_a_head_tells_a_document_too(tmp_path: Path) -> None:
    pages, _ = crawled(tmp_path / "crawl", cost=Cost(head=True))
    assert (pages["/a.pdf"].kind, pages["/b.docx"].kind, pages["/news"].kind) == ("pdf", "docx", "feed")


def test_the_archive_has_them_as_they_came_for_whoever_reads_them_again(tmp_path: Path) -> None:
    pages, _ = crawled(tmp_path / "crawl")
    corpus = open_corpus(tmp_path / "crawl", jobs=1)
    number = corpus.number(f"{HOST}/a.pdf")
    assert number is not None
    assert corpus.response(number).body == made_pdf("A paper", SOLAR)
    assert corpus.pages.is_page()[number]
    assert (corpus.pages.content(number).kind, corpus.pages.content(number).n_parts) == ("pdf", 1)
    view = pages["/a.pdf"]
    place = PagePlace(view.url, view.final_url, view.warc_file, view.warc_offset)
    assert "perovskite solar cells reach high efficiency" in (ArchivedPages(tmp_path / "crawl").text(place) or "")


def test_the_end_of_the_reader_costs_one_pdf_and_no_worker(tmp_path: Path) -> None:
    bad = Resource(packed_pdf(), "application/pdf")
    site = adding(chain("a.test", 4), bad_pdf=bad, good_pdf=Resource(made_pdf("Good", SOLAR), "application/pdf"))
    site = adding(site, start=page("start", "solar", ["/bad.pdf", "/good.pdf", "/0"]))
    with in_thread(Web.of(site)) as server:
        topic = topic_for(server.address, [f"{HOST}/start"], workers=1)
        assert asyncio.run(crawl_all(topic, tmp_path / "crawl")).kind == "empty"
    pages = pages_of(tmp_path / "crawl", {"/bad.pdf", "/good.pdf", "/3"})
    assert pages["/bad.pdf"].outcome == "failed"
    assert pages["/bad.pdf"].reason.startswith("document: ")
    assert pages["/good.pdf"].title == "Good"
    assert pages["/3"].outcome == "fetched"
    with CrawlReader(tmp_path / "crawl") as crawl:
        assert "worker" not in " ".join(event.kind for event in crawl.events())


class Subtitles:
    types = ("application/x-subrip", "application/pdf")

    def convert(self, body: bytes, content_type: str) -> Converted:
        if body.startswith(b"%PDF"):
            raise RuntimeError("not my kind")
        return Converted(body.decode(), "A film", (("/behind", "solar"), ("/entry", "elsewhere")), "en", 2)


def test_a_converter_of_a_package_joins_in_and_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added = Added(dict.fromkeys(Subtitles.types, Subtitles()), ("the converter x cannot be used",))
    monkeypatch.setattr(converters, "added_converters", lambda: added)
    monkeypatch.setattr("dowse.parse.documents.added_converters", lambda: added)
    said = Resource(f"{WORDS['solar']}\nabout perovskite solar cells\n".encode(), "application/x-subrip")
    site = adding(web().sites["a.test"], film_srt=said, more=page("more", "solar", ["/film.srt", "/a.pdf"]))
    with in_thread(Web.of(site)) as server:
        asyncio.run(crawl_all(topic_for(server.address, [f"{HOST}/more"]), tmp_path / "crawl"))
    pages = pages_of(tmp_path / "crawl", {"/film.srt", "/a.pdf", "/behind", "/entry"})
    film = pages["/film.srt"]
    assert (film.kind, film.title, film.language, film.n_parts, film.n_links) == ("x-subrip", "A film", "en", 2, 2)
    assert film.relevant
    assert pages["/a.pdf"].reason == "document: RuntimeError: not my kind"
    assert {"/behind", "/entry"} <= set(pages)


def test_a_topic_that_is_at_odds_with_itself_says_so() -> None:
    with pytest.raises(TopicError, match=r"scope\.content_types: has application/pdf, and documents = false"):
        check_topic(Topic(query="x", scope=Scope(documents=False, content_types=("text/html", "application/pdf"))))
