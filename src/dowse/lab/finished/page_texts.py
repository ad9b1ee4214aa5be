"""Pages read again from the archive of a crawl or a corpus: parsed anew, and as texts to train on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dowse.engine.exchange.recorded_exchange import read_response
from dowse.lab.corpus import Progress, example_texts, open_corpus
from dowse.lab.corpus.labels import read_rows
from dowse.model.errors import StoreError, UserError
from dowse.model.files import check_plain
from dowse.model.http import Response
from dowse.model.url import canonical
from dowse.parse import Document, parse_page
from dowse.store import CrawlReader, PageView
from dowse.store.sharded import archive_path, holds_crawl
from dowse.store.warc_records import read_record

__all__ = [
    "Labelled",
    "archived_document",
    "archived_response",
    "full_text",
    "judged_texts",
    "labelled_texts",
    "spread",
]

T = TypeVar("T")


def archived_document(crawl: CrawlReader, page: PageView) -> Document | None:
    """A page as it was parsed when it was fetched; None when it has no record, or a damaged one."""
    response = archived_response(crawl.folder, page.url, page.warc_file, page.warc_offset)
    if response is None:
        return None
    return parse_page(response.body, url=page.url, content_type=response.header("Content-Type") or "")


def archived_response(folder: Path, url: str, file: str | None, offset: int | None) -> Response | None:
    """What a page's record in the archive of a crawl holds; None when there is none, or a damaged one."""
    if file is None or offset is None:
        return None
    try:
        path = archive_path(folder, file)
        check_plain(path, writes=False)
        return read_response(read_record(path, offset), url)
    except (OSError, OverflowError, StoreError, UserError):
        return None


@dataclass(frozen=True, slots=True)
class Labelled:
    """Texts by the URLs they come from, and how many pages could not be had."""

    texts: dict[str, str]
    missing: int = 0


def full_text(document: Document) -> str:
    """What a page says: its title and its text."""
    return f"{document.title}\n{document.text}"


def judged_texts(folder: Path, relevant: bool, most: int) -> Labelled:
    """The pages of a crawl by its own verdict: of more than ``most``, so many spread over all."""
    with CrawlReader(folder) as crawl:
        pages = crawl.judged_pages(relevant)
        return _read(crawl, [page.url for page in spread(pages, most)])


def labelled_texts(table: Path, label: str, most: int, progress: Progress | None = None) -> Labelled:
    """The pages with a label in a table with the columns ``url`` and ``label``. Their bodies are those of the crawl, or
    the corpus, in whose folder the table lies. UserError when the label is not there."""
    urls, known = [], set()
    for url, found in read_rows(table, "url", "label"):
        known.add(found.strip())
        if found.strip() == label:
            urls.append(canonical(url) or url)
    if not urls:
        names = ", ".join(sorted(known)[:8]) + (", ..." if len(known) > 8 else "")
        raise UserError(f"{table} has no page with the label {label!r}; it has {names or 'none at all'}")
    urls = spread(list(dict.fromkeys(urls)), most)
    if holds_crawl(table.parent):
        with CrawlReader(table.parent) as crawl:
            return _read(crawl, urls)
    corpus = open_corpus(table.parent, progress=progress)
    is_page = corpus.pages.is_page()
    numbers = [number for number in map(corpus.number, urls) if number is not None and is_page[number]]
    examples = example_texts(corpus, sorted(numbers))
    return Labelled({example.source: example.text or "" for example in examples}, len(urls) - len(numbers))


def _read(crawl: CrawlReader, urls: list[str]) -> Labelled:
    texts = dict(_documents(crawl, urls))
    return Labelled(texts, len(urls) - len(texts))


def _documents(crawl: CrawlReader, urls: list[str]) -> Iterator[tuple[str, str]]:
    wanted = dict.fromkeys(urls)
    pages = {page.url: page for page in crawl.judged_pages() if page.url in wanted}
    for url in wanted:
        document = archived_document(crawl, pages[url]) if url in pages else None
        if document is not None:
            yield url, full_text(document)


def spread(values: list[T], most: int) -> list[T]:
    """So many of them, spread over all."""
    if len(values) <= most:
        return values
    return [values[place * len(values) // most] for place in range(most)]
