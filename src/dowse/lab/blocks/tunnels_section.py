"""The report's section on tunnels: pages off the topic whose links led to pages on it, drawn block by block."""

from __future__ import annotations

from itertools import islice

from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.judge import TopicJudge, looking_judge
from dowse.lab.blocks.block_html import block_markup, legend
from dowse.lab.blocks.blocked_page import Block, BlockedPage, measure
from dowse.lab.finished.page_texts import archived_document
from dowse.lab.html_markup import Html, clip, element, link, section
from dowse.lab.wording import counted
from dowse.model.errors import TopicError
from dowse.model.topicfile import topic_from_json
from dowse.parse import gather_links
from dowse.store import CrawlReader, Tunnel

__all__ = ["tunnels"]

_SHOWN = 3
_TRIED = 8  # some may have no record that can be read
_MOST_BYTES = 4_000_000  # of a body that is parsed again
_ROOM = 40_000  # characters of a picture, about


def tunnels(crawl: CrawlReader) -> list[Html]:
    """Nothing where no such page can be shown."""
    judge = _judge(crawl)
    if judge is None:
        return []
    shown = list(islice(filter(None, (_shown(crawl, tunnel, judge) for tunnel in crawl.tunnels(_TRIED))), _SHOWN))
    if not shown:
        return []
    note = (
        "Pages that are not relevant as a whole, and whose links first led to the most relevant pages: from a block"
        " that is on the topic by itself (a gray tunnel), or from none that is (a black one). Those links are ticked."
    )
    return section("Tunnels", note, legend(judge.threshold), *shown)


def _judge(crawl: CrawlReader) -> TopicJudge | None:
    topic = crawl.settings().get("topic")
    try:
        if not isinstance(topic, dict):
            return None
        return looking_judge(with_kept_categories(topic_from_json(topic), crawl.folder)).as_of(crawl.folder)
    except TopicError:  # records by another version, or another program
        return None


def _shown(crawl: CrawlReader, tunnel: Tunnel, judge: TopicJudge) -> Html | None:
    document = archived_document(crawl, tunnel.page) if tunnel.page.body_bytes <= _MOST_BYTES else None
    if document is None:
        return None
    page, seen, found = measure(document, judge), tunnel.page, frozenset(crawl.found_through(tunnel.page.id))
    return element(
        "div",
        link(seen.url, seen.title, length=140),
        element("span", element("bdi", clip(seen.url, 120)), class_="sub"),
        element("span", _told(tunnel, page, found), class_="sub"),
        element(
            "details",
            element("summary", f"its {counted(len(page.blocks), 'block')}"),
            block_markup(page, room=_ROOM, found=found),
        ),
        class_="tunnel",
    )


def _told(tunnel: Tunnel, page: BlockedPage, found: frozenset[str]) -> str:
    best = page.best
    gray = any(block.score >= page.verdict.threshold for block in _ways(page, found))
    way = f"a {'gray' if gray else 'black'} tunnel to {counted(tunnel.found, 'relevant page')}"
    block = "no block is on the topic" if best is None else f"its best block (number {best.number}) {best.score:.3f}"
    return f"{way}; score {tunnel.page.score or 0:.3f}, {block}"


def _ways(page: BlockedPage, found: frozenset[str]) -> list[Block]:
    """The blocks with links to what was found; all, when it was found by a redirect of another link."""
    links = gather_links(page.document)
    targets = zip(links.mentioned, links.paragraphs, strict=True)
    ways = [page.at(line) for row, line in targets if links.urls[row] in found]
    return ways or list(page.blocks)
