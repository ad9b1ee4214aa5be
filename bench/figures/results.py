"""What was measured, as files in git: by which command, when, at which commit, on which machine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.figures.figure import Measurement
from bench.figures.reach import SOURCES, reached
from dowse.model.files import write_whole

__all__ = ["RESULTS", "ROOT", "Checkout", "NotCommitted", "Result", "checkout", "machine", "stored"]

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"


class NotCommitted(Exception):
    """There is no commit that could be named as the one that was measured."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A commit, and what git calls the contents of its files."""

    commit: str
    contents: Mapping[str, str]
    root: Path = ROOT

    def source_of(self, measurement: Measurement) -> str:
        """A digest of all that it can reach: commits that change other things leave its result valid."""
        files = sorted(reached(measurement.words, self.root, self.contents))
        return hashlib.sha256("".join(f"{self.contents[name]} {name}\n" for name in files).encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class Result:
    """What a command gave, and where it comes from."""

    command: str
    date: str
    commit: str
    source: str
    machine: str
    seconds: float
    found: Any
    cpu_s: float = 0.0  # of the command and all that it started; 0 when it was not told

    def is_of(self, measurement: Measurement, at: Checkout) -> bool:
        """Would the same be measured again?"""
        return self.command == measurement.command and self.source == at.source_of(measurement)

    def write(self, path: Path) -> None:
        """A line a row of a list, so that a change can be read."""
        head = json.dumps({key: value for key, value in asdict(self).items() if key != "found"}, indent=1)
        text = f'{head[:-2]},\n "found": {_lines(self.found)}\n}}\n'
        write_whole(path, lambda place: place.write_text(text, "utf-8"))


def _lines(found: Any) -> str:
    if isinstance(found, list):
        return "[\n  " + ",\n  ".join(map(json.dumps, found)) + "\n ]" if found else "[]"
    if isinstance(found, dict):
        parts = (f"{json.dumps(key)}: {_lines(value)}" for key, value in found.items())
        return "{\n " + ",\n ".join(parts) + "\n }"
    return json.dumps(found)


def stored(measurement: Measurement, folder: Path = RESULTS) -> Result | None:
    """The result of the command as it is declared; None when it was not measured, or the command was another."""
    path = folder / f"{measurement.name}.json"
    if not path.is_file():
        return None
    result = Result(**json.loads(path.read_text("utf-8")))
    return result if result.command == measurement.command else None


def checkout(root: Path = ROOT) -> Checkout:
    """What is checked out; NotCommitted where what is measured is not as it was committed."""
    if changed := _git(root, "status", "--porcelain", "--", *SOURCES, ":!bench/figures"):
        raise NotCommitted(f"there are changes that are not committed ({changed.split()[-1]}): commit them first")
    lines = _git(root, "ls-tree", "-r", "-z", "HEAD", "--", *SOURCES).split("\0")
    contents = {name: head.split()[-1] for head, _, name in (line.partition("\t") for line in lines) if name}
    return Checkout(_git(root, "rev-parse", "--short=7", "HEAD"), contents, root)


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise NotCommitted(f"this is no clone that git can read: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.strip()


def machine() -> str:
    """Processor and cores."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' if cores != 1 else ''}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
