"""A crawl on one HTML page: what it found, where, what it cost and why it stopped.

The page is self-contained (no script, nothing loaded from anywhere) and its length is bounded whatever the crawl's: it
shows the first rows of each table and says how many there are. It tells what the records say and nothing else, so the
same folder gives the same page; while a crawl is running it shows the last commit.
"""

from __future__ import annotations

from pathlib import Path

from dowse.lab.blocks.tunnels_section import tunnels
from dowse.lab.draw.harvest_chart import harvest_chart, rate_window
from dowse.lab.draw.svg import svg_in_page
from dowse.lab.finished.read_from import not_in_database
from dowse.lab.html_markup import Html, clip, document, element, section
from dowse.lab.report import crawl_tables as tables
from dowse.lab.report.settings_text import subject_of
from dowse.lab.report.verdict_section import Verdicts
from dowse.lab.report.visits_section import visits
from dowse.lab.wording import counted, human_bytes, human_seconds, percent, when
from dowse.model.files import write_whole
from dowse.store import CrawlReader, HarvestCurve, Summary
from dowse.store.read_times import stage_times

__all__ = ["write_report"]


def write_report(folder: Path, out: Path | None = None) -> Path:
    """Write the report of the crawl in ``folder`` to ``out`` (default: ``report.html`` in the folder), whole or not
    at all; returns where. Raises NotACrawl when there is no crawl, UserError when the file cannot be written."""
    out = folder / "report.html" if out is None else out
    with CrawlReader(folder) as crawl:
        page = _report(crawl)
    write_whole(out, lambda path: path.write_text(page, encoding="utf-8", newline="\n"))
    return out


def _report(crawl: CrawlReader) -> str:
    summary, settings = crawl.summary(), crawl.settings()
    topic = settings.get("topic")
    topic = topic if isinstance(topic, dict) else {}
    name = clip(str(topic.get("name") or subject_of(topic)), 160) or "A crawl"
    verdicts = Verdicts(crawl, summary.runs)
    body = [
        _head(name, subject_of(topic), str(settings.get("version") or ""), summary),
        *_missing(not_in_database(settings)),
        _figures(summary),
        *_harvest(crawl, summary),
        *visits(crawl),
        *tables.forecast(crawl.forecast()),
        *verdicts.scores(),
        *tables.best_pages(crawl, summary, verdicts.judge, verdicts.method),
        *verdicts.doubts(),
        *tunnels(crawl),
        *tables.best_sites(crawl, summary),
        *tables.site_log(crawl, summary),
        *tables.stages(stage_times(crawl)),
        *tables.outcomes(summary),
        *tables.refusals(crawl.refusals()),
        *tables.events(crawl.events()),
        *tables.runs(summary.runs),
        *tables.settings_told(settings),
    ]
    return document(f"{name} – Dowse report", body)


def _head(name: str, query: str, version: str, summary: Summary) -> Html:
    told = [f"Dowse {version}".strip()]
    if summary.runs:
        first, last = summary.runs[0], summary.runs[-1]
        told.insert(0, f"{when(first.started_at)} to {when(last.ended_at)}" if last.ended_at else
                    f"started {when(first.started_at)}")  # fmt: skip
        if len(summary.runs) > 1:
            told.insert(1, f"{len(summary.runs):,} runs")
    parts = [element("p", "Dowse crawl report", class_="brand"), element("h1", element("bdi", name))]
    if query and clip(query, 160) != name:
        parts.append(element("p", "Looking for ", element("bdi", clip(query, 400)), class_="soft"))
    parts.append(element("p", " · ".join(told), class_="soft"))
    parts.append(_stop(summary))
    return element("header", *parts)


def _stop(summary: Summary) -> Html:
    if not summary.runs:
        return element("p", "not started", class_="stop")
    if summary.stop_reason is None:
        return element("p", "no end recorded: still running, or cut off. These are the figures of the last commit.",
                       class_="stop")  # fmt: skip
    kind = summary.stop_reason.partition(":")[0]
    known = kind if kind in ("target", "interrupted", "failed") else ""
    return element("p", "stopped – ", clip(summary.stop_reason, 300), class_=f"stop {known}".strip())


def _missing(told: str | None) -> list[Html]:
    return [] if told is None else [element("p", f"{told[0].upper()}{told[1:]}.", class_="soft")]


def _figures(summary: Summary) -> Html:
    pages = max(summary.pages - summary.saved_pages, 1)  # what was downloaded, and so cost something
    speed = summary.pages / summary.seconds if summary.seconds else 0.0
    figures = [
        ("pages fetched", f"{summary.pages:,}", f"on {counted(summary.sites, 'site')}"),
        ("relevant pages", f"{summary.relevant:,}", f"of {summary.judged:,} judged"),
        ("harvest rate", percent(summary.harvest), "relevant of fetched"),
        ("downloaded", human_bytes(summary.bytes), f"{human_bytes(summary.bytes / pages)} a page"),
        ("requests", f"{summary.requests:,}", f"{summary.requests / pages:.2f} a page"),
        ("time", human_seconds(summary.seconds), f"{speed:.1f} pages a second"),
        ("frontier left", f"{summary.waiting:,}", f"of {counted(summary.known, 'URL')} known"),
        ("bytes a relevant page", human_bytes(summary.bytes / summary.relevant) if summary.relevant else "–",
         "what one find costs"),
    ]  # fmt: skip
    if summary.saved_pages:
        saved = f"pages, {human_bytes(summary.saved_bytes)} not downloaded"
        figures.append(("from the cache", f"{summary.saved_pages:,}", saved))
    cells = (
        element("div", element("dt", what), element("dd", value, element("small", note)))
        for what, value, note in figures
    )
    return element("dl", *cells, class_="figures")


def _harvest(crawl: CrawlReader, summary: Summary) -> list[Html]:
    whole = crawl.harvest_curve()
    # a running crawl may have gone on since the summary was asked for; the picture ends where the figures do
    curve = HarvestCurve(whole.pages[: summary.pages], whole.relevant[: summary.pages])
    note = (
        "Relevant pages against pages fetched: the steeper, the better the crawl chose. Below, the harvest rate of the"
        f" last {counted(rate_window(summary.pages), 'page')} (dotted: of the whole crawl)."
    )
    figure = element(
        "figure",
        svg_in_page(harvest_chart(curve, width=900, height=430), class_="broad"),
        svg_in_page(harvest_chart(curve, width=400, height=400), class_="narrow"),
    )
    return section("Harvest", note if summary.pages else "", figure)
