"""Accesses on their way from the logs to their columns, in memory that does not grow with the logs.

They gather in arrays; when those are full they are sifted, sorted and written as a *run*: three arrays in order of user
and time, and the URLs that were met, in order of fingerprint. :mod:`~dowse.traces.merge` makes columns of all runs.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dowse.model.arrays import ArrayFile
from dowse.traces.sessions import Limits, sift

__all__ = ["Run", "Spool"]

_MOST = 250_000  # accesses in a run, some 40 MB with their URLs


@dataclass(frozen=True, slots=True)
class Run:
    """One run, by its number: the names of its files."""

    number: int

    def named(self, column: str) -> str:
        return f"run{self.number}.{column}"


class Spool:
    """Takes accesses, and writes them out in runs."""

    def __init__(self, folder: Path, limits: Limits, most: int = _MOST) -> None:
        self.runs: list[Run] = []
        self.repeats = self.beyond_day = 0
        self._folder, self._limits, self._most = folder, limits, most
        self._begin()

    def _begin(self) -> None:
        self.users, self.at, self.pages = array("Q"), array("I"), array("Q")

    @property
    def is_full(self) -> bool:
        return len(self.at) >= self._most

    def write(self, urls: Mapping[int, str]) -> None:
        """Write a run: what has gathered, and the URLs that were met, by their fingerprints."""
        run = Run(len(self.runs))
        found = sift(
            np.frombuffer(self.users, np.uint64), np.frombuffer(self.at, np.uint32),
            np.frombuffer(self.pages, np.uint64), self._limits, whole=False,
        )  # fmt: skip
        self.repeats += found.repeats
        self.beyond_day += found.beyond_day
        for column, values in (("users", found.users), ("at", found.at), ("pages", found.pages)):
            with ArrayFile(self._folder, run.named(column), values.dtype) as file:
                file.append(values)
        fingerprints = sorted(urls)
        encoded = [urls[each].encode() for each in fingerprints]
        with (
            ArrayFile(self._folder, run.named("fingerprints"), np.uint64) as marks,
            ArrayFile(self._folder, run.named("ends"), np.int64) as ends,
            ArrayFile(self._folder, run.named("text"), np.uint8) as text,
        ):
            marks.append(np.array(fingerprints, np.uint64))
            ends.append(np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded))))
            text.append(np.frombuffer(b"".join(encoded), np.uint8))
        self.runs.append(run)
        self._begin()
