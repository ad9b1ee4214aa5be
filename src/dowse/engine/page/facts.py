"""What a judge may ask of a parsed page."""

from __future__ import annotations

from dowse.model.facts import PageFacts
from dowse.model.judge import Judge
from dowse.parse import Document, object_types

__all__ = ["facts_of"]


def facts_of(
    judge: Judge, document: Document, *, language: str, n_words: int, n_links: int, body: bytes, content_type: str
) -> PageFacts:
    """The facts of a page. What only some judges ask for, and costs time, is left out for all others."""
    return PageFacts(
        url=document.url,
        title=document.title,
        language=language,
        n_words=n_words,
        n_links=n_links,
        objects=object_types(body, content_type) if judge.needs_objects else frozenset(),
        text=document.text if judge.needs_text else "",
    )
