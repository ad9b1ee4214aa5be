"""What a crawl prints when it ends: why it stopped, its figures, and where to find the results."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dowse.cli.publish import publish_command
from dowse.cli.terminal import say, say_json
from dowse.cli.verdict_words import (
    borderline_lines,
    final_lines,
    judged_by_model,
    language_line,
    spread_line,
    vague_lines,
)
from dowse.engine.assembly.planned import PLAN
from dowse.engine.loop.engine import Stop
from dowse.lab.draw.harvest_chart import harvest_chart
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.finished.expected_words import unpromised
from dowse.lab.finished.verdict_facts import VerdictFacts, verdict_facts
from dowse.lab.report.settings_text import subject_of
from dowse.lab.wording import (
    counted,
    forecast_sentence,
    human_bytes,
    human_seconds,
    score_told,
    telling_horizons,
    too_early,
)
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.forecast import Forecast
from dowse.model.judge import LEARNED
from dowse.model.records import PAGE_REFUSED
from dowse.model.runs import JudgedBy
from dowse.model.shown import shown
from dowse.store import CrawlReader, Summary
from dowse.store.read_visits import new_since, visit_counts
from dowse.store.sharded import SHARDS, is_sharded
from dowse.store.shared.following import Published

__all__ = ["finish", "visit_line"]

_OUTCOMES = 8
_WHOLE = 10_000  # letters, longer than any line
_BORDERLINE = 2  # pages on either side of the threshold
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


def finish(
    folder: Path, stop: Stop, *, as_json: bool, quiet: bool, published: Published | None = None,
    visits_since: float | None = None, budget: Budget | None = None,
) -> int:  # fmt: skip
    """Draw the curve and print the summary, with how far the crawl is ``published``, and what came of visits since
    ``visits_since``. ``budget`` is that of this run, where it may be another than the topic's. The exit code is 1 when
    no page was fetched, or the crawl failed, which is told."""
    with CrawlReader(folder) as crawl:
        summary, settings, forecast = crawl.summary(), crawl.settings(), crawl.forecast()
        facts = verdict_facts(crawl, _BORDERLINE)
        refused = [f"{refusal.rule} ({refusal.count})" for refusal in crawl.refusals()[:3]]
    topic = settings["topic"]
    picture = _draw_curve(folder, topic.get("name") or subject_of(topic)) if summary.pages else None
    if as_json:
        value = {"event": "summary", "folder": str(folder), "stop": asdict(stop), **asdict(summary)}
        value["verdicts"] = facts.to_json()
        value["published"] = None if published is None else asdict(published)
        value["forecast"] = None if forecast is None else forecast.to_json()
        say_json(value)
    elif not quiet:
        verdicts = _verdicts(folder, settings, facts) if summary.judged else []
        more = _twice(budget or Budget(**topic["budget"])) if stop.kind == "budget" and summary.waiting else ""
        if visits_since is not None:
            verdicts = [("visits", visit_line(folder, visits_since)), *verdicts]
            more = ""
        _print(folder, stop, summary, picture, verdicts, _expected(stop, summary, forecast), more, published)
    if published is not None and not published.finished:
        why = f": {shown(published.trouble)}" if published.trouble else ""
        say(f"dowse: pages that are not published yet: {published.lag}{why}. "
            f"Publish them with {publish_command(folder, published.to)}", err=True)  # fmt: skip
    if stop.kind == "failed":
        say(f"dowse: {shown(stop.detail)}", err=True)
        return 1
    if not summary.pages and stop.kind != "interrupted":
        say(f"dowse: no page was fetched: {shown(_why_none(summary, settings, refused))}", err=True)
        return 1
    return 0


def _twice(budget: Budget) -> str:
    """A budget that goes as far again as the one that is spent."""
    return str(Budget(**{name: 2 * limit for name, limit in asdict(budget).items() if limit is not None}))


def _why_none(summary: Summary, settings: dict[str, Any], refused: list[str]) -> str:
    ends = [f"{outcome.reason or outcome.state} ({outcome.count})" for outcome in summary.outcomes[:3]]
    seeds = settings.get("seeds") or ["the seeds"]
    if summary.outcomes and all(outcome.state == "waiting" for outcome in summary.outcomes):
        return f"{seeds[0]} still waits: the crawl stopped before an answer came"
    by = f": refused by {', '.join(refused)}" if refused else ""
    if any(rule.startswith("port ") for rule in refused):
        by += "; --allow-port PORT permits one that browsers refuse"
    why = f"{seeds[0]}: {', '.join(ends)}" if ends else f"no seed was taken up{by}"
    private = any(outcome.reason.startswith("address") and "port" not in outcome.reason for outcome in summary.outcomes)
    return (
        f"{why}; --allow-address ADDRESS permits one private address, --allow-private all of them" if private else why
    )


def _verdicts(folder: Path, settings: dict[str, Any], facts: VerdictFacts) -> list[tuple[str, str]]:
    """What made pages relevant, how sure that is, and where it is doubtful."""
    by = facts.by
    told = {
        "relevant": [
            _judged_by(settings, by), *(final_lines(by.verdicts) or filter(None, [unpromised(by, settings)])),
            *facts.changes,
        ],
        "scores": [spread_line(facts.spread)] if facts.spread is not None else [],
        "borderline": borderline_lines(facts, _BORDERLINE) if by.judge == LEARNED else [],
        "languages": [line] if (line := language_line(facts.languages)) else [],
        "vague": vague_lines(by.vague, folder),
    }  # fmt: skip
    return [("" if row else name, text) for name, lines in told.items() for row, text in enumerate(lines)]


def _judged_by(settings: dict[str, Any], by: JudgedBy) -> str:
    """The threshold that made pages relevant, and where it is from."""
    if by.verdicts is not None:
        return judged_by_model(by.verdicts)
    topic = settings["topic"]
    if topic.get("predicate"):
        return f"the predicate: {shown(subject_of({**topic, 'query': ''}))}"
    threshold = settings["threshold"] if by.threshold is None else by.threshold
    method = by.judge or topic["judge"]["method"]
    if method == PLAN:
        return "where the plan expects objects"
    judged = f"{method} of at least {score_told(threshold, method)}"
    if topic["judge"]["threshold"] is not None or threshold != settings["threshold"]:
        return f"{judged}, as given"
    if topic["judge"]["method"] == LEARNED and not topic["examples"]:
        return f"{judged}: too little was learned for a model"
    origin = "from the examples" if topic["examples"] else "the default for words alone"
    hint = "" if topic["examples"] else "; example pages or --threshold sharpen it"
    return f"{judged}, {origin}{hint}"


def visit_line(folder: Path, since: float) -> str:
    """What came of the visits since then to pages that the crawl had."""
    with CrawlReader(folder) as crawl:
        counts = visit_counts(crawl, since)
        new = len(new_since(crawl, since, every=True))
    visits = counts["unchanged"] + counts["changed"] + counts["missed"]
    left = f"; {counts['not asked']} due that nobody could be asked for" if counts["not asked"] else ""
    return (
        f"{counted(visits, 'page')} visited again: {counts['unchanged']} unchanged, {counts['changed']} changed,"
        f" {counts['missed']} not there, {counts['gone']} gone by now; {counted(new, 'new page')}{left}"
    )


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
    folder: Path,
    stop: Stop,
    summary: Summary,
    picture: Path | None,
    verdicts: list[tuple[str, str]],
    expected: list[str],
    more: str,
    published: Published | None,
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
        *verdicts,
        ("spent", f"{summary.requests} requests, {human_bytes(summary.bytes)}, {human_seconds(summary.seconds)}"
                  f" ({rate:.1f} pages/s)"),
        *_saved(summary),
        ("frontier", f"{summary.waiting} of {summary.known} known URLs still wait, on {summary.sites} sites"),
    ]  # fmt: skip
    rows += [("" if row else "forecast", text) for row, text in enumerate(expected)]
    others = [outcome for outcome in summary.outcomes if outcome.reason and outcome.state != "waiting"]
    stopped_at = sum(outcome.count for outcome in others if outcome.reason == PAGE_REFUSED)
    if stopped_at:
        rows.append(("stopped at", f"{counted(stopped_at, 'page')} that the judge refuses: links not followed"))
        others = [outcome for outcome in others if outcome.reason != PAGE_REFUSED]
    if others:
        rows.append(("not judged", ", ".join(f"{outcome.reason} {outcome.count}" for outcome in others[:_OUTCOMES])))
    if published is not None and published.finished:
        rows.append(("published", f"everything is in {published.to}"))
    archives = folder / SHARDS / "*" / "*.warc.gz" if is_sharded(folder) else folder / "*.warc.gz"
    rows.append(("results", f"{folder / 'dowse.sqlite'} and {archives}"))
    if picture is not None:
        rows.append(("picture", str(picture)))
    for name, text in rows:
        table.add_row(name, Text(shown(text)))  # what a server said is data, not markup
    # lines are for a terminal to break; in a file they stay whole, and so do the URLs in them
    Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WHOLE).print(table)
    # beside the table, which would break a long line: these are there to be pasted
    place, width = shlex.quote(str(folder)), max(len(name) for name, _ in rows) + 2
    commands = [f"dowse report {place}"]
    if summary.pages:
        commands.append(f"dowse export {place} -o pages.csv")
    if more:  # what was spent counts: the same budget would be spent before it begins
        commands.append(f"dowse crawl --resume {place} --budget {more}")
    for row, command in enumerate(commands):
        say(f"{'' if row else 'next':{width}}{command}")
