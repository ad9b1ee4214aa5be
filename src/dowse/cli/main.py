"""The command line: parse arguments, call, print. Every error of the user is one line and exit code 2."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer

from dowse.cli.crawl import crawl
from dowse.cli.demo import demo, demo_web
from dowse.cli.hostile import hostile
from dowse.cli.judge import judge
from dowse.cli.lab_compare import lab
from dowse.cli.look import export, report, why
from dowse.cli.start import init, strategies
from dowse.model.errors import DowseError

__all__ = ["app", "main"]

# typer carries its own copy of click; this is the root of that copy's errors
_UsageProblem: Any = next(cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException")

app = typer.Typer(
    name="dowse",
    add_completion=False,
    rich_markup_mode=None,
    help="Find the pages on your topic while downloading as little of the rest of the web as possible.",
)
for command in (crawl, init, judge, why, report, export, strategies, demo):
    app.command()(command)
app.command("demo-web")(demo_web)
app.add_typer(hostile, name="hostile")
app.add_typer(lab)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dowse {version('dowse')}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Dowse: a focused web crawler."""


def main() -> None:
    """Run the command line; the entry point of the ``dowse`` script."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except typer.Abort:
        code = 130
    except _UsageProblem as error:
        print(f"dowse: {error.format_message()}", file=sys.stderr)  # noqa: T201
        code = 2
    except DowseError as error:
        print(f"dowse: {error}", file=sys.stderr)  # noqa: T201
        code = error.exit_code
    sys.exit(code or 0)
