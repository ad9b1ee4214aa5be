"""What a strategy knows of each candidate: a row a URL, in one flat table indexed by its id."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import Memory

__all__ = ["Joined", "NumberRows", "NumberTable", "RowMemory", "RowTable"]

NumberRows = NDArray[np.float32]
"""Rows of a :class:`NumberTable`, one a candidate."""

_FIRST_ROOM = 1024
_LENGTH = struct.Struct("<I")


class RowMemory(Memory, Protocol):
    """A memory that also says what it knows of candidates that have not changed."""

    def changed(self) -> list[int]:
        """The candidates of :meth:`Memory.changes`, which are not told again."""
        ...

    def rows(self, ids: Sequence[int]) -> list[bytes]:
        """All that is known of each of these; nothing: b""."""
        ...


class Joined:
    """Implements :class:`RowMemory` for a strategy that has two: a row holds the row of either."""

    def __init__(self, kind: str, first: RowMemory, second: RowMemory) -> None:
        self.kind = kind
        self._first, self._second = first, second

    def changed(self) -> list[int]:
        return sorted({*self._first.changed(), *self._second.changed()})

    def rows(self, ids: Sequence[int]) -> list[bytes]:
        pairs = zip(self._first.rows(ids), self._second.rows(ids), strict=True)
        return [_LENGTH.pack(len(first)) + first + second for first, second in pairs]

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = self.changed()
        return ids, self.rows(ids)

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        pairs = [_parted(row) for row in rows]
        self._first.load(first, [pair[0] for pair in pairs])
        self._second.load(first, [pair[1] for pair in pairs])

    def moved(self, source: int, target: int) -> None:
        self._first.moved(source, target)
        self._second.moved(source, target)


def _parted(row: bytes | None) -> tuple[bytes | None, bytes | None]:
    if row is None or len(row) < _LENGTH.size:
        return None, None
    end = _LENGTH.size + _LENGTH.unpack_from(row)[0]
    return row[_LENGTH.size : end] or None, row[end:] or None


class RowTable:
    """Implements :class:`RowMemory` for rows of one shape. ``empty``, a table of one row, is that of
    a candidate of which nothing is known."""

    def __init__(self, empty: NDArray[Any], kind: str) -> None:
        self.kind = kind
        self.count = 0  # ids below it may have a row
        self._empty = empty
        self._is_blank = not any(empty.tobytes())
        self._size = empty.nbytes
        self._bytes = np.dtype((np.void, self._size))  # a row as it lies in memory
        self._rows: NDArray[Any] = np.repeat(empty, _FIRST_ROOM, axis=0)
        self._changed: list[NDArray[np.int64]] = []

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    def at(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """A copy of the rows of candidates; :meth:`put` it back when it was changed."""
        if len(ids):
            self.reach(int(ids.max()) + 1)
        return self._rows.take(ids, axis=0)  # of records it is eight times as fast as an index

    def put(self, ids: NDArray[np.int64], rows: NDArray[Any]) -> None:
        rows = np.ascontiguousarray(rows, self._rows.dtype)  # numbers of another kind are converted, not reinterpreted
        self._rows.view(self._bytes)[ids] = rows.view(self._bytes)  # the same again
        self._changed.append(ids)

    def reach(self, count: int) -> None:
        """Make room for ids below ``count``."""
        before = len(self._rows)
        if count > before:
            # The system moves large blocks without copying them; rows stay where they are, since only rows are added.
            self._rows.resize((count * 9 // 8 + _FIRST_ROOM, *self._rows.shape[1:]), refcheck=False)
            if not self._is_blank:
                self._rows[before:] = self._empty
        self.count = max(self.count, count)

    def changed(self) -> list[int]:
        ids: list[int] = np.unique(np.concatenate(self._changed)).tolist() if self._changed else []
        self._changed.clear()
        return ids

    def rows(self, ids: Sequence[int]) -> list[bytes]:
        known = np.array([id_ for id_ in ids if id_ < self.count], np.int64)
        data, size = self._rows[known].tobytes(), self._size
        told = (data[start : start + size] for start in range(0, len(data), size))
        return [next(told) if id_ < self.count else b"" for id_ in ids]

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = self.changed()
        return ids, self.rows(ids)

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        known = [(place, row) for place, row in enumerate(rows, first) if row is not None and len(row) == self._size]
        if known:
            places, data = zip(*known, strict=True)
            self.reach(places[-1] + 1)
            found = np.frombuffer(b"".join(data), self._rows.dtype)
            self._rows[np.array(places)] = found.reshape(-1, *self._rows.shape[1:])

    def moved(self, source: int, target: int) -> None:
        self.reach(max(source, target) + 1)
        self._rows[target] = self._rows[source]
        self._changed.append(np.array([target]))


class NumberTable(RowTable):
    """A few numbers a candidate. A row of zeros is one that no page has mentioned."""

    def __init__(self, width: int, kind: str = "") -> None:
        super().__init__(np.zeros((1, width), "<f4"), kind)

    def keep_best(self, ids: NDArray[np.int64], found: NumberRows) -> NDArray[np.float64]:
        """In rows of a count, a value and what led to it: count one mention more, and take ``found`` (without the
        count) where its value is the higher. Returns the values."""
        rows = self.at(ids)
        better = (rows[:, 0] == 0) | (rows[:, 1] < found[:, 0])
        rows[better, 1:] = found[better]
        rows[:, 0] += 1
        self.put(ids, rows)
        return rows[:, 1].astype(np.float64)

    def one(self, candidate: int) -> NumberRows:
        """The row of one candidate, as a table of one row."""
        return self._rows[candidate : candidate + 1] if candidate < self.count else self._empty.copy()
