"""Commands for the first minute: a topic file to fill in, and what there is to choose from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.tell import say
from dowse.model.errors import TopicError, UserError
from dowse.model.plugins import KINDS, Plugin, find_plugins, first_sentence
from dowse.model.shown import shown_line
from dowse.model.topicfile import TEMPLATE
from dowse.predict import STRATEGIES, describe, parameters

__all__ = ["init", "plugins", "strategies"]


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
    added = find_plugins("strategy")
    width = max(map(len, [*STRATEGIES, *added])) + 2
    for name in STRATEGIES:
        _tell_strategy(name, width)
    for name, plugin in added.items():
        if name in STRATEGIES:
            say(f"{name:{width}}(of {plugin.package}: not used, Dowse has one of this name)")
            continue
        try:
            _tell_strategy(name, width, f" ({plugin.package})")
        except TopicError as error:
            say(shown_line(f"{name:{width}}{error}"))


def _tell_strategy(name: str, width: int, package: str = "") -> None:
    own = ", ".join(f"{key}={'by form' if value is None else value}" for key, value in parameters(name).items())
    say(shown_line(f"{name:{width}}{describe(name)}{package}"))
    if own:
        say(shown_line(f"{'':{width}}{own}"))


def plugins() -> None:
    """List what installed packages add: strategies, judges, converters, search engines, extractors."""
    found = [plugin for kind in KINDS for plugin in find_plugins(kind).values()]
    if not found:
        say("no installed package adds anything to Dowse (see docs/extending.md)")
    for plugin in found:
        say(shown_line(f"{plugin.kind} {plugin.name} ({plugin.package}): {_told(plugin)}"))


def _told(plugin: Plugin) -> str:
    try:
        return first_sentence(plugin.load()) or "no description"
    except TopicError as error:
        return str(error)
