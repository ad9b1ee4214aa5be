"""How a broken promise is told."""

from __future__ import annotations

__all__ = ["ContractBroken", "expect"]


class ContractBroken(AssertionError):
    """A strategy or judge does not do what its port says."""


def expect(kept: bool, promise: str) -> None:
    """Raise :class:`ContractBroken` with the promise unless it was kept."""
    if not kept:
        raise ContractBroken(promise)
