"""The command line: parse arguments, call, print. A mistake of the user is told on one line, with exit code 2."""

from __future__ import annotations

import errno
import gc
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from typing import Annotated, Any

import typer

from dowse.cli.help_lines import GroupedHelp, WholeLines
from dowse.cli.terminal import say, say_slow
from dowse.model.errors import DowseError, UserError
from dowse.model.long_work import tell_long_work
from dowse.model.shown import shown

__all__ = ["main", "make_app", "module_of"]

# typer carries its own copy of click; this is the root of that copy's errors
# typer passes on what reads the values says, with its own words for what kind of mistake it is
_READER = re.compile(r"Value error, |, unable to parse string as an? \w+")
_UsageProblem: Any = next(cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException")

# In the order of the help. `dowse X` is the function X of cli/X.py, but for those that share a module.
_COMMANDS = (
    "crawl", "cluster", "watch", "changes", "seeds", "init", "judge", "rejudge", "blocks", "train", "label", "why",
    "report", "export", "objects", "recrawl", "publish", "repair", "erid", "stats", "traces", "strategies", "plugins",
    "demo", "demo-web", "hostile", "lab",
)  # fmt: skip
_NOT_A_PLACE = (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS)
_SHOWN = 80  # letters of a name
_TAKES_NO_MORE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
_MODULES = {"demo-web": "demo", "lab": "lab_figure"}


def make_app(only: str | None = None) -> typer.Typer:
    """The application, or the part of it that one command needs: a crawl need not load the lab to start."""
    app = typer.Typer(
        name="dowse",
        cls=WholeLines,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Find the pages on your topic, and download as little of the rest of the web as possible.",
    )
    app.callback()(_root)
    for name in [only] if only in _COMMANDS else _COMMANDS:
        command = getattr(import_module(module_of(name)), name.replace("-", "_"))
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=GroupedHelp if name == "crawl" else None)(command)
    return app


def module_of(command: str) -> str:
    """The module that holds a command."""
    return f"dowse.cli.{_MODULES.get(command, command)}"


def _show_version(wanted: bool) -> None:
    if wanted:
        from dowse.compiled import core  # only here: other commands load what they need

        say(f"dowse {version('dowse')} ({'with' if core is not None else 'without'} the compiled core)")
        raise typer.Exit


def _root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Dowse: a focused web crawler."""


def _refuse_empty(arguments: Sequence[str]) -> None:
    """An empty word is mostly a variable that was not set; as a path it would be the folder one stands in."""
    for before, word in pairwise(["", *arguments]):
        if not word.strip() and before.startswith("-"):
            raise UserError(f"{before}: is empty")


def _usage(error: Any) -> str:
    told = _READER.sub("", error.format_message().rstrip("."))
    message, context = told.replace("Input should be", "it should be"), getattr(error, "ctx", None)
    if context and context.command_path == "dowse crawl" and "unexpected extra argument" in message:
        message += ": put a topic of several words in quotes"
    return f"{message[:1].lower()}{message[1:]}" + (f" (see: {context.command_path} --help)" if context else "")


def main() -> None:
    """Run the command line; the entry point of the ``dowse`` script."""
    arguments = sys.argv[1:] or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter is shown its number
            stream.reconfigure(errors="backslashreplace")
    tell_long_work(say_slow)
    try:
        _refuse_empty(arguments)
        if arguments == ["--version"]:
            _show_version(True)
        app = make_app(arguments[0])
        gc.freeze()
        gc.enable()  # the entry point has disabled it while modules were loaded
        code = app(arguments, prog_name="dowse", standalone_mode=False)
    except typer.Exit as done:
        code = done.exit_code
    except typer.Abort:
        code = 130
    except _UsageProblem as error:
        print(f"dowse: {shown(_usage(error))}", file=sys.stderr)  # noqa: T201
        code = 2
    except DowseError as error:
        print(f"dowse: {shown(str(error))}", file=sys.stderr)  # noqa: T201
        code = error.exit_code
    except OSError as error:
        code = _told(error)
    sys.exit(_flushed() or code or 0)


def _told(error: OSError) -> int:
    """Tell what no command has made an error of its own: a name that the system does not take, wherever it was asked
    about, and a standard output that takes no more, as where its disk is full."""
    if error.filename is not None and error.errno in _NOT_A_PLACE:
        name, why = str(error.filename), (error.strerror or "").lower()
        short = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        print(f"dowse: cannot use {shown(short)!r}: {why}", file=sys.stderr)  # noqa: T201
        return 2
    if error.filename is None and error.errno in _TAKES_NO_MORE:
        print(f"dowse: cannot write to standard output: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 1
    raise error


def _flushed() -> int:
    """Write what waits to be printed, before Python does at its end, and complains in its own way."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to complain of
        return 1 if error.errno == errno.EPIPE else _told(error)
    return 0
