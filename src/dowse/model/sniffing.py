"""What a body is in truth: by its first bytes, and only where these say nothing, by what it was declared as.

Signatures are those of the WHATWG MIME Sniffing Standard, sections 6.1, 6.2.1 and 7.1, where it has them. A ZIP file is
told by its table of contents, XML by its root. For a web page that is what it says all this is two comparisons.
"""

from __future__ import annotations

import re

from dowse.model.document_kinds import DOCUMENT_TYPES, HTML_TYPES, PAGE_TYPES, kind_of, media_type

__all__ = ["NO_TEXT", "true_type"]

_ZIP, _OLE, _PDF, _XML = "application/zip", "application/x-ole-storage", "application/pdf", "application/xml"
_SIGNATURES = (
    (b"%PDF-", _PDF),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"PK\x03\x04", _ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _OLE),  # Word, Excel and PowerPoint before 2007, or encrypted since
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"OggS\x00", "application/ogg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
)
_BEGINNINGS = tuple(signature for signature, _ in _SIGNATURES)
_FILES = ("application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download")
_MAY_BE_PAGES = ("text/", "application/xhtml+xml", "application/xml")
NO_TEXT = frozenset((*(kind for _, kind in _SIGNATURES), _FILES[0]))
"""What is no text: documents among them, which are read, and what nobody reads."""
_BLANK = b"\xef\xbb\xbf \t\r\n\f"
_HEAD = 1_024  # bytes in which a PDF may begin, as its readers have it
_PROLOGUE = 4_096  # and a root is looked for
# what may stand before the root, each part for good: no part is a beginning of another
_ROOT = re.compile(
    rb"(?:[\s\]>]++|<\?[^>]*+>|<!--(?>.*?-->)|<!(?!--)[^>]*+>)*+<([A-Za-z_][\w.:-]*+)([^>]*+)", re.DOTALL
)
_ROOTS = {b"rss": "application/rss+xml", b"feed": "application/atom+xml", b"html": "text/html"}
_RSS_1 = b"http://purl.org/rss/"
_USUAL = (b"<!doctype html", b"<!DOCTYPE html", b"<!DOCTYPE HTML", b"<html", b"<HTML", b"\n<!doctype html")
_XML_STARTS = (
    b"<?xml", b"<rss", b"<feed", b"<rdf", b"<!--", b"<atom:feed", b"<!doctype rs", b"<!doctype fe", b"<!doctype rd",
)  # fmt: skip
_JSON_FEED = b"jsonfeed.org/version"
_DIRECTORY = b"PK\x01\x02"
_END_OF_ZIP = b"PK\x05\x06"
_MAIN_PARTS = (
    (b"word/document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"ppt/presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"xl/workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
)
_MIMETYPE = re.compile(rb"PK\x03\x04.{22}\x08\x00..mimetype", re.DOTALL)


def true_type(declared: str, body: bytes) -> str:
    """The media type of a body that was declared as this; "" for one that was declared as nothing and looks like
    nothing else, which is as good as HTML. What is declared as a document, a page in disguise or a nameless file and is
    nothing of the kind is ``application/octet-stream``.

    >>> true_type("text/html", b"%PDF-1.7 ..."), true_type("application/pdf", b"<!doctype html><p>Sign in")
    ('application/pdf', 'text/html')
    >>> true_type("text/xml; charset=utf-8", b"<?xml version='1.0'?><rss version='2.0'>")
    'application/rss+xml'
    """
    if body.startswith(_USUAL) and declared.startswith("text/html"):
        return "text/html"  # as nearly always
    media = media_type(declared)
    if not body:
        return media
    if body.startswith(_BEGINNINGS):
        return _of_signature(media, body)
    start = body[:_PROLOGUE].lstrip(_BLANK)
    if start.startswith(b"<"):
        return _of_markup(media, start)
    if start.startswith(b"{") and _JSON_FEED in start:
        return "application/feed+json"
    if b"%PDF-" in body[:_HEAD] and (b" obj" in body[:_HEAD] or not media.startswith("text/")):
        return _PDF
    if media in PAGE_TYPES:
        return media
    if kind_of(media) not in ("", "markdown") or media in _FILES:
        return "application/octet-stream"
    return media


def _of_signature(media: str, body: bytes) -> str:
    found = next(kind for signature, kind in _SIGNATURES if body.startswith(signature))
    if found == _ZIP:
        found = _of_zip(media, body)
    known = media in DOCUMENT_TYPES or media in _FILES or media.startswith(_ZIP) or not media
    pages = media.startswith(_MAY_BE_PAGES)
    return found if known or pages or found in (_PDF, _OLE) else media


def _of_zip(media: str, body: bytes) -> str:
    """OpenDocument and EPUB begin with a file that names their type, Office's files are told by what is in them."""
    if _MIMETYPE.match(body):
        size = int.from_bytes(body[22:26], "little")
        named = body[38 : 38 + min(size or 80, 80)]
        for kind in DOCUMENT_TYPES:
            if named.startswith(kind.encode()) and (
                size == len(kind) or not named[len(kind) : len(kind) + 1].isalpha()
            ):
                return kind
    end = body.rfind(_END_OF_ZIP)
    if end < 0:
        return media if kind_of(media) else _ZIP  # it was cut: whoever reads it will say so
    size, start = (int.from_bytes(body[end + at : end + at + 4], "little") for at in (12, 16))
    directory = body[start : start + size]
    if not directory.startswith(_DIRECTORY):
        return media if kind_of(media) else _ZIP
    return next((kind for name, kind in _MAIN_PARTS if name in directory), _ZIP)


def _of_markup(media: str, start: bytes) -> str:
    if start[:12].lower().startswith(_XML_STARTS):
        root = _ROOT.match(start)
        name = root[1].rpartition(b":")[2].lower() if root is not None else b""
        if root is not None and name == b"rdf" and _RSS_1 in root[2]:
            return "application/rdf+xml"
        if name in _ROOTS and not (name == b"html" and media in HTML_TYPES):
            return _ROOTS[name]
        if media.endswith("xml") and media not in HTML_TYPES:
            return _XML  # of some other kind
    if kind_of(media) or media in _FILES:
        return "text/html"  # a page sent as a document: mostly one that asks to sign in
    return media
