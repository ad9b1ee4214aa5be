"""Who parses and judges pages, and does whatever else must not hold the engine's loop."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

from dowse.engine.workers.job import Job, Lost, Step, Work
from dowse.engine.workers.wire import lost

__all__ = ["InProcess", "NoProcesses", "Workers", "default_workers"]

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class Workers(Protocol):
    """Runs the step on jobs, and whatever else must not hold the engine's loop."""

    async def start(self) -> None: ...

    async def run(self, job: Job) -> Work: ...

    async def call(
        self, url: str, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs
    ) -> _Found | Lost:
        """Call a function, as it were a page of this URL: within its time and memory, and its domain's share."""
        ...

    @property
    def count(self) -> int:
        """Processes; 0 when the step runs in the engine's own."""
        ...

    @property
    def backlog(self) -> int:
        """Jobs that wait for a worker, as far as they are a reason to start no more."""
        ...

    def waiting_of(self, url: str) -> int:
        """Jobs that wait of this URL's domain."""
        ...

    def keeps_long(self, url: str) -> bool:
        """Does a page of this one's domain keep a worker for long just now?"""
        ...

    async def close(self) -> None: ...


def default_workers() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class NoProcesses:
    """What workers are that have no processes: everything is done at once, where it is asked for."""

    backlog = 0
    count = 0

    async def start(self) -> None:
        """Nothing to start."""

    async def call(
        self, url: str, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs
    ) -> _Found | Lost:
        try:
            return function(*given, **named)
        except Exception as error:
            return lost(error)

    def waiting_of(self, url: str) -> int:
        return 0

    def keeps_long(self, url: str) -> bool:
        return False

    async def close(self) -> None:
        """Nothing to close."""


class InProcess(NoProcesses):
    """The step runs in the engine's own process (deterministic order, no time limit)."""

    def __init__(self, step: Step) -> None:
        self._step = step

    async def run(self, job: Job) -> Work:
        try:
            return self._step(job)
        except Exception as error:  # as in a worker: a page's fault costs that page only
            return Work(error=f"{type(error).__name__}: {error}"[:200])
