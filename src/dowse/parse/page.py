"""The front door of the room: a body of any kind to a :class:`Document`. Its kind is told by its content first."""

from __future__ import annotations

from dowse.model.document_kinds import PAGE_TYPES, media_type
from dowse.model.sniffing import true_type
from dowse.model.words import WordLines
from dowse.parse.bounds import bounded
from dowse.parse.decode import in_utf8
from dowse.parse.document import Document
from dowse.parse.documents import read_document, reader_of
from dowse.parse.head import directives
from dowse.parse.html import parse_html

__all__ = ["is_plain", "is_xhtml", "parse_page"]


def parse_page(body: bytes, *, url: str, content_type: str = "", robots_tag: str | None = None) -> Document:
    """Decode and parse one response. ``url`` is canonical, ``robots_tag`` the X-Robots-Tag header.

    Documents are read as what they are, ``text/plain`` gives text and no links; everything else is read as HTML, which
    loses nothing of XHTML.
    """
    media = true_type(content_type, body)
    if media and media not in PAGE_TYPES and (reader := reader_of(media)) is not None:
        noindex, nofollow = directives(robots_tag, [])
        return read_document(body, *reader, url=url, noindex=noindex, nofollow=nofollow)
    page, charset = in_utf8(body, content_type)
    if is_plain(content_type):
        return _plain(page, url=url, charset=charset, robots_tag=robots_tag)
    pieces = bounded(page, xhtml=is_xhtml(page, content_type))
    return parse_html(pieces, url=url, charset=charset, robots_tag=robots_tag)


def is_plain(content_type: str) -> bool:
    """Is this text, and no markup?"""
    return media_type(content_type) == "text/plain"


def is_xhtml(page: bytes, content_type: str) -> bool:
    """Is this markup of the XML kind?"""
    return media_type(content_type) == "application/xhtml+xml" or page[:100].lstrip().startswith(b"<?xml")


def _plain(text: bytes, *, url: str, charset: str, robots_tag: str | None) -> Document:
    noindex, nofollow = directives(robots_tag, [])
    return Document(
        url=url,
        visible=text,
        lines=WordLines(b"\n" + text),
        charset=charset,
        noindex=noindex,
        nofollow=nofollow,
        kind="text",
    )
