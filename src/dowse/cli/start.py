"""Commands for the first minute: a topic file to fill in, and the strategies to choose from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.tell import say
from dowse.model.errors import UserError
from dowse.model.topicfile import TEMPLATE
from dowse.predict import STRATEGIES, describe, parameters

__all__ = ["init", "strategies"]


def init(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("topic.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented topic file to start from."""
    if path.exists() and not force:
        raise UserError(f"{path} exists already: choose another name, or --force to overwrite it")
    try:
        path.write_text(TEMPLATE, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}: {(error.strerror or 'unknown error').lower()}") from None
    say(f"{path} written. Put in your query and seeds, then: dowse crawl {path}")


def strategies() -> None:
    """List the crawl orders that --strategy takes, with the parameters that --param sets."""
    width = max(map(len, STRATEGIES)) + 2
    for name in STRATEGIES:
        say(f"{name:{width}}{describe(name)}")
        own = ", ".join(f"{key}={'by form' if value is None else value}" for key, value in parameters(name).items())
        if own:
            say(f"{'':{width}}{own}")
