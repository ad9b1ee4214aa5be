"""How far a long command is: bars in a terminal, a line a stage elsewhere; on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bars
from rich.progress import TaskID

from dowse.cli.terminal import say
from dowse.model.shown import shown

__all__ = ["Tell", "shown_stages"]

Tell = Callable[[str, int, int], None]
"""Told which stage it is, what is done of it, and how much it is in all (0: nobody knows)."""


@contextmanager
def shown_stages(line: Callable[[str, int], str]) -> Iterator[Tell]:
    """What to tell. ``line`` says how a stage of so much in all is told where there is no terminal."""
    console = Console(stderr=True)
    if console.is_terminal:
        with Bars(console=console, transient=True) as bars:
            tasks: dict[str, TaskID] = {}

            def advance(stage: str, done: int, total: int) -> None:
                if stage not in tasks:
                    tasks[stage] = bars.add_task(escape(shown(stage)))
                bars.update(tasks[stage], completed=done, total=total or None)

            yield advance
    else:
        told: set[str] = set()

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in told:
                told.add(stage)
                say(line(stage, total), err=True)

        yield tell
