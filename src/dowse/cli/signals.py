"""Ctrl-C and SIGTERM while a crawl runs, and the loop it runs in."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol, TypeVar

from dowse.cli.display import Display

__all__ = ["INTERRUPTED", "Signals", "Stoppable", "run_loop"]

Ended = TypeVar("Ended")

INTERRUPTED = 130


class Stoppable(Protocol):
    """What can be asked for an end."""

    @property
    def is_over(self) -> bool:
        """Has the crawl ended, if not what is still done for it?"""
        ...

    def interrupt(self, detail: str) -> None: ...

    def abort(self) -> None: ...


class Signals:
    """Ctrl-C or SIGTERM: the first stops the crawl cleanly, the second at once, the third ends the program."""

    def __init__(self, folder: Path, display: Display) -> None:
        self.crawl: Stoppable | None = None  # until there is one, the first signal ends the program
        self._folder = folder
        self._display = display
        self._asked = 0
        self._starting = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self._interrupt)

    def _interrupt(self) -> None:
        self._asked += 1
        if self._asked > 2:
            os._exit(INTERRUPTED)  # the records survive it as they survive a kill
        if self.crawl is None:
            if self._starting is not None:
                self._starting.cancel()
        elif self._asked == 1:
            if not self.crawl.is_over:
                self._display.say(
                    "Stopping: waiting for the requests that are open. Press Ctrl-C again to stop at once."
                )
            self.crawl.interrupt(f"go on with: dowse crawl --resume {shlex.quote(str(self._folder))}")
        else:
            self.crawl.abort()


def run_loop(work: Coroutine[Any, Any, Ended]) -> Ended:
    """Run in the fastest loop that there is."""
    try:
        import uvloop
    except ImportError:  # not on every platform; the standard loop does the same, slower
        return asyncio.run(work)
    return uvloop.run(work)
