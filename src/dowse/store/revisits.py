"""Pages that are to be visited again: the plan of a run, and what the crawl holds of them.

A plan is a row for each page in ``due``, and a statistic that says what it is for. It is written as a whole, before the
first page is asked for; a visit takes its page out of it, in the transaction that records the visit. So whoever dies at
whatever moment, the plan is what is left to do. The candidate of such a page stays ``fetched`` all the time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from dowse.model.columns import Form
from dowse.model.records import PAGES
from dowse.model.revive import revived, typed
from dowse.model.visits import LAST_REVISIT, REVISITING, Copy, GoodVisits, RevisitPlan, Visitable
from dowse.store import rows
from dowse.store.crawl_store import CrawlStore
from dowse.store.damage import damage_told
from dowse.store.read_history import GOOD_VISITS, GOOD_VISITS_ROW
from dowse.store.times import SECONDS, seconds

__all__ = ["Revisitable"]

_MAY_BE_VISITED = (
    f"SELECT p.id, c.site, ifnull(p.score, 0.0), {SECONDS.format('ifnull(p.visited_at, p.fetched_at)')} FROM pages p"
    " JOIN candidates c ON c.id = p.id WHERE p.outcome = 'fetched' AND p.gone_at IS NULL ORDER BY p.id"
)
_AT_ONCE = 500
_PAGES = np.dtype([("page", "i8"), ("site", "i8"), ("value", "f8"), ("at", "f8")])
_COPY = tuple(Copy.__dataclass_fields__)
_TIMES = frozenset(column.name for column in PAGES.columns if column.stored.form is Form.TIME)
_ADRIFT = "ifnull((SELECT o.fetched_at > p.fetched_at FROM pages o WHERE o.id = p.duplicate_of), 0)"
_SOURCES = {"page": "p.id", "is_adrift": _ADRIFT}
_A_COPY = f"SELECT {', '.join(_SOURCES.get(name, f'p.{name}') for name in _COPY)} FROM pages p WHERE p.id = ?"


class Revisitable:
    """The pages of a crawl that may be visited again, for its one writer."""

    def __init__(self, store: CrawlStore) -> None:
        self._store = store

    def pages(self) -> Visitable:
        """Those that were there when they were last visited, or that have not failed often enough to be gone."""
        with damage_told(self._store.folder):
            found = np.fromiter(self._run(_MAY_BE_VISITED), _PAGES)
        value = np.maximum(np.nan_to_num(found["value"]), 0.0)
        return Visitable(found["page"].copy(), found["site"].copy(), value, found["at"].copy())

    def visits(self) -> GoodVisits:
        """Every good visit."""
        with damage_told(self._store.folder):
            found = np.fromiter(self._run(GOOD_VISITS), GOOD_VISITS_ROW)
        return GoodVisits(found["page"].copy(), found["at"].copy(), found["changed"].copy())

    def latest(self) -> float | None:
        """When any page was last asked for; None: never."""
        [(at,)] = self._run("SELECT max(max(fetched_at), ifnull(max(visited_at), '')) FROM pages")
        return None if at is None else seconds(at)

    def plan(self) -> RevisitPlan | None:
        """What the run that has not come to its end was told; None: there is none."""
        with damage_told(self._store.folder):
            found = self._store.statistics().get(REVISITING)
            plan: RevisitPlan | None = None if found is None else revived(RevisitPlan, found)
            return plan

    def due(self) -> dict[int, int]:
        """The pages of the plan that were not visited yet, each with its place."""
        return {int(page): int(place) for page, place in self._run("SELECT page, place FROM due ORDER BY place")}

    def candidates(self) -> int:
        """How many URLs are known."""
        [(count,)] = self._run("SELECT ifnull(max(id) + 1, 0) FROM candidates")
        return int(count)

    def urls(self, pages: Sequence[int]) -> list[str]:
        """Of these pages, in their order."""
        found: dict[int, str] = {}
        for start in range(0, len(pages), _AT_ONCE):
            some = pages[start : start + _AT_ONCE]
            found.update(self._run(f"SELECT id, url FROM pages WHERE id IN ({','.join('?' * len(some))})", *some))
        return [found[page] for page in pages]

    def among(self, places: Mapping[str, int]) -> dict[str, int]:
        """The pages here that may be visited again and have one of these URLs, in the order of their places."""
        asked = "SELECT url, id FROM pages WHERE outcome = 'fetched' AND gone_at IS NULL"
        found = {url: int(page) for url, page in self._run(asked) if url in places}
        return dict(sorted(found.items(), key=lambda one: places[one[0]]))

    def begin(self, pages: Sequence[int], plan: RevisitPlan) -> None:
        """Write a plan down, in place of the one before: these pages, in this order."""
        due = [(page, place) for place, page in enumerate(pages)]
        self._replace(due, {REVISITING: asdict(plan), LAST_REVISIT: plan.began_at})

    def end(self) -> None:
        """The run has come to its end: what is left of its plan is not to be done any more."""
        self._replace([], {})

    def _replace(self, due: Sequence[tuple[int, int]], told: Mapping[str, Any]) -> None:
        def change(records: sqlite3.Connection) -> None:
            records.execute("DELETE FROM due")
            records.executemany("INSERT INTO due (page, place) VALUES (?, ?)", due)
            records.execute("DELETE FROM statistics WHERE name = ?", (REVISITING,))
            records.executemany(rows.PUT_STATISTIC, (rows.statistic_row(*one) for one in told.items()))

        self._store.transact(change)

    def copy(self, page: int) -> Copy:
        """What is held of a page that is due."""
        with damage_told(self._store.folder):
            found = dict(zip(_COPY, self._run(_A_COPY, page).fetchone(), strict=True))
            for name in _TIMES.intersection(found):
                found[name] = None if found[name] is None else seconds(found[name])
            found["relevant"] = None if found["relevant"] is None else bool(found["relevant"])
            found["misses"] = found["misses"] or 0.0
            found["signature"] = rows.unsigned(found["signature"])
            found["is_adrift"] = bool(found["is_adrift"])
            found["truncated"] = found["truncated"] or ""
            return typed(Copy, **found)

    def _run(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._store._connection.execute(sql, values)
