"""``dowse init``: a topic file to fill in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.terminal import say
from dowse.model.errors import UserError
from dowse.model.topicfile import TEMPLATE

__all__ = ["init"]


def init(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("topic.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a topic file to fill in, with every key explained."""
    if path.exists() and not force:
        raise UserError(f"{path} already exists: choose another name, or overwrite it with --force")
    try:
        path.write_text(TEMPLATE, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}: {(error.strerror or 'unknown error').lower()}") from None
    say(f"{path} written. Fill in your query and seeds, then run: dowse crawl {path}")
