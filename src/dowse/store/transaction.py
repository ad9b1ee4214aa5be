"""The one transaction of a batch: its rows, the totals they change, and what changed since when."""

from __future__ import annotations

import sqlite3

from dowse.model.batch import Batch
from dowse.model.records import PageRow
from dowse.store import rows
from dowse.store.changes import ChangeLog

__all__ = ["write_batch"]


def write_batch(
    records: sqlite3.Connection, batch: Batch, lengths: dict[str, int], changes: ChangeLog, *, tidy: bool
) -> None:
    """Write everything of ``batch``; the archive's files have these ``lengths``. Who calls rolls back what fails.
    ``tidy``: without what is no Unicode."""
    run = records.execute
    run("BEGIN IMMEDIATE")
    [(recorded,)] = run("SELECT recorded FROM totals")
    for ordinal, page in enumerate(_new(batch), recorded):
        page.ordinal = ordinal
    _total(records, batch)
    for sql, values in rows.statements(batch, lengths):
        if sql is rows.PUT_VERDICT:
            _count_again(records, batch)
        records.executemany(sql, rows.clean(values) if tidy else values)
    again = (batch.verdicts.keys() | {visit.page for visit in batch.visits}) - {page.id for page in batch.pages}
    if batch.pages or batch.sites or again:
        changes.begin()
        changes.note(pages=[*(page.id for page in batch.pages), *sorted(again)], sites=batch.sites)
    run("COMMIT")


def _count_again(records: sqlite3.Connection, batch: Batch) -> None:
    """Bring the total of relevant pages up to date with verdicts that are about to be written."""
    run = records.execute
    ids = ",".join(map(str, batch.verdicts))
    before = run(f"SELECT total(relevant) FROM pages WHERE id IN ({ids})").fetchone()
    now = sum(row.relevant for row in batch.verdicts.values())
    run("UPDATE totals SET relevant = relevant + ?", (now - int(before[0]),))


def _total(records: sqlite3.Connection, batch: Batch) -> None:
    """Bring the one row of totals up to date; a page written again counts once."""
    run = records.execute
    if batch.pages:
        ids = ",".join(str(int(page.id)) for page in batch.pages)
        before = run(f"SELECT count(score), total(relevant) FROM pages WHERE id IN ({ids})").fetchone()
        judged = sum(page.score is not None for page in batch.pages) - before[0]
        relevant = sum(page.relevant is True for page in batch.pages) - int(before[1])
        run("UPDATE totals SET recorded = recorded + ?, judged = judged + ?, relevant = relevant + ?",
            (len(_new(batch)), judged, relevant))  # fmt: skip
    if batch.spent is not None:
        spent = batch.spent
        run("UPDATE totals SET pages = ?, bytes = ?, seconds = ?, requests = ?",
            (spent.pages, spent.bytes, spent.seconds, spent.requests))  # fmt: skip


def _new(batch: Batch) -> list[PageRow]:
    """The pages that were not recorded before: one that was visited again keeps its place among them."""
    return [page for page in batch.pages if page.visited_at is None]
