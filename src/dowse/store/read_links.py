"""What the records tell of where links led: from page to page, and to what is relevant."""

from __future__ import annotations

from collections.abc import Iterator

from dowse.model.records import CandidateState
from dowse.model.revive import typed
from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.read_rows import PAGE_COLUMNS, page_view
from dowse.store.views import Tunnel

__all__ = ["asked_pages", "found_through", "lineage", "links_between_pages", "links_to_pages", "tunnel_pages"]


@asked
def tunnel_pages(crawl: CrawlReader, n: int = 3) -> list[Tunnel]:
    """The pages that are not relevant and whose links first led to the most relevant ones."""
    found = crawl._ask(
        f"SELECT found, {PAGE_COLUMNS} FROM pages JOIN (SELECT c.parent, count(*) AS found FROM pages p"
        " JOIN candidates c ON c.id = p.id WHERE p.relevant = 1 AND c.parent IS NOT NULL GROUP BY c.parent)"
        " ON parent = id WHERE relevant = 0 AND score IS NOT NULL ORDER BY found DESC, ordinal LIMIT ?", n
    )  # fmt: skip
    return [typed(Tunnel, page=page_view(row[1:]), found=row[0]) for row in found]


@asked
def found_through(crawl: CrawlReader, page: int, n: int = 1_000) -> list[str]:
    """The relevant pages that a page's links first led to."""
    found = crawl._ask(
        "SELECT p.url FROM pages p CROSS JOIN candidates c ON c.id = p.id WHERE p.relevant = 1 AND c.parent = ?"
        " ORDER BY p.ordinal LIMIT ?", page, n)  # fmt: skip
    return [str(url) for (url,) in found]


@asked
def lineage(crawl: CrawlReader) -> list[tuple[int, int | None, bool]]:
    """Every page in the order they were recorded: the page on which it was found (None: a seed), and whether it is
    relevant."""
    found = crawl._ask(
        "SELECT p.id, c.parent, p.relevant FROM pages p JOIN candidates c ON c.id = p.id ORDER BY p.ordinal"
    )
    return [(int(id_), None if parent is None else int(parent), relevant == 1) for id_, parent, relevant in found]


@asked
def links_to_pages(crawl: CrawlReader) -> Iterator[tuple[str, str]]:
    """URL and anchor of every recorded link to a page that was fetched, in the order they were recorded."""
    found = crawl._ask("SELECT c.url, l.anchor FROM links l CROSS JOIN candidates c ON c.id = l.target"
                       " WHERE c.state = ? ORDER BY l.rowid", int(CandidateState.FETCHED))  # fmt: skip
    return iter(found)


@asked
def asked_pages(crawl: CrawlReader) -> list[tuple[int, str, str, int, bool]]:
    """Every page that was fetched or redirects, in the order they were recorded: its number, its URL, where it
    redirects to (or empty), its bytes over the wire, and whether it is a seed."""
    found = crawl._ask(
        "SELECT p.id, p.url, CASE p.outcome WHEN 'redirected' THEN p.final_url ELSE '' END, p.bytes,"
        " c.parent IS NULL FROM pages p JOIN candidates c ON c.id = p.id"
        " WHERE p.outcome IN ('fetched', 'redirected') ORDER BY p.ordinal"
    )
    return [(int(id_), str(url), str(to), int(size), bool(seed)) for id_, url, to, size, seed in found]


@asked
def links_between_pages(crawl: CrawlReader) -> Iterator[tuple[int, int]]:
    """Of every recorded link to a page that was asked for: the page it stands on, and its target."""
    found = crawl._ask("SELECT l.page, l.target FROM links l JOIN pages p ON p.id = l.target")
    return ((int(page), int(target)) for page, target in found)
