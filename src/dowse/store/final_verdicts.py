"""Verdicts given again, to all pages of a crawl: read by their stored terms, written in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dowse.store import rows
from dowse.store.crawl_store import CrawlStore

__all__ = ["StoredPage", "stored_pages", "write_verdicts"]

_BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A judged page as far as it takes to judge it again."""

    id: int
    url: str
    language: str
    relevant: bool  # by the verdict it has
    terms: bytes


def stored_pages(store: CrawlStore) -> Iterator[list[StoredPage]]:
    """All judged pages whose terms are kept, in blocks, in the order of their ids."""
    last = -1
    while True:
        found = store._connection.execute(
            "SELECT p.id, p.url, p.language, p.relevant, s.more FROM pages p JOIN settled s ON s.candidate = p.id"
            " WHERE p.score IS NOT NULL AND p.id > ? ORDER BY p.id LIMIT ?", (last, _BLOCK)).fetchall()  # fmt: skip
        if not found:
            return
        yield [
            StoredPage(int(id), str(url), str(language), bool(own), terms) for id, url, language, own, terms in found
        ]
        last = int(found[-1][0])


def write_verdicts(
    store: CrawlStore, verdicts: Iterable[tuple[int, float, bool]], model: int, statistics: dict[str, Any]
) -> None:
    """Give pages other verdicts: id, score, whether relevant. The first ones stay as they are. All or nothing."""
    run = store._connection.execute
    run("BEGIN IMMEDIATE")
    try:
        store._connection.executemany(
            "UPDATE pages SET score = ?, relevant = ?, model = ?, verdict = ? WHERE id = ?",
            ((score, int(relevant), model, _told(score), id_) for id_, score, relevant in verdicts))  # fmt: skip
        run("UPDATE totals SET relevant = (SELECT ifnull(sum(relevant), 0) FROM pages)")
        by_site = run(
            "SELECT ifnull(sum(p.relevant), 0), c.site FROM pages p JOIN candidates c ON c.id = p.id GROUP BY c.site"
        )
        store._connection.executemany("UPDATE sites SET relevant = ? WHERE id = ?", by_site.fetchall())
        store._connection.executemany(
            rows.PUT_STATISTIC, [rows.statistic_row(name, value) for name, value in statistics.items()]
        )
        run("COMMIT")
    except BaseException:
        store._connection.rollback()
        raise


def _told(score: float) -> str:
    return rows.to_json([("the model's chance", score, 1.0)])
