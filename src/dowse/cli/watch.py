"""``dowse watch``: run after run of visits, under a budget a day."""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.crawl import run_crawl
from dowse.cli.crawl_summary import visit_line
from dowse.cli.display import Display, choose_display
from dowse.cli.flags import NETWORK, OUTPUT, START, Folder, budget_of, flagged, with_flags
from dowse.cli.signals import INTERRUPTED
from dowse.cli.terminal import interruptible, say
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.assembly.revisit import Revisit
from dowse.engine.loop.engine import Stop
from dowse.lab.wording import human_seconds
from dowse.model.budget import Budget, parse_duration
from dowse.model.errors import TopicError, UserError
from dowse.store import CrawlReader
from dowse.store.read_visits import watched
from dowse.store.sharded import is_sharded

__all__ = ["watch"]

_DAY_S = 86_400.0
_LEAP_S = 60.0  # a clock that is put right is set back by less
_LONGEST_NAP_S = 60.0  # a machine that slept looks at its clock soon after


@flagged("--budget", "--delay", "--concurrency", "--workers", *NETWORK)
def watch(
    folder: Folder,
    every: Annotated[
        str, typer.Option(metavar="TIME", help="Begin a run this long after the last one began.", rich_help_panel=START)
    ] = "1d",
    revisit: Annotated[
        str,
        typer.Option(
            metavar="AGE|POLICY",
            rich_help_panel=START,
            help="Which pages a run visits, as for dowse crawl --revisit.",
        ),
    ] = "auto",
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="End after so many runs.", rich_help_panel=START)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print progress as JSON lines.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
    ] = False,
    **given: Any,
) -> None:
    """Keep a collection fresh: visit its pages again, day by day.

    The budget is that of a day: each run has its share of it. Stop it with Ctrl-C, and start it again whenever you
    like: it goes on with the run that was cut off, and else waits until the next one is due.

    Example: dowse watch my-crawl --every 1d --budget 500p
    """
    try:
        every_s = parse_duration(every)
    except TopicError as error:
        raise UserError(f"--every: {error}") from None
    if every_s <= 0:
        raise UserError("--every: a run needs some time before the next one")
    visits = Revisit(revisit, _share(budget_of(given.pop("budget", None)), every_s / _DAY_S), every_s)
    done = 0
    while rounds is None or done < rounds:
        cut_off = _wait(folder, every_s, quiet=quiet or as_json)
        began = time.time()
        stop = _run(folder, given, choose_display(as_json=as_json, quiet=quiet), None if cut_off else visits)
        done += 1
        if not quiet and not as_json:
            say(f"{stop}. {visit_line(folder, began)}")
            say(f"what is new: dowse changes {shlex.quote(str(folder))}")
        if stop.kind == "interrupted":
            raise typer.Exit(INTERRUPTED)


def _run(folder: Path, given: dict[str, Any], display: Display, visits: Revisit | None) -> Stop:
    """One run of visits; without ``visits`` the one that was cut off."""
    if is_sharded(folder):
        from dowse.cli.crawl_shards import go_on  # only here: what else is loaded is not needed by one engine

        return go_on(folder, display, given, revisit=visits)[0]
    return run_crawl(with_flags(read_settings(folder), given), folder, display, resume=True, revisit=visits)[0]


def _share(budget: Budget, share: float) -> Budget:
    """The part of a day's budget that a run has: at least a page, and a request."""

    def part(limit: int | None) -> int | None:
        return None if limit is None else max(1, math.floor(limit * share))

    return replace(
        budget, pages=part(budget.pages), bytes=part(budget.bytes), requests=part(budget.requests),
        seconds=None if budget.seconds is None else budget.seconds * share,
    )  # fmt: skip


def _wait(folder: Path, every_s: float, *, quiet: bool) -> bool:
    """Wait until the next run is due. True: at once, since one was cut off, and is to be gone on with."""
    told = False
    with interruptible("go on with the same command"):
        while True:
            with CrawlReader(folder) as crawl:
                began, under_way = watched(crawl)
            left_s = 0.0 if under_way or began is None else began + every_s - time.time()
            if not 0 < left_s <= every_s + _LEAP_S:  # longer: the clock was set back
                return under_way
            if not told and not quiet:
                say(f"The next run begins in {human_seconds(left_s)}.")
                told = True
            time.sleep(min(left_s, _LONGEST_NAP_S))
