"""What fetched pages say of a URL: the anchor and the paragraph of their links to it, read again from the archive."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.judge import Judge
from dowse.lab.corpus.exchange import read_response
from dowse.lab.corpus.records import read_record
from dowse.model.errors import UserError
from dowse.parse import gather_links, parse_page
from dowse.store import CrawlReader

__all__ = ["Mention", "mention"]


@dataclass(frozen=True, slots=True)
class Mention:
    """The best mention of a URL on a page."""

    anchor: str
    anchor_similarity: float
    paragraph: str
    paragraph_similarity: float


def mention(crawl: CrawlReader, page_url: str, url: str, judge: Judge) -> Mention | None:
    """How a page of the crawl mentions ``url``; None when its record cannot be read, or the link is not found there."""
    page = crawl.page(page_url)
    if page is None or page.warc_file is None or page.warc_offset is None:
        return None
    try:
        response = read_response(read_record(crawl.folder / page.warc_file, page.warc_offset), page_url)
    except (OSError, UserError):
        return None
    if response is None:
        return None
    document = parse_page(response.body, url=page_url, content_type=response.header("Content-Type") or "")
    links = gather_links(document)
    if url not in links.urls:
        return None
    row = links.urls.index(url)
    anchor = links.anchors[row]
    lines = document.raw_text.split("\n")  # the first of the document's lines is its title
    numbers = [line for target, line in zip(links.mentioned, links.paragraphs, strict=True) if target == row]
    texts = [" ".join(lines[number - 1].split()) for number in numbers if 0 < number <= len(lines)]
    scored = [(judge.similarity(text), text) for text in texts if text] or [(judge.similarity(anchor), anchor)]
    similarity, paragraph = max(scored, key=lambda each: each[0])
    return Mention(anchor, judge.similarity(anchor), paragraph, similarity)
