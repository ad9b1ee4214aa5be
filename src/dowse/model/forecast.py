"""What the next fetches of a crawl may bring: a value that the crawl makes, the store keeps and reports show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FORECAST", "Forecast", "Horizon", "Interval"]

FORECAST = "forecast"  # the statistic under which a crawl keeps its last one


@dataclass(frozen=True, slots=True)
class Interval:
    """A number that is expected, and the limits between which it comes to lie at the forecast's level."""

    expected: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {"expected": self.expected, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Horizon:
    """What the next ``fetches`` bring. ``reachable`` is less when the frontier is expected to run dry before; the
    forecast is then for those."""

    fetches: int
    reachable: int
    relevant: Interval  # pages
    value: Interval  # sum of scores


@dataclass(frozen=True, slots=True)
class Forecast:
    """A moment of a crawl and what may follow. Without ``horizons`` there is too little to go by yet.

    A *fetch* is a URL whose fetching came to an end, whatever the end: a page, an error, a redirect.
    """

    fetches: int  # so far
    judged: int  # pages so far
    relevant: int
    value: float
    waiting: int  # URLs, those under way included
    level: float  # the share of outcomes that the intervals are made to hold
    least_judged: int  # pages that must have been judged before there is a forecast
    horizons: tuple[Horizon, ...] = ()

    def horizon(self, fetches: int) -> Horizon | None:
        """The forecast for the next so many fetches."""
        return next((horizon for horizon in self.horizons if horizon.fetches == fetches), None)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; :meth:`from_json` gives an equal forecast back."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        plain["horizons"] = [
            {"fetches": horizon.fetches, "reachable": horizon.reachable, "relevant": horizon.relevant.to_json(),
             "value": horizon.value.to_json()}
            for horizon in self.horizons
        ]  # fmt: skip
        return plain

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Forecast:
        horizons = (
            Horizon(row["fetches"], row["reachable"], Interval(**row["relevant"]), Interval(**row["value"]))
            for row in data["horizons"]
        )
        return cls(**{**data, "horizons": tuple(horizons)})
