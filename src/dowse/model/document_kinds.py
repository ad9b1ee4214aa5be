"""The kinds of documents that are read besides web pages, by what they are called on the web.

Each kind has its media types and the endings of its files. What a body is in truth is told by
:mod:`dowse.model.sniffing`; which types a crawl takes by :mod:`dowse.model.wanted_types`; how each kind is read is in
``parse/documents``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DOCUMENT_TYPES", "FEED_TYPES", "HTML_TYPES", "KINDS", "PAGE_TYPES", "DocumentKind", "kind_of", "media_type"]

HTML_TYPES = ("text/html", "application/xhtml+xml")
PAGE_TYPES = (*HTML_TYPES, "text/plain")
"""What is read whether or not documents are wanted."""
_OFFICE = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document, as the records name it."""

    name: str
    told: str  # for a reader of messages and tables
    types: tuple[str, ...]  # the usual one first
    endings: tuple[str, ...]  # of its files, without the dot


KINDS = (
    DocumentKind("pdf", "PDF", ("application/pdf",), ("pdf",)),
    DocumentKind("feed", "RSS, Atom or JSON feed",
                 ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"),
                 ("rss", "atom", "rdf")),
    DocumentKind("markdown", "Markdown", ("text/markdown", "text/x-markdown"), ("md", "markdown")),
    DocumentKind("docx", "Word", (_OFFICE + "wordprocessingml.document", _OFFICE + "wordprocessingml.template"),
                 ("docx", "dotx")),
    DocumentKind("pptx", "PowerPoint", (_OFFICE + "presentationml.presentation", _OFFICE + "presentationml.slideshow"),
                 ("pptx", "ppsx")),
    DocumentKind("xlsx", "Excel", (_OFFICE + "spreadsheetml.sheet", _OFFICE + "spreadsheetml.template"),
                 ("xlsx", "xltx")),
    DocumentKind("odt", "OpenDocument text", (_ODF + "text",), ("odt", "ott")),
    DocumentKind("odp", "OpenDocument presentation", (_ODF + "presentation",), ("odp",)),
    DocumentKind("ods", "OpenDocument spreadsheet", (_ODF + "spreadsheet",), ("ods",)),
    DocumentKind("epub", "EPUB", ("application/epub+zip",), ("epub",)),
)  # fmt: skip
DOCUMENT_TYPES = tuple(name for kind in KINDS for name in kind.types)
FEED_TYPES = next(kind.types for kind in KINDS if kind.name == "feed")
_KIND_OF = {name: kind.name for kind in KINDS for name in kind.types}


def media_type(content_type: str) -> str:
    """A Content-Type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def kind_of(media: str) -> str:
    """The kind of document that a media type is of; "" for pages and whatever else is none.

    >>> kind_of("application/pdf"), kind_of("text/html")
    ('pdf', '')
    """
    return _KIND_OF.get(media, "")
