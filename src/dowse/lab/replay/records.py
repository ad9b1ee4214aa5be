"""Records that are not kept: a replay is measured at its way out, and can be run again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dowse.model.budget import Spent
from dowse.model.records import Batch, CandidateBlock, SiteRow

__all__ = ["Forgetful"]


class Forgetful:
    """Implements :class:`dowse.model.records.Records` without keeping anything."""

    def commit(self, batch: Batch) -> None:
        """Nothing is written."""

    def note_spent(self, spent: Spent) -> None:
        """Nothing outlives a replay."""

    def candidates(self) -> Iterator[CandidateBlock]:
        return iter(())

    def sites(self) -> Iterator[SiteRow]:
        return iter(())

    def statistics(self) -> dict[str, Any]:
        return {}

    def spent(self) -> Spent:
        return Spent()
