"""``dowse seeds``: what search engines know of a topic, as seeds, or counted by site."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import NETWORK, Force, flagged, read_topic, with_flags
from dowse.cli.terminal import say, say_json
from dowse.engine.assembly.find import FoundSeeds, find_seeds, queries_of
from dowse.engine.assembly.prepare import exchange_of
from dowse.engine.assembly.search_engines import build_engines
from dowse.frontier.scope import registered_domain
from dowse.model.clock import Clock, SystemClock
from dowse.model.database_url import SCHEMES
from dowse.model.errors import Interrupted, UserError
from dowse.model.files import read_limited
from dowse.model.found import FOUND, SITE_COUNTS, FoundRow, SiteCount
from dowse.model.plugins import find_plugin
from dowse.model.search import SearchEngine, SeedTarget
from dowse.model.shown import shown
from dowse.model.topic import Topic
from dowse.model.url import split
from dowse.seeds.merge import count_sites as counted
from dowse.store.seed_targets import collection_of, seed_target
from dowse.store.shared.resources import DatabaseTarget

__all__ = ["asked_engines", "seeds"]

_FLAGS = ("--engine", "--query", "--most-seeds", "--per-query", "--find-requests", "--language", "--contact", "--proxy",
          "--delay", "--collection", *NETWORK)  # fmt: skip
_MOST_QUERY_BYTES = 1_000_000
_SHOWN = 20
_TELL_EVERY_S = 10.0
_LONGEST = 160


@flagged(*_FLAGS)
def seeds(
    topic: Annotated[
        str | None,
        typer.Argument(metavar="QUERY", help="What to look for: words, an expression, or the path of a topic file."),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="TARGET",
            help="Write the seeds there: a .jsonl, .csv, .txt, .toml or .sqlite file, the folder of a crawl, or a"
            " shared database (postgresql://..., mysql://..., sqlite:///...).",
        ),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", metavar="FILE", help="Ask each line of this file as a query.")
    ] = None,
    count_sites: Annotated[
        bool, typer.Option("--count-sites", help="Count the sites of what was found, in place of pages.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
    force: Force = False,
    **given: Any,
) -> None:
    """Ask search engines for pages to start from.

    Example: dowse seeds "perovskite solar cells" --engine mediawiki --engine arxiv --to topic.toml
    """
    chosen = _topic(topic, queries, given)
    engines = build_engines(chosen)
    targets = [_target(text, collection_of(chosen), force=force) for text in to or ()]
    for target in targets:
        target.check()
    asked = queries_of(chosen)
    many = "1 query" if len(asked) == 1 else f"{len(asked)} queries"
    say(f"asking {', '.join(engine.name for engine in engines.values())}: {many}", err=True)
    found, signalled = asyncio.run(asked_engines(chosen, engines))
    for note in found.notes:
        if found.rows or note not in found.troubles:  # which are told below
            say(shown(note), err=True)
    rows: Sequence[Any] = found.rows[: chosen.find.seeds]
    if not found.rows and signalled:
        raise Interrupted("interrupted: nothing was found by then", signalled)
    if not found.rows:
        raise UserError(f"nothing was found: {shown(found.why_none) or 'try other words or engines'}")
    table = FOUND
    if count_sites:
        rows, table = counted(found.rows, _site_of), SITE_COUNTS
    _print(rows, found, as_json=as_json, quiet=bool(targets))
    for target in targets:
        say(target.write(table, rows), err=as_json)
    if signalled:
        raise Interrupted("interrupted: this is what was found by then", signalled)


def _topic(text: str | None, queries: Path | None, given: Mapping[str, Any]) -> Topic:
    chosen = with_flags(read_topic(text), given)
    if queries is not None:
        lines = read_limited(queries, _MOST_QUERY_BYTES, "queries").decode("utf-8-sig", "replace").splitlines()
        named = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        if not named:
            raise UserError(f"{queries} has no queries: write one per line")
        find = replace(chosen.find, queries=(*chosen.find.queries, *named))
        chosen = replace(chosen, find=find)
    if not (chosen.query or chosen.keywords or chosen.find.queries):
        raise UserError("what is to be found? Give words, an expression, a topic file or --queries FILE")
    return chosen


def _target(text: str, collection: str, *, force: bool) -> SeedTarget:
    """A place by its path, or one that a package adds for what stands before the colon."""
    scheme, colon, _ = text.partition(":")
    plugin = find_plugin("target", scheme) if colon else None
    if plugin is None and scheme in SCHEMES:
        return DatabaseTarget(text, collection)
    if plugin is None and "://" in text:  # it is not shown: there may be a password in it
        raise UserError(f"--to: there are no databases of the kind {scheme}: there are {', '.join(SCHEMES)}")
    if plugin is None:
        return seed_target(text, force=force)
    made: SeedTarget = plugin.make(address=text)
    return made


async def asked_engines(topic: Topic, engines: dict[str, SearchEngine]) -> tuple[FoundSeeds, int]:
    """What they find, and the signal that ended it early (0: none): what was found by then is not lost."""
    from dowse.fetch.http import HttpTransport  # only here: it takes long to load

    clock, stop, signalled = SystemClock(), asyncio.Event(), 0
    loop = asyncio.get_running_loop()

    def interrupt(number: int) -> None:
        nonlocal signalled
        signalled = number
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt, number)
    transport = HttpTransport(topic.network, topic.limits, clock)
    try:
        exchange = exchange_of(topic, transport, clock)
        found = await find_seeds(topic, engines, exchange, clock, until=stop, tell=_now_and_then(clock))
        return found, signalled
    finally:
        await transport.close()


def _now_and_then(clock: Clock) -> Callable[[int, int], None]:
    """Says how far it is: a list of many queries takes a while."""
    last_s = clock.now()

    def tell(requests: int, results: int) -> None:
        nonlocal last_s
        if clock.now() - last_s >= _TELL_EVERY_S:
            last_s = clock.now()
            say(f"{requests} requests, {results} results so far", err=True)

    return tell


def _site_of(url: str) -> str:
    return registered_domain(split(url).host)


def _print(rows: Sequence[Any], found: FoundSeeds, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        for row in rows:
            say_json(asdict(row))
        return
    kind = "site" if rows and isinstance(rows[0], SiteCount) else "seed"
    more = f" of {len(found.rows)} found" if kind == "seed" and len(rows) < len(found.rows) else ""
    requests = "1 request" if found.requests == 1 else f"{found.requests} requests"
    say(f"{len(rows)} {kind}{'' if len(rows) == 1 else 's'}{more}, with {requests}")
    for row in rows[:_SHOWN] if quiet else rows:
        for line in _site_lines(row) if isinstance(row, SiteCount) else _seed_lines(row):
            say(line)
    if quiet and len(rows) > _SHOWN:
        say(f"... and {len(rows) - _SHOWN} more")


def _seed_lines(row: FoundRow) -> list[str]:
    by = dict.fromkeys(f"{find.engine} {find.rank}" for find in row.found_by())
    lines = [shown(row.url), f"    {shown(row.title) or 'no title'}  ({', '.join(map(shown, by))})"]
    snippet = shown(row.snippet)
    if snippet:
        lines.append(f"    {snippet if len(snippet) <= _LONGEST else snippet[:_LONGEST] + '...'}")
    return lines


def _site_lines(row: SiteCount) -> list[str]:
    queries = "1 query" if row.queries == 1 else f"{row.queries} queries"
    pages = "1 page" if row.pages == 1 else f"{row.pages} pages"
    return [f"{shown(row.site)}: {queries}, {pages}, by {', '.join(map(shown, row.engines))}: {shown(row.example)}"]
