"""``dowse hostile``: a web of everything that goes wrong, and how a crawl has come through it."""

from __future__ import annotations

import shlex
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dowse.cli.help_lines import WholeLines
from dowse.cli.terminal import say
from dowse.model.shown import shown

if TYPE_CHECKING:  # loaded by these commands alone: no crawl should wait for them
    from dowse.lab.finished.hostile_trials import Finding
    from dowse.loopback.hostile import HostileServer

__all__ = ["hostile"]

hostile = typer.Typer(
    cls=WholeLines, rich_markup_mode=None, help="Try a crawl against everything that goes wrong on the web."
)


@hostile.command()
def serve(
    port: Annotated[int, typer.Option(metavar="PORT", help="The port to serve on; 0 picks a free one.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The loopback address to serve on.")] = "127.0.0.1",
    topic: Annotated[
        Path, typer.Option(metavar="FILE", help="The topic file to write, for a crawl of this web.")
    ] = Path("hostile.toml"),
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the commands only, not the trials.")] = False,
) -> None:
    """Serve the hostile web on this machine, until Ctrl-C."""
    from dowse.loopback.hostile import TRIALS
    from dowse.loopback.hostile.serve import serve_hostile

    def announce(server: HostileServer) -> None:
        if not quiet:
            _print_trials()
        folder = topic.with_suffix("").with_name(f"{topic.stem}-crawl")
        say(
            f"The hostile web is at {server.doors['plain']}: {len(TRIALS)} trials.\n"
            f"Crawl it from another terminal, then see what came of it:\n"
            f"  dowse crawl {shlex.quote(str(topic))} --out {shlex.quote(str(folder))}\n"
            f"  dowse hostile check {shlex.quote(str(folder))}\n"
            f"Its settings are in {topic}. Ctrl-C ends the server."
        )

    serve_hostile(topic=topic, announce=announce, host=host, port=port)


@hostile.command()
def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl of the hostile web.")],
) -> None:
    """Check that each trial of a finished crawl ended as it must."""
    from dowse.lab.finished.hostile_trials import compare

    findings = compare(folder)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("trial", "expected", "found", "ok"):
        table.add_column(name, overflow="fold", no_wrap=name in ("trial", "ok"))
    for finding in findings:
        table.add_row(*map(_cell, (finding.trial.name, finding.trial.expected, _found(finding), _word(finding))))
    Console(highlight=False).print(table)
    asked = [finding for finding in findings if finding.asked]
    wrong = [finding for finding in asked if finding.wrong]
    left = f"; {len(findings) - len(asked)} not asked" if len(asked) < len(findings) else ""
    say(f"\n{len(asked) - len(wrong)} of {len(asked)} trials ended as expected{left}.")
    if wrong:
        raise typer.Exit(1)


def _found(finding: Finding) -> str:
    return "; ".join(finding.wrong) or finding.found


def _word(finding: Finding) -> str:
    return "-" if not finding.asked else "NO" if finding.wrong else "yes"


def _cell(text: str) -> Text:
    return Text(shown(text))  # what a server said is data, not markup


def _print_trials() -> None:
    from dowse.loopback.hostile import TRIALS

    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("trial", "what it does", "what must come of it"):
        table.add_column(name, overflow="fold", no_wrap=name == "trial")
    for group, trials in groupby(TRIALS, key=lambda trial: trial.group):
        table.add_row(Text(group.upper(), style="bold"), "", "")
        for trial in trials:
            table.add_row(*map(_cell, (trial.name, trial.does, trial.expected)))
        table.add_row("", "", "")
    Console(highlight=False).print(table)
