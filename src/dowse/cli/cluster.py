"""``dowse cluster``: a crawl whose shards run on several machines."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dowse.cli.crawl_summary import finish
from dowse.cli.display import choose_display
from dowse.cli.flags import OUTPUT, START, flagged, given_of, read_topic
from dowse.cli.help_lines import GroupedHelp, WholeLines
from dowse.cli.signals import INTERRUPTED
from dowse.cli.terminal import say, say_json
from dowse.cluster.slots import Sites, Spread
from dowse.model.errors import NotACrawl, UserError
from dowse.store.sharded import is_sharded

if TYPE_CHECKING:
    from dowse.cli.crawl_shards import Runner
    from dowse.cluster.shared_folder import Place
    from dowse.model.common_ground import Standing

__all__ = ["cluster"]

cluster = typer.Typer(
    cls=WholeLines, name="cluster", rich_markup_mode=None,
    help="Crawl with several engines, on one machine or many (docs/cluster.md).",
)  # fmt: skip

_MOST = 1024
Where = Annotated[str, typer.Argument(metavar="DIR|URL", help="The crawl's folder, or its database.")]
Name = Annotated[str, typer.Option("--name", metavar="NAME", help="The crawl's name in its database.")]
_HERE, _RAY, _NOWHERE = "here", "ray", "nowhere"


@cluster.command("start", cls=GroupedHelp)
@flagged()
def start(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="The topic, in words, or the path of a topic file.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the crawl in this folder.", rich_help_panel=START)
    ] = None,
    shards: Annotated[
        int, typer.Option(metavar="N", min=1, max=_MOST, help="How many engines.", rich_help_panel=START)
    ] = 2,
    shard_by: Annotated[
        Spread,
        typer.Option("--shard-by", metavar="domain|host", rich_help_panel=START,
                     help="What an engine has all pages of."),
    ] = "domain",
    sites: Annotated[
        Sites,
        typer.Option("--sites", metavar="stay|move", rich_help_panel=START,
                     help="Sites stay with their engine, or move to one that has less to do."),
    ] = "stay",
    ground: Annotated[
        str | None,
        typer.Option(metavar="URL", rich_help_panel=START,
                     help="The database that the engines share: postgresql://user@host/name. Without it, a file in the"
                     " crawl's folder, for engines of one machine."),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The crawl's name in the database.", rich_help_panel=START)
    ] = "crawl",
    on: Annotated[
        str,
        typer.Option("--on", metavar="here|ray[:ADDRESS]|nowhere", rich_help_panel=START,
                     help="Where the engines run: on this machine, on a Ray cluster (RAY_ADDRESS, or one of this"
                     " machine alone), or where you start each with 'dowse cluster shard'."),
    ] = _HERE,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Keep the crawl in this folder.", rich_help_panel=OUTPUT),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print progress and summary as JSON lines.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
    ] = False,
    **given: Any,
) -> None:  # fmt: skip
    """Begin a crawl of several engines, or go on with one, and show it.

    Example: dowse cluster start "solar cells" --shards 8 --ground postgresql://me@db/crawls --on ray
    """
    from dowse.cli.crawl_shards import NOWHERE, begin, go_on
    from dowse.cluster.shared_folder import Place
    from dowse.engine.assembly.api import choose_folder

    display = choose_display(as_json=as_json, quiet=quiet)
    runner = _runner(on)
    if resume is not None:
        fixed = [flag.name for flag, _ in given_of(given) if flag.fixed]
        if topic is not None or out is not None or ground is not None:
            raise UserError("--resume goes on with the crawl in its folder: leave out the topic, --out and --ground")
        if fixed:
            raise UserError(f"--resume keeps what the crawl began with: leave out {' and '.join(fixed)}")
        if runner is None:
            raise UserError("--resume --on nowhere does nothing: start each shard with 'dowse cluster shard'")
        folder = resume
        stop, published = go_on(folder, display, given, runner=runner)
    else:
        from dowse.cli.flags import with_flags

        chosen = with_flags(read_topic(topic), given)
        if topic is None and chosen.predicate is None:
            raise UserError("what is the topic? Give words, a topic file, --predicate EXPR or --resume DIR")
        if ground is None and runner is None:
            raise UserError("shards that are started elsewhere need a database: --ground postgresql://...")
        folder = choose_folder(chosen, out)
        place = None if ground is None else Place(ground, name)
        stop, published = begin(chosen, folder, display, shards, shard_by, sites, place=place, runner=runner)
    if stop == NOWHERE:
        say(f"begun: start each of the shards 0 to {shards - 1} with\n  dowse cluster shard N"
            f" {shlex.quote(str(folder))}", err=True)  # fmt: skip
        return
    code = finish(folder, stop, as_json=as_json, quiet=quiet, published=published)
    raise typer.Exit(INTERRUPTED if stop.kind == "interrupted" else code)


def _runner(on: str) -> Runner | None:
    from dowse.cli.crawl_shards import here

    kind, _, address = on.partition(":")
    if kind == _HERE and not address:
        return here
    if kind == _NOWHERE and not address:
        return None
    if kind != _RAY:
        raise UserError(f"--on {on}: there are here, ray, ray:ADDRESS and nowhere")
    from dowse.cluster.on_ray import RayShards, connect

    return partial(RayShards, connect(address))


@cluster.command("shard")
def shard(
    number: Annotated[int, typer.Argument(metavar="N", help="Which: 0 is the first.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder in which this machine keeps its shards.")],
    ground: Annotated[
        str | None, typer.Option(metavar="URL", help="The database, where the folder does not tell yet.")
    ] = None,
    name: Name = "crawl",
) -> None:
    """Run one shard of a crawl here, until the crawl is over. It is started again when it dies.

    Example: dowse cluster shard 3 solar --ground postgresql://me@db/crawls --name solar
    """
    from dowse.cli.one_shard import run_one
    from dowse.cluster.shared_folder import Place, note_place, place_of

    if ground is not None and not is_sharded(folder):
        folder.mkdir(parents=True, exist_ok=True)
        note_place(folder, Place(ground, name))
    elif ground is not None and Place(ground, name).shown != (known := place_of(folder).shown):
        raise UserError(f"{folder} holds shards of {known}: leave out --ground and --name, or name another folder")
    stop = run_one(number, folder)
    say(f"stopped: {stop}", err=True)
    raise typer.Exit(INTERRUPTED if stop.kind == "interrupted" else 0)


@cluster.command("status")
def status(
    where: Where,
    name: Name = "crawl",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the shards of a crawl: who is at work, and how far.

    Example: dowse cluster status solar
    """
    from dowse.cluster.errand import opened

    with opened(_place(where, name)) as ground:
        found, ended = ground.standings(), ground.ended()
    if as_json:
        say_json({"ended": ended, "shards": [_row(one) for one in found]})
        return
    say(f"{'shard':>5}  {'state':8}  {'pages':>9}  {'relevant':>8}  {'waiting':>9}  {'granted':>9}  {'letters':>7}"
        f"  {'slots':>5}  {'came':>4}  {'going':>5}")  # fmt: skip
    for one in found:
        row = _row(one)
        state = "at work" if one.alive else ("away" if one.epoch else "not yet")
        say(f"{one.shard:>5}  {state:8}  {row['pages']:>9,}  {row['relevant']:>8,}  {row['waiting']:>9,}"
            f"  {row['granted']!s:>9}  {one.unread:>7,}  {one.slots:>5}  {one.came:>4}  {one.leaving:>5}")  # fmt: skip
    say("it goes on" if ended is None else f"ended: {': '.join(filter(None, ended))}")


def _row(one: Standing) -> dict[str, Any]:
    found: dict[str, Any] = {
        "shard": one.shard, "epoch": one.epoch, "alive": one.alive, "seen_s": one.seen_s, "slots": one.slots,
        "came": one.came, "leaving": one.leaving, "load": one.load, "unread": one.unread, "granted": str(one.granted),
        "idle": "",
        "pages": 0, "requests": 0, "bytes": 0, "relevant": 0, "waiting": 0,
    }  # fmt: skip
    if one.report is not None:
        found |= {name: getattr(one.report.spent, name) for name in ("pages", "requests", "bytes")}
        found |= {name: getattr(one.report, name) for name in ("idle", "relevant", "waiting")}
    return found


@cluster.command("stop")
def stop(where: Where, name: Name = "crawl") -> None:
    """End a crawl: all its shards stop cleanly, wherever they run. It can be resumed.

    Example: dowse cluster stop solar
    """
    from dowse.cluster.errand import opened

    with opened(_place(where, name)) as ground:
        kind, detail = ground.stop("interrupted", "by dowse cluster stop")
    say(f"stopped: {': '.join(filter(None, (kind, detail)))}", err=True)


@cluster.command("render")
def render(
    what: Annotated[str, typer.Argument(metavar="kubernetes", help="For whom.")],
    ground: Annotated[str, typer.Option(metavar="URL", help="The database, without its password.")],
    shards: Annotated[int, typer.Option(metavar="N", min=1, max=_MOST, help="How many engines.")] = 4,
    name: Name = "crawl",
    image: Annotated[str, typer.Option(metavar="IMAGE", help="A container image that has Dowse.")] = "dowse:latest",
    disk: Annotated[str, typer.Option(metavar="SIZE", help="For the records of each shard.")] = "100Gi",
) -> None:
    """Write what runs the shards of a crawl elsewhere: a StatefulSet, each with a disk of its own.

    Example: dowse cluster render kubernetes --ground postgresql://crawler@db/crawls --name solar --shards 8
    """
    if what != "kubernetes":
        raise UserError(f"{what!r}: there is kubernetes")
    from dowse.cluster.kubernetes import manifest

    say(manifest(ground, name, shards, image, disk))


def _place(where: str, name: str) -> Place:
    from dowse.cluster.shared_folder import Place, place_of

    if "://" in where:
        return Place(where, name)
    if not is_sharded(Path(where)):
        raise NotACrawl(f"{where} holds no crawl of several shards")
    return place_of(Path(where))
