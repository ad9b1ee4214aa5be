"""A forecast in words, for displays, summaries and reports."""

from __future__ import annotations

from dowse.model.forecast import Forecast, Horizon, Interval

__all__ = ["pages_told", "sentence", "short", "told", "too_early", "value_told"]

_SHORT = 500  # fetches, of the one line that a running crawl shows


def too_early(forecast: Forecast) -> str:
    """Why there is no forecast yet; empty when there is one."""
    if forecast.horizons:
        return ""
    return f"too early to tell: {forecast.judged} of at least {forecast.least_judged} pages judged"


def told(forecast: Forecast) -> list[Horizon]:
    """The horizons that say something new: where the frontier runs dry, the longer ones repeat it."""
    found: list[Horizon] = []
    for horizon in forecast.horizons:
        if horizon.reachable > (found[-1].reachable if found else 0):
            found.append(horizon)
    return found


def pages_told(interval: Interval) -> str:
    """
    >>> pages_told(Interval(40.4, 30, 52))
    'about 40 (30 to 52)'
    """
    return f"about {interval.expected:,.0f} ({interval.low:,.0f} to {interval.high:,.0f})"


def value_told(interval: Interval) -> str:
    """
    >>> value_told(Interval(4.04, 2.5, 6.125))
    '4.0 (2.5 to 6.1)'
    """
    return f"{interval.expected:,.1f} ({interval.low:,.1f} to {interval.high:,.1f})"


def sentence(horizon: Horizon) -> str:
    """One horizon, as a crawl's summary tells it.

    >>> sentence(Horizon(500, 500, Interval(40.4, 30, 52), Interval(4.04, 2.5, 6.125)))
    '500 more fetches: about 40 (30 to 52) relevant, value 4.0 (2.5 to 6.1)'
    """
    reach = "" if horizon.reachable == horizon.fetches else f", {horizon.reachable:,} in reach"
    found, worth = pages_told(horizon.relevant), value_told(horizon.value)
    return f"{horizon.fetches:,} more fetches{reach}: {found} relevant, value {worth}"


def short(forecast: Forecast | None) -> str:
    """One line for a display; empty before the first look."""
    if forecast is None:
        return ""
    horizon = forecast.horizon(_SHORT)
    return too_early(forecast) if horizon is None else f"next {_SHORT}: {pages_told(horizon.relevant)}"
