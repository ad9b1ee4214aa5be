"""What a judge may ask of a page that is read outside a crawl: a named page, or a record of an archive."""

from __future__ import annotations

from dowse.engine.page.judged import facts_of
from dowse.model.facts import PageFacts
from dowse.model.judge import Judge
from dowse.model.objects import Stated
from dowse.model.page import PageContent
from dowse.parse import Document, detect_language, gather_links

__all__ = ["document_facts"]


def document_facts(judge: Judge, document: Document, body: bytes, content_type: str) -> PageFacts:
    """The facts of a parsed page; its text and objects only where the judge asks for them."""
    content = PageContent(
        title=document.title,
        language=detect_language(document.raw_text, document.lang),
        words=len(document.words()),
        n_links=gather_links(document).n_links,
        kind=document.kind,
    )
    return facts_of(
        document.url, content, text=document.text if judge.needs_text else "",
        stated=_stated(document, body, content_type) if judge.needs_objects else None,
    )  # fmt: skip


def _stated(document: Document, body: bytes, content_type: str) -> Stated:
    from dowse.parse.objects.stated import read_stated  # few judges ask, and it takes 10 ms to load

    return read_stated(body, content_type, document.url, parts=True)
