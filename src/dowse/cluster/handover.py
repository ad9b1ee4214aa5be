"""Addresses that hosts of several shards share, as one shard sees them (``ground/addresses`` has the other side).

A shard that holds an address keeps it for a *term*, so that handing it over costs little of the time that it is worth.
It gives the address up

* when its term is over and another promises as much there, by the best URL that each could ask for;
* when its term is over and the address has stood idle for as long, whatever waits there;
* at once, when another wants it and nothing here could be asked there, or nothing is left to spend.

Then nothing more is begun there, and as soon as nothing is under way, the ground is told. So the best URL at an address
goes first, whoever has it, but for the length of a term.

A shard that stands in line looks between its beats whether its turn has come: ten times a second the first in line, the
second half as often, and so on; so the ground is asked little, however many wait. Whatever the ground is told or tells
of addresses comes in one order, with the beats: an answer is never older than what was done since.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from dowse.cluster.membership import Membership
from dowse.engine.life import Life
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.common_ground import CommonGround, Member, Orders
from dowse.model.strategy import SEED_FLOOR

__all__ = ["Handover"]

_LOOK_S = 0.1  # from one look of the first in line to the next
_VACANT_S = 0.01  # from one look at what is still under way here to the next
_SITES_AT_ONCE = 10_000  # some milliseconds, before the engine's loop has its turn
_NOTHING = -1.0  # is promised, where nothing could be asked now

Ask = Callable[..., Awaitable[Any]]


class Handover:
    """See the module's docstring."""

    def __init__(
        self, ground: CommonGround, member: Member, membership: Membership, life: Life, purse: Purse, clock: Clock,
        ask: Ask, pause: Callable[[], Awaitable[None]], *, term_s: float, promises: bool,
    ) -> None:  # fmt: skip
        """``ask`` makes a call of the ground; ``pause`` gives the engine's loop its turn. Without ``promises`` all are
        taken to promise the same."""
        self._ground = ground
        self._member = member
        self._membership = membership
        self._sites = life.sites
        self._purse = purse
        self._clock = clock
        self._ask = ask
        self._pause = pause
        self._term_s = term_s
        self._promises = promises
        self._since: dict[str, float] = {}  # of each address that is held, when it came to be
        self._rivals: Mapping[str, float] = {}  # of what is held, what others promise there
        self._leaving: set[str] = set()  # given up, and still being asked here, or the ground has yet to hear of it
        self._asked_for: dict[str, float] = {}  # what others have, and what the ground knows that we promise there
        self._place: int | None = None  # the best place that we have in any line
        self._missed: set[str] = set()  # was given up, and something waits here

    @property
    def is_waiting(self) -> bool:
        """Does this shard want an address that it has not?"""
        return bool(self._asked_for) or self._wants_some()

    @property
    def is_leaving(self) -> bool:
        return bool(self._leaving)

    @property
    def look_in_s(self) -> float:
        """How soon :meth:`look` is worth a call, between two beats."""
        if self._leaving:
            return _VACANT_S
        return math.inf if self._place is None or not self._asked_for else _LOOK_S * self._place

    async def tell(self) -> None:
        """Before a beat: what was given up is freed, what is wanted is asked for."""
        await self._free()
        new = self._membership.wanted if self._wants_some() else set[str]()
        if not new and not self._asked_for:
            return
        found = await self._best_at(new | self._asked_for.keys())
        promised = {address: found.get(address, _NOTHING) for address in new | self._asked_for.keys()}
        wanted = {at: promise for at, promise in promised.items() if self._asked_for.get(at) != promise}
        if wanted:
            await self._ask(self._ground.want, self._member, wanted)
            self._membership.wanted.difference_update(wanted)
            self._asked_for.update(wanted)

    async def follow(self, orders: Orders) -> None:
        """After a beat: keep off, begin, or give up."""
        for address in orders.keep_off:
            self._sites.keep_off(address)
        self._let_in(orders.let_in)
        self._place = min(orders.keep_off.values(), default=None)
        self._rivals = orders.give_up
        await self._decide()
        await self._free()

    async def look(self) -> None:
        """Between two beats: has our turn come, or is what we give up free by now?"""
        if self._leaving:
            await self._free()
        elif self._asked_for:
            self._let_in(await self._ask(self._ground.let_in, self._member))

    # -- within --------------------------------------------------------------------------------------------------

    def _let_in(self, told: Mapping[str, float]) -> None:
        for address, wait_s in told.items():
            if address in self._leaving:
                continue
            self._asked_for.pop(address, None)
            if address not in self._membership.held:
                self._membership.held.add(address)
                self._since[address] = self._clock.now() + wait_s
            self._sites.let_in(address, wait_s)

    async def _decide(self) -> None:
        """What is to be given up?"""
        rivals = {at: most for at, most in self._rivals.items() if at in self._membership.held - self._leaving}
        if not rivals:
            return
        own = {} if self._purse.exhausted() else await self._best_at(rivals)
        now = self._clock.now()
        for address, promised in rivals.items():
            best = own.get(address)
            is_over = now >= self._since[address] + self._term_s
            is_idle = self._sites.idle_s(address) >= self._term_s
            if best is None or (is_over and (promised >= best or is_idle)):
                self._leaving.add(address)

    async def _free(self) -> None:
        """What is given up is the ground's once nothing is under way there. Until the ground has said that it heard
        so, it is told again."""
        free = {}
        for address in sorted(self._leaving):
            wait_s = self._sites.keep_off(address)
            if wait_s is not None:
                free[address] = wait_s
        if not free:
            return
        self._membership.held.difference_update(free)
        for address in free:
            self._since.pop(address, None)
        await self._ask(self._ground.free, self._member, free)
        self._leaving.difference_update(free)

    def _wants_some(self) -> bool:
        """Is there an address to ask the ground for? Those that were given up are wanted back as soon as something
        waits there again, be it at once or much later."""
        self._missed |= self._sites.missed()
        self._missed -= self._asked_for.keys() | (self._membership.held - self._leaving)
        back = self._missed - self._leaving
        self._missed -= back
        self._membership.wanted |= back
        return bool(self._membership.wanted)

    async def _best_at(self, addresses: Iterable[str]) -> dict[str, float]:
        """What the best URL promises that could be asked at each of these addresses within a term: a few sites at a
        time, between which the engine's loop has its turn."""
        wanted, found = frozenset(addresses), dict[str, float]()
        for first in range(0, len(self._sites), _SITES_AT_ONCE):
            self._sites.best_at(wanted, found, self._term_s, first, first + _SITES_AT_ONCE)
            await self._pause()
        if not self._promises:
            return dict.fromkeys(found, 0.0)
        return {address: 1.0 if best >= SEED_FLOOR else max(0.0, best) for address, best in found.items()}
