"""Ports for what packages can add besides strategies, judges and search engines: converters, extractors.

Converters read documents of types that Dowse does not read, or read them in its place. Extractors read objects from
pages that state none, or say more of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.model.facts import PageFacts
from dowse.model.objects import FoundObject

__all__ = ["Converted", "Converter", "Extractor"]


@dataclass(frozen=True, slots=True)
class Converted:
    """What a converter makes of a body."""

    text: str  # what a reader sees, one line a paragraph
    title: str = ""
    links: tuple[tuple[str, str], ...] = ()  # target, as it is written, and anchor text, which stands in the text
    language: str = ""  # where the document names it: ISO 639-1
    parts: int = 0  # pages, slides, ..., where it has such


class Converter(Protocol):
    """Makes text of a kind of document that is no HTML. It is made without arguments, once in each process."""

    @property
    def types(self) -> Sequence[str]:
        """The content types it takes, such as ``application/pdf``."""
        ...

    def convert(self, body: bytes, content_type: str) -> Converted:
        """The text of a body. A stranger sent it: what cannot be read raises ValueError."""
        ...


class Extractor(Protocol):
    """Reads objects from pages, for ``dowse objects``. It is made without arguments, once in each process."""

    def extract(self, page: PageFacts, html: str) -> Iterable[FoundObject]:
        """What a page states. ``page`` has its address, title, language, text and structured data; ``html`` is its
        markup, empty where it is a document. A stranger wrote both: what it raises costs this page only. An object's
        ``url`` and ``source`` may be left out: they are then the page's and the extractor's name."""
        ...
