"""What users' affinities are counted from: which judged pages each of them went to (METHODS, section 4, reuse)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dowse.predict.learning.sums import Sums

__all__ = ["Readers"]


def _nobody() -> Sums:
    return Sums(np.zeros(0, np.uint64), np.zeros((0, 2)))


@dataclass(frozen=True, slots=True)
class Readers:
    """Users under one key, by their keyed hashes: of all judged pages those that each went to, and those of them that
    satisfy. Additive, like all statistics."""

    pages: float = 0.0  # judged ones, whoever went there
    satisfying: float = 0.0
    users: Sums = field(default_factory=_nobody)

    def merged(self, other: Readers) -> Readers:
        return Readers(
            self.pages + other.pages, self.satisfying + other.satisfying, self.users.merged(other.users)
        )  # fmt: skip

    def aged(self, factor: float) -> Readers:
        return Readers(self.pages * factor, self.satisfying * factor, self.users.aged(factor))

    def weighing(self, most: float) -> Readers:
        """Aged so far that it counts as no more than so many pages."""
        return self if self.pages <= most else self.aged(most / self.pages)
