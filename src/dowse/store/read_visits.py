"""What the records tell of visits to pages that the crawl had: what is new, changed and gone since a time."""

from __future__ import annotations

from typing import Any, NamedTuple

from dowse.model.revive import revived, typed
from dowse.model.statistic_names import REPEATS
from dowse.model.visits import LAST_REVISIT, NOT_ASKED, REVISITING, RevisitPlan
from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.schema import PART_OF, SHARD
from dowse.store.times import iso
from dowse.store.views import VisitedPage

__all__ = [
    "Place",
    "changed_since",
    "first_uuid",
    "gone_since",
    "new_since",
    "repeats_of",
    "uuid_of",
    "versions",
    "visit_counts",
    "watched",
]

_COLUMNS = "p.id, p.url, p.title, p.score, p.relevant, ifnull(c.site, 0)"
_WANTED = "p.outcome = 'fetched' AND (?2 OR p.relevant = 1)"
_NEW = (
    f"SELECT {_COLUMNS}, ifnull(v.at, p.fetched_at) AS since FROM pages p LEFT JOIN candidates c ON c.id = p.id"
    " LEFT JOIN (SELECT page, min(at) AS at FROM visits GROUP BY page) v ON v.page = p.id"
    f" WHERE since >= ?1 AND p.gone_at IS NULL AND {_WANTED} ORDER BY since, p.id"
)
_CHANGED = (
    f"SELECT {_COLUMNS}, max(v.at) AS since FROM visits v JOIN pages p ON p.id = v.page"
    " LEFT JOIN candidates c ON c.id = p.id"
    f" WHERE v.changed = 1 AND v.at >= ?1 AND p.gone_at IS NULL AND {_WANTED} GROUP BY p.id ORDER BY since, p.id"
)
_GONE = (
    f"SELECT {_COLUMNS}, p.gone_at AS since FROM pages p LEFT JOIN candidates c ON c.id = p.id"
    f" WHERE p.gone_at >= ?1 AND {_WANTED} ORDER BY since, p.id"
)
_BODIES = (
    "SELECT page, at, warc_file, warc_offset FROM visits WHERE reason = '' AND (changed = 1 OR changed IS NULL)"
    " AND page IN (SELECT page FROM visits WHERE changed = 1 AND at >= ?) ORDER BY number"
)


class Place(NamedTuple):
    """Where the archive has a body."""

    file: str | None
    offset: int | None


@asked
def new_since(crawl: CrawlReader, since: float, *, every: bool = False) -> list[VisitedPage]:
    """The pages that were fetched for the first time since then, and are there: the relevant ones, or ``every`` one."""
    return _pages(crawl, _NEW, since, every)


@asked
def changed_since(crawl: CrawlReader, since: float, *, every: bool = False) -> list[VisitedPage]:
    """The pages that a visit since then found changed, and when the last one did."""
    return _pages(crawl, _CHANGED, since, every)


@asked
def gone_since(crawl: CrawlReader, since: float, *, every: bool = False) -> list[VisitedPage]:
    """The pages that were found gone since then."""
    return _pages(crawl, _GONE, since, every)


def _pages(crawl: CrawlReader, sql: str, since: float, every: bool) -> list[VisitedPage]:
    names = ("id", "url", "title", "score", "relevant", "site", "at")
    found = []
    for row in crawl._ask(sql, iso(since), every):
        values: dict[str, Any] = dict(zip(names, row, strict=True))
        values["relevant"] = values["relevant"] == 1
        found.append(typed(VisitedPage, **values))
    return found


@asked
def versions(crawl: CrawlReader, since: float) -> dict[int, tuple[Place, Place]]:
    """Where the archive has each page that changed since then as it was at that time (or first), and as it was last."""
    found: dict[int, tuple[Place, Place]] = {}
    for page, at, file, offset in crawl._ask(_BODIES, iso(since)):
        place = Place(file, offset)
        before, _ = found.get(page, (place, place))
        found[page] = (place if at < iso(since) else before, place)
    return {page: places for page, places in found.items() if places[0] != places[1]}


@asked
def repeats_of(crawl: CrawlReader, site: int) -> bytes | None:
    """What the crawl has learned of the lines that a site repeats, in its own form; None: nothing."""
    found = crawl.statistic(f"{REPEATS}{site}")
    return found if isinstance(found, bytes) else None


@asked
def uuid_of(crawl: CrawlReader) -> str | None:
    """What the crawl calls itself; None where the records are older than that."""
    found = crawl._ask("SELECT value FROM meta WHERE name = 'crawl'")
    return str(found[0][0]) if found else None


@asked
def first_uuid(crawl: CrawlReader) -> str | None:
    """What the crawl, or what it is a copy of, called itself first; None where the records are older than that. Of a
    shard: what the crawl calls itself, a stroke, and the shard's number."""
    names = dict(crawl._ask("SELECT name, value FROM meta WHERE name IN ('crawl', 'first', ?, ?)", PART_OF, SHARD))
    if PART_OF in names:
        return f"{names[PART_OF]}/{names.get(SHARD)}"
    found = names.get("first", names.get("crawl"))
    return None if found is None else str(found)


@asked
def watched(crawl: CrawlReader) -> tuple[float | None, bool]:
    """When the last run of visits began (None: there was none), and whether it is still to be gone on with."""
    found = crawl.statistic(REVISITING)
    if found is not None:
        return revived(RevisitPlan, found).began_at, True
    last = crawl.statistic(LAST_REVISIT)
    return (None if last is None else revived(float, last)), False


@asked
def visit_counts(crawl: CrawlReader, since: float) -> dict[str, int]:
    """What came of the visits since then to pages that were fetched before."""
    [(unchanged, changed, missed, left)] = crawl._ask(
        "SELECT ifnull(sum(changed = 0), 0), ifnull(sum(changed = 1), 0), ifnull(sum(reason <> ''), 0),"
        " ifnull(sum(reason LIKE ?2), 0) FROM visits WHERE at >= ?1", iso(since), f"{NOT_ASKED}%")  # fmt: skip
    [(gone,)] = crawl._ask("SELECT count(*) FROM pages WHERE gone_at >= ?", iso(since))
    return {
        "unchanged": int(unchanged), "changed": int(changed), "missed": int(missed) - int(left),
        "not asked": int(left), "gone": int(gone),
    }  # fmt: skip
