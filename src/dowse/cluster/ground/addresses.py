"""Who asks at which address: hosts of many shards may live on one, and it is asked by one of them at a time.

The life of an address: nobody's; *held* by the first shard that wants it; perhaps *wanted* by others, each told to keep
off and its place in line, while the holder is told what they promise; *freed* by its holder, and at once held by the
first in line: who promises most there, and of equal ones who has wanted it longest. The holder says how long after its
last request the next may leave, and the new one is told to wait that long: so delays are what they would be if all were
asked by one. When the holder frees it is the holder's affair (``handover``).

A dead holder cannot say when it asked last. It asks nobody after its lease has run out, so its addresses go to others
with a wait of the longest delay, from then. Where it is started again before, they are its own as soon as it wants them
again; those that it does not, it no longer knows of, and others have them with the same wait, from its new start.

What is told at a beat may get lost with the answer. So a holder hears that it may ask for as long as a lease lasts, and
again whenever it asks for the address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dowse.cluster.ground.database import Row, Session, Statement
from dowse.cluster.ground.members import Shard
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import LEASE_S, Member, Orders

__all__ = [
    "UNKNOWN_DELAY_S", "At", "forget_wants", "free", "give_on", "held", "living", "longest_wait",
    "not_from_the_future", "told", "want",
]  # fmt: skip

UNKNOWN_DELAY_S = 60.0
"""So long do others wait for an address of a shard that died before it told of its delay."""

_FEW = 200  # values a statement

Epochs = Mapping[int, int]


def longest_wait(shard: Shard) -> float:
    """After a shard has certainly asked for the last time, how long nobody else may."""
    return shard.longest_delay_s if shard.reported else max(shard.longest_delay_s, UNKNOWN_DELAY_S)


def want(session: Session, own: Shard, addresses: Mapping[str, float], now: float) -> None:
    """Take what is nobody's, and stand in line for the rest, by what our best URL there promises."""
    for some in _few(sorted(addresses)):
        session.each(
            "INSERT INTO addresses (address, holder, epoch, open_at, tell_until) VALUES (?, NULL, 0, 0, 0)"
            " ON CONFLICT (address) DO NOTHING",
            [(address,) for address in some],
        )
        held = _held(session, some)
        session.each(
            "UPDATE addresses SET holder = ?, epoch = ?, tell_until = ? WHERE address = ?",
            [
                (own.shard, own.epoch, now + LEASE_S, address)
                for address, (holder, _, _) in held.items()
                if holder in (None, own.shard)
            ],
        )
        session.each(
            "INSERT INTO wants (address, shard, since, holder, promise) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (address, shard) DO UPDATE SET promise = excluded.promise",
            [
                (address, own.shard, now, holder, addresses[address])
                for address, (holder, _, _) in held.items()
                if holder not in (None, own.shard)
            ],
        )


def free(session: Session, own: Shard, addresses: Mapping[str, float], epochs: Epochs, now: float) -> None:
    """Hand on what the shard holds of these, and take it from the line for the others."""
    own.longest_delay_s = max(own.longest_delay_s, *addresses.values(), 0.0)
    for some in _few(sorted(addresses)):
        session.each("DELETE FROM wants WHERE address = ? AND shard = ?", [(address, own.shard) for address in some])
        for address, (holder, _, open_at) in _held(session, some).items():
            if holder == own.shard:
                wait_until = max(open_at, now + addresses[address], own.others_at)
                _hand_on(session, address, wait_until, epochs, now)
    session.run("DELETE FROM addresses WHERE holder IS NULL AND open_at < ?", (now,))


def give_on(session: Session, own: int, shards: Sequence[Shard], now: float) -> None:
    """Of what this shard wants, hand on what dead ones hold, and what was held by an earlier start of a living one."""
    epochs = living(shards, now)
    rows = session.run(_KEPT_OFF, (own,))
    for some in _few(sorted(address for address, holder, epoch, _ in rows if epochs.get(holder) != epoch)):
        for address, (holder, epoch, open_at) in _held(session, some).items():
            if holder is not None and epochs.get(holder) != epoch:
                last = shards[holder]
                wait_until = last.others_at if holder in epochs else last.lease_until + longest_wait(last)
                _hand_on(session, address, max(open_at, wait_until), epochs, now)


def not_from_the_future(session: Session, shards: Sequence[Shard], now: float) -> None:
    """The clock may have been set back since the last run, or the machine started anew: whatever is told of a time to
    come, nobody waits longer than for what may have happened just now."""
    longest_s = max(map(longest_wait, shards))
    for shard in shards:
        shard.lease_until = min(shard.lease_until, now + LEASE_S)
        shard.others_at = min(shard.others_at, now + longest_s)
    session.run("UPDATE addresses SET open_at = ? WHERE open_at > ?", (now + longest_s, now + longest_s))


def living(shards: Sequence[Shard], now: float) -> Epochs:
    """The shards that are alive, with their epochs."""
    return {shard.shard: shard.epoch for shard in shards if shard.is_alive(now)}


def forget_wants(session: Session, own: int) -> None:
    """It begins anew, and will ask again for what it wants."""
    session.run("DELETE FROM wants WHERE shard = ?", (own,))


_KEPT_OFF = (
    "SELECT w.address, w.holder, a.epoch, (SELECT count(*) FROM wants o WHERE o.address = w.address AND"
    " (o.promise > w.promise OR o.promise = w.promise AND (o.since, o.shard) <= (w.since, w.shard)))"
    " FROM wants w JOIN addresses a ON a.address = w.address WHERE w.shard = ? ORDER BY w.address"
)
_LET_IN = (
    "SELECT address, open_at, tell_until FROM addresses WHERE holder = ? AND epoch = ? AND tell_until > ?"
    " ORDER BY address"
)
_GIVE_UP = "SELECT address, max(promise) FROM wants WHERE holder = ? GROUP BY address ORDER BY address"


def told(member: Member, since: float) -> tuple[Statement, Statement, Statement]:
    """Read what a member is to be told of addresses, at some time after ``since``."""
    return (_KEPT_OFF, (member.shard,)), held(member, since), (_GIVE_UP, (member.shard,))


def held(member: Member, since: float) -> Statement:
    """Read what a member is to be told of addresses that it holds, at some time after ``since``."""
    return _LET_IN, (member.shard, member.epoch, since)


@dataclass(frozen=True, slots=True)
class At:
    """What :func:`told` has read."""

    wanted: Sequence[Row]
    """Addresses that others hold, who they are, their epochs when they came to hold them, and our place in line."""
    let_in: dict[str, float]  # what it holds and was lately told of, or asked for, with the seconds until it may ask
    give_up: dict[str, float]  # what it holds and others want, with the most that one of them promises

    @classmethod
    def of(cls, rows: Sequence[Sequence[Row]], now: float) -> At:
        wanted, held, give_up = rows
        return cls(wanted, cls.let_in_of(held, now), dict(give_up))

    @staticmethod
    def let_in_of(rows: Sequence[Row], now: float) -> dict[str, float]:
        """What :func:`held` has read, with the seconds until each may be asked."""
        return {address: max(0.0, open_at - now) for address, open_at, until in rows if until > now}

    def must_be_given_on(self, shards: Sequence[Shard], now: float) -> bool:
        """Does it want something of the dead?"""
        epochs = living(shards, now)
        return any(epochs.get(holder) != epoch for _, holder, epoch, _ in self.wanted)

    def orders(self, granted: Budget, to_come: Spent, part: float, stop: tuple[str, str] | None) -> Orders:
        keep_off = {address: place for address, _, _, place in self.wanted}
        return Orders(granted, to_come, part, keep_off, self.let_in, self.give_up, stop)


def _hand_on(session: Session, address: str, open_at: float, alive: Epochs, now: float) -> None:
    """To the first in line. The dead among those who wait will ask again, should they come again."""
    line = session.run("SELECT shard FROM wants WHERE address = ? ORDER BY promise DESC, since, shard", (address,))
    heir = next((shard for (shard,) in line if shard in alive), None)
    session.each(
        "DELETE FROM wants WHERE address = ? AND shard = ?",
        [(address, shard) for (shard,) in line if shard == heir or shard not in alive],
    )
    if heir is not None:
        session.run("UPDATE wants SET holder = ? WHERE address = ?", (heir, address))
    session.run(
        "UPDATE addresses SET holder = ?, epoch = ?, open_at = ?, tell_until = ? WHERE address = ?",
        (heir, 0 if heir is None else alive[heir], open_at, now + LEASE_S, address),
    )


def _held(session: Session, addresses: Sequence[str]) -> dict[str, tuple[int | None, int, float]]:
    """Their holders, in which epoch, and from when they may be asked; locked."""
    marks = ", ".join("?" * len(addresses))
    found = session.run(
        f"SELECT address, holder, epoch, open_at FROM addresses WHERE address IN ({marks})"
        f" ORDER BY address{session.lock}",
        addresses,
    )
    return {address: (holder, epoch, open_at) for address, holder, epoch, open_at in found}


def _few(addresses: Sequence[str]) -> Iterator[Sequence[str]]:
    return (addresses[at : at + _FEW] for at in range(0, len(addresses), _FEW))
