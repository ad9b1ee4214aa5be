"""Pages of a finished crawl read again from its archive: for their text, and for what they satisfy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.engine.page.document_facts import document_facts
from dowse.judge import build_judge
from dowse.lab.finished.page_texts import archived_response
from dowse.model.http import Response
from dowse.model.topic import Expression, JudgeSettings
from dowse.model.topicfile import topic_from_json
from dowse.parse import Document, parse_page
from dowse.store import CrawlReader
from dowse.store.export import PagePlace
from dowse.store.sharded import parts_of

__all__ = ["ArchivedPages"]


class ArchivedPages:
    """Reads one page at a time, and the page that was asked for last no second time."""

    def __init__(self, folder: Path) -> None:
        self.unreadable = 0  # pages that were asked for and have a place in the archive, where nothing could be read
        self._folder = folder
        self._last: tuple[PagePlace, Response, Document] | None = None

    def text(self, place: PagePlace) -> str | None:
        """The visible text of a page, one line a paragraph; None when the archive has no such record."""
        found = self._read(place)
        return None if found is None else found[1].text

    def satisfying(self, expression: Expression, categories: Mapping[str, str]) -> Callable[[PagePlace], bool]:
        """Does a page satisfy a predicate? Similarity and ERID are to the crawl's topic; ``categories`` are files of
        those that it names besides the crawl's own. TopicError when the predicate is none. A page without a record
        satisfies nothing."""
        with CrawlReader(self._folder) as crawl:
            topic = with_kept_categories(topic_from_json(crawl.topic()), self._folder)
        settings = JudgeSettings(language=topic.judge.language, weighting=topic.judge.weighting)
        named = {**topic.categories, **categories}
        asked = build_judge(replace(topic, predicate=expression, categories=named, judge=settings)).as_of(
            parts_of(self._folder)
        )

        def holds(place: PagePlace) -> bool:
            found = self._read(place)
            if found is None:
                return False
            response, document = found
            facts = document_facts(asked.judge, document, response.body, response.header("Content-Type") or "")
            return bool(asked.verdict(document.words(), facts).relevant)

        return holds

    def _read(self, place: PagePlace) -> tuple[Response, Document] | None:
        if self._last is None or self._last[0] != place:
            response = archived_response(self._folder, place.url, place.warc_file, place.warc_offset)
            if response is None:
                self.unreadable += place.warc_file is not None
                return None
            kind = response.header("Content-Type") or ""
            self._last = place, response, parse_page(response.body, url=place.final_url or place.url, content_type=kind)
        return self._last[1:]
