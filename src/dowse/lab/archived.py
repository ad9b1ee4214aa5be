"""Pages of a crawl read again from its archive."""

from __future__ import annotations

from dowse.lab.corpus.exchange import read_response
from dowse.lab.corpus.records import read_record
from dowse.model.errors import UserError
from dowse.parse import Document, parse_page
from dowse.store import CrawlReader, PageView

__all__ = ["archived_document"]


def archived_document(crawl: CrawlReader, page: PageView) -> Document | None:
    """A page as it was parsed when it was fetched; None when it has no record, or a damaged one."""
    if page.warc_file is None or page.warc_offset is None:
        return None
    try:
        response = read_response(read_record(crawl.folder / page.warc_file, page.warc_offset), page.url)
    except (OSError, UserError):
        return None
    if response is None:
        return None
    return parse_page(response.body, url=page.url, content_type=response.header("Content-Type") or "")
