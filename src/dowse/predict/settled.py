"""What strategies have in common that think again about a URL only when a page mentions it."""

from __future__ import annotations

from typing import Any

from dowse.model.strategy import IsWaiting, Revision

__all__ = ["Settled"]


class Settled:
    """Nothing to revise between mentions, and nothing to remember but priorities and what is known of candidates."""

    learns_words = False

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        return None

    def refresh(self, candidate: int) -> float | None:
        return None

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to take up."""
