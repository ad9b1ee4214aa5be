"""Small corpora for the tests, written by warcio as other tools write them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from dowse.loopback.demo import demo_web
from dowse.loopback.paper import Entry, Section, made_docx, made_feed, made_pdf
from dowse.model.page import Digest
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to record."""

    url: str
    body: bytes = b""
    content_type: str = HTML
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()


def odd_pages() -> Iterator[Page]:
    """Everything a digest can have in it."""
    links = "".join(f"<a href='/n/{n}'>solar page {n}</a> " for n in range(40))
    odd = {
        "article": ARTICLE,
        "cs101": PAGE_1997,
        "frames": FRAMESET,
        "empty": "",
        "words": "<p>" + "solar cells and the perovskite cell efficiency of tandem devices " * 8,
        "many": f"<title>Many</title><p>{links}<a href='/n/3#x'>solar page three, told at length</a>"
        "<a href=mailto:x>m</a>",
        "meta": "<meta name=robots content='noindex, nofollow'><a href=/a>a</a><a href='http://['>b</a>"
        "<meta http-equiv=refresh content='3; url=/after'>",
        "refresh": "<base href='/deep/'><meta http-equiv=refresh content='0; url=after'><link rel=canonical href=x>"
        "<a href=after>solar</a>",
        "refresh2": "<meta http-equiv=refresh content='0; url=https://elsewhere.test/'><a href=/a rel=nofollow>x</a>",
        "bad": f"<a href='http://['>b</a><a href='/{'x' * 9000}'>l</a><a rel=nofollow href='http://['>c</a>"
        "<a href=#>d</a><a href='?sid=1'>s</a><a href='/pic.png'>p</a><a href='/private/1'>q</a>"
        "<a href=/private/1 rel=nofollow>q</a>",
        "tongues": "<html lang=ja><title>太陽電池</title><p>太陽電池の効率について <a href='/日本'>東京都の太陽電池</a>"
        "<p>Солнечные элементы <a href=/ru>элементы</a> cafe\u0301 solar <a href=/n/1></a>"
        "<a href=/i><img alt='solar'></a>",
    }
    for name, html in odd.items():
        yield Page(f"http://odd.test/{name}.html", html.encode())
    yield Page("http://odd.test/latin", "<title>Dürre</title>für Straßen".encode("latin-1"), "text/html")
    yield Page("http://odd.test/tagged", b"<a href=/x>x</a>", headers=(("X-Robots-Tag", "nofollow"),))
    yield Page("http://odd.test/plain.txt", b"solar cells\n\nin plain words http://odd.test/", "text/plain")
    yield Page("http://odd.test/none", b"<p>solar <a href=/y>y</a>", "")
    yield Page("http://odd.test/robots.txt", b"User-agent: *\nDisallow: /private", "text/plain")
    solar = [Section("Solar cells", ["of perovskite"], [("/n/1", "solar page"), ("http://x.test/", "elsewhere")])]
    yield Page("http://odd.test/x.pdf", made_pdf("Solar", solar), "application/pdf")
    yield Page("http://odd.test/cut.pdf", b"%PDF-1.4 solar", "application/pdf")
    yield Page("http://odd.test/solar.docx", made_docx("Cells", solar), "application/octet-stream")
    yield Page("http://odd.test/feed/", made_feed("Solar", "/", [Entry("solar page", "/n/2", "cells")]), "text/xml")
    yield Page("http://odd.test/sitemap", b"<?xml version='1.0'?><urlset></urlset>", "text/xml")
    yield Page("http://odd.test/in-disguise", b"\x89PNG\r\n\x1a\n....", "text/html")
    fed = "<link rel=alternate type=application/rss+xml href=/feed/><link rel=alternate type=text/html href=/de>"
    yield Page("http://odd.test/fed", f"<title>Fed</title>{fed}<a href=/n/1>solar page one</a>".encode())
    yield Page("http://odd.test/old", status="301 Moved", headers=(("Location", "/article.html"),))
    yield Page("http://odd.test/lost", b"<a href=/y>lost</a>", status="404 Not Found")
    packed = gzip.compress(b"<title>Packed</title><a href=/article.html>solar article</a>")
    yield Page("http://odd.test/packed", packed, headers=(("Content-Encoding", "gzip"),))


def demo_pages(count: int) -> Iterator[Page]:
    """Pages of the demo's web."""
    fixed = ((url, page) for url, page in demo_web().fixed() if page.status == 200)
    for (url, resource), _ in zip(fixed, range(count), strict=False):
        yield Page(url, resource.body, resource.content_type or "")


def write_warc(path: Path, pages: Iterable[Page], *, compress: bool = True) -> Path:
    """Record pages as warcio does, each with its request."""
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=compress)
        write_record(writer, writer.create_warcinfo_record(path.name, {"software": "test"}))
        for page in pages:
            head = [("Content-Type", page.content_type)] if page.content_type else []
            http = StatusAndHeaders(page.status, [*head, *page.headers], "HTTP/1.1")
            body = BytesIO(page.body)
            record = writer.create_warc_record(page.url, "response", body, len(page.body), http_headers=http)
            write_record(writer, record)
            asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "odd.test")], is_http_request=True)
            write_record(writer, writer.create_warc_record(page.url, "request", http_headers=asked))
    return path


def write_record(writer: Any, record: Any) -> None:
    """Write, and close the temporary files that warcio leaves to the collector."""
    first = record.raw_stream
    writer.write_record(record)
    for stream in (first, record.raw_stream):
        stream.close()


def as_one_member(path: Path) -> None:
    """Rewrite a compressed file as a single gzip member, as ``gzip`` would make it."""
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))


def differences(one: Digest, other: Digest) -> list[str]:
    """The names of what differs between two digests, times left out."""
    found = []
    for name in (field.name for field in fields(Digest)):
        mine, theirs = getattr(one, name), getattr(other, name)
        if name == "links":
            found += [f"links.{column.name}" for column in fields(mine)
                      if not _same(getattr(mine, column.name), getattr(theirs, column.name))]  # fmt: skip
        elif name not in ("parse_s", "judge_s") and not _same(mine, theirs):
            found.append(name)
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
    return bool(one == other)
