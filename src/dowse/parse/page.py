"""The front door of the room: a body of any kind to a :class:`Document`."""

from __future__ import annotations

from dowse.model.words import WordLines
from dowse.parse.decode import decode
from dowse.parse.document import Document
from dowse.parse.html import parse_html
from dowse.parse.robots import directives

__all__ = ["parse_page"]


def parse_page(body: bytes, *, url: str, content_type: str = "", robots_tag: str | None = None) -> Document:
    """Decode and parse one response. ``url`` is canonical, ``robots_tag`` the X-Robots-Tag header.

    ``text/plain`` gives text and no links; everything else is read as HTML, which loses nothing of XHTML.
    """
    text, charset = decode(body, content_type)
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "text/plain":
        return _plain(text, url=url, charset=charset, robots_tag=robots_tag)
    xhtml = media_type == "application/xhtml+xml" or text[:100].lstrip().startswith("<?xml")
    return parse_html(text, url=url, charset=charset, xhtml=xhtml, robots_tag=robots_tag)


def _plain(text: str, *, url: str, charset: str, robots_tag: str | None) -> Document:
    noindex, nofollow = directives(robots_tag, [])
    return Document(
        url=url,
        raw_text=text,
        lines=WordLines(text),
        charset=charset,
        noindex=noindex,
        nofollow=nofollow,
    )
