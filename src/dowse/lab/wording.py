"""Figures in words, for displays, summaries and reports: shares, sizes, times, counts and forecasts."""

from __future__ import annotations

from dowse.model.forecast import Forecast, Horizon, Interval

__all__ = [
    "counted", "forecast_line", "forecast_sentence", "human_bytes", "human_seconds", "pages_told", "percent",
    "score_told", "telling_horizons", "too_early", "value_told", "when",
]  # fmt: skip

_SHORT = 500  # fetches, of the one line that a running crawl shows


def percent(share: float) -> str:
    """
    >>> percent(0.4061), percent(0.00004), percent(0)
    ('40.6 %', '<0.1 %', '0 %')
    """
    if share <= 0:
        return "0 %"
    return "<0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"


def score_told(score: float, judge: str, usual: str = ".3f") -> str:
    """A score, or a threshold of scores. ERID's are small, so that three decimals would make them all alike; those of
    other judges are written as is ``usual``.

    >>> score_told(0.0031234, "erid"), score_told(0.0031234, "similarity"), score_told(0.5, "learned", ".2f")
    ('0.003123', '0.003', '0.50')
    """
    return format(score, ".4g" if judge == "erid" else usual)


def human_bytes(size: float) -> str:
    """
    >>> human_bytes(1_234_567)
    '1.2 MB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.95:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def human_seconds(seconds: float) -> str:
    """
    >>> human_seconds(12.34), human_seconds(754), human_seconds(93_784)
    ('12.3 s', '12 min 34 s', '26 h 3 min')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def when(text: str) -> str:
    """A stored time, to the minute.

    >>> when("2023-11-14T22:13:20.250000Z")
    '2023-11-14 22:13 UTC'
    """
    return f"{text[:10]} {text[11:16]} UTC"


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "page"), counted(1_200, "page")
    ('1 page', '1,200 pages')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


# -- forecasts ---------------------------------------------------------------------------------------------------------


def too_early(forecast: Forecast) -> str:
    """Why there is no forecast yet; empty when there is one."""
    if forecast.horizons:
        return ""
    return f"too early to tell: {forecast.judged} of at least {forecast.least_judged} pages judged"


def telling_horizons(forecast: Forecast) -> list[Horizon]:
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


def forecast_sentence(horizon: Horizon) -> str:
    """One horizon, as a crawl's summary tells it.

    >>> forecast_sentence(Horizon(500, 500, Interval(40.4, 30, 52), Interval(4.04, 2.5, 6.125)))
    '500 more fetches: about 40 (30 to 52) relevant, value 4.0 (2.5 to 6.1)'
    """
    reach = "" if horizon.reachable == horizon.fetches else f", {horizon.reachable:,} in reach"
    found, worth = pages_told(horizon.relevant), value_told(horizon.value)
    return f"{horizon.fetches:,} more fetches{reach}: {found} relevant, value {worth}"


def forecast_line(forecast: Forecast | None) -> str:
    """One line for a display; empty before the first look."""
    if forecast is None:
        return ""
    horizon = forecast.horizon(_SHORT)
    return too_early(forecast) if horizon is None else f"next {_SHORT}: {pages_told(horizon.relevant)}"
