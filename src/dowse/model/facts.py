"""What a predicate may ask of a page besides its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.model.objects import FoundObject

__all__ = ["PageFacts", "object_type"]

_BEFORE_NAME = re.compile(r".*[/#:]")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A page as predicates see it; a function that is a topic's predicate gets one.

    ``objects``, ``stated``, ``text`` and the two scores are filled in only where they are asked for: for a function
    always.
    """

    url: str = ""  # canonical, after redirects
    title: str = ""
    language: str = ""  # ISO 639-1; empty: unknown
    n_words: int = 0  # of the title and the visible text
    n_links: int = 0  # all there are, L(p)
    objects: frozenset[str] = frozenset()  # types of its structured data, as of :func:`object_type`
    text: str = ""  # what a reader sees, one line a paragraph
    similarity: float = 0.0  # cosine with the topic's terms
    erid: float = 0.0  # weighted keyword density
    kind: str = ""  # what it was read as: "html", "pdf", ...
    stated: tuple[FoundObject, ...] = ()  # what its structured data says of things, and of their parts

    def words(self) -> list[str]:
        """The words of title and text, lower case, in order."""
        from dowse.model.words import words  # its patterns take 15 ms to compile, and a topic alone needs none

        return words(f"{self.title} {self.text}")


def object_type(name: str) -> str:
    """The bare name of a type of structured data, in lower case.

    >>> object_type("https://schema.org/Event"), object_type("schema:Event"), object_type(" video.movie ")
    ('event', 'event', 'video.movie')
    """
    return _BEFORE_NAME.sub("", name.strip().rstrip("/#")).lower()
