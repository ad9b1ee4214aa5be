"""Who looked at which page when: ``traces.csv`` or ``traces.csv.gz`` with the columns ``user``, ``time`` and ``url``.

Time is ISO 8601 (UTC unless it says otherwise) or seconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dowse.lab.corpus.labels import read_rows
from dowse.model.errors import UserError

if TYPE_CHECKING:
    from dowse.lab.corpus.corpus import Corpus

__all__ = ["TRACES", "Traces", "read_traces"]

TRACES = ("traces.csv", "traces.csv.gz")


@dataclass(frozen=True, slots=True)
class Traces:
    """Accesses in order of time, as columns. Those to what is no page of the corpus are left out and counted."""

    users: tuple[str, ...] = ()
    user: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))  # place in ``users``
    at: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # seconds since 1970
    page: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    unknown: int = 0

    def __len__(self) -> int:
        return len(self.at)


def read_traces(corpus: Corpus) -> Traces:
    """The accesses of a corpus."""
    paths = [corpus.folder / name for name in TRACES if (corpus.folder / name).is_file()]
    return _read(corpus, paths[0]) if paths else Traces()


def _read(corpus: Corpus, path: Path) -> Traces:
    is_page = corpus.pages.is_page()
    numbers: dict[str, int] = {}
    users: dict[str, int] = {}
    rows: list[tuple[float, int, int]] = []
    unknown = 0
    for user, time, url in read_rows(path, "user", "time", "url"):
        number = numbers.get(url)
        if number is None:
            found = corpus.number(url)
            number = numbers[url] = -1 if found is None or not is_page[found] else found
        if number < 0:
            unknown += 1
        else:
            rows.append((_seconds(path, time), users.setdefault(user, len(users)), number))
    if unknown and not rows:
        raise UserError(f"{path} names no page of this corpus: is it of another one?")
    rows.sort(key=lambda row: row[0])
    return Traces(
        tuple(users),
        np.array([user for _, user, _ in rows], np.int32),
        np.array([at for at, _, _ in rows], np.float64),
        np.array([page for _, _, page in rows], np.int32),
        unknown,
    )


def _seconds(path: Path, text: str) -> float:
    """
    >>> _seconds(Path("t"), "1970-01-02T00:00:00Z"), _seconds(Path("t"), "12.5")
    (86400.0, 12.5)
    """
    try:
        return float(text)
    except ValueError:
        pass
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(f"{path}: {text!r} is no time: write 2024-05-01T12:00:00Z, or seconds since 1970") from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
