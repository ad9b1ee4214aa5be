"""What parsing leaves of a page or document: words, text and raw links; no tree survives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dowse.model.words import WordLines
from dowse.parse.outline import Outline

__all__ = ["MAX_HREF", "Document", "RawLink"]

MAX_HREF = 8_192
"""Characters: what is longer is no address."""


class RawLink(NamedTuple):
    """One link as written on the page, not yet joined to its base."""

    href: str
    anchor: str  # visible text, alt of images inside, and title=, on one line
    rel: str  # tokens in lower case, one blank between them
    paragraph: int  # a line of Document.lines
    element: int  # of Document.outline: the innermost around the link


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed page. ``url`` is the address links are relative to when there is no ``base``."""

    url: str
    title: str = ""
    visible: bytes = b""  # its text in UTF-8, one line a paragraph, white space as it came
    lines: WordLines = field(default_factory=WordLines)  # the words: those of the title, then of each paragraph
    links: list[RawLink] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    charset: str = ""
    lang: str = ""  # <html lang>
    base: str | None = None  # <base href>, raw
    canonical: str | None = None  # <link rel=canonical>, raw
    refresh: str | None = None  # target of <meta http-equiv=refresh>, raw; "" refreshes the page itself
    noindex: bool = False
    nofollow: bool = False
    kind: str = "html"  # or "text", or that of a document, as of ``model/document_kinds``
    parts: int = 0  # pages, slides, sheets, chapters or entries, where it has such
    fault: str = ""  # why nothing of it could be read
    feed: str | None = None  # <link rel=alternate> to the first feed it names, raw

    @property
    def raw_text(self) -> str:
        return self.visible.decode("utf-8")

    @property
    def text_len(self) -> int:
        """Characters of its text."""
        return len(self.visible) if self.visible.isascii() else len(self.raw_text)

    def opening(self, characters: int) -> str:
        """So many characters of its text, the first, without reading all of it."""
        return self.visible[: 4 * characters].decode("utf-8", "ignore")[:characters]

    @property
    def text(self) -> str:
        """The visible text for a reader: white space collapsed, empty lines left out."""
        lines = (" ".join(line.split()) for line in self.raw_text.split("\n"))
        return "\n".join(line for line in lines if line)

    def words(self) -> list[str]:
        """Title and visible text as one sequence of words: what is judged and signed."""
        return self.lines.words()
