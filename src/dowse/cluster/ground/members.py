"""Who takes part: shards, their epochs and their leases.

A shard is *away* (it did not begin in this run of the crawl), *here*, or has *left*. ``join`` brings it here from any
of them: its epoch grows by one, and it has a lease of ``LEASE_S``, which each beat renews. A shard whose lease has run
out is *dead*, though it stays "here" until it joins again: what it has is kept for it, since it may only be slow.

Each call of a member first locks the row of its shard, and then checks that its epoch is the last one and that its
lease has not run out; both in the transaction in which it does what it came for. So of two starts of one shard only the
later can change anything, and of a shard that is dead by this clock nothing is heard any more, whether or not another
has come in its place: others may have acted on its death. It must join again.

Guarantees: at most one epoch of a shard is heard at any instant; an epoch is given once; time is the database's own.

What a member sees of others at a beat is as they left it, and may be changing meanwhile: enough to reckon by, and not
to act on. Who acts on the death of a shard, or ends the crawl, does so with all shards' rows locked, so that none of
them is just about to be heard.

Locks are taken in one order: shards by number, the crawl, addresses by name. So nobody waits in a circle. The crawl is
what all wait for, so it is locked last, and by those only who change what all share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from dowse.cluster.ground.database import Row, Session, Statement
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import LEASE_S, PROMISED, Fenced, Member, Replaced, Report, Values
from dowse.model.errors import UserError

__all__ = [
    "ALL", "GRANTED", "PROMISED_BY_OTHERS", "Shard", "Stage", "add_shards", "check", "granted_in", "one_shard",
    "promises_in", "read_own", "read_shards", "save", "saved", "shard_of", "shards_of",
]  # fmt: skip

_PROMISE = np.dtype("<f8")


class Stage(IntEnum):
    """How far a shard is in this run of the crawl."""

    AWAY = 0
    HERE = 1
    LEFT = 2


@dataclass(slots=True)
class Shard:
    """A shard's row, but for its promises."""

    shard: int
    epoch: int = 0
    stage: Stage = Stage.AWAY
    lease_until: float = 0.0
    seen_at: float | None = None
    reported: bool = False
    idle: str = ""
    posted: int = 0
    spent: Spent = field(default_factory=Spent)
    held: Spent = field(default_factory=Spent)
    granted: Spent = field(default_factory=Spent)  # its seconds mean nothing
    relevant: int = 0
    value: float = 0.0
    waiting: int = 0
    pages_per_s: float = 0.0  # as it could go, see ``grants``
    paced_at: float | None = None  # when that was last measured, and with how many pages
    paced_pages: int = 0
    sure_bytes: int = 0  # granted between beats: a report that was made before must not take them back
    longest_delay_s: float = 0.0
    others_at: float = 0.0
    short: bool = False  # of grants, at some time since its pace was measured
    load: float | None = None  # see ``moves``; None: it has not told

    def is_alive(self, now: float) -> bool:
        return self.stage is Stage.HERE and now < self.lease_until

    def begin(self, now: float) -> None:
        """A new epoch of it."""
        self.epoch += 1
        self.stage, self.idle, self.paced_at, self.sure_bytes, self.load = Stage.HERE, "", None, 0, None
        self.seen_at, self.lease_until = now, now + LEASE_S

    def tell(self, report: Report, now: float) -> None:
        """It reports, which renews its lease. It can hold no more than it was granted."""
        self.reported, self.idle = True, report.idle
        self.spent = report.spent
        self.held = Spent(
            pages=max(report.spent.pages, min(report.held.pages, self.granted.pages)),
            bytes=max(report.spent.bytes, min(max(report.held.bytes, self.sure_bytes), self.granted.bytes)),
            seconds=report.held.seconds,
            requests=max(report.spent.requests, min(report.held.requests, self.granted.requests)),
        )
        self.sure_bytes = 0
        self.relevant, self.value, self.waiting = report.relevant, report.value, report.waiting
        self.longest_delay_s = max(self.longest_delay_s, report.delay_s)
        if report.loads is not None:
            self.load = float(sum(report.loads.values()))
        self.seen_at, self.lease_until = now, now + LEASE_S

    def granted_of(self, budget: Budget) -> Budget:
        """What it was granted, where the crawl has a limit."""
        return Budget(
            pages=None if budget.pages is None else self.granted.pages,
            bytes=None if budget.bytes is None else self.granted.bytes,
            seconds=budget.seconds,
            requests=None if budget.requests is None else self.granted.requests,
        )

    def report(self) -> Report | None:
        """Its last, for those who watch."""
        if not self.reported:
            return None
        nothing = np.empty(0)
        return Report(self.spent, self.held, self.relevant, self.value, self.waiting, nothing, self.idle)


_COLUMNS = (
    "shard", "epoch", "stage", "lease_until", "seen_at", "reported", "idle", "posted", "pages", "bytes", "seconds",
    "requests", "held_pages", "held_bytes", "held_seconds", "held_requests", "granted_pages", "granted_bytes",
    "granted_requests", "relevant", "value", "waiting", "pages_per_s", "paced_at", "paced_pages", "sure_bytes",
    "longest_delay_s", "others_at", "short", "load",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM shards"
_UPDATE = f"UPDATE shards SET {', '.join(f'{name} = ?' for name in _COLUMNS[1:])} WHERE shard = ?"
_UPDATE_ALL = _UPDATE.replace(" WHERE", ", promises = ? WHERE")


def _row(shard: Shard) -> tuple[Any, ...]:
    spent, held, granted = shard.spent, shard.held, shard.granted
    return (
        shard.shard, shard.epoch, int(shard.stage), shard.lease_until, shard.seen_at, int(shard.reported), shard.idle,
        shard.posted, spent.pages, spent.bytes, float(spent.seconds), spent.requests, held.pages, held.bytes,
        float(held.seconds), held.requests, granted.pages, granted.bytes, granted.requests, shard.relevant,
        float(shard.value), shard.waiting, shard.pages_per_s, shard.paced_at, shard.paced_pages,
        shard.sure_bytes, shard.longest_delay_s, shard.others_at, int(shard.short), shard.load,
    )  # fmt: skip


_STAGES = tuple(Stage)


def _shard(row: Row) -> Shard:
    number, epoch, stage, lease_until, seen_at, reported, idle, posted, *rest = row
    pages, size, seconds, requests, held_pages, held_size, held_seconds, held_requests, *rest = rest
    granted_pages, granted_size, granted_requests, relevant, value, waiting, pages_per_s, *rest = rest
    paced_at, paced_pages, sure_bytes, longest_delay_s, others_at, short, load = rest
    return Shard(
        number, epoch, _STAGES[stage], lease_until, seen_at, bool(reported), idle, posted,
        Spent(pages, size, seconds, requests), Spent(held_pages, held_size, held_seconds, held_requests),
        Spent(granted_pages, granted_size, 0.0, granted_requests), relevant, value, waiting, pages_per_s, paced_at,
        paced_pages, sure_bytes, longest_delay_s, others_at, bool(short), load,
    )  # fmt: skip


def add_shards(session: Session, shards: int) -> None:
    """All shards of a new crawl, none of which has come yet."""
    columns = (*_COLUMNS, "promises")
    session.bring("shards", columns, [(*_row(Shard(number)), b"") for number in range(shards)])


ALL: Statement = (f"{_SELECT} ORDER BY shard", ())
"""Reads all shards, by number."""
GRANTED = "SELECT sum(granted_pages), sum(granted_bytes), sum(granted_requests) FROM shards WHERE shard <> ?"
PROMISED_BY_OTHERS = "SELECT shard, promises FROM shards WHERE shard <> ?"


def read_shards(session: Session, *, lock: bool) -> list[Shard]:
    """All shards, by number."""
    return shards_of(session.run(f"{ALL[0]}{session.lock if lock else ''}"))


def shards_of(rows: Sequence[Row]) -> list[Shard]:
    """What :data:`ALL` has read."""
    return [_shard(row) for row in rows]


def one_shard(session: Session, number: int, *, lock: bool) -> Statement:
    """Reads one shard."""
    return f"{_SELECT} WHERE shard = ?{session.lock if lock else ''}", (number,)


def shard_of(rows: Sequence[Row], number: int) -> Shard:
    """What :func:`one_shard` has read."""
    if not rows:
        raise UserError(f"the crawl has no shard {number}")
    return _shard(rows[0])


def read_own(session: Session, member: Member, *, lock: bool) -> tuple[Shard, float]:
    """The shard of a member that may speak for it, and the time."""
    now, [found] = session.at_once(one_shard(session, member.shard, lock=lock))
    own = shard_of(found, member.shard)
    check(own, member, now)
    return own, now


def granted_in(rows: Sequence[Row]) -> Spent:
    """What :data:`GRANTED` has read."""
    pages, size, requests = (int(amount or 0) for amount in rows[0])
    return Spent(pages=pages, bytes=size, requests=requests)


def save(session: Session, shards: Iterable[Shard]) -> None:
    """Write rows back."""
    session.each(_UPDATE, [(*row[1:], row[0]) for row in map(_row, shards)])


def saved(shard: Shard, promises: Values) -> Statement:
    """Writes a row back, with what the shard promises."""
    data = np.asarray(promises, dtype=np.float64)[:PROMISED].astype(_PROMISE).tobytes()
    return _UPDATE_ALL, (*_row(shard)[1:], data, shard.shard)


def promises_in(rows: Sequence[Row]) -> dict[int, Values]:
    """What :data:`PROMISED_BY_OTHERS` has read: what each shard promised last."""
    return {number: np.frombuffer(data, dtype=_PROMISE) for number, data in rows}


def check(shard: Shard, member: Member, now: float) -> None:
    """Raises Fenced unless this is the member that may speak for the shard."""
    if member.epoch != shard.epoch:
        raise Replaced(f"shard {member.shard} was started again, here or elsewhere")
    if shard.stage is not Stage.HERE:
        raise Fenced(f"shard {member.shard}: its run is over")
    if now >= shard.lease_until:
        raise Fenced(f"shard {member.shard}: it was not heard of for {LEASE_S:g} s and is taken for dead")
