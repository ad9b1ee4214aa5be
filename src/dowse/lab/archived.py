"""Pages of a crawl read again from its archive."""

from __future__ import annotations

from dowse.lab.corpus.exchange import read_response
from dowse.lab.corpus.records import read_record
from dowse.model.errors import StoreError, UserError
from dowse.model.files import check_plain
from dowse.parse import Document, parse_page
from dowse.store import CrawlReader, PageView
from dowse.store.warc import check_name

__all__ = ["archived_document"]


def archived_document(crawl: CrawlReader, page: PageView) -> Document | None:
    """A page as it was parsed when it was fetched; None when it has no record, or a damaged one."""
    if page.warc_file is None or page.warc_offset is None:
        return None
    try:
        path = crawl.folder / check_name(page.warc_file)
        check_plain(path, writes=False)
        response = read_response(read_record(path, page.warc_offset), page.url)
    except (OSError, OverflowError, StoreError, UserError):
        return None
    if response is None:
        return None
    return parse_page(response.body, url=page.url, content_type=response.header("Content-Type") or "")
