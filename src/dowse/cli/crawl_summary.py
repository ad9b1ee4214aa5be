"""What a crawl prints when it ends: why it stopped, its figures, and where to find the results."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from dowse.cli.terminal import say, say_json
from dowse.cli.verdict_words import final_lines, judged_by_model
from dowse.engine.loop.engine import Stop
from dowse.lab.draw.harvest_chart import harvest_chart
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.report.settings_text import subject_of
from dowse.lab.wording import forecast_sentence, human_bytes, human_seconds, telling_horizons, too_early
from dowse.model.errors import UserError
from dowse.model.forecast import Forecast
from dowse.model.judge import LEARNED
from dowse.model.records import FINAL_VERDICTS
from dowse.model.shown import shown
from dowse.store import CrawlReader, Summary

__all__ = ["finish"]

_OUTCOMES = 8
_COULD_GO_ON = frozenset(("budget", "target", "interrupted"))


def _draw_curve(folder: Path, title: str) -> Path | None:
    """The crawl's harvest curve as ``harvest.svg`` in its folder: no plotting library need be there. None when it
    cannot be written, which is said; the crawl itself is well."""
    with CrawlReader(folder) as crawl:
        curve = crawl.harvest_curve()
    path = folder / "harvest.svg"
    try:
        save_picture(harvest_chart(curve, title=title or "A crawl"), path)
    except UserError as error:
        say(f"dowse: no picture: {error}", err=True)
        return None
    return path


def finish(folder: Path, stop: Stop, *, as_json: bool, quiet: bool) -> int:
    """Draw the curve and print the summary. The exit code is 1 when no page was fetched."""
    with CrawlReader(folder) as crawl:
        summary, settings, forecast = crawl.summary(), crawl.settings(), crawl.forecast()
        final = crawl.statistic(FINAL_VERDICTS)
        refused = [f"{refusal.rule} ({refusal.count})" for refusal in crawl.refusals()[:3]]
    topic = settings["topic"]
    picture = _draw_curve(folder, topic.get("name") or subject_of(topic)) if summary.pages else None
    if as_json:
        value = {"event": "summary", "folder": str(folder), "stop": asdict(stop), **asdict(summary)}
        value["verdicts"] = final
        value["forecast"] = None if forecast is None else forecast.to_json()
        say_json(value)
    elif not quiet:
        expected = _expected(stop, summary, forecast)
        _print(folder, stop, summary, picture, [_judged_by(settings, final), *final_lines(final)], expected)
    if not summary.pages and stop.kind != "interrupted":
        say(f"dowse: no page was fetched: {shown(_why_none(summary, settings, refused))}", err=True)
        return 1
    return 0


def _why_none(summary: Summary, settings: dict[str, Any], refused: list[str]) -> str:
    ends = [f"{outcome.reason or outcome.state} ({outcome.count})" for outcome in summary.outcomes[:3]]
    seeds = settings.get("seeds") or ["the seeds"]
    by = f": refused by {', '.join(refused)}" if refused else ""
    why = f"{seeds[0]}: {', '.join(ends)}" if ends else f"no seed was taken up{by}"
    private = any(outcome.reason.startswith("address") and "port" not in outcome.reason for outcome in summary.outcomes)
    return (
        f"{why}; --allow-address ADDRESS permits one private address, --allow-private all of them" if private else why
    )


def _judged_by(settings: dict[str, Any], final: dict[str, Any] | None) -> str:
    """The threshold that made pages relevant, and how to sharpen it where nobody chose it."""
    if final is not None:
        return judged_by_model(final)
    topic = settings["topic"]
    if topic.get("predicate"):
        return f"the predicate: {shown(subject_of({**topic, 'query': ''}))}"
    method, given = topic["judge"]["method"], topic["judge"]["threshold"] is not None
    method = "similarity" if method == LEARNED else method  # too little was learned, or a threshold was given
    origin = "as given" if given else "from the examples" if topic["examples"] else "the default for words alone"
    hint = "" if given or topic["examples"] else "; example pages or --threshold sharpen it"
    return f"{method} of at least {settings['threshold']:.3f}, {origin}{hint}"


def _saved(summary: Summary) -> list[tuple[str, str]]:
    if not summary.saved_bytes and not summary.saved_pages:
        return []
    return [("saved", f"{summary.saved_pages} pages, {human_bytes(summary.saved_bytes)}, taken from the cache")]


def _expected(stop: Stop, summary: Summary, forecast: Forecast | None) -> list[str]:
    """What going on would bring, if the crawl could go on."""
    if forecast is None or stop.kind not in _COULD_GO_ON or not summary.waiting:
        return []
    early = too_early(forecast)
    return [early] if early else [forecast_sentence(horizon) for horizon in telling_horizons(forecast)]


def _print(
    folder: Path, stop: Stop, summary: Summary, picture: Path | None, judged_by: list[str], expected: list[str]
) -> None:
    from rich.console import Console  # only here: a program that asks for JSON need not load them
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    rate = summary.pages / summary.seconds if summary.seconds else 0.0
    rows = [
        ("stopped", str(stop)),
        ("pages", f"{summary.pages} fetched, {summary.relevant} relevant: harvest rate {summary.harvest:.1%}"),
        *(("" if row else "relevant", text) for row, text in enumerate(judged_by)),
        ("spent", f"{summary.requests} requests, {human_bytes(summary.bytes)}, {human_seconds(summary.seconds)}"
                  f" ({rate:.1f} pages/s)"),
        *_saved(summary),
        ("frontier", f"{summary.waiting} of {summary.known} known URLs still wait, on {summary.sites} sites"),
    ]  # fmt: skip
    rows += [("" if row else "forecast", text) for row, text in enumerate(expected)]
    others = [outcome for outcome in summary.outcomes if outcome.reason and outcome.state != "waiting"]
    if others:
        rows.append(("not judged", ", ".join(f"{outcome.reason} {outcome.count}" for outcome in others[:_OUTCOMES])))
    rows.append(("results", f"{folder / 'dowse.sqlite'} and {folder}/*.warc.gz"))
    if picture is not None:
        rows.append(("picture", str(picture)))
    rows.append(("next", f"dowse report {folder}"))
    rows.append(("", f"dowse export {folder} --to csv -o pages.csv"))
    for name, text in rows:
        table.add_row(name, Text(shown(text)))  # what a server said is data, not markup
    Console(highlight=False).print(table)
