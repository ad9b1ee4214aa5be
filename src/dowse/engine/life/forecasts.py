"""Joins the forecast to a crawl: tells it how each fetch ended, and shows it the frontier now and then.

A look goes over every known URL, so looks come the rarer the more there are: the cost a page stays flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dowse.engine.life.journal import Journal
from dowse.engine.life.tally import Tally
from dowse.frontier.frontier import Frontier
from dowse.model.forecast import FORECAST, Forecast
from dowse.model.page import Outcome
from dowse.model.records import PageRow
from dowse.predict.forecaster import MOST_WAITING, Forecaster

__all__ = ["Forecasts"]

_STATE = "forecast.state"
_EVERY = 50  # fetches between two looks, at the least
_KNOWN_A_FETCH = 1_000  # known URLs for each fetch between two looks


class Forecasts:
    """What the next fetches may bring, as of the last look."""

    def __init__(self, frontier: Frontier, journal: Journal) -> None:
        self._frontier = frontier
        self._journal = journal
        self._forecaster = Forecaster()
        self._looked_at = 0  # fetches
        self.forecast: Forecast | None = None
        self.on_look: Callable[[Forecast], None] | None = None  # told of each forecast

    def ended(self, row: PageRow) -> None:
        """A URL was fetched. Its priority is still that of its lease: only what waits is ever given another."""
        self._forecaster.learn(
            self._frontier.priority(row.id), judged=row.outcome == Outcome.FETCHED, relevant=row.relevant is True,
            value=row.score or 0.0,
        )  # fmt: skip
        due = max(_EVERY, len(self._frontier.candidates) // _KNOWN_A_FETCH)
        if self._forecaster.fetches - self._looked_at >= due:
            self.look()

    def look(self) -> None:
        """Forecast anew, and have it written down with what makes the next ones better."""
        frontier, forecaster = self._frontier, self._forecaster
        self._looked_at = forecaster.fetches
        best, waiting = frontier.to_come(MOST_WAITING)
        self.forecast = forecaster.look(best, waiting, len(frontier.candidates))
        self._journal.statistic(FORECAST, self.forecast.to_json())
        self._journal.statistic(_STATE, forecaster.state())
        if self.on_look is not None:
            self.on_look(self.forecast)

    def restore(
        self, learned: dict[str, Any], last: Iterable[tuple[float, bool, float]], *, fetches: int, tally: Tally
    ) -> None:
        """Go on where an earlier run was: from the statistics, the last fetches of the records, and the tally."""
        for priority, relevant, value in last:
            self._forecaster.recall(priority, relevant=relevant, value=value)
        self._forecaster.restore(
            learned.get(_STATE, {}), fetches=fetches, judged=tally.pages, relevant=tally.relevant, value=tally.value
        )
        self._looked_at = fetches
        if FORECAST in learned:
            self.forecast = Forecast.from_json(learned[FORECAST])
