"""Sums over judged pages by the hash of a word or token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sums", "no_pair"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums by the hash of a token or word, or of a user. The first column counts pages; ``keys`` rise, each is there
    once."""

    keys: NDArray[np.unsignedinteger]
    sums: Floats  # a row a key

    @classmethod
    def of(cls, keys: NDArray[np.unsignedinteger], sums: Floats) -> Sums:
        """Keys in any order, the rows of equal ones added up.

        >>> Sums.of(np.array([7, 3, 7], np.uint32), np.array([[1.0, 0.5], [1.0, 0.0], [1.0, 1.0]])).sums.tolist()
        [[1.0, 0.0], [2.0, 1.5]]
        """
        own, which = np.unique(keys, return_inverse=True)
        columns = [np.bincount(which, sums[:, column], len(own)) for column in range(sums.shape[1])]
        return cls(own, np.column_stack(columns) if len(own) else np.zeros((0, sums.shape[1])))

    @classmethod
    def none(cls, columns: int) -> Sums:
        return cls(np.zeros(0, np.uint32), np.zeros((0, columns)))

    def __len__(self) -> int:
        return len(self.keys)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sums):
            return NotImplemented
        return np.array_equal(self.keys, other.keys) and np.array_equal(self.sums, other.sums)

    __hash__ = None  # type: ignore[assignment]  # it is compared by arrays

    def merged(self, other: Sums) -> Sums:
        return Sums.of(np.concatenate((self.keys, other.keys)), np.concatenate((self.sums, other.sums)))

    def aged(self, factor: float) -> Sums:
        return Sums(self.keys, self.sums * factor)

    def at(self, key: int) -> tuple[float, ...]:
        """The sums of one key: zeros when it was never seen."""
        place = int(np.searchsorted(self.keys, key))
        found = place < len(self.keys) and int(self.keys[place]) == key
        return tuple(self.sums[place].tolist()) if found else (0.0,) * self.sums.shape[1]


def no_pair() -> Sums:
    """Pages and their value, of nothing yet."""
    return Sums.none(2)
