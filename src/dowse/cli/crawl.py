"""``dowse crawl``: the main command."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.display import Display, choose_display
from dowse.cli.options import Flags, read_topic, with_flags
from dowse.cli.summary import finish
from dowse.engine.assembly.api import choose_folder
from dowse.engine.assembly.build import Assembly, assemble, read_settings, wanted_workers
from dowse.engine.loop.engine import Engine, Stop
from dowse.engine.workers.freed_memory import keep_less
from dowse.engine.workers.start import Started, fork_workers
from dowse.model.errors import UserError
from dowse.model.topic import Topic
from dowse.model.topicfile import predicate_text

__all__ = ["INTERRUPTED", "crawl", "run_crawl"]

INTERRUPTED = 130
_TOLD = frozenset(
    ("delay clipped", "page lost", "predicate failed", "sitemaps", "sitemap problem")
)  # events shown as they happen


def crawl(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="Words of a topic, or the path of a topic file.")
    ] = None,
    seed: Annotated[
        list[str] | None,
        typer.Option("--seed", "-s", metavar="URL|FILE", help="A URL to start from, or a file with a URL a line."),
    ] = None,
    sitemap: Annotated[
        list[str] | None, typer.Option(metavar="URL|FILE", help="A sitemap whose pages are seeds.")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", "-b", metavar="LIMITS", help="What may be spent: 2000p, 500MB, 30m, 3000r, any mix."),
    ] = None,
    target: Annotated[int | None, typer.Option(metavar="N", help="Stop after this many relevant pages.")] = None,
    target_value: Annotated[
        float | None, typer.Option(metavar="SUM", help="Stop when the scores of all pages add up to this.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="The crawl's folder.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="DIR", help="Go on with the crawl in this folder.")] = None,
    strategy: Annotated[
        str | None, typer.Option(metavar="NAME[:KEY=VALUE,...]", help="The crawl order (see: dowse strategies).")
    ] = None,
    param: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A parameter of the strategy.")] = None,
    maximise: Annotated[
        str | None,
        typer.Option(metavar="value|efficiency", help="Make the most of pages, or of what they cost in time."),
    ] = None,
    learn_from: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR|FILE", help="Start from what a crawl with the strategy learning has learned."),
    ] = None,
    scope: Annotated[str | None, typer.Option(metavar="host|domain|any", help="How far to go from the seeds.")] = None,
    max_depth: Annotated[int | None, typer.Option(metavar="N", help="Links from a seed at the most.")] = None,
    allow_port: Annotated[
        list[int] | None, typer.Option(metavar="PORT", help="Also ask at this port that browsers refuse, e.g. 6667.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(metavar="SCORE", help="Score from which a page is relevant.")
    ] = None,
    predicate: Annotated[
        str | None, typer.Option(metavar="EXPR", help="What a page must satisfy to be relevant.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A category that the predicate names.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="The language of the topic's words, or none; english if not given.")
    ] = None,
    delay: Annotated[
        str | None, typer.Option(metavar="TIME", help="Between two requests to one host, e.g. 1s, 0.5, 0.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(metavar="N", help="Exchanges at a time, over all hosts.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Processes that parse and judge; 0: none.")] = None,
    contact: Annotated[
        str | None, typer.Option(metavar="WHO", help="Your mail or URL, told to the sites you crawl.")
    ] = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="HTTP proxy, http://host:port.")] = None,
    resolve: Annotated[
        list[str] | None, typer.Option(metavar="HOST=ADDRESS[:PORT]", help="Reach a host (glob) at this address.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Also fetch from private and loopback addresses.")
    ] = False,
    allow_address: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Also fetch from this address or network, e.g. 10.0.0.0/8."),
    ] = None,
    cache: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="An earlier crawl: pages it holds are not downloaded again while fresh."),
    ] = None,
    cache_age: Annotated[
        str | None, typer.Option(metavar="TIME", help="How old a held page may be, e.g. 7d, 12h; 0: never use it.")
    ] = None,
    head: Annotated[bool, typer.Option("--head", help="Ask with HEAD before each GET: for its type and size.")] = False,
    seed_number: Annotated[int | None, typer.Option(metavar="N", help="For everything that rolls dice.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Progress and summary as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Crawl the web for a topic.

    Example: dowse crawl "perovskite solar cells" --seed https://en.wikipedia.org/wiki/Perovskite_solar_cell -b 500p
    """
    flags = Flags(
        seeds=seed or [], budget=budget, target=target, target_value=target_value, strategy=strategy,
        params=param or [], maximise=maximise, learn_from=[str(place) for place in learn_from or []], delay=delay,
        concurrency=concurrency, workers=workers, scope=scope, max_depth=max_depth, allow_ports=allow_port or [],
        threshold=threshold, predicate=predicate, categories=category or [],
        language=language, contact=contact, proxy=proxy, resolve=resolve or [],
        allow_private=allow_private,
        allow_addresses=allow_address or [], seed_number=seed_number, sitemaps=sitemap or [],
        caches=[str(folder) for folder in cache or []], cache_age=cache_age, head=head,
    )  # fmt: skip
    display = choose_display(as_json=as_json, quiet=quiet)
    if resume is not None:
        if topic is not None or out is not None:
            raise UserError("--resume goes on with what its folder holds: leave out the topic and --out")
        if predicate is not None or category or language is not None:
            raise UserError("--resume keeps the crawl's predicate: leave out --predicate, --category and --language")
        if learn_from:
            raise UserError("--resume keeps what the crawl started from: leave out --learn-from")
        chosen, folder = with_flags(read_settings(resume), flags), resume
    else:
        if topic is None and predicate is None:
            raise UserError("what is the topic? Give words or a topic file, --predicate, or --resume FOLDER")
        chosen = with_flags(Topic() if topic is None else read_topic(topic), flags)
        folder = choose_folder(chosen, out)
    stop = run_crawl(chosen, folder, display, resume=resume is not None)
    code = finish(folder, stop, as_json=as_json, quiet=quiet)
    raise typer.Exit(INTERRUPTED if stop.kind == "interrupted" else code)


def run_crawl(topic: Topic, folder: Path, display: Display, *, resume: bool = False) -> Stop:
    """Crawl with a display; Ctrl-C stops cleanly, a second one at once."""
    # What is loaded by now stays, and records make no cycles: looking for garbage less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    keep_less()
    prepared = fork_workers(wanted_workers(topic))
    try:
        return _run(_crawl(topic, folder, display, prepared, resume=resume))
    except asyncio.CancelledError:
        raise typer.Exit(INTERRUPTED) from None  # interrupted before it began
    finally:
        for worker in prepared:
            worker.end()


def _run(work: Coroutine[Any, Any, Stop]) -> Stop:
    try:
        import uvloop
    except ImportError:  # not on every platform; the standard loop does the same, slower
        return asyncio.run(work)
    return uvloop.run(work)


async def _crawl(
    topic: Topic, folder: Path, display: Display, prepared: Sequence[Started], *, resume: bool
) -> Stop:  # fmt: skip
    signals = _Signals(folder, display)
    assembly = await assemble(topic, folder, resume=resume, prepared=prepared)
    signals.engine = assembly.engine
    held = "" if assembly.cache is None else f"  ({len(assembly.cache)} URLs are held by the cache)"
    display.open(f"Dowse: {topic.name or topic.query or predicate_text(topic)}  ->  {folder}{held}")
    for note in assembly.notes:
        display.say(note)
    assembly.life.journal.on_event = lambda kind, detail: display.say(f"{kind}: {detail}") if kind in _TOLD else None
    watcher = asyncio.create_task(_watch(assembly, display))
    try:
        return await assembly.run()
    finally:
        try:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
            display.show(assembly.engine.progress())
            display.close()
        finally:
            await assembly.close()


async def _watch(assembly: Assembly, display: Display) -> None:
    while True:
        await asyncio.sleep(display.every_s)
        display.show(assembly.engine.progress())


class _Signals:
    """Ctrl-C (or SIGTERM): once stops cleanly, twice at once, a third time whatever is still going on."""

    def __init__(self, folder: Path, display: Display) -> None:
        self.engine: Engine | None = None  # until there is one, the first signal ends the program
        self._folder = folder
        self._display = display
        self._asked = 0
        self._starting = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self._interrupt)

    def _interrupt(self) -> None:
        self._asked += 1
        if self._asked > 2:
            os._exit(INTERRUPTED)  # the records survive it as they survive a kill
        if self.engine is None:
            if self._starting is not None:
                self._starting.cancel()
        elif self._asked == 1:
            self._display.say("Stopping: waiting for what is in flight. Ctrl-C again stops at once.")
            self.engine.stop("interrupted", f"go on with: dowse crawl --resume {self._folder}")
        else:
            self.engine.abort()
