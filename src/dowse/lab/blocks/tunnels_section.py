"""The report's section on tunnels: pages off the topic whose links led to pages on it, drawn block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.judge import TopicJudge, looking_judge
from dowse.lab.blocks.block_html import block_markup, legend
from dowse.lab.blocks.blocked_page import Block, BlockedPage, measure
from dowse.lab.finished.page_texts import archived_document
from dowse.lab.html_markup import Html, clip, element, link, section
from dowse.lab.wording import counted
from dowse.model.block_rule import BlockRule
from dowse.model.errors import TopicError
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json
from dowse.parse import gather_links
from dowse.predict import block_rule
from dowse.store import CrawlReader, Tunnel
from dowse.store.read_links import found_through, lineage, tunnel_pages
from dowse.store.sharded import parts_of

__all__ = ["tunnel_lengths", "tunnels"]

_SHOWN = 3
_LENGTHS = 6  # that are told one by one
_TRIED = 8  # some may have no record that can be read
_MOST_BYTES = 4_000_000  # of a body that is parsed again
_ROOM = 40_000  # characters of a picture, about


def tunnels(crawl: CrawlReader) -> list[Html]:
    """Nothing where no such page can be shown."""
    topic = _topic(crawl)
    judge = None if topic is None else _judge(crawl, topic)
    if topic is None or judge is None:
        return []
    rule = block_rule(topic.strategy)
    tried = (_shown(crawl, tunnel, judge, rule) for tunnel in tunnel_pages(crawl, _TRIED))
    shown = list(islice(filter(None, tried), _SHOWN))
    if not shown:
        return []
    note = (
        "Pages that are not relevant as a whole, and whose links first led to the most relevant pages: from a block"
        " that is on the topic by itself (a gray tunnel), or from none that is (a black one). Those links are ticked."
    )
    lengths = element("p", _lengths_told(tunnel_lengths(lineage(crawl))), class_="note")
    return section("Tunnels", note, lengths, legend(judge.threshold), *shown)


def tunnel_lengths(lineage: Iterable[tuple[int, int | None, bool]]) -> dict[int, int]:
    """How many relevant pages were found through tunnels of each length, the shortest first: so many irrelevant pages
    in a row, by the page on which each was found (Gray Tunneling, definition 1). Seeds are left out; 0: there is no
    tunnel, a relevant page led there.

    >>> tunnel_lengths([(0, None, False), (1, 0, False), (2, 1, True), (3, 2, True), (4, 0, True)])
    {0: 1, 1: 1, 2: 1}
    """
    in_a_row: dict[int, int] = {}  # irrelevant pages up to each page, itself among them
    found: Counter[int] = Counter()
    for id_, parent, relevant in lineage:
        before = 0 if parent is None else in_a_row.get(parent, 0)
        in_a_row[id_] = 0 if relevant else before + 1
        if relevant and parent is not None:
            found[before] += 1
    return dict(sorted(found.items()))


def _lengths_told(lengths: dict[int, int]) -> str:
    through = {length: count for length, count in lengths.items() if length}
    told = [f"{count:,} through {counted(length, 'page')}" for length, count in list(through.items())[:_LENGTHS]]
    longer = sum(list(through.values())[_LENGTHS:])
    told += [f"{longer:,} through more"] if longer else []
    return (
        f"Of {counted(sum(lengths.values()), 'relevant page')} that links led to, {sum(through.values()):,} were found"
        f" through irrelevant pages in a row: {', '.join(told)}."
    )


def _topic(crawl: CrawlReader) -> Topic | None:
    topic = crawl.settings().get("topic")
    try:
        return topic_from_json(topic) if isinstance(topic, dict) else None
    except TopicError:  # records by another version, or another program
        return None


def _judge(crawl: CrawlReader, topic: Topic) -> TopicJudge | None:
    try:
        return looking_judge(with_kept_categories(topic, crawl.folder)).as_of(parts_of(crawl.folder))
    except TopicError:
        return None


def _shown(crawl: CrawlReader, tunnel: Tunnel, judge: TopicJudge, rule: BlockRule) -> Html | None:
    document = archived_document(crawl, tunnel.page) if tunnel.page.body_bytes <= _MOST_BYTES else None
    if document is None:
        return None
    page, seen = measure(document, judge, rule=rule), tunnel.page
    found = frozenset(found_through(crawl, seen.id))
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
