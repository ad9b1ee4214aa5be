"""The tables of a report. Each function gives a section (heading, note, table), or nothing where there is nothing to
tell, and never more than a fixed number of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dowse.lab.finished.crawl_judge import CrawlJudge
from dowse.lab.html_markup import Html, bar, clip, element, join, link, section, table
from dowse.lab.report.page_cell import deciding, named_page
from dowse.lab.report.settings_text import toml_like
from dowse.lab.wording import (
    counted,
    human_bytes,
    human_seconds,
    pages_told,
    percent,
    score_told,
    telling_horizons,
    too_early,
    value_told,
    when,
)
from dowse.model.forecast import Forecast
from dowse.model.records import EventRow
from dowse.store import CrawlReader, PageView, Refusal, Run, Stage, StageTimes, Summary
from dowse.store.times import iso

__all__ = [
    "best_pages", "best_sites", "events", "forecast", "outcomes", "refusals", "runs", "settings_told", "site_log",
    "stages",
]  # fmt: skip

_SITES = 20
_PAGES = 20
_OUTCOMES = 25
_RULES = 30
_SAMPLES = 3
_EVENTS = 40
_KINDS = 12
_RUNS = 10
_REASONS = 4
_NO_REASON = {"fetched": "a page", "waiting": "in the frontier", "leased": "in flight"}


def _first(shown: int, there: int, what: str) -> str:
    return f"The first {shown:,} of {there:,} {what}." if there > shown else ""


# -- what was found ----------------------------------------------------------------------------------------------------


def best_pages(crawl: CrawlReader, summary: Summary, judge: CrawlJudge | None, method: str) -> list[Html]:
    found = crawl.top_pages(_PAGES)
    if not found:
        return []
    rows = ((score_told(page.score or 0.0, method), _page(crawl, page, judge)) for page in found)
    note = "The relevant pages with the highest scores, and what made them score."
    more = f" {summary.relevant - len(found):,} more are in the records." if summary.relevant > len(found) else ""
    return section("Best pages", note + more, table((("score", "n tight"), ("page", "wide clip")), rows))


def _page(crawl: CrawlReader, page: PageView, judge: CrawlJudge | None) -> Html:
    parts = named_page(page)
    if page.model:
        parts += deciding(crawl, page, judge)
    elif page.parts:
        parts.append(element("span", join(_held(page), ", "), class_="sub"))
    elif page.reasons:
        parts.append(element("span", join(_reasons(page), ", "), class_="sub"))
    parts.append(element("span", *_origin(crawl, page), class_="sub"))
    return join(parts)


def _held(page: PageView) -> Iterator[Html]:
    """The tests of the predicate that the page passed, as they were written."""
    tests = [part for part in page.parts if part.held and part.text not in ("and", "or", "not")]
    for part in tests[:_REASONS]:
        yield element("b", element("bdi", clip(part.text, 60)))


def _reasons(page: PageView) -> Iterator[Html]:
    """The greatest contributions (value times weight) to the score."""
    ordered = sorted(page.reasons, key=lambda reason: -reason[1] * reason[2])
    for name, value, weight in ordered[:_REASONS]:
        kind, mark, word = name.partition(": ")
        yield join((element("b", element("bdi", clip(word if mark else kind, 40))), f" {value * weight:.3f}"))


def _origin(crawl: CrawlReader, page: PageView) -> tuple[str, ...]:
    candidate = crawl.candidate_by_id(page.id)
    parent = None if candidate is None or candidate.parent is None else crawl.candidate_by_id(candidate.parent)
    if parent is None:
        return ("a seed" if page.depth == 0 else f"{counted(page.depth, 'link')} from a seed",)
    return (f"{counted(page.depth, 'link')} from a seed, found on ", element("bdi", clip(parent.url, 100)))


def best_sites(crawl: CrawlReader, summary: Summary) -> list[Html]:
    found = crawl.top_sites(_SITES)
    if not found:
        return []
    rows = (
        (
            link(site.origin, site.origin.partition("://")[2], length=60), f"{site.relevant:,}", f"{site.pages:,}",
            bar(site.harvest, percent(site.harvest)), human_bytes(site.bytes),
            f"{1000 * site.mean_latency_s:,.0f} ms", f"{site.delay_s:g} s", f"{site.failures:,}",
            clip(site.robots_status, 30) or "not read",
        )
        for site in found
    )  # fmt: skip
    columns = (("site", "wide"), ("relevant", "n"), ("pages", "n"), ("harvest", "n"), ("bytes", "n"), ("latency", "n"),
               ("delay", "n"), ("failures", "n"), ("robots.txt", "w"))  # fmt: skip
    return section("Best sites", _first(len(found), summary.sites, "sites, those with the most relevant pages"),
                    table(columns, rows))  # fmt: skip


def site_log(crawl: CrawlReader, summary: Summary) -> list[Html]:
    """What each site's answers cost: what the next ones are taken to cost (TH-Gatherer's Site Log)."""
    found = crawl.busiest_sites(_SITES)
    if not found:
        return []
    rows = (
        (
            link(site.origin, site.origin.partition("://")[2], length=60), f"{site.requests:,}",
            bar(site.failures / site.requests, f"{site.failures:,}"), f"{1000 * site.mean_latency_s:,.0f} ms",
            f"{human_bytes(site.bytes_per_s)}/s" if site.bytes_per_s else "–", human_bytes(site.mean_bytes),
            f"{site.delay_s:g} s",
        )
        for site in found
    )  # fmt: skip
    columns = (("site", "wide"), ("requests", "n"), ("failed", "n"), ("latency", "n"), ("speed", "n"), ("size", "n"),
               ("delay", "n"))  # fmt: skip
    note = "Seconds to the first byte, bytes a second from there, and body bytes a request. "
    return section("Site log", note + _first(len(found), summary.sites, "sites, those asked most"),
                   table(columns, rows))  # fmt: skip


def forecast(made: Forecast | None) -> list[Html]:
    """What the next fetches may bring; nothing when none is left."""
    if made is None or not made.waiting:
        return []
    if early := too_early(made):
        return section("Forecast", f"{early.capitalize()}.")
    rows = (
        (f"{horizon.fetches:,}", f"{horizon.reachable:,}", pages_told(horizon.relevant), value_told(horizon.value))
        for horizon in telling_horizons(made)
    )
    note = (
        f"What more fetches would bring, as expected after {made.fetches:,} from what URLs of such priority brought"
        f" lately. In brackets, the limits between which {made.level:.0%} of outcomes are to lie."
    )
    columns = (("more fetches", "n"), ("in reach", "n"), ("relevant pages", "w"), ("value (sum of scores)", "w"))
    return section("Forecast", note, table(columns, rows))


# -- what it cost ------------------------------------------------------------------------------------------------------

_PARTS = {"connection": ("dns", "connect", "wait"), "download": (), "processing": ("parse", "judge"), "overall": ()}
_PART_NAMES = {
    "dns": "name look-up", "connect": "connecting", "wait": "waiting for the server", "parse": "parsing",
    "judge": "judging",
}  # fmt: skip


def stages(times: StageTimes) -> list[Html]:
    """Tables 1 and 2 of the ERID paper (METHODS, section 2)."""
    if not times.pages:
        return []
    parts = {part.name: part for part in times.parts}
    rows, classes = [], []
    for stage in times.stages:
        rows.append(_stage(stage, stage.name))
        classes.append("whole" if stage.name == "overall" else "")
        for name in _PARTS.get(stage.name, ()):
            rows.append(_stage(parts[name], _PART_NAMES[name]))
            classes.append("part")
    note = (
        f"The mean over {counted(times.pages, 'exchange')} that brought a response; what was waited out of politeness"
        f" is not in it. By the clock, from the first request to the last page, it took {human_seconds(times.wall_s)}."
    )
    columns = (("stage", ""), ("mean a page", "n"), ("share", "n"), ("in all", "n extra"))
    return section("Time per stage", note, table(columns, rows, classes))


def _stage(stage: Stage, name: str) -> tuple[str, ...]:
    return name, _fine(stage.mean_s), bar(stage.share, percent(stage.share)), human_seconds(stage.total_s)


def _fine(seconds: float) -> str:
    """
    >>> _fine(0.00042), _fine(1.5)
    ('0.0004 s', '1.5000 s')
    """
    return f"{seconds:.4f} s"


def outcomes(summary: Summary) -> list[Html]:
    if not summary.outcomes:
        return []
    shown, rest = summary.outcomes[:_OUTCOMES], summary.outcomes[_OUTCOMES:]
    rows = [
        (outcome.state, element("bdi", clip(outcome.reason, 160) or _NO_REASON.get(outcome.state, "–")), outcome.count)
        for outcome in shown
    ]
    if rest:
        left = sum(outcome.count for outcome in rest)
        rows.append(("", element("bdi", f"{len(rest):,} other reasons"), left))
    cells = ((state, reason, bar(n / summary.known, f"{n:,}")) for state, reason, n in rows)
    columns = (("state", "w"), ("reason", "wide"), ("URLs", "n"))
    return section("What became of the URLs", f"Every one of the {summary.known:,} URLs taken up.",
                    table(columns, cells))  # fmt: skip


def refusals(found: Sequence[Refusal]) -> list[Html]:
    if not found:
        return []
    rows = ((clip(refusal.rule, 60), f"{refusal.count:,}", _samples(refusal)) for refusal in found[:_RULES])
    note = "Links and URLs that a rule of scope, safety or robots.txt kept out. "
    columns = (("rule", "w"), ("links", "n"), ("for example", "wide"))
    return section("Refused links", note + _first(_RULES, len(found), "rules"), table(columns, rows))


def _samples(refusal: Refusal) -> Html:
    items = (element("li", link(url, length=100)) for url in refusal.samples[:_SAMPLES])
    return element("ul", *items, class_="plain") if refusal.samples else Html("–")


# -- how it went -------------------------------------------------------------------------------------------------------


def events(told: Sequence[EventRow]) -> list[Html]:
    if not told:
        return []
    kinds = Counter(clip(event.kind, 40) for event in told).most_common(_KINDS)
    note = ", ".join(f"{kind} {count:,}" for kind, count in kinds) + "."
    if len(told) > _EVENTS:
        note += f" The last {_EVENTS} of {len(told):,}."
    rows = (
        (iso(event.at)[:19].replace("T", " "), clip(event.kind, 40),
         element("bdi", clip(event.detail, 300)))
        for event in told[-_EVENTS:]
    )  # fmt: skip
    return section("Events", note, table((("when (UTC)", "w"), ("what", "w"), ("detail", "wide")), rows))


def runs(made: Sequence[Run]) -> list[Html]:
    """Only of a crawl that was resumed; one run is told in the head."""
    if len(made) < 2:
        return []
    rows = (
        (f"{run.id:,}", when(run.started_at), when(run.ended_at) if run.ended_at else "–",
         clip(run.stop_reason or "no end recorded", 200))
        for run in made[-_RUNS:]
    )  # fmt: skip
    note = f"The last {_RUNS} of {len(made):,}." if len(made) > _RUNS else ""
    columns = (("run", "n tight"), ("started", "w"), ("ended", "w"), ("stopped", "wide"))
    return section("Runs", note, table(columns, rows))


def settings_told(settings: Mapping[str, Any]) -> list[Html]:
    topic = settings.get("topic")
    tables = toml_like(topic if isinstance(topic, dict) else settings)
    if not tables:
        return []
    blocks = (element("span", join(lines, "\n")) for lines in tables)
    return section("Settings", "What the crawl was told. Long lists are cut.", element("pre", join(blocks)))
