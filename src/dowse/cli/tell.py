"""The one way from the commands to the terminal. What is told may be anybody's text: no control character passes."""

from __future__ import annotations

from typing import Any

import typer

from dowse.model.shown import json_line, shown_lines

__all__ = ["say", "say_json", "say_styled"]


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, of one line or several, on standard output, or on standard error."""
    typer.echo(shown_lines(str(text)), err=err, nl=nl)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json_line(value))


def say_styled(text: str) -> None:
    """Print text that was made fit to be shown and then styled: its escape sequences are our own."""
    typer.echo(text)
