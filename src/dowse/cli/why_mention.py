"""How a page of a crawl mentions a URL: its anchor, and what that stands in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from dowse.judge import TopicJudge
from dowse.lab.blocks import Block, measure
from dowse.lab.finished.page_texts import archived_document
from dowse.model.block_rule import BlockRule
from dowse.parse import gather_links
from dowse.store import CrawlReader

__all__ = ["Mention", "mention"]

_PUBLISHED = BlockRule()


@dataclass(frozen=True, slots=True)
class Mention:
    """The best mention of a URL on a page."""

    anchor: str
    anchor_similarity: float
    paragraph: str
    paragraph_similarity: float
    heading: str  # the nearest above; the page's title where there is none
    heading_similarity: float
    block: Block
    blocks: int  # of the page


def mention(
    crawl: CrawlReader, page_url: str, url: str, judge: TopicJudge, rule: BlockRule = _PUBLISHED
) -> Mention | None:
    """How a page of the crawl, cut into blocks by a rule, mentions ``url``; None when its record cannot be read, or the
    link is not found there."""
    page = crawl.page(page_url)
    document = None if page is None else archived_document(crawl, page)
    if document is None:
        return None
    links = gather_links(document)
    if url not in links.urls:
        return None
    row = links.urls.index(url)
    anchor = links.anchors[row]
    blocked, headings = measure(document, judge, rule=rule), document.outline.headings()
    lines = [" ".join(line.split()) for line in (document.title, *document.raw_text.split("\n"))]
    numbers = [line for target, line in zip(links.mentioned, links.paragraphs, strict=True) if target == row]
    found = []
    for number in numbers:
        text = (lines[number] if number < len(lines) else "") or anchor  # an image alone in its paragraph
        found.append((blocked.at(number).similarity or 0.0, -number, text))
    _, number, paragraph = max(found)  # the best mention is the one in the most similar block, as for the crawl
    similarity = judge.nearness.similarity(paragraph)
    above = bisect_right(headings, -number)
    heading = lines[headings[above - 1]] if above else lines[0]
    return Mention(
        anchor, judge.nearness.similarity(anchor), paragraph, similarity, heading, judge.nearness.similarity(heading),
        blocked.at(-number), len(blocked.blocks),
    )  # fmt: skip
