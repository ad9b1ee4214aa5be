"""What interest ratios are counted from: of each URL its tokens and the pages that link to it; of each judged page
whether it satisfies, and its words."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Book", "Entry"]

# what it is, site, ordinal, where it leads; how many parents, tokens, words: a page may have any number of them
_HEAD = struct.Struct("<BiiiIII")
_JUDGED, _SATISFIES, _BORROWED = 1, 2, 4


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
    leads_to: int = -1  # the URL it redirects to
    borrowed: bool = False  # its tokens are those of the URL that redirects here

    @property
    def judged(self) -> bool:
        return self.ordinal >= 0


class Book:
    """Implements :class:`dowse.predict.memory.RowMemory`."""

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

    def changed(self) -> list[int]:
        ids = sorted(self._changed)
        self._changed.clear()
        return ids

    def rows(self, ids: Sequence[int]) -> list[bytes]:
        return [_packed(self.entries[id_]) if id_ in self.entries else b"" for id_ in ids]

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = self.changed()
        return ids, self.rows(ids)

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        for id_, row in enumerate(rows, first):
            if row is not None and len(row) >= _HEAD.size:
                self.entries[id_] = _unpacked(row)
                self.count = max(self.count, id_ + 1)

    def moved(self, source: int, target: int) -> None:
        """Who links to the one links to the other. Which tokens that has is known once a page names it, or it was
        judged."""
        before, after = self.at(source), self.at(target)
        before.leads_to = target
        after.parents, after.tokens, after.site, after.borrowed = list(before.parents), before.tokens, before.site, True

    def end(self, id_: int) -> int:
        """Where a URL leads: to itself, unless it redirects."""
        seen = {id_}
        while (entry := self.entries.get(id_)) is not None and entry.leads_to >= 0 and entry.leads_to not in seen:
            id_ = entry.leads_to
            seen.add(id_)
        return id_


def _packed(entry: Entry) -> bytes:
    flags = _JUDGED * entry.judged | _SATISFIES * entry.satisfies | _BORROWED * entry.borrowed
    sizes = len(entry.parents), len(entry.tokens), len(entry.words)
    head = _HEAD.pack(flags, entry.site, entry.ordinal, entry.leads_to, *sizes)
    return head + np.array([*entry.parents, *entry.tokens, *entry.words], "<u4").tobytes()


def _unpacked(row: bytes) -> Entry:
    flags, site, ordinal, leads_to, parents, tokens, words = _HEAD.unpack_from(row)
    numbers = np.frombuffer(row, "<u4", parents + tokens + words, _HEAD.size)
    return Entry(
        numbers[:parents].tolist(), numbers[parents : parents + tokens], site, ordinal, bool(flags & _SATISFIES),
        numbers[parents + tokens :], leads_to, bool(flags & _BORROWED),
    )  # fmt: skip
