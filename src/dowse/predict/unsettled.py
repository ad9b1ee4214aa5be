"""For memories whose rows are all they have."""

from __future__ import annotations

__all__ = ["Unsettled"]


class Unsettled:
    """The part of :class:`dowse.model.strategy.Memory` for what is settled: nothing is."""

    def settled(self) -> tuple[list[int], list[bytes]]:
        return [], []

    def wanted(self) -> list[int]:
        return []

    def load_settled(self, candidate: int, more: bytes) -> None:
        """There is none."""
