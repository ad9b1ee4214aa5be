"""When candidates are ranked again that no page mentions: never, or a few with each page, round and round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.revive import revived
from dowse.model.strategy import IsWaiting, Revision

__all__ = ["RanksOnMention", "Sweep"]


class RanksOnMention:
    """The part of a strategy that thinks again about a URL only when a page mentions it: it revises nothing, and has
    nothing to remember but priorities and what its memory knows of candidates."""

    learns_words = False

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        return None

    def refresh(self, candidate: int) -> float | None:
        return None

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to take up."""


class Sweep:
    """Goes over all ids, from where it last stopped. A page pays for ``at_once`` of them, so after a change every
    candidate is ranked anew within one page for each so many candidates there are, however often more changes come."""

    def __init__(self, at_once: int = 512) -> None:
        self._at_once = at_once
        self._at = 0  # the next id
        self._left = 0  # ids that were ranked before the last change

    def begin(self, count: int) -> None:
        """Everything below ``count`` is to be ranked anew."""
        self._left = count

    def some(self, count: int, is_waiting: IsWaiting) -> NDArray[np.int64] | None:
        """The next of ``count`` ids that still wait; None when all were ranked since the last change."""
        if self._left <= 0 or not count:
            return None
        if self._at >= count:
            self._at = 0
        ids = np.arange(self._at, min(self._at + min(self._at_once, self._left), count))
        self._at += len(ids)
        self._left -= len(ids)
        return ids[is_waiting(ids)]

    def state(self) -> list[int]:
        return [self._at, self._left]

    def restore(self, state: list[int]) -> None:
        self._at, self._left = revived(tuple[int, ...], state)
        if self._at < 0:
            raise ValueError("a sweep begins below the first candidate")
