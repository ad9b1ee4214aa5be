"""``dowse crawl``: the main command."""

from __future__ import annotations

import asyncio
import gc
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.crawl_summary import finish
from dowse.cli.display import Display, QuietDisplay, choose_display
from dowse.cli.flags import ASKING, OUTPUT, START, budget_of, flagged, given_of, read_topic, with_flags
from dowse.cli.signals import INTERRUPTED, Signals, run_loop
from dowse.cli.verdict_words import vague_lines
from dowse.cluster.slots import Sites, Spread
from dowse.engine.assembly.api import choose_folder
from dowse.engine.assembly.assemble import assemble, wanted_workers
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.assembly.revisit import Revisit
from dowse.engine.loop.engine import Stop
from dowse.engine.page.vagueness import VAGUE
from dowse.engine.workers.freed_memory import keep_less
from dowse.engine.workers.start import Started, fork_workers
from dowse.model.errors import Interrupted, NotACrawl, UserError
from dowse.model.judge import Judge
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.topicfile import predicate_text
from dowse.store.sharded import CLUSTER, is_sharded, shard_folders, whole_of
from dowse.store.shared.following import Published

__all__ = ["crawl", "early", "event_told", "run_crawl"]

_MOST_SHARDS = 64
_TOLD = frozenset((
    "answers not read", "delay clipped", "not published", "page lost", "predicate failed", "sitemaps",
    "sitemap problem",
))  # fmt: skip  # events shown as they happen


@flagged()
def crawl(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="The topic, in words, or the path of a topic file.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Continue the crawl in this folder.", rich_help_panel=START)
    ] = None,
    revisit: Annotated[
        str | None,
        typer.Option(
            metavar="AGE|POLICY",
            rich_help_panel=START,
            help="With --resume: visit the pages again that are older than this (7d, 12h), or as many as --budget"
            " allows, chosen by value and change rate (auto), by change rate (proportional), or alike (uniform).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Keep the crawl in this folder.", rich_help_panel=OUTPUT),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            rich_help_panel=ASKING,
            min=2,
            max=_MOST_SHARDS,
            help="Crawl with N engines, each a process of its own that has some of the sites (see docs/cluster.md).",
        ),
    ] = None,
    shard_by: Annotated[
        Spread | None,
        typer.Option(
            "--shard-by",
            metavar="domain|host",
            rich_help_panel=ASKING,
            help="With --shards: what an engine has all pages of. (domain)",
        ),
    ] = None,
    sites: Annotated[
        Sites | None,
        typer.Option(
            "--sites",
            metavar="stay|move",
            rich_help_panel=ASKING,
            help="With --shards: sites stay with their engine, or move to one that has less to do. (stay)",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print progress and summary as JSON lines.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
    ] = False,
    **given: Any,
) -> None:
    """Crawl the web for a topic.

    Without seeds, search engines that need no key are asked for some.

    Example: dowse crawl "perovskite solar cells" --seed https://en.wikipedia.org/wiki/Perovskite_solar_cell -b 500p
    """
    display = choose_display(as_json=as_json, quiet=quiet)
    visits = None
    if revisit is not None:
        if resume is None:
            raise UserError("--revisit visits the pages of a crawl again: name its folder with --resume DIR")
        visits = Revisit(revisit, budget_of(given.pop("budget", None)))
    sharded = resume is not None and is_sharded(resume)
    if resume is not None and not sharded:
        _check_alone(resume)
    if resume is not None:
        fixed = [flag.name for flag, _ in given_of(given) if flag.fixed]
        if topic is not None or out is not None:
            raise UserError("--resume continues the crawl in its folder: leave out the topic and --out")
        if shards is not None or shard_by is not None or sites is not None:
            raise UserError(
                "--resume keeps the shards that the crawl began with: leave out --shards, --shard-by and --sites"
            )
        if fixed:
            raise UserError(f"--resume keeps what the crawl began with: leave out {' and '.join(fixed)}")
        chosen, folder = Topic() if sharded else with_flags(read_settings(resume), given), resume
    else:
        chosen = with_flags(read_topic(topic), given)
        if topic is None and chosen.predicate is None:
            raise UserError("what is the topic? Give words, a topic file, --predicate EXPR or --resume DIR")
        folder = choose_folder(chosen, out)
    began = time.time()
    if sharded:
        from dowse.cli.crawl_shards import go_on  # only here: what else is loaded is not needed by one engine

        stop, published = go_on(folder, display, given, revisit=visits)
    elif shards is not None:
        from dowse.cli.crawl_shards import begin

        stop, published = begin(chosen, folder, display, shards, shard_by or "domain", sites or "stay")
    else:
        stop, published = run_crawl(chosen, folder, display, resume=resume is not None, revisit=visits)
    code = finish(
        folder,
        stop,
        as_json=as_json,
        quiet=quiet,
        published=published,
        visits_since=None if visits is None else began,
        budget=chosen.budget,
    )
    raise typer.Exit(INTERRUPTED if stop.kind == "interrupted" else code)


def _check_alone(folder: Path) -> None:
    """NotACrawl where a folder holds a part of a crawl of several engines, or all of it but what they share."""
    if (whole := whole_of(folder)) != folder:
        raise NotACrawl(f"{folder} holds one shard of a crawl: --resume {whole} goes on with all")
    if shard_folders(folder):
        raise NotACrawl(f"{folder} holds shards of a crawl, and no more what they share: bring {CLUSTER} back into it")


def run_crawl(
    topic: Topic, folder: Path, display: Display, *, resume: bool = False, revisit: Revisit | None = None,
    strategy: Strategy | None = None, judge: Judge | None = None,
) -> tuple[Stop, Published | None]:  # fmt: skip
    """Run a crawl and show it: how it ended, and how far it is published, if at all. ``revisit``: its pages are visited
    again.

    ``strategy`` and ``judge`` serve in place of what the topic names.

    Ctrl-C stops it cleanly, a second Ctrl-C at once.
    """
    # What is loaded by now stays, and records make no cycles: looking for garbage less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    keep_less()
    prepared = fork_workers(wanted_workers(topic))
    try:
        work = _crawl(topic, folder, display, prepared, resume=resume, revisit=revisit, strategy=strategy, judge=judge)
        return run_loop(work)
    except asyncio.CancelledError:
        raise Interrupted("interrupted before the crawl began", signal.SIGINT) from None
    finally:
        for worker in prepared:
            worker.end()


async def _crawl(
    topic: Topic, folder: Path, display: Display, prepared: Sequence[Started], *, resume: bool,
    revisit: Revisit | None, strategy: Strategy | None, judge: Judge | None,
) -> tuple[Stop, Published | None]:  # fmt: skip
    signals = Signals(folder, display)
    assembly = await assemble(
        topic, folder, resume=resume, revisit=revisit, prepared=prepared, tell=early(display), strategy=strategy,
        own_judge=judge,
    )  # fmt: skip
    signals.crawl = assembly
    held = "" if assembly.cache is None else f"  ({len(assembly.cache)} URLs in the cache)"
    display.open(f"Dowse: {topic.name or topic.query or predicate_text(topic)}  ->  {folder}{held}")
    for note in assembly.notes:
        display.say(note)
    assembly.life.journal.on_event = partial(event_told, display, folder)
    watcher = asyncio.create_task(_watch(assembly, display))
    try:
        return await assembly.run(), assembly.published
    finally:
        try:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
            display.show(assembly.progress())
            display.close()
        finally:
            await assembly.close()


def early(display: Display) -> Callable[[str], None]:
    """Says what happens before the crawl begins; nothing where the user wants silence."""
    return (lambda _: None) if isinstance(display, QuietDisplay) else display.say


def event_told(display: Display, folder: Path, kind: str, detail: str) -> None:
    """What happened, if the user should know at once; of vague words, also what would sharpen them."""
    if kind == VAGUE and isinstance(display, QuietDisplay):
        return  # advice is no error
    if kind == VAGUE:
        for line in vague_lines(detail, folder):
            display.say(line)
    elif kind in _TOLD:
        display.say(f"{kind}: {detail}")


async def _watch(assembly: Assembly, display: Display) -> None:
    while True:
        await asyncio.sleep(display.every_s)
        display.show(assembly.progress())
