"""What the records tell of a crawl's verdicts as a whole: scores, languages, and the pages at either end of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.revive import typed
from dowse.model.runs import checked_verdicts
from dowse.model.statistic_names import FINAL_VERDICTS
from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.read_rows import PAGE_COLUMNS, page_view
from dowse.store.views import LanguageCount, PageView

__all__ = ["borderline", "final_verdicts", "languages", "pages_by_score", "scores"]


@asked
def final_verdicts(crawl: CrawlReader) -> dict[str, Any] | None:
    """What came of judging all pages again, last time; None when no model ever did."""
    return checked_verdicts(crawl.statistic(FINAL_VERDICTS))


@asked
def scores(crawl: CrawlReader) -> NDArray[np.float64]:
    """The score of each page that has one, in the order they were judged."""
    found = crawl._ask("SELECT score FROM pages WHERE score IS NOT NULL ORDER BY ordinal")
    values = np.array([float(score) for (score,) in found])
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    return values


@asked
def languages(crawl: CrawlReader) -> list[LanguageCount]:
    """How many of the judged pages are in each language, and relevant; the most frequent first."""
    found = crawl._ask(
        "SELECT language, count(*), ifnull(sum(relevant), 0) FROM pages WHERE score IS NOT NULL"
        " GROUP BY language ORDER BY 2 DESC, 1"
    )
    return [typed(LanguageCount, language=name, pages=pages, relevant=relevant) for name, pages, relevant in found]


@asked
def pages_by_score(crawl: CrawlReader, n: int, *, worst: bool = False) -> list[PageView]:
    """The pages with the highest scores, or with the lowest, whatever the verdict."""
    order = "ASC" if worst else "DESC"
    return _pages(crawl, f"score IS NOT NULL ORDER BY score {order}", n)


@asked
def borderline(crawl: CrawlReader, n: int) -> tuple[list[PageView], list[PageView]]:
    """The relevant pages with the lowest scores, and the others with the highest."""
    return _pages(crawl, "relevant = 1 ORDER BY score", n), _pages(crawl, "relevant = 0 ORDER BY score DESC", n)


def _pages(crawl: CrawlReader, chosen: str, n: int) -> list[PageView]:
    found = crawl._ask(f"SELECT {PAGE_COLUMNS} FROM pages WHERE {chosen}, ordinal LIMIT ?", n)
    return [page_view(row) for row in found]
