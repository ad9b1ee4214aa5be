"""``dowse lab freshness``: policies of visits on a web that changes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Force
from dowse.cli.lab import lab
from dowse.cli.lab_options import rows_json
from dowse.cli.outputs import check_out
from dowse.cli.stages import shown_stages
from dowse.cli.terminal import interruptible, say
from dowse.lab.draw.picture_file import check_picture, save_picture
from dowse.lab.freshness.archived_web import archived_web
from dowse.lab.freshness.changing_web import ChangingWeb
from dowse.lab.freshness.chart import freshness_chart
from dowse.lab.freshness.comparison import compare_policies, comparison_text, within_theory
from dowse.lab.freshness.conferences import ENTRY, LISTINGS, conferences_web
from dowse.lab.freshness.simulated import QUERY, simulated_web
from dowse.lab.freshness.trial import Schedule, topic_of
from dowse.model.budget import parse_duration
from dowse.model.errors import TopicError, UserError
from dowse.model.files import write_whole

__all__ = ["freshness_command"]

_SIMULATED_PAGES = 300
_DAY_S = 86_400.0


@lab.command("freshness")
def freshness_command(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SOURCE]",
            help="A folder of WARC files with several versions of pages, or versions.jsonl.xz of conferences (or its"
            " folder). Without it, a web of known change rates is simulated.",
        ),
    ] = None,
    budget: Annotated[str, typer.Option(metavar="N,...", help="Pages a run of visits.")] = "10,20,40,80",
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="What pages are valued by.")] = None,
    seed: Annotated[str | None, typer.Option(metavar="URL", help="Where to start, of an archive.")] = None,
    start: Annotated[str, typer.Option(metavar="DATE", help="When the first crawl is: 2021-01-01.")] = "2021-01-01",
    every: Annotated[str, typer.Option(metavar="TIME", help="How often visits are made.")] = "7d",
    runs: Annotated[int, typer.Option(min=2, metavar="N", help="How many runs of visits there are.")] = 52,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Draw freshness by budget and over time: .png, .svg or .pdf."),
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures into this file, as JSON.")
    ] = None,
    force: Force = False,
) -> None:
    """Compare policies of visits: how fresh do they keep a collection?

    Freshness is the share of the time in which the text that is held is the one there is, weighted by value, over the
    second half of the runs.

    Example: dowse lab freshness --budget 10,40
    """
    budgets = _budgets(budget)
    schedule = _schedule(start, every, runs)
    begin, every_s = schedule.start, schedule.every_s
    if out is not None:
        check_picture(out)
    for path in filter(None, (out, as_json)):
        check_out(path, force=force)
    rates: dict[str, float] = {}
    with interruptible():
        if source is None:
            made = simulated_web(_SIMULATED_PAGES, begin, (runs + 2) * every_s / _DAY_S)
            web, entry, rates, words = made.web, made.entry, made.rates, query or QUERY
        else:
            web, entry = _recorded(source, seed)
            words = query or "javascript conferences"
        topic = topic_of(words, entry)
        with shown_stages(lambda stage, total: f"{stage}: {total} runs") as progress:
            rows = list(compare_policies(web, topic, budgets, schedule, progress))
    theory = [within_theory(row.kept["uniform"], rates) for row in rows] if rates else []
    say(comparison_text(rows))
    for row, (compared, within) in zip(rows, theory, strict=False):
        if compared:
            say(f"{row.pages:>11}  {within} of {compared} rates estimated within the 95 % that theory gives")
    if out is not None:
        name = "a simulated web" if source is None else source.resolve().name
        save_picture(freshness_chart(rows, f"Freshness of a collection: {name}"), out)
        say(f"picture  {out}")
    if as_json is not None:
        text = rows_json(rows=[row.to_json() for row in rows], within_theory=theory)
        write_whole(as_json, lambda path: path.write_text(text, "utf-8"))
        say(f"figures  {as_json}")


def _budgets(text: str) -> list[int]:
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise UserError(f"--budget: {text!r} is no list of numbers: write 10,20,40") from None
    if min(found) < 1:
        raise UserError(f"--budget: must be at least 1, not {min(found)}")
    return found


def _schedule(start: str, every: str, runs: int) -> Schedule:
    try:
        begin = datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise UserError(f"--start: {start!r} is no date: write 2021-01-01") from None
    try:
        every_s = parse_duration(every)
    except TopicError as error:
        raise UserError(f"--every: {error}") from None
    if every_s <= 0:
        raise UserError("--every: a run needs some time before the next one")
    return Schedule(begin, every_s, runs, runs // 2)


def _recorded(source: Path, seed: str | None) -> tuple[ChangingWeb, str]:
    listings = source / LISTINGS if source.is_dir() else source
    if listings.is_file():
        return conferences_web(listings), seed or ENTRY
    if seed is None:
        raise UserError("where does the crawl of the archive begin? Say it with --seed URL")
    return archived_web(source), seed
