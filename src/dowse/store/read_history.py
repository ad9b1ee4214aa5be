"""The history of a crawl's visits: what each run of them found, and all of them in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dowse.model.visits import NOT_ASKED, GoodVisits
from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.times import SECONDS
from dowse.store.views import VisitHistory, VisitRun

__all__ = ["GOOD_VISITS", "GOOD_VISITS_ROW", "visit_history", "visit_runs"]

GOOD_VISITS = f"SELECT page, {SECONDS.format('at')}, ifnull(changed, -1) FROM visits WHERE reason = '' ORDER BY number"
GOOD_VISITS_ROW = np.dtype([("page", "i8"), ("at", "f8"), ("changed", "i1")])
"""The visits that did not fail, as :class:`GoodVisits` has them."""

_PAGES = (
    f"SELECT p.id, ifnull(c.site, 0), ifnull(p.relevant, 0), {SECONDS.format('ifnull(v.at, p.fetched_at)')},"
    f" ifnull({SECONDS.format('p.gone_at')}, 9e999) FROM pages p LEFT JOIN candidates c ON c.id = p.id"
    " LEFT JOIN (SELECT page, min(at) AS at FROM visits GROUP BY page) v ON v.page = p.id"
    " WHERE p.outcome = 'fetched' ORDER BY p.id"
)
_PAGES_ROW = np.dtype([("page", "i8"), ("site", "i8"), ("relevant", "i1"), ("first", "f8"), ("gone", "f8")])
_OUTCOMES = (
    f"SELECT {SECONDS.format('at')}, CASE WHEN reason = '' THEN changed <> 0 WHEN reason LIKE '{NOT_ASKED}%'"
    " THEN 3 ELSE 2 END FROM visits WHERE changed IS NOT NULL OR reason <> ''"
)
_OUTCOMES_ROW = np.dtype([("at", "f8"), ("what", "i8")])
_KINDS = 4  # unchanged, changed, missed, not asked


@asked
def visit_history(crawl: CrawlReader) -> VisitHistory:
    """Every page that was fetched, and every visit to it that did not fail."""
    with crawl._moment():
        pages = np.fromiter(_rows(crawl, _PAGES), _PAGES_ROW)
        good = np.fromiter(_rows(crawl, GOOD_VISITS), GOOD_VISITS_ROW)
    return VisitHistory(
        pages["page"].copy(), pages["site"].copy(), pages["relevant"] == 1, pages["first"].copy(), pages["gone"].copy(),
        GoodVisits(good["page"].copy(), good["at"].copy(), good["changed"].copy()),
    )  # fmt: skip


@asked
def visit_runs(crawl: CrawlReader) -> list[VisitRun]:
    """The runs that visited pages again, in order of time, and what each found."""
    with crawl._moment():
        runs = [(str(iso), float(at)) for iso, at in _rows(crawl, f"SELECT started_at, {SECONDS.format('started_at')}"
                                                                  " FROM runs ORDER BY started_at")]  # fmt: skip
        found = np.fromiter(_rows(crawl, _OUTCOMES), _OUTCOMES_ROW)
        pages = np.fromiter(_rows(crawl, _PAGES), _PAGES_ROW)
    starts, count = np.array([at for _, at in runs]), len(runs)

    def run_of(at: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.maximum(np.searchsorted(starts, at, side="right") - 1, 0)

    kinds = np.bincount(run_of(found["at"]) * _KINDS + found["what"], minlength=count * _KINDS).reshape(-1, _KINDS)
    new = np.bincount(run_of(pages["first"]), minlength=count)
    gone = np.bincount(run_of(pages["gone"][np.isfinite(pages["gone"])]), minlength=count)
    return [
        VisitRun(iso, at, *map(int, (*kinds[row], new[row], gone[row])))
        for row, (iso, at) in enumerate(runs)
        if kinds[row].any()
    ]


def _rows(crawl: CrawlReader, sql: str) -> Iterator[Any]:
    """One by one: there may be millions."""
    return crawl._connection.execute(sql)
