"""``dowse recrawl expand``: from a few objects to the sites that know of such objects."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import AsJson, Force, flagged, with_flags
from dowse.cli.outputs import check_out
from dowse.cli.recrawl_objects import Kinds, Wrappers, objects_of
from dowse.cli.terminal import say, say_json
from dowse.model.budget import Budget
from dowse.model.errors import Interrupted, UserError
from dowse.model.files import write_whole
from dowse.model.found import SiteCount
from dowse.model.objects import DistinctObject
from dowse.model.shown import shown
from dowse.model.topic import JudgeSettings, Scope, Seeds, StrategyChoice, Topic

__all__ = ["expand"]

_FLAGS = (
    "--engine", "--per-query", "--find-requests", "--delay", "--contact", "--proxy", "--workers", "--resolve",
    "--allow-private", "--allow-address",
)  # fmt: skip
_PAGES_A_SITE = 2_000  # the paper's
_SHOWN = 20


@flagged(*_FLAGS)
def expand(
    objects: Annotated[
        Path, typer.Argument(metavar="OBJECTS", help="A few objects, as JSON lines, or a crawl's folder.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The list of sites to write.")] = Path(
        "sites.txt"
    ),
    crawl: Annotated[
        Path, typer.Option("--crawl", metavar="DIR", help="Keep the crawl of the first sites in this folder.")
    ] = Path("seed-sites"),
    seed_sites: Annotated[
        int, typer.Option("--seed-sites", metavar="N", help="Crawl this many of the sites that were found first.")
    ] = 5,
    sites: Annotated[int, typer.Option("--sites", metavar="N", help="List at most this many sites.")] = 300,
    queries: Annotated[
        int, typer.Option("--queries", metavar="N", help="Ask for at most this many objects in each round.")
    ] = 50,
    kind: Kinds = None,
    wrapper: Wrappers = None,
    force: Force = False,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Find sites that know of such objects, by search engines.

    The names of the objects are asked for. The sites that come up most often are crawled, and the objects they state
    are asked for in turn. What comes up then are the sites to crawl in full.

    Example: dowse recrawl expand objects.jsonl --engine searxng:https://search.example.org
    """
    for flag, number in (("--seed-sites", seed_sites), ("--sites", sites), ("--queries", queries)):
        if number < 1:
            raise UserError(f"{flag}: must be at least 1, not {number}")
    check_out(out, force=force)
    if crawl.exists():
        raise UserError(f"{crawl} exists: name another folder with --crawl")
    known = objects_of(objects, None, kind, wrapper)
    first = _sites(known, queries, given)[:seed_sites]
    say(f"first round: {', '.join(shown(site.site) for site in first)}", err=True)
    _crawl(first, crawl, given)
    more = objects_of(crawl, None, kind, wrapper)
    say(f"second round: {len(more):,} objects on these sites", err=True)
    found = _sites([*known, *more], queries, given)[:sites]
    lines = "".join(f"{site.site}/\n" for site in found)
    write_whole(out, lambda partial: partial.write_text(lines, "utf-8"))
    if as_json:
        rows = [{"site": site.site, "queries": site.queries, "pages": site.pages} for site in found]
        say_json({"file": str(out), "objects": len(more), "sites": rows})
        return
    for site in found[:_SHOWN]:
        say(f"{site.queries:5,} {'query  ' if site.queries == 1 else 'queries'}  {shown(site.site)}")
    if len(found) > _SHOWN:
        say(f"{'...':>5}          and {len(found) - _SHOWN:,} more")
    start = f"--seed {shlex.quote(str(out))}"
    say(f"{len(found):,} sites written to {out}; now: dowse crawl TOPIC --strategy bfs --scope host {start}")


def _sites(objects: Sequence[DistinctObject], most: int, given: Mapping[str, Any]) -> list[SiteCount]:
    """The sites that engines name for these objects, most often named first."""
    from dowse.cli.seeds import asked_engines
    from dowse.engine.assembly.search_engines import build_engines
    from dowse.recrawl.expansion import queries_for
    from dowse.seeds.merge import count_sites

    asked = queries_for(objects, most)
    if not asked:
        raise UserError("none of the objects has a name to ask for")
    topic = with_flags(Topic(query="objects"), given)
    topic = replace(topic, find=replace(topic.find, queries=tuple(asked)))
    found, signalled = asyncio.run(asked_engines(topic, build_engines(topic)))
    if signalled:
        raise Interrupted("interrupted: nothing was written", signalled)
    if not found.rows:
        raise UserError(f"nothing was found: {shown(found.why_none) or 'try other engines'}")
    return count_sites(found.rows, _origin)


def _origin(url: str) -> str:
    return url[: url.index("/", 8)]


def _crawl(sites: Sequence[SiteCount], folder: Path, given: Mapping[str, Any]) -> None:
    """All pages of these sites, up to a number."""
    from dowse.cli.crawl import run_crawl
    from dowse.cli.display import choose_display

    seeds = tuple(dict.fromkeys(url for site in sites for url in (f"{site.site}/", site.example)))
    network = {name: value for name, value in given.items() if name not in ("engine", "per_query", "find_requests")}
    topic = Topic(
        name="seed sites", query="objects", seeds=Seeds(urls=seeds, on_topic=False), scope=Scope(reach="host"),
        strategy=StrategyChoice("bfs"), budget=Budget(pages=_PAGES_A_SITE * len(sites)),
        judge=JudgeSettings("similarity"),
    )  # fmt: skip
    stop, _ = run_crawl(with_flags(topic, network), folder, choose_display(as_json=False, quiet=True))
    if stop.kind == "interrupted":
        raise Interrupted(f"interrupted: the crawl in {folder} can be resumed, and its objects be expanded", 2)
