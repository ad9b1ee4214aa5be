"""What a body is, whatever it was declared as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.loopback.paper import Section, made_docx, made_feed, made_pdf, zipped
from dowse.model.document_kinds import DOCUMENT_TYPES, KINDS, kind_of
from dowse.model.sniffing import true_type

RSS, ATOM, RDF = "application/rss+xml", "application/atom+xml", "application/rdf+xml"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT, EPUB = "application/vnd.oasis.opendocument.text", "application/epub+zip"
FILE = "application/octet-stream"


@pytest.mark.parametrize(
    ("declared", "body", "expected"),
    [
        ("text/html", b"%PDF-1.7\n", "application/pdf"),
        ("", b"%PDF-1.7\n", "application/pdf"),
        ("application/pdf", b"%PDF-1.7\n", "application/pdf"),
        (FILE, b"\x00junk in front\n%PDF-1.4\n1 0 obj", "application/pdf"),
        ("application/pdf", b"\xef\xbb\xbf\n%PDF-1.4", "application/pdf"),
        ("text/html", b"a header of somebody's\n%PDF-1.4\n1 0 obj", "application/pdf"),
        ("application/pdf", b"Not found.", FILE),
        ("application/pdf", b" " * 2000 + b"%PDF-1.4", FILE),
        ("application/pdf", b"<!doctype html><p>Sign in", "text/html"),
        (f"{DOCX}; charset=binary", b"\n<html><p>Sign in", "text/html"),
        (FILE, b"\x7fELF....", FILE),
        ("Text/HTML", b"\x89PNG\r\n\x1a\n....", "image/png"),
        ("text/plain", b"PK\x03\x04....", "application/zip"),
        ("application/xhtml+xml", b"\x1f\x8b\x08....", "application/gzip"),
        (DOCX, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", "application/x-ole-storage"),
        (ODT, b"PK\x03\x04....", ODT),  # it was cut: whoever reads it will say so
        ("text/html", b"<!doctype html>", "text/html"),
        ("text/html; charset=utf-8", b" %PDF-1.7 is how a PDF begins", "text/html"),
        ("text/html", b"%PD", "text/html"),
        ("text/html", b"GIF pictures", "text/html"),
        ("text/html", b"", "text/html"),
        ("application/pdf", b"", "application/pdf"),
        ("", b"plain words", ""),
        ("text/plain", b"<html> is how it begins", "text/plain"),
        ("text/markdown", b"# Title", "text/markdown"),
        ("image/svg+xml", b"<svg>", "image/svg+xml"),
        ("text/xml", b'<?xml version="1.0"?>\n<!-- a feed -->\n<rss version="2.0">', RSS),
        ("text/html", b"\xef\xbb\xbf<rss>", RSS),
        ("application/xml", b'<?xml version="1.0"?><?xml-stylesheet href="a.css"?><feed xmlns="x">', ATOM),
        ("application/xml", b"<atom:feed>", ATOM),
        ("text/xml", b'<rdf:RDF xmlns="http://purl.org/rss/1.0/">', RDF),
        ("text/xml", b'<rdf:RDF xmlns="http://xmlns.com/foaf/0.1/">', "application/xml"),
        ("text/xml", b'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "b">]><rss>', RSS),
        ("application/xml", b"<?xml version='1.0'?><urlset>", "application/xml"),
        (RSS, b"<?xml version='1.0'?><opml>", "application/xml"),
        ("application/xml", b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='x'>", "text/html"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html xmlns='x'>", "application/xhtml+xml"),
        ("application/json", b'{"version": "https://jsonfeed.org/version/1.1"}', "application/feed+json"),
        ("application/json", b'{"version": 1}', "application/json"),
        (FILE, made_pdf("a", [Section("b")]), "application/pdf"),
        ("application/zip", made_docx("a", [Section("b")]), DOCX),
        ("text/html", made_docx("a", [Section("b")]), DOCX),
        (XLSX, made_docx("a", [Section("b")]), DOCX),
        ("", zipped({"mimetype": ODT, "content.xml": "<a/>"}, first="mimetype"), ODT),
        ("", zipped({"mimetype": f"{ODT}-template", "content.xml": "<a/>"}, first="mimetype"), ODT),
        ("", zipped({"mimetype": EPUB}, first="mimetype"), EPUB),
        (DOCX, zipped({"a.txt": "word/document.xml"}), "application/zip"),
        ("text/html", made_feed("a", "http://a.test/", []), RSS),
    ],
)  # fmt: skip
def test_a_body_is_what_it_begins_like(declared: str, body: bytes, expected: str) -> None:
    assert true_type(declared, body) == expected


def test_every_type_is_of_one_kind() -> None:
    assert len(set(DOCUMENT_TYPES)) == len(DOCUMENT_TYPES)
    assert {kind_of(name) for name in DOCUMENT_TYPES} == {kind.name for kind in KINDS}
    assert all(name == name.lower() for name in DOCUMENT_TYPES)


_PIECES = st.sampled_from([
    b"<", b"<?xml ", b"?>", b"<!--", b"-->", b"<!DOCTYPE", b">", b"]", b"rss", b"feed", b"rdf:RDF", b"html", b" ",
    b"PK\x03\x04", b"PK\x05\x06", b"mimetype", b"%PDF-", b"{", b"jsonfeed.org/version", b"\xff", b"a",
])  # fmt: skip


@given(st.sampled_from(["", "text/html", "text/xml", FILE, *DOCUMENT_TYPES]), st.lists(_PIECES, max_size=40))
def test_no_body_is_too_odd(declared: str, pieces: list[bytes]) -> None:
    found = true_type(declared, b"".join(pieces))
    assert found == found.lower()


def test_many_comments_take_no_time() -> None:
    """Comments in front of no root: each of them is tried in one way only."""
    assert true_type("text/xml", b"<!-- a --><!x>" * 280 + b"<") == "application/xml"
