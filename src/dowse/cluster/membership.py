"""A shard's answers about the others, at once, from what the last beat told, and from what its own records say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from dowse.cluster.slots import Spread, slot_of
from dowse.model.clock import Clock
from dowse.model.common_ground import LEASE_S, SLOTS, Slot
from dowse.model.others import SLOT_AT
from dowse.model.revive import revived

__all__ = ["Membership"]

_MARGIN_S = 3.0  # before its lease runs out, a shard asks for nothing more: what is under way should be over by then


class Membership:
    """Implements :class:`dowse.model.others.MovingSlots`. Of a slot that moves, whoever has seen the later move knows
    better (see ``ground/moves``)."""

    def __init__(
        self, shard: int, owners: bytes, by: Spread, clock: Clock, *, polite: bool = True, slots: Iterable[Slot] = (),
    ) -> None:  # fmt: skip
        """``owners`` are the first ones; since then ``slots`` have moved. Not ``polite``: there is no delay that hosts
        of one address could share."""
        self.shard = shard
        self._owners: list[int] = np.frombuffer(owners, "<u2").tolist()
        self._moves = [0] * len(self._owners)
        self.shards = max(self._owners) + 1
        self.changes = 0
        self.leaving: dict[int, int] = {}  # slots of ours, and whom they are to be given to
        self.taken: dict[int, int] = {}  # slots that have come, with their moves, which the others may not know yet
        self._by = by
        self._clock = clock
        self._polite = polite
        self._current_until = clock.now()
        self.held: set[str] = set()  # addresses that this shard may ask
        self.wanted: set[str] = set()  # those that it has yet to ask the ground for
        self.on_want: Callable[[], None] = lambda: None
        self.learn(slots)

    # -- slots ---------------------------------------------------------------------------------------------------

    def slot(self, url: str) -> int:
        return slot_of(url, self._by)

    def owner(self, url: str) -> int | None:
        owner = self._owners[slot_of(url, self._by)]
        return None if owner == self.shard else owner

    def stays(self, url: str) -> bool:
        slot = slot_of(url, self._by)
        return self._owners[slot] == self.shard and slot not in self.leaving

    def learn(self, slots: Iterable[Slot]) -> None:
        """The ground says where slots are, and which of ours are to be given away."""
        for told in slots:
            self._know(told.slot, told.owner, told.move)
            if self.taken.get(told.slot, told.move + 1) <= told.move:
                del self.taken[told.slot]
            known = self._owners[told.slot], self._moves[told.slot]
            if told.heir is not None and known == (self.shard, told.move):
                self.leaving[told.slot] = told.heir
            else:
                self.leaving.pop(told.slot, None)

    def gave(self, slot: int, heir: int) -> int:
        move = self._moves[slot] + 1
        self._know(slot, heir, move)
        self.leaving.pop(slot, None)
        self.taken.pop(slot, None)
        return move

    def took(self, slot: int, move: int) -> None:
        self._know(slot, self.shard, move)
        self.taken[slot] = move

    def recall(self, learned: Mapping[str, Any]) -> None:
        for name, value in learned.items():
            if not name.startswith(SLOT_AT):
                continue
            slot, (owner, move) = int(name.removeprefix(SLOT_AT)), revived(tuple[int, ...], value)
            if not (0 <= slot < SLOTS and 0 <= owner < self.shards):
                raise ValueError(f"there is no slot {slot} of shard {owner}")
            if move > self._moves[slot]:
                self._know(slot, owner, move)
                self.leaving.pop(slot, None)
                if owner == self.shard:
                    self.taken[slot] = move

    def _know(self, slot: int, owner: int, move: int) -> None:
        if move > self._moves[slot]:
            self._owners[slot], self._moves[slot] = owner, move
            self.changes += 1

    # -- addresses and the lease ---------------------------------------------------------------------------------

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
