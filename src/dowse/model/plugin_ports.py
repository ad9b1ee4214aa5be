"""Ports for what packages can add besides strategies, judges and search engines: converters, extractors.

Converters read documents of types that Dowse does not read, or read them in its place. Extractors are found and listed;
Dowse does not ask them for anything yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.model.facts import PageFacts

__all__ = ["Converted", "Converter", "Extracted", "Extractor"]


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


@dataclass(frozen=True, slots=True)
class Extracted:
    """A tuple of a relation that a page states."""

    relation: str  # "event", "price", ...
    values: dict[str, str | float | bool | None]  # field -> value


class Extractor(Protocol):
    """Reads facts from pages."""

    @property
    def relations(self) -> dict[str, dict[str, type]]:
        """relation -> field -> type of its values"""
        ...

    def extract(self, page: PageFacts, body: bytes) -> Iterator[Extracted]:
        """What a page states, in document order."""
        ...
