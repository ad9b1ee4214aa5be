"""The report's section on visits: what they found, and how fresh they kept the collection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.lab.draw.svg import svg_in_page
from dowse.lab.draw.visits_chart import VisitsOverTime, visits_chart
from dowse.lab.finished.expected_freshness import change_rates, expected_freshness
from dowse.lab.html_markup import Html, bar, element, section, table
from dowse.lab.wording import counted, when
from dowse.store import CrawlReader, VisitHistory, VisitRun
from dowse.store.read_history import visit_history, visit_runs

__all__ = ["visits"]

_RUNS = 12
_POINTS = 160  # of a curve
_BEFORE_S = 0.002  # a run's visits: times in the records are told to a millisecond


def visits(crawl: CrawlReader) -> list[Html]:
    """Nothing where no page was ever visited again."""
    runs = visit_runs(crawl)
    history = visit_history(crawl) if runs else None
    if history is None or not len(history.page):
        return []
    told = _over_time(runs, history)
    figure = element(
        "figure",
        svg_in_page(visits_chart(told, width=900, height=430), class_="broad"),
        svg_in_page(visits_chart(told, width=400, height=400), class_="narrow"),
    )
    return section("Visits", _note(runs, history), figure, _table(runs))


def _note(runs: Sequence[VisitRun], history: VisitHistory) -> str:
    unchanged, changed, missed = (
        sum(getattr(run, what) for run in runs) for what in ("unchanged", "changed", "missed")
    )
    gone = int((history.gone < np.inf).sum())
    return (
        f"{counted(unchanged + changed + missed, 'visit')} in {counted(len(runs), 'run')} to pages that the crawl had:"
        f" {unchanged:,} found them unchanged, {changed:,} changed, {missed:,} not there; {counted(gone, 'page')} of"
        f" {len(history.page):,} are gone by now. The line is the share of the pages held that is expected to be as on"
        " the web, by how often visits found them changed."
    )


def _over_time(runs: Sequence[VisitRun], history: VisitHistory) -> VisitsOverTime:
    began, ended = float(history.first.min()), max(float(history.first.max()), float(history.visits.at.max(initial=0)))
    moments: NDArray[np.float64] = np.linspace(began, max(ended, began + 1.0), _POINTS)
    if len(runs) < _POINTS:  # else they lie closer than anybody could see
        moments = np.unique([*moments, *(run.at - _BEFORE_S for run in runs if began <= run.at - _BEFORE_S <= ended)])
    rates = change_rates(history)
    every = np.ones(len(history.page), np.bool_)
    groups = {"all pages": every}
    if history.relevant.any() and not history.relevant.all():
        groups = {"relevant": history.relevant, **groups}
    fresh = expected_freshness(history, rates, moments, groups)
    return VisitsOverTime(moments - began, fresh, runs, began)


def _table(runs: Sequence[VisitRun]) -> Html:
    shown = runs[-_RUNS:]
    most = max(1, *(run.visits for run in shown))
    rows = (
        (when(run.started_at), bar(run.visits / most, f"{run.visits:,}"), f"{run.unchanged:,}", f"{run.changed:,}",
         f"{run.missed:,}", f"{run.not_asked:,}", f"{run.gone:,}", f"{run.new:,}")
        for run in shown
    )  # fmt: skip
    columns = (("began", "w"), ("visited again", "n"), ("unchanged", "n"), ("changed", "n"), ("not there", "n"),
               ("nobody to ask", "n"), ("gone by then", "n"), ("new pages", "n"))  # fmt: skip
    return table(columns, rows)
