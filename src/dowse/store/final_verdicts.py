"""Verdicts given again, to all pages of a crawl: read by what the records have of them, written in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dowse.model.records import VerdictRow
from dowse.store import rows
from dowse.store.changes import PAGES_CHANGED, SITES_CHANGED
from dowse.store.crawl_store import CrawlStore

__all__ = ["NewVerdict", "StoredPage", "first_verdicts", "stored_pages", "write_verdicts"]

_BLOCK = 2_000
_READ = (
    "SELECT p.id, p.url, p.kind, p.title, p.language, p.words, p.n_links, p.relevant,"
    " ifnull(p.first_relevant, p.relevant),"
    " p.similarity, p.erid, p.warc_file, p.warc_offset, (SELECT c.site FROM candidates c WHERE c.id = p.id), s.more"
    " FROM pages p LEFT JOIN settled s ON s.candidate = p.id"
    " WHERE p.score IS NOT NULL AND p.id > ? ORDER BY p.id LIMIT ?"
)
_GIVEN_FIRST = "WHERE score IS NOT NULL AND first_score IS NOT NULL"


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A judged page as far as it takes to judge it again."""

    id: int
    url: str
    kind: str
    title: str
    language: str
    words: int
    links: int
    relevant: bool  # by the verdict it has
    first_relevant: bool  # by the one it was given first
    similarity: float
    erid: float
    file: str | None  # of the archive
    offset: int
    site: int
    terms: bytes | None  # packed; None: they were not kept


@dataclass(frozen=True, slots=True)
class NewVerdict:
    """Another verdict of a page, with its reasons as the records have them."""

    id: int
    score: float
    relevant: bool
    told: list[tuple[Any, ...]] = field(default_factory=list)


def stored_pages(store: CrawlStore) -> Iterator[list[StoredPage]]:
    """All judged pages, in blocks, in the order of their ids."""
    last = -1
    while found := store._connection.execute(_READ, (last, _BLOCK)).fetchall():
        yield [
            StoredPage(int(id), str(url), str(kind), str(title), str(language), int(words), int(links), bool(own),
                       bool(first),
                       float(similarity or 0.0), float(erid or 0.0), file, int(offset or 0), int(site or 0), terms)
            for (id, url, kind, title, language, words, links, own, first, similarity, erid, file, offset, site,
                 terms) in found
        ]  # fmt: skip
        last = int(found[-1][0])


def first_verdicts(store: CrawlStore, statistics: Mapping[str, Any]) -> None:
    """Give all pages back the verdicts that they had first. All or nothing."""

    def put_back() -> None:
        store._connection.execute(
            "UPDATE pages SET score = first_score, relevant = first_relevant, model = first_model,"
            f" verdict = json_array(json_array('as it was first judged', first_score, 1.0)) {_GIVEN_FIRST}"
        )
        store._connection.execute(f"{PAGES_CHANGED} SELECT id FROM pages {_GIVEN_FIRST} ORDER BY ordinal")

    _transact(store, put_back, statistics)


def write_verdicts(
    store: CrawlStore, verdicts: Iterable[NewVerdict], model: int, statistics: Mapping[str, Any]
) -> None:  # fmt: skip
    """Give pages other verdicts. The first ones stay as they are. A statistic that is None is removed. All or
    nothing: ValueError when a score is no number."""

    changed: list[int] = []

    def noted() -> Iterator[NewVerdict]:
        for one in verdicts:
            changed.append(one.id)
            yield one

    def write() -> None:
        given = ((one.id, VerdictRow(one.score, one.relevant, model, one.told)) for one in noted())
        store._connection.executemany(rows.PUT_VERDICT, (rows.verdict_values(id, row) for id, row in given))
        store.changes.note(pages=changed)

    _transact(store, write, statistics)


def _transact(store: CrawlStore, change: Any, statistics: Mapping[str, Any]) -> None:
    run = store._connection.execute
    run("BEGIN IMMEDIATE")
    try:
        store.changes.begin()
        change()
        run("UPDATE totals SET relevant = (SELECT ifnull(sum(relevant), 0) FROM pages)")
        by_site = run(
            "SELECT ifnull(sum(p.relevant), 0), c.site FROM pages p JOIN candidates c ON c.id = p.id GROUP BY c.site"
        )
        store._connection.executemany(
            "UPDATE sites SET relevant = ?1 WHERE id = ?2 AND relevant <> ?1", by_site.fetchall()
        )
        run(f"{SITES_CHANGED} SELECT id FROM sites ORDER BY id")
        kept = [rows.statistic_row(name, value) for name, value in statistics.items() if value is not None]
        gone = [(name,) for name, value in statistics.items() if value is None]
        store._connection.executemany(rows.PUT_STATISTIC, kept)
        store._connection.executemany("DELETE FROM statistics WHERE name = ?", gone)
        run("COMMIT")
    except BaseException:
        store._connection.rollback()
        raise
