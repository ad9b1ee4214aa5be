"""EPUB: the chapters of a book, which are web pages, in the order in which they are read. Links from chapter to chapter
lead nowhere on the web, and are left out."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from urllib.parse import unquote

from dowse.parse.bounds import bounded
from dowse.parse.decode import in_utf8
from dowse.parse.documents.package import Package, nothing
from dowse.parse.documents.writer import Unreadable, Writer
from dowse.parse.html import parse_html

__all__ = ["read_epub"]

_MOST_CHAPTERS = 2_000
_PAGES = ("application/xhtml+xml", "text/html")
_OUTSIDE = re.compile(r"https?:", re.IGNORECASE)
_FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_ALGORITHM = re.compile(rb'EncryptionMethod[^>]*\bAlgorithm="([^"]*)"')


def read_epub(body: bytes, writer: Writer) -> None:
    """Write what a book says."""
    package = Package(body)
    if any(name not in _FONTS for name in _ALGORITHM.findall(package.read("META-INF/encryption.xml"))):
        raise Unreadable("it is encrypted")
    place = _place(package)
    about = package.text_of(place, "title", "language")
    writer.title, writer.language = about.get("title", ""), about.get("language", "")
    chapters = _chapters(package, place)
    if not chapters:
        raise Unreadable("it names no chapters")
    writer.parts = len(chapters)
    for chapter in chapters[:_MOST_CHAPTERS]:
        page, _ = in_utf8(package.read(chapter), "application/xhtml+xml")
        if not page:
            continue
        document = parse_html(bounded(page, xhtml=True), url="http://localhost/")
        outside = [link for link in document.links if _OUTSIDE.match(link.href)]
        writer.begin("section")
        writer.take(replace(document, links=outside))
        writer.end()
    if writer.is_empty:
        raise Unreadable("its chapters cannot be read")


def _place(package: Package) -> str:
    """Where the book's own description lies."""
    found: list[str] = []

    def start(name: str, values: dict[str, str]) -> None:
        if name == "rootfile" and values.get("full-path"):
            found.append(values["full-path"])

    package.events("META-INF/container.xml", start, nothing, nothing)
    if not found or found[0] not in package:
        raise Unreadable("it has no description of what is in it")
    return found[0]


def _chapters(package: Package, place: str) -> list[str]:
    files: dict[str, str] = {}
    order: list[str] = []
    folder = posixpath.dirname(place)

    def start(name: str, values: dict[str, str]) -> None:
        if name == "item" and values.get("media-type", "").lower() in _PAGES:
            target = unquote(values.get("href", "").partition("#")[0])
            files[values.get("id", "")] = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        elif name == "itemref":
            order.append(values.get("idref", ""))

    package.events(place, start, nothing, nothing)
    return list(dict.fromkeys(files[id_] for id_ in order if id_ in files and files[id_] in package))
