"""What a shard does with the common ground, about once a second and beside its engine's loop.

One beat, in this order::

    letters that came   are taken up, with the number of the last in the same commit, and noted on the ground;
    letters to others   that are in our records are posted, and those that arrived are dropped from our records;
    what we have        spent, found and promise is reported; orders come back: what we may
                        spend, at which addresses we may ask, which slots are to go, and the end;
    slots               that are to go are given, if nothing of them is under way;
    what was learned    is published, and what the others published is taken up.

Nothing is said on the ground that is not in the shard's own records: so a shard that dies at any point goes on from its
folder, says the same again, and nothing counts twice. While it waits for orders it spends no more than it has reported
to hold, so that the ground may take back the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from dowse.cluster.handover import Handover
from dowse.cluster.membership import Membership
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.loop.engine import Stop
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import (
    PROMISED,
    CommonGround,
    Fenced,
    GroundAway,
    Joined,
    Orders,
    Received,
    Report,
)
from dowse.model.others import MAIL_FROM
from dowse.model.strategy import SEED_FLOOR
from dowse.store.outbox import Outbox

__all__ = ["Beats"]

_EVERY_S = 1.0
_SOON_S = 0.1  # where there is nothing to do here, or little left to spend
_AGAIN_S = 0.5  # after the ground did not answer
_YOUNG = 20  # times as old as the next beat is far, at the beginning
_FEW = 4  # pages or requests left of what was granted: more are asked for at once
_LETTERS = 20_000  # at a time, so that a shard that was away does not take them all at once
_AT_ONCE = 500  # letters, before the engine's loop has its turn
_TAIL_BYTES = 65_536  # of each answer that is under way: they may still come in while orders are waited for
_ARRIVED_EVERY = 10  # beats
_LEARNS_EVERY = 60  # beats' time, at most: others tell something when they have some part more than before, so that it
# is asked for the more seldom, the older the crawl is
_SITES_AT_ONCE = 5_000  # some 10 ms
_LOADS_EVERY = 10  # beats' time: what slots are worth is looked up so rarely, since it takes a look at every site;
# at the beginning, when most changes, after one, two, four

Answer = TypeVar("Answer")


class Beats:
    """Speaks for one shard. ``run`` ends when the crawl does."""

    def __init__(
        self, ground: CommonGround, joined: Joined, membership: Membership, assembly: Assembly, limit: Budget, *,
        every_s: float = _EVERY_S, promises: bool = True,
    ) -> None:  # fmt: skip
        """``limit`` is what the shards may spend together. Without ``promises`` nothing is told of what waits."""
        self._ground = ground
        self._member = joined.member
        self._membership = membership
        self._assembly = assembly
        self._life = assembly.life
        self._engine = assembly.engine
        self._purse = assembly.engine.purse
        moves = assembly.life.moves
        self._moves = moves if joined.moving and moves is not None and moves.can_move else None
        self._slots_seen = joined.slots_version
        self._loads: Mapping[int, float] | None = None  # to be told with the next report
        self._loads_at, self._loads_pause_s = 0.0, every_s
        self._outbox = Outbox(assembly.store)
        self._every_s = every_s
        self._promises = promises
        self._posted = joined.posted
        self._noted = _noted_before(assembly.store.statistics())
        self._handover = Handover(
            ground, joined.member, membership, assembly.life, self._purse, assembly.clock, self._ask,
            lambda: asyncio.sleep(0), term_s=every_s, promises=promises,
        )  # fmt: skip
        self._began_at = assembly.clock.now()
        self._learns_at = 0.0
        self._unpublished: bytes | None = None
        self._heard: dict[int, int] = {}  # of each other shard, the version of what it published that was taken up
        self._count = 0
        self._over = False
        self._called = asyncio.Event()
        self._patience_s = _SOON_S / 2
        self._own_s = self._purse.spent.seconds
        self._limit_s = None if limit.seconds is None else max(0.0, limit.seconds - joined.elapsed_s) + self._own_s
        self._granted = joined.granted
        self._allow(joined.granted)
        membership.on_want = self.call
        self._hold()
        if limit.bytes is not None:
            self._purse.more_bytes = self._more_bytes

    def call(self) -> None:
        """The next beat is wanted soon."""
        self._called.set()

    async def run(self) -> None:
        """Beat until the crawl is over. What went wrong for good ends the shard."""
        try:
            while not self._over:
                try:
                    await self._beat()
                    await self._pause()
                except GroundAway:
                    self._called.clear()
                    await asyncio.sleep(_AGAIN_S)
        except Fenced as error:
            self._membership.fenced()
            self._engine.fail(error)
        except Exception as error:
            self._engine.fail(error)

    def end(self) -> None:
        """No more beats: the engine has stopped."""
        self._over = True
        self.call()

    async def last_words(self) -> None:
        """After the engine's end: what it found last, and good-bye. Where the ground is away, its lease runs out."""
        try:
            await self._post()
            await self._ask(self._ground.leave, self._member, self._report(over=True))
        except (GroundAway, Fenced):
            return

    # -- one beat ------------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        await self._take_up()
        if not self._life.journal.is_clean and (self._is_idle or self._is_young):
            self._life.journal.commit()  # others may wait for what it has found
        await self._post()
        await self._handover.tell()
        await self._look_at_loads()
        if self._over:
            return
        self._called.clear()
        sent_at = self._assembly.clock.now()
        report = self._report()
        self._allow(_bounded(self._granted, report.held))
        orders = await self._ask(self._ground.beat, self._member, report)
        self._membership.heard_at(sent_at)
        self._loads = None
        self._follow(orders)
        self._give()
        await self._handover.follow(orders)
        self._engine.tasks.wake()
        if sent_at >= self._learns_at:
            self._learns_at = sent_at + min(_LEARNS_EVERY * self._every_s, self._soon_s)
            await self._learn()
        self._count += 1

    async def _pause(self) -> None:
        """Until the next beat is due: soon, where this shard waits for it."""
        self._patience_s = min(2 * self._patience_s, self._due_s) if self._waits_for_orders else _SOON_S / 2
        waits = self._patience_s if self._waits_for_orders else self._due_s
        until = self._assembly.clock.now() + waits
        while not self._called.is_set():
            left_s = until - self._assembly.clock.now()
            try:
                await asyncio.wait_for(self._called.wait(), min(left_s, self._handover.look_in_s))
            except TimeoutError:
                if left_s <= self._handover.look_in_s:
                    return
                await self._handover.look()
                self._engine.tasks.wake()
        await asyncio.sleep(min(self._every_s, _SOON_S))  # others may want the same

    @property
    def _due_s(self) -> float:
        """How long after one beat the next is due. Sooner at the beginning, when each page teaches much, and what is
        found leads elsewhere."""
        return min(self._every_s, self._soon_s)

    @property
    def _soon_s(self) -> float:
        """A small part of the age of this shard's run."""
        return max(_SOON_S, (self._assembly.clock.now() - self._began_at) / _YOUNG)

    @property
    def _is_young(self) -> bool:
        return self._due_s < self._every_s

    def _why_idle(self) -> Stop | None:
        """Why there is nothing to do here. Where nothing waits, no grant would change it."""
        if len(self._engine.tasks) or self._handover.is_waiting or self._membership.leaving:
            return None
        return self._engine.why_idle() if self._life.waiting else Stop("empty", "")

    @property
    def _is_idle(self) -> bool:
        return self._engine.why_idle() is not None

    @property
    def _waits_for_orders(self) -> bool:
        return self._is_short or bool(self._membership.leaving) or self._is_idle

    @property
    def _is_short(self) -> bool:
        budget, spent = self._purse.budget, self._purse.spent
        return (budget.pages is not None and budget.pages - self._purse.pages_held < _FEW) or (
            budget.requests is not None and budget.requests - spent.requests < _FEW
        )

    async def _ask(self, call: Callable[..., Answer], *arguments: object) -> Answer:
        """Ask the ground in a thread, which has nothing else to do."""
        return await asyncio.to_thread(call, *arguments)

    # -- letters -------------------------------------------------------------------------------------------------

    async def _take_up(self) -> None:
        received = await self._ask(self._ground.receive, self._member, dict(self._noted), _LETTERS)
        if not received:
            return
        for batch in received:
            await self._admit(batch)
        self._patience_s = _SOON_S / 2
        self._life.journal.commit()
        await self._ask(self._ground.noted, self._member, dict(self._noted))

    async def _admit(self, batch: Received) -> None:
        """Take letters up. Each part and its number are in one commit, since nothing is awaited between them."""
        for start in range(0, len(batch.letters), _AT_ONCE):
            part = batch.letters[start : start + _AT_ONCE]
            self._life.admit_letters(part)
            self._noted[batch.sender] = part[-1].number
            self._life.journal.statistic(f"{MAIL_FROM}{batch.sender}", part[-1].number)
            self._engine.tasks.wake()
            await asyncio.sleep(0)

    async def _post(self) -> None:
        while letters := self._outbox.after(self._posted, _LETTERS):
            await self._ask(self._ground.post, self._member, letters)
            self._posted = letters[-1].number
        if self._count % _ARRIVED_EVERY == _ARRIVED_EVERY - 1:
            for shard, number in (await self._ask(self._ground.arrived, self._member)).items():
                self._outbox.arrived(shard, number)

    async def _learn(self) -> None:
        """What was learned here is published, in place of what was before; what the others published is taken up."""
        learning = self._assembly.shared_learning
        self._unpublished = learning.own() or self._unpublished
        if self._unpublished is not None:
            await self._ask(self._ground.publish, self._member, self._unpublished)
            self._unpublished = None
        for told in await self._ask(self._ground.published, self._member, dict(self._heard)):
            self._heard[told.shard] = told.version
            learning.take(told.shard, told.data)

    # -- slots ---------------------------------------------------------------------------------------------------

    def _hold(self) -> None:
        """Nothing more is begun in slots that are to be given away."""
        if self._moves is not None and self._membership.leaving:
            self._moves.hold(self._membership.leaving)

    def _give(self) -> None:
        """Slots that are to be given away go, once nothing is under way there: with the last orders, so that nobody
        gives what the ground has decided about otherwise since."""
        leaving = self._membership.leaving
        if self._moves is not None and leaving and not self._over:
            self._moves.give(leaving)
            self._patience_s = _SOON_S / 2
            self.call()

    async def _look_at_loads(self) -> None:
        """What our slots are worth, if it is time to look it up: a few sites at a time, between which the engine's loop
        has its turn."""
        now = self._assembly.clock.now()
        if self._moves is None or now < self._loads_at:
            return
        found: dict[int, float] = {}
        for first in range(0, len(self._life.sites), _SITES_AT_ONCE):
            self._moves.add_loads(found, first, first + _SITES_AT_ONCE)
            await asyncio.sleep(0)
        self._loads = found
        self._loads_at = now + self._loads_pause_s
        self._loads_pause_s = min(2 * self._loads_pause_s, _LOADS_EVERY * self._every_s)

    # -- report and orders ---------------------------------------------------------------------------------------

    def _report(self, *, over: bool = False) -> Report:
        spent = replace(self._purse.spent)
        in_flight = 0 if over else self._engine.progress().in_flight
        held = Spent(self._purse.pages_held, spent.bytes + in_flight * _TAIL_BYTES, spent.seconds, spent.requests)
        reason = None if over else self._why_idle()
        told = self._life.journal.is_clean and not self._outbox.after(self._posted, 1)
        tally = self._life.tally
        return Report(
            spent=spent, held=spent if over else held, relevant=tally.relevant, value=tally.value,
            waiting=self._life.waiting, promises=self._promised(),
            idle="" if reason is None or not told else _why(reason.kind, reason.detail),
            delay_s=self._assembly.topic.politeness.delay_s, slots_seen=self._slots_seen,
            taken=dict(self._membership.taken), loads=None if over else self._loads,
        )  # fmt: skip

    def _promised(self) -> np.ndarray:
        best, _ = self._life.to_come(PROMISED)
        if not self._promises:
            return np.zeros(len(best))
        return np.where(best >= SEED_FLOOR, 1.0, np.maximum(best, 0.0))

    def _follow(self, orders: Orders) -> None:
        if orders.granted != self._granted:
            self._patience_s = _SOON_S / 2
        self._granted = orders.granted
        self._allow(orders.granted)
        self._life.part = orders.part
        self._purse.to_come = _part(orders.to_come, orders.part)
        if orders.slots:
            self._membership.learn(orders.slots)
            self._hold()
        self._slots_seen = max(self._slots_seen, orders.slots_version)
        if orders.stop is not None:
            self._over = True
            self._engine.stop(*orders.stop)

    def _allow(self, granted: Budget) -> None:
        self._purse.budget = replace(granted, seconds=self._limit_s)

    def _more_bytes(self, wanted: int) -> None:
        """A body is coming in that is larger than what is left of the grant: asked for at once, since what is not
        granted is cut off. It is rare, and short."""
        try:
            total = self._ground.more_bytes(self._member, self._purse.spent.bytes + wanted)
        except (GroundAway, Fenced):
            return
        self._granted = replace(self._granted, bytes=total)
        self._purse.budget = replace(self._purse.budget, bytes=total)


def _why(kind: str, detail: str) -> str:
    """The reason as the ground knows it: which limit it is, where it is one."""
    return f"{kind}: {detail.split()[0]}" if kind == "budget" else kind


def _part(to_come: Spent, part: float) -> Spent:
    """What a shard counts on of what is granted to nobody yet: so it is as choosy as one engine, which looks at the
    best of all for as many as it may still fetch."""
    return Spent(int(part * to_come.pages), int(part * to_come.bytes), to_come.seconds, int(part * to_come.requests))


def _bounded(granted: Budget, held: Spent) -> Budget:
    """What may be spent while orders are waited for: no more than what was reported to be held."""

    def least(limit: int | None, of_held: int) -> int | None:
        return None if limit is None else min(limit, of_held)

    return Budget(
        pages=least(granted.pages, held.pages), bytes=least(granted.bytes, held.bytes),
        requests=least(granted.requests, held.requests),
    )  # fmt: skip


def _noted_before(statistics: dict[str, object]) -> dict[int, int]:
    """Of each sender, the last letter that is in our records."""
    found = {}
    for name, number in statistics.items():
        if name.startswith(MAIL_FROM) and isinstance(number, int):
            found[int(name.removeprefix(MAIL_FROM))] = number
    return found
