"""Documents that are no web pages, read into what HTML becomes: a :class:`~dowse.parse.document.Document`.

::

    bytes ─ sniffed (model/sniffing) ─► kind ─ its reader ─► Writer: lines, links, outline ─► Document
                                          │
                                          ├─ pdf: a process of its own
                                          ├─ docx pptx xlsx odt odp ods epub: Package (ZIP) ─ events (XML)
                                          ├─ feed, markdown
                                          └─ a converter that a package adds

One module reads one format. A reader gets the bytes and a :class:`Writer`. It raises :class:`Unreadable` for what
cannot be read, and stops where the writer has :class:`Enough`. Limits are those of :mod:`writer`, :mod:`package` and
:mod:`pdf_process`. Nothing here raises for a fault of a document: :func:`read_document` gives one that says what was
wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable

from dowse.model.converters import added_converters
from dowse.model.document_kinds import kind_of
from dowse.model.plugin_ports import Converted, Converter
from dowse.parse.document import Document
from dowse.parse.documents.docx import read_docx
from dowse.parse.documents.epub import read_epub
from dowse.parse.documents.feeds import read_feed
from dowse.parse.documents.markdown import read_markdown
from dowse.parse.documents.odf import read_odf
from dowse.parse.documents.pdf import read_pdf
from dowse.parse.documents.pptx import read_pptx
from dowse.parse.documents.writer import Enough, Unreadable, Writer
from dowse.parse.documents.xlsx import read_xlsx

__all__ = ["READERS", "Read", "Unreadable", "read_document", "reader_of"]

Read = Callable[[bytes, Writer], None]
READERS: dict[str, Read] = {
    "pdf": read_pdf,
    "feed": read_feed,
    "markdown": read_markdown,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "odt": read_odf,
    "odp": read_odf,
    "ods": read_odf,
    "epub": read_epub,
}
"""kind -> what reads it"""
_LONGEST_FAULT = 200


def reader_of(media: str) -> tuple[str, Read] | None:
    """The kind of a media type, and what reads it; None for pages, and for what nobody reads. Who adds a converter for
    a type that Dowse reads as well means it to be used."""
    kind = kind_of(media)
    added = added_converters().by_type.get(media)
    if added is not None:
        return kind or media.rpartition("/")[2], _converting(added, media)
    return (kind, READERS[kind]) if kind else None


def read_document(
    body: bytes, kind: str, read: Read, *, url: str, noindex: bool = False, nofollow: bool = False
) -> Document:
    """What a document says. One that cannot be read has a ``fault`` and no text."""
    writer = Writer()
    try:
        read(body, writer)
    except Enough:
        pass
    except Unreadable as fault:
        told = " ".join(str(fault).split())[:_LONGEST_FAULT]
        return Document(url, kind=kind, fault=told, noindex=noindex, nofollow=nofollow)
    return writer.document(url, kind, noindex=noindex, nofollow=nofollow)


def _converting(converter: Converter, media: str) -> Read:
    """Reads by what a package adds."""

    def read(body: bytes, writer: Writer) -> None:
        try:
            found = converter.convert(body, media)
        except Exception as error:  # somebody else's code: what it cannot read, whatever it raises
            raise Unreadable(f"{type(error).__name__}: {error}") from error
        if not isinstance(found, Converted):
            raise Unreadable(f"{type(converter).__name__} gave no Converted")
        writer.title, writer.language, writer.parts = found.title, found.language, found.parts
        rest = dict(enumerate(found.links))
        for line in found.text.split("\n"):
            here = [number for number, (_, anchor) in rest.items() if anchor and anchor in line]
            writer.line(line, [rest.pop(number) for number in here])
        for target, anchor in rest.values():
            writer.line(anchor, [(target, anchor)])

    return read
