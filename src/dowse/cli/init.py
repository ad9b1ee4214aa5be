"""``dowse init``: a topic file to fill in."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Force
from dowse.cli.outputs import check_out
from dowse.cli.terminal import say
from dowse.model.files import write_whole
from dowse.model.topicfile import TEMPLATE

__all__ = ["init"]


def init(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("topic.toml"),
    force: Force = False,
) -> None:
    """Write a topic file to fill in, with every key explained."""
    check_out(path, force=force)
    write_whole(path, lambda place: place.write_text(TEMPLATE, encoding="utf-8"))
    say(f"{path} written. Fill in your query and seeds, then run: dowse crawl {shlex.quote(str(path))}")
