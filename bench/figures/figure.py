"""What is declared: measurements, and the figures made of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CORPORA", "Figure", "Measurement", "wrapped"]

CORPORA = ("wikispeedia", "docsweb", "webkb", "conferences")
"""Folders with recorded webs. In a command, the name of one stands for its path."""

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class Measurement:
    """One command and what is kept of its output. ``cores``: how many it may use; what measures time takes both, so
    that nothing runs beside it."""

    name: str
    command: str  # dowse ..., or python -m bench...; it takes --json FILE besides
    minutes: float  # about, on two quiet cores
    kept: Callable[[Any], Any]  # of the JSON that it wrote: small, plain values
    cores: int = 2
    picture: str = ""  # the file in docs/images that it draws, with --out
    jobs: bool = True  # a command of the lab takes --jobs

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command)

    @property
    def corpora(self) -> list[str]:
        return [word for word in self.words if word in CORPORA]

    def arguments(self, corpora: Path, python: str, json_file: Path, picture: Path | None) -> list[str]:
        """What is executed."""
        program, *rest = (str(corpora / word) if word in CORPORA else word for word in self.words)
        made = [python, "-m", "dowse", *rest] if program == "dowse" else [python, *rest]
        if self.words[:2] == ["dowse", "lab"] and self.jobs:
            made += ["--jobs", str(self.cores)]
        made += ["--json", str(json_file)]
        return [*made, "--out", str(picture)] if picture else made


@dataclass(frozen=True, slots=True)
class Figure:
    """A region of a page: ``shown`` makes its Markdown of what was kept of each measurement, in their order."""

    name: str
    page: str  # below the root of the project
    of: tuple[Measurement, ...]
    shown: Callable[[Sequence[Any]], str]


def wrapped(command: str) -> str:
    """The command on lines that fit a page.

    >>> print(wrapped("dowse lab compare webkb " + " ".join(["--strategy best-first"] * 5)))
    dowse lab compare webkb --strategy best-first --strategy best-first --strategy best-first --strategy best-first \\
        --strategy best-first
    """
    lines, line = [], ""
    for word in _units(command):
        if line and len(line) + len(word) + 1 > _WIDTH:
            lines.append(line)
            line = f"    {word}"
        else:
            line = f"{line} {word}" if line else word
    return " \\\n".join([*lines, line])


def _units(command: str) -> list[str]:
    """Words, with an option and its value together."""
    units: list[str] = []
    for word in command.split(" "):
        if units and units[-1].startswith("--") and " " not in units[-1] and not word.startswith("--"):
            units[-1] += f" {word}"
        else:
            units.append(word)
    return units
