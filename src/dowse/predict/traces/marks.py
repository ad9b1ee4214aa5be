"""What people's traces have to do with each candidate of a crawl, one mark a candidate that is in them."""

from __future__ import annotations

import struct
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["KIND_OF_PEOPLE", "Mark", "Marks"]

KIND_OF_PEOPLE = "people, "
"""What marks mean, followed by the form and by which traces they are of."""

_HEAD = struct.Struct("<qiBHddd")  # number, ordinal, flags, how many words, logs
_SATISFIES, _PROPOSED = 1, 2
_NO_WORDS = np.zeros(0, np.uint32)
_NO_LOGS = 0.0, 0.0, 0.0


@dataclass(slots=True)
class Mark:
    """One candidate."""

    page: int = -1  # its number in the traces
    ordinal: int = -1  # how many pages were judged before it; -1: it was not judged
    satisfies: bool = False
    proposed: bool = False  # people led to it, and perhaps a link as well
    logs: tuple[float, float, float] = _NO_LOGS  # of interest ratios, as they were last worked out
    words: NDArray[np.uint32] = field(default_factory=lambda: _NO_WORDS)

    def packed(self) -> bytes:
        flags = _SATISFIES * self.satisfies | _PROPOSED * self.proposed
        return (
            _HEAD.pack(self.page, self.ordinal, flags, len(self.words), *self.logs) + self.words.astype("<u4").tobytes()
        )

    @staticmethod
    def unpacked(row: bytes) -> Mark:
        page, ordinal, flags, count, *logs = _HEAD.unpack_from(row)
        if not np.isfinite(logs).all():
            raise ValueError("what is known of a candidate holds something that is no number")
        temporal, signature, user = logs
        words = np.frombuffer(row, "<u4", count, _HEAD.size)
        return Mark(
            page, ordinal, bool(flags & _SATISFIES), bool(flags & _PROPOSED), (temporal, signature, user), words
        )  # fmt: skip


class Marks:
    """Implements :class:`dowse.predict.memory.RowMemory`."""

    def __init__(self, kind: str, pages: int) -> None:
        self.kind = kind
        self.known: dict[int, Mark] = {}
        self.there: list[int] = []  # candidates that are in the traces, rising
        self._pages = pages
        self._changed: set[int] = set()

    def put(self, id_: int, mark: Mark) -> None:
        self._keep(id_, mark)
        self._changed.add(id_)

    def told(self, ids: Sequence[int], logs: NDArray[np.float64]) -> None:
        """The logs of known candidates were worked out."""
        for id_, (temporal, signature, user) in zip(ids, logs.tolist(), strict=True):
            self.known[id_].logs = temporal, signature, user
        self._changed.update(ids)

    def _keep(self, id_: int, mark: Mark) -> None:
        if mark.page >= 0 > self.page(id_):
            insort(self.there, id_)
        self.known[id_] = mark

    def page(self, id_: int) -> int:
        """A candidate's number in the traces, -1 where it is in none."""
        mark = self.known.get(id_)
        return -1 if mark is None else mark.page

    def changed(self) -> list[int]:
        ids = sorted(self._changed)
        self._changed.clear()
        return ids

    def rows(self, ids: Sequence[int]) -> list[bytes]:
        known = self.known
        return [known[id_].packed() if id_ in known else b"" for id_ in ids]

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = self.changed()
        return ids, self.rows(ids)

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        for id_, row in enumerate(rows, first):
            if row is not None and len(row) >= _HEAD.size:
                mark = Mark.unpacked(row)
                if not -1 <= mark.page < self._pages:
                    raise ValueError("what is known of a candidate names a page that is in no trace")
                self._keep(id_, mark)

    def moved(self, source: int, target: int) -> None:
        """People went to the one and came to the other."""
        before = self.known.get(source)
        if before is not None:
            self.put(target, Mark(before.page, proposed=before.proposed, logs=before.logs))
