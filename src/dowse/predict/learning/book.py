"""What interest ratios are counted from: of each URL its tokens and the pages that link to it; of each judged page
whether it satisfies, and its words."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Book", "Entry"]

_HEAD = struct.Struct("<BiiHHH")  # what it is, site, ordinal; how many parents, tokens, words
_JUDGED, _SATISFIES = 1, 2


def _none() -> NDArray[np.uint32]:
    return np.zeros(0, np.uint32)


@dataclass(slots=True)
class Entry:
    """One URL."""

    parents: list[int] = field(default_factory=list)  # in the order in which they were judged
    tokens: NDArray[np.uint32] = field(default_factory=_none)
    site: int = 0
    ordinal: int = -1  # how many pages were judged before it; -1: it was not judged
    satisfies: bool = False
    words: NDArray[np.uint32] = field(default_factory=_none)

    @property
    def judged(self) -> bool:
        return self.ordinal >= 0


class Book:
    """Implements :class:`dowse.model.strategy.Memory`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.entries: dict[int, Entry] = {}
        self.count = 0  # ids below it may have an entry
        self._changed: set[int] = set()

    def at(self, id_: int) -> Entry:
        """The entry of a URL, to be changed."""
        self._changed.add(id_)
        self.count = max(self.count, id_ + 1)
        return self.entries.setdefault(id_, Entry())

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = sorted(self._changed)
        self._changed.clear()
        return ids, [_packed(self.entries[id_]) for id_ in ids]

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        for id_, row in enumerate(rows, first):
            if row is not None and len(row) >= _HEAD.size:
                self.entries[id_] = _unpacked(row)
                self.count = max(self.count, id_ + 1)

    def moved(self, source: int, target: int) -> None:
        before = self.entries.get(source, Entry())
        self.entries[target] = Entry(list(before.parents), before.tokens, before.site)
        self.count = max(self.count, target + 1)
        self._changed.add(target)


def _packed(entry: Entry) -> bytes:
    flags = _JUDGED * entry.judged | _SATISFIES * entry.satisfies
    head = _HEAD.pack(flags, entry.site, entry.ordinal, len(entry.parents), len(entry.tokens), len(entry.words))
    return head + np.array([*entry.parents, *entry.tokens, *entry.words], "<u4").tobytes()


def _unpacked(row: bytes) -> Entry:
    flags, site, ordinal, parents, tokens, words = _HEAD.unpack_from(row)
    numbers = np.frombuffer(row, "<u4", parents + tokens + words, _HEAD.size)
    return Entry(
        numbers[:parents].tolist(), numbers[parents : parents + tokens], site, ordinal, bool(flags & _SATISFIES),
        numbers[parents + tokens :],
    )  # fmt: skip
