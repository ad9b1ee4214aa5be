"""``dowse traces``: what people looked at, from access logs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dowse.cli.flags import AsJson, Force
from dowse.cli.help_lines import WholeLines
from dowse.cli.stages import shown_stages
from dowse.cli.terminal import interruptible, say, say_json
from dowse.model.errors import UserError
from dowse.model.files import read_limited
from dowse.model.shown import shown
from dowse.model.url import canonical, spelled_host, split

if TYPE_CHECKING:
    from dowse.traces import Coverage, Figures, Imported, Reading

__all__ = ["traces"]

traces = typer.Typer(
    cls=WholeLines, name="traces", rich_markup_mode=None,
    help="Import access logs, from which a crawl can learn what people go to.",
)  # fmt: skip

_FORMATS = ("squid", "common", "combined", "csv", "parquet")
_LARGEST_LIST = 10_000_000
_TOP = 10
_WIDEST = 200

Out = Annotated[Path, typer.Option("--out", "-o", metavar="TRACES", help="The folder to write.")]


@traces.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Access logs, plain or compressed (gzip, zstd); - reads from a pipe."),
    ],
    out: Out,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help=f"What they are: {', '.join(_FORMATS)}. The default is to look."),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option("--site", metavar="URL", help="The site whose own log it is: what stands before its paths."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="The key that makes users numbers, made if missing. The default is ~/.config/dowse/traces.key.",
        ),
    ] = None,
    drop_queries: Annotated[
        bool, typer.Option("--drop-queries", help="Cut addresses at the ?: what people typed into forms stays out.")
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="HOST|FILE", help="Leave out this host and its subdomains, or those a file lists."
        ),
    ] = None,
    daily: Annotated[int, typer.Option("--daily", metavar="N", help="Count this many accesses of a user a day.")] = 50,
    per_user: Annotated[
        int, typer.Option("--per-user", metavar="N", help="Count this many accesses of a user in all, the latest.")
    ] = 10_000,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read access logs into a folder of traces.

    Squid's own format, the common and combined formats of web servers, CSV and Parquet. Users become numbers that only
    the owner of the key can find again.
    """
    from dowse.traces import Limits, Pages, check_folder, default_key_file, import_logs, open_key

    if format is not None and format not in _FORMATS:
        raise UserError(f"--format: there is no format {format!r}: choose of {', '.join(_FORMATS)}")
    for flag, number in (("--daily", daily), ("--per-user", per_user)):
        if number < 1:
            raise UserError(f"{flag}: must be at least 1, not {number}")
    check_folder(out, force=force)
    start = "" if site is None else _site(site)
    pages = Pages(drop_queries=drop_queries, without=_hosts(without or ()))
    key_file = (key or default_key_file(os.environ)).expanduser()
    with interruptible("nothing was written"):
        user_key = open_key(key_file, os.urandom)
        with shown_stages(_stage) as tell:
            reading, imported = import_logs(
                files,
                out,
                user_key,
                pages,
                tell,
                site=start,
                format=format,
                limits=Limits(daily, per_user),
                force=force,
            )
        figures = _figures(out)
    if as_json:
        examples = {str(why): _line(text) for why, text in reading.examples.items()}
        value = {"folder": str(out), **asdict(imported), "examples": examples, "key_file": str(key_file)}
        say_json(value | {name: getattr(figures, name) for name in ("users", "sessions", "pages", "hosts")})
    else:
        say("\n".join(_import_lines(reading, imported, figures, out, key_file)))


@traces.command()
def info(
    folder: Annotated[Path, typer.Argument(metavar="TRACES", help="A folder that dowse traces import has written.")],
    crawl: Annotated[
        Path | None, typer.Option("--crawl", metavar="DIR", help="Count how many of a crawl's URLs people went to.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is in a folder of traces.

    Users, sessions, accesses and hosts, what was left out, and how much of a crawl people went to.
    """
    from dowse.traces import read_imported

    with interruptible():
        imported, figures = read_imported(folder), _figures(folder)
        coverage = None if crawl is None else _coverage(folder, crawl)
    if as_json:
        say_json(
            {"folder": str(folder), **asdict(figures), "imported": asdict(imported)}
            | ({} if coverage is None else {"crawl": str(crawl), "coverage": asdict(coverage)})
        )
    else:
        say("\n".join(_info_lines(folder, imported, figures, crawl, coverage)))


def _site(text: str) -> str:
    """What stands before a path. UserError when it is no site."""
    url = canonical(text if "://" in text else f"https://{text}")
    if url is None or split(url).path != "/" or split(url).query:
        raise UserError(f"--site: {text!r} is no site: write https://www.example.org")
    return split(url).origin


def _hosts(named: list[str] | tuple[()]) -> set[str]:
    """Hosts, and those that files list: one a line, as such lists have them, with or without an address before it."""
    found: set[str] = set()
    for text in named:
        path = Path(text)
        lines = [text]
        if path.is_file():
            lines = read_limited(path, _LARGEST_LIST, "a list of hosts").decode("utf-8", "replace").splitlines()
        elif "/" in text:
            raise UserError(f"--without: there is no file {text}")
        words = (line.partition("#")[0].split() for line in lines)
        found |= {spelled_host(row[-1]) for row in words if row}
    return found


def _figures(folder: Path) -> Figures:
    from dowse.traces import describe, load_traces

    return describe(load_traces(folder), _TOP)


def _coverage(folder: Path, crawl: Path) -> Coverage:
    from dowse.model.records import CandidateState
    from dowse.store import CrawlReader
    from dowse.traces import covered, load_traces

    counted = {CandidateState.FETCHED: True, CandidateState.WAITING: False, CandidateState.LEASED: False}
    with CrawlReader(crawl) as records:
        return covered(
            load_traces(folder), ((url, counted[state]) for url, state in records.urls() if state in counted)
        )


def _stage(stage: str, total: int) -> str:
    from dowse.lab.wording import human_bytes

    if stage.startswith("reading"):
        return f"{stage}, {human_bytes(total)}" if total else stage
    return f"{stage}: {total:,}"


def _line(text: bytes) -> str:
    return shown(text.decode("utf-8", "replace"))[:_WIDEST]


def _import_lines(reading: Reading, imported: Imported, figures: Figures, out: Path, key_file: Path) -> Iterator[str]:
    yield f"{imported.lines:,} lines read, {_amounts(figures)} kept in {out}"
    yield from _table("left out", imported.left_out)
    yield from _table("bad lines", imported.bad, {why: _line(text) for why, text in reading.examples.items()})
    if not imported.accesses:
        yield "nothing was kept: no line is somebody looking at a page"
    yield f"users are numbers made with the key in {key_file}: keep it for later logs, and to yourself"


def _info_lines(
    folder: Path, imported: Imported, figures: Figures, crawl: Path | None, coverage: Coverage | None
) -> Iterator[str]:
    yield f"{folder}: {_amounts(figures)}"
    if figures.accesses:
        yield f"from {_day(figures.first)} to {_day(figures.last)}, {figures.bytes_per_access:.0f} bytes an access"
    yield f"key {shown(imported.key)}; addresses {'with' if imported.queries else 'without'} their queries"
    if figures.top_hosts:
        yield "most went to"
        yield from (f"  {times:>12,}  {shown(host)}" for host, times in figures.top_hosts)
    yield f"of {imported.lines:,} lines"
    yield from _table("left out", imported.left_out)
    yield from _table("bad lines", imported.bad)
    if coverage is not None:
        yield f"of the crawl in {crawl}, people went to"
        yield f"  {coverage.fetched_in_traces:>12,}  of {coverage.fetched:,} pages fetched"
        yield f"  {coverage.waiting_in_traces:>12,}  of {coverage.waiting:,} URLs waiting"


def _amounts(figures: Figures) -> str:
    return (
        f"{_counted(figures.accesses, 'access', 'es')} by {_counted(figures.users, 'user')} in"
        f" {_counted(figures.sessions, 'session')}, to {_counted(figures.pages, 'page')} on"
        f" {_counted(figures.hosts, 'host')}"
    )


def _counted(number: int, thing: str, ending: str = "s") -> str:
    return f"{number:,} {thing}{'' if number == 1 else ending}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _table(title: str, counts: Mapping[str, int], examples: Mapping[str, Any] | None = None) -> Iterator[str]:
    if counts:
        yield title
    for name, times in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        example = (examples or {}).get(name)
        yield f"  {times:>12,}  {shown(name)}" + (f", the first: {example}" if example else "")
