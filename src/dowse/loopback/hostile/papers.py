"""Documents that are damaged, encrypted, endless, or that unpack to more than anybody has."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from io import BytesIO

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import Visit, document, head, prose
from dowse.loopback.paper import Section, made_docx, made_feed, made_pdf, zipped

__all__ = ["TRIALS", "deep_pdf", "encrypted_pdf", "endless_pdf", "entity_docx", "packed_pdf", "zip_bomb"]

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
_BOMB_MEGABYTES = 100
_LEVELS = 20_000


def _sections(name: str) -> list[Section]:
    return [Section(name, [prose(name)])]


def _parts(title: str) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(made_docx(title, _sections(title)))) as package:
        return {name: package.read(name) for name in package.namelist()}


@cache
def zip_bomb() -> bytes:
    """A Word file whose text is 100 MB of blanks, in 100 KB."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in _parts("zip-bomb").items():
            if name != "word/document.xml":
                package.writestr(name, content)
        with package.open("word/document.xml", "w") as text:
            text.write(b"<w:document xmlns:w='w'><w:body>")
            for _ in range(_BOMB_MEGABYTES):
                text.write(b" " * 1_000_000)
    return out.getvalue()


def entity_docx() -> bytes:
    """A Word file whose text is a billion laughs."""
    lines = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    text = f"<!DOCTYPE d [{''.join(lines)}]><w:document xmlns:w='w'><w:p><w:t>&a9;</w:t></w:p></w:document>"
    return zipped(_parts("docx-entities") | {"word/document.xml": text.encode()})


def _nested_zip() -> bytes:
    """A Word file that holds itself, packed, again and again."""
    body = made_docx("docx-in-docx", _sections("docx-in-docx"))
    for _ in range(20):
        body = zipped(_parts("docx-in-docx") | {"word/embeddings/again.docx": body})
    return body


def _many_files() -> bytes:
    parts = _parts("docx-many-files") | {f"word/media/{number}.bin": b"" for number in range(20_000)}
    return zipped(parts)


def endless_pdf() -> bytes:
    """A PDF that says it has a billion pages, and whose tree of pages leads back to itself."""
    body = made_pdf("endless-pdf", _sections("endless-pdf"))
    return body.replace(b"/Type /Pages /Count 1 /Kids [5 0 R]", b"/Type /Pages /Count 1000000000 /Kids [5 0 R 2 0 R]")


def deep_pdf() -> bytes:
    """A PDF with its only page 20,000 levels below the root of its tree."""
    levels = b"".join(
        b"%d 0 obj\n<< /Type /Pages /Count 1 /Kids [%d 0 R] >>\nendobj\n" % (number, number + 1)
        for number in range(10, 10 + _LEVELS)
    )
    page = b"%d 0 obj\n<< /Type /Page /MediaBox [0 0 9 9] >>\nendobj\n" % (10 + _LEVELS)
    catalog = b"1 0 obj\n<< /Type /Catalog /Pages 10 0 R >>\nendobj\n"
    return b"%PDF-1.4\n" + catalog + levels + page + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def packed_pdf() -> bytes:
    """A PDF whose only page unpacks to 800 MB of text."""
    # after a full flush nothing refers back, so the block can stand after itself
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b"(perovskite) Tj T* " * 50_000) + packer.flush(zlib.Z_FULL_FLUSH)
    begin = packer.compress(b"BT /F1 9 Tf ") + packer.flush(zlib.Z_FULL_FLUSH)
    stream = b"\x78\xda" + begin + block * 850 + packer.flush()
    body = made_pdf("packed-pdf", [Section("x")])
    start, end = body.index(b"<< /Length"), body.index(b"endstream") + len(b"endstream")
    content = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(stream), stream)
    return body[:start] + content + body[end:]


def encrypted_pdf() -> bytes:
    """A PDF that asks for a password."""
    body = made_pdf("encrypted-pdf", _sections("encrypted-pdf"))
    secret = b"<" + b"41" * 32 + b">"
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O %b /U %b /P -4 >> /ID [<00> <00>]" % (secret, secret)
    return body.replace(b"trailer\n<<", b"trailer\n<< " + lock)


def _damaged_pdf() -> bytes:
    """Its first half: the table of objects, and what stands behind, is missing."""
    body = made_pdf("damaged-pdf", _sections("damaged-pdf") * 40)
    return body[: len(body) * 6 // 10]


def _hollow_pdf() -> bytes:
    return b"%PDF-1.7\n" + bytes(range(128, 256)) * 100


def _locked_odt() -> bytes:
    manifest = "<manifest><file-entry full-path='content.xml'><encryption-data/></file-entry></manifest>"
    parts: dict[str, str | bytes] = {"mimetype": ODT, "content.xml": b"\x9e" * 500, "META-INF/manifest.xml": manifest}
    return zipped(parts, first="mimetype")


def _sends(make: Callable[[], bytes], content_type: str) -> Answer:
    async def answer(visit: Visit) -> None:
        await visit.reply(make(), content_type=content_type)

    return answer


async def _feed_without_end(visit: Visit) -> None:
    """Entries as long as anybody listens. Their links lead nowhere."""
    feed = made_feed("endless-feed", "mailto:nobody@example.org", [], about=prose("endless-feed"))
    await visit.send(head("Content-Type: application/rss+xml"), feed.partition(b"</channel>")[0])
    entry = f"<item><title>{prose('endless')}</title><link>mailto:nobody@example.org</link></item>\n".encode()
    while True:
        await visit.send(entry * 100)


def _trial(
    name: str, does: str, answer: Answer, outcome: str, reason: str = "", cut: str = "", title: str = ""
) -> Trial:
    end = End(f"http://{name}.{DOMAIN}/", outcome, reason, cut, {"title": title} if title else {})
    return Trial(name, "documents", does, answer, (end,))


TRIALS = (
    _trial("zip-bomb", "A Word file whose text unpacks to 100 MB.", _sends(zip_bomb, DOCX), "failed",
           "document: word/document.xml unpacks to more than *"),
    _trial("docx-entities", "A Word file with an XML entity bomb in it.", _sends(entity_docx, DOCX), "failed",
           "document: word/document.xml is refused: it declares an XML entity"),
    _trial("docx-in-docx", "A Word file in a Word file, twenty times.", _sends(_nested_zip, DOCX), "fetched",
           title="docx-in-docx"),
    _trial("docx-many-files", "A Word file with 20,000 empty files in it.", _sends(_many_files, DOCX), "failed",
           "document: there are more than 10,000 files in it"),
    _trial("docx-in-half", "The first half of a Word file.",
           _sends(lambda: made_docx("half", _sections("half"))[:700], DOCX), "failed",
           "document: it is damaged, or only a part of it came"),
    _trial("odt-encrypted", "An OpenDocument text that asks for a password.", _sends(_locked_odt, ODT), "failed",
           "document: it is encrypted"),
    _trial("endless-pdf", "A PDF of a billion pages, as it says, whose pages lead in a circle.",
           _sends(endless_pdf, PDF), "fetched", title="endless-pdf"),
    _trial("deep-pdf", "A PDF with its only page 20,000 levels deep.", _sends(deep_pdf, PDF), "failed",
           "document: its pages cannot be read"),
    _trial("packed-pdf", "A PDF with a page of 800 MB in 2 MB.", _sends(packed_pdf, PDF), "failed",
           "document: *"),
    _trial("encrypted-pdf", "A PDF that asks for a password.", _sends(encrypted_pdf, PDF), "failed",
           "document: it is encrypted*"),
    _trial("damaged-pdf", "The first part of a PDF, without its table of objects.", _sends(_damaged_pdf, PDF),
           "failed", "document: it is damaged, or no PDF"),
    _trial("hollow-pdf", "Noise that begins like a PDF.", _sends(_hollow_pdf, PDF), "failed",
           "document: it is damaged, or no PDF"),
    _trial("endless-feed", "A feed without end.", _feed_without_end, "fetched", cut="length|time",
           title="endless-feed"),
    _trial("html-for-docx", "A page that asks to sign in, sent as a Word file.",
           _sends(lambda: document("html-for-docx"), DOCX), "fetched", title="html-for-docx"),
)  # fmt: skip
