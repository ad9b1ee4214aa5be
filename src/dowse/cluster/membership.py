"""A shard's answers about the others, at once, from what the last beat told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dowse.cluster.slots import Spread, slot_of
from dowse.model.clock import Clock
from dowse.model.common_ground import LEASE_S

__all__ = ["Membership"]

_MARGIN_S = 3.0  # before its lease runs out, a shard asks for nothing more: what is under way should be over by then


class Membership:
    """Implements :class:`dowse.model.others.Others`."""

    def __init__(self, shard: int, owners: bytes, by: Spread, clock: Clock, *, polite: bool = True) -> None:
        """Not ``polite``: there is no delay that hosts of one address could share."""
        self.shard = shard
        self._owners = np.frombuffer(owners, "<u2").tolist()
        self.shards = max(self._owners) + 1
        self._by = by
        self._clock = clock
        self._polite = polite
        self._current_until = clock.now()
        self.held: set[str] = set()  # addresses that this shard may ask
        self.wanted: set[str] = set()  # those that it has yet to ask the ground for
        self.on_want: Callable[[], None] = lambda: None

    def owner(self, url: str) -> int | None:
        owner = int(self._owners[slot_of(url, self._by)])
        return None if owner == self.shard else owner

    def may_ask(self, address: str) -> bool:
        if not self._polite or address in self.held:
            return True
        if address not in self.wanted:
            self.wanted.add(address)
            self.on_want()
        return False

    def is_current(self) -> bool:
        return self._clock.now() < self._current_until

    def heard_at(self, now: float) -> None:
        """A beat that was sent then was answered: the lease runs from it."""
        self._current_until = now + LEASE_S - _MARGIN_S

    def fenced(self) -> None:
        """Another is at this shard's place."""
        self._current_until = self._clock.now()
