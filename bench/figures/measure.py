"""Runs the commands of measurements, two cores' worth at a time, and stores each result as soon as it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.figures.figure import Measurement
from bench.figures.results import Checkout, Result, machine

__all__ = ["Place", "Tell", "measure", "minutes_of"]

CORES = 2
_LOOK_S = 0.2
_LAST_LINES = 3  # of a command that failed

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything is: the project, its corpora, and where results and pictures go."""

    root: Path
    corpora: Path
    results: Path
    pictures: Path


class _Running:
    """A command that was started."""

    def __init__(self, measurement: Measurement, place: Place, folder: Path) -> None:
        self.measurement = measurement
        self._place = place
        self._json, self._log = folder / "found.json", folder / "log"
        self._picture = folder / measurement.picture if measurement.picture else None
        command = measurement.arguments(place.corpora.resolve(), sys.executable, self._json, self._picture)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(place.root / "src"), str(place.root)))}
        self._cpu_s = 0.0
        self._started = time.perf_counter()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=place.root, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def is_over(self) -> bool:
        process = self._process
        if process.returncode is None:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:  # which can be asked for once
                process.returncode = os.waitstatus_to_exitcode(status)
                self._cpu_s = usage.ru_utime + usage.ru_stime
        return process.returncode is not None

    def stop(self) -> None:
        """End it; what it keeps for itself, it has kept."""
        self._process.terminate()
        self._process.wait()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    @property
    def took(self) -> str:
        """By the wall clock, and how much of a core in all: far less says that others kept the machine busy."""
        return f"{self.seconds / 60:5.1f} min (about {self.measurement.minutes:.1f}), {self._cpu_s / 60:.1f} of CPU"

    def store(self, at: Checkout) -> str:
        """Write the result and the picture; empty, or what went wrong."""
        if self._process.returncode:
            lines = self._log.read_text("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
            return " / ".join(lines) or f"ended with {self._process.returncode}"
        one = self.measurement
        found = one.kept(json.loads(self._json.read_text("utf-8")))
        date = datetime.now(UTC).date().isoformat()
        result = Result(
            one.command,
            date,
            at.commit,
            at.source_of(one),
            machine(),
            round(self.seconds, 1),
            found,
            round(self._cpu_s, 1),
        )
        if self._picture is not None:
            self._place.pictures.mkdir(parents=True, exist_ok=True)
            (self._place.pictures / one.picture).write_bytes(self._picture.read_bytes())
        self._place.results.mkdir(parents=True, exist_ok=True)
        result.write(self._place.results / f"{one.name}.json")
        return ""


def measure(todo: Sequence[Measurement], place: Place, at: Checkout, tell: Tell, stored: Callable[[], object]) -> int:
    """Run them all, and call ``stored`` after each; how many failed. When it is interrupted, what is running ends, and
    what was stored stays."""
    waiting, running, failed, done = list(todo), list[_Running](), 0, 0
    with ExitStack() as stack:
        stack.callback(_stop, running)
        while waiting or running:
            while (fits := _next(waiting, running)) is not None:
                waiting.remove(fits)
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dowse-figures-")))
                running.append(_Running(fits, place, folder))
            for one in [one for one in running if one.is_over()]:
                running.remove(one)
                done += 1
                problem = one.store(at)
                failed += bool(problem)
                left = minutes_of([*waiting, *(two.measurement for two in running)])
                tell(_line(one, problem, f"{done} of {len(todo)}, about {left:.0f} min left"))
                stored()
            time.sleep(_LOOK_S)
    return failed


def minutes_of(measurements: Iterable[Measurement]) -> float:
    """About how long these take together."""
    return sum(one.minutes * one.cores / CORES for one in measurements)


def _stop(running: Sequence[_Running]) -> None:
    for one in running:
        one.stop()


def _next(waiting: Sequence[Measurement], running: Sequence[_Running]) -> Measurement | None:
    """The first that there are cores for."""
    free = CORES - sum(one.measurement.cores for one in running)
    return next((one for one in waiting if one.cores <= free), None)


def _line(one: _Running, problem: str, rest: str) -> str:
    return f"{one.measurement.name:28} {one.took}  {f'FAILED: {problem}' if problem else rest}"
