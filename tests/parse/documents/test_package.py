"""ZIP files from strangers: limits, encryption, damage; and books, which are made of pages."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from random import Random

import pytest

from dowse.loopback.hostile.papers import entity_docx, zip_bomb
from dowse.loopback.paper import Section, made_docx, zipped
from dowse.parse import block_starts, parse_page
from dowse.parse.documents import package as module
from dowse.parse.documents.package import Package
from dowse.parse.documents.writer import MOST_CHARACTERS, Unreadable

FILE = "application/octet-stream"
DAMAGED = "it is damaged, or only a part of it came"
EPUB = "application/epub+zip"
CONTAINER = "<container xmlns='c'><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>"
OPF = (
    "<package xmlns='p' xmlns:dc='d'><metadata><dc:title>A book</dc:title><dc:language>fr</dc:language></metadata>"
    "<manifest><item id='c2' href='two%20b.xhtml' media-type='application/xhtml+xml'/>"
    "<item id='c1' href='one.xhtml' media-type='application/xhtml+xml'/>"
    "<item id='pic' href='a.png' media-type='image/png'/></manifest>"
    "<spine><itemref idref='c1'/><itemref idref='pic'/><itemref idref='c2'/><itemref idref='gone'/></spine></package>"
)
CHAPTER = (
    "<?xml version='1.0' encoding='utf-8'?><html xmlns='x'><head><title>t</title><script src='a'/></head><body>"
    "<h1>{0}</h1><p>Un <em>mot</em> <a href='http://a.test/{0}'>dehors</a> <a href='two.xhtml'>dedans</a></p></body>"
    "</html>"
)


def book(more: Mapping[str, str | bytes] = {}) -> bytes:
    return zipped({
        "mimetype": EPUB, "META-INF/container.xml": CONTAINER, "OEBPS/book.opf": OPF,
        "OEBPS/one.xhtml": CHAPTER.format("Eins"), "OEBPS/two b.xhtml": CHAPTER.format("Zwei"), **more,
    }, first="mimetype")  # fmt: skip


def test_a_book_is_read_in_its_order() -> None:
    document = parse_page(book(), url="http://a.test/book", content_type=FILE)
    assert (document.kind, document.title, document.lang, document.parts) == ("epub", "A book", "fr", 2)
    assert document.text.split("\n") == ["Eins", "Un mot dehors dedans", "Zwei", "Un mot dehors dedans"]
    assert [(link.href, link.anchor, link.paragraph) for link in document.links] == [
        ("http://a.test/Eins", "dehors", 2), ("http://a.test/Zwei", "dehors", 4),
    ]  # fmt: skip
    assert document.outline.headings() == [1, 3]
    assert block_starts(document) == [1, 3]
    assert document.outline.path_names(document.links[1].element) == "section/body/p"


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"META-INF/encryption.xml": "<e><EncryptionMethod Algorithm='x'/></e>".replace("'", '"')}, "it is encrypted"),
        ({"META-INF/container.xml": "<c/>"}, "it has no description of what is in it"),
        ({"OEBPS/book.opf": "<p><spine/></p>"}, "it names no chapters"),
        ({"OEBPS/one.xhtml": "", "OEBPS/two b.xhtml": ""}, "its chapters cannot be read"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(more: Mapping[str, str], fault: str) -> None:
    assert parse_page(book(more), url="http://a.test/", content_type=EPUB).fault == fault


def test_fonts_may_be_garbled() -> None:
    garbled = '<e><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></e>'
    assert not parse_page(book({"META-INF/encryption.xml": garbled}), url="http://a.test/", content_type=EPUB).fault


def read(body: bytes, name: str) -> bytes:
    return Package(body).read(name)


def test_what_is_in_it_is_read_and_what_is_not_is_empty() -> None:
    body = zipped({"a": b"one", "b/c": b"two" * 10_000})
    assert (read(body, "a"), read(body, "b/c"), read(body, "d")) == (b"one", b"two" * 10_000, b"")


def test_limits_hold_for_all_files_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXPANDED", 2_500_000)
    package = Package(zipped({name: Random(name).randbytes(1_024_000) for name in "abc"}))
    assert len(package.read("a")) == len(package.read("b")) == 1_024_000
    with pytest.raises(Unreadable, match="unpacks to more than 2 MB"):
        package.read("c")


@pytest.mark.parametrize(
    ("body", "name", "fault"),
    [
        (zipped({"a": bytes(5_000_000)}), "a", "a unpacks to more than 200 times its size"),
        (zipped({"a": b"text" * 99})[:-9], "a", DAMAGED),
        (b"PK\x03\x04", "a", DAMAGED),
        (zipped({"a": b"text" * 99}).replace(b"PK\x01\x02", b"PK\x01\x03"), "a", DAMAGED),
        (zipped({str(n): b"" for n in range(10_001)}), "1", "there are more than 10,000 files in it"),
    ],
)  # fmt: skip
def test_what_is_too_much_or_too_little_is_refused(body: bytes, name: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read(body, name)
    assert str(error.value) == fault


def test_damage_inside_and_encryption_are_told() -> None:
    body = bytearray(zipped({"a": b"some text, " * 99}))
    at = body.index(b"a", 26) + 1
    body[at : at + 4] = b"\xff\xff\xff\xff"
    with pytest.raises(Unreadable, match="it is damaged: a cannot be unpacked"):
        read(bytes(body), "a")
    locked = bytearray(zipped({"a": b"secret"}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="it is encrypted"):
        read(bytes(locked), "a")


def test_other_ways_to_pack_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as package:
        package.writestr("a", "text")
    with pytest.raises(Unreadable, match="packed in a way that is not read"):
        read(out.getvalue(), "a")


def test_bombs_say_what_they_are() -> None:
    for body, fault in (
        (zip_bomb(), "word/document.xml unpacks to more than 200 times its size"),
        (entity_docx(), "word/document.xml is refused: it declares an XML entity"),
    ):
        assert parse_page(body, url="http://a.test/", content_type=FILE).fault == fault


def test_deep_and_endless_xml_is_refused() -> None:
    noise = Random(1).randbytes(60_000).hex().encode()  # so that it is no bomb
    deep = b"<a>" + noise + b"<a>" * 300
    wide = b"<a>" + noise + b"<b/>" * 3_000_001
    for xml, fault in ((deep, "nested too deeply"), (wide, "more than 3,000,000 elements")):
        body = zipped({"word/document.xml": xml})
        assert fault in parse_page(body, url="http://a.test/", content_type=FILE).fault


def test_a_long_text_is_cut() -> None:
    dice = Random(1)
    text = [" ".join(f"w{dice.randrange(10**6)}" for _ in range(20_000)) for _ in range(40)]
    document = parse_page(made_docx("Long", [Section("S", text)]), url="http://a.test/", content_type=FILE)
    assert not document.fault
    assert 0.95 * MOST_CHARACTERS < document.text_len < 1.01 * MOST_CHARACTERS


def test_broken_xml_gives_what_stands_before_the_break() -> None:
    parts = {"word/document.xml": "<w:d xmlns:w='w'><w:p><w:t>before</w:t></w:p><w:p><w:t>aft</w:x>"}
    assert parse_page(zipped(parts), url="http://a.test/", content_type=FILE).text == "before"
    nothing = parse_page(zipped({"word/document.xml": "<w:d"}), url="http://a.test/", content_type=FILE)
    assert nothing.fault.startswith("its text cannot be read: broken XML")
