"""Slots that move, from the shard that has most to do to the one that has least.

The life of a slot::

    owned ── spread ──► leaving ── its owner gives it ──► moving ── its heir takes it ──► owned, by its heir
      ▲                                                                                          │
      └──────────────────────────────── note_taken ──────────────────────────────────────────────┘

* **owned**: one shard asks its sites and takes up letters about its URLs.
* **leaving**: an *heir* was chosen, at a beat of the owner, which hears of it in its orders. From then on it begins
  nothing there, and waits for what is under way.
* **moving**: the owner has given it. In one transaction of its own records it writes down that the slot is its heir's,
  with the number of the move, and as letters to the heir all that goes with it: its sites, the URLs that nobody may
  fetch again, those that wait. It is in the mail, and nobody asks its sites.
* **owned** again: the heir takes these letters up like any others. The last of them ends the move: with it the heir
  writes down, in the same transaction, that it has the slot. It tells so at its beats until it hears it from here.

So the ground decides who is to give what to whom, and says afterwards where it is; the move itself is made by mail,
whose guarantees it has: none of its letters is lost, none is taken up twice, and they come in order. Of the records of
two shards and the ground, each may be behind the others by any number of steps. The number of the move tells which of
them knows more: everybody goes by the highest that he has seen.

**Letters that go astray.** Shards hear a little later that a slot has moved. Who gets a letter for a slot that he does
not have writes it again, to whom he takes for its owner, in the transaction in which he notes it. It is on its way for
a bounded number of steps: whoever sent it knew of the move ``n`` by which its receiver was to have the slot, so the
receiver either has it or knows of a later move. A former owner's letters come behind those of the move.

Guarantees: at any instant one shard has a slot, or nobody, while it is in the mail; a slot is given only when nothing
of it is under way; every URL that was ever fetched is known to whoever has its slot, so it is fetched once.

**When.** Each shard tells now and then what its slots may bring in a minute: as many of the URLs that wait at a site
as its delay allows, each at the worth of the best. Who has most of all, and more than ``_FULL`` times the mean, gives
slots to who has least, until it has no more than ``_EVEN`` times the mean. A slot goes only where it is worth no more
than half of what the two differ by: so the giver has still no less than the taker, and it does not go back. It rests
for a minute after it has moved, and nothing is decided about a shard while it gives or gets anything. A single site
that is worth more than all the others stays where it is: nobody would have less to do for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from dowse.cluster.ground.database import Row, Session, Statement
from dowse.cluster.ground.members import Shard
from dowse.model.common_ground import SLOTS, Orders, Report, Slot

__all__ = ["has_too_much", "note_taken", "since", "slots_in", "spread", "with_slots"]

_FULL, _EVEN = 1.5, 1.1  # times the mean
_FEW = 64  # URLs: who has less waiting gives nothing
_REST_S = 60.0
_MOST = 32  # slots that are decided about at once: their owner waits for what is under way there
_COLUMNS = "slot, owner, move, heir"


class _Row(NamedTuple):
    owner: int
    move: int
    heir: int | None
    changed_at: float


def since(version: int) -> Statement:
    """Reads the slots of which something has changed since a version (0: all that ever moved, or are to)."""
    return f"SELECT {_COLUMNS}, version FROM slots WHERE version > ? ORDER BY slot", (version,)


def slots_in(rows: Sequence[Row], before: int) -> tuple[list[Slot], int]:
    """What :func:`since` has read, and the version that this is."""
    return [Slot(*row[:4]) for row in rows], max((row[4] for row in rows), default=before)


def with_slots(orders: Orders, rows: Sequence[Row], before: int) -> Orders:
    """The orders, with what :func:`since` has read."""
    slots, version = slots_in(rows, before)
    return replace(orders, slots=slots, slots_version=version)


def note_taken(session: Session, own: Shard, taken: Mapping[int, int], now: float) -> None:
    """Slots have come to a shard, with the moves of these numbers. Whoever knows of a later move knows better."""
    if not taken:
        return
    known = _rows(session)
    news = [
        (slot, move) for slot, move in sorted(taken.items())
        if 0 <= slot < SLOTS and (slot not in known or known[slot].move < move)
    ]  # fmt: skip
    _put(session, {slot: _Row(own.shard, move, None, now) for slot, move in news})


def has_too_much(own: Shard, shards: Sequence[Shard], report: Report, now: float) -> bool:
    """Has a shard told that it has the most of all to do, and by far? Until all have told, nobody knows."""
    alive = [shard for shard in shards if shard.is_alive(now)]
    if report.loads is None or len(alive) < 2 or report.waiting < _FEW or any(shard.load is None for shard in alive):
        return False
    fullest = max(alive, key=lambda shard: (_load(shard), -shard.shard))
    return fullest is own and _load(own) > _FULL * _mean(alive)


def spread(session: Session, own: Shard, shards: Sequence[Shard], report: Report, now: float) -> list[Shard]:
    """Choose heirs for slots of a shard that has too much to do. The shards that are to have more."""
    if not has_too_much(own, shards, report, now):
        return []
    alive, loads = [shard for shard in shards if shard.is_alive(now)], report.loads or {}
    mean = _mean(alive)
    known = _rows(session)
    busy = {who for row in known.values() if row.heir is not None for who in (row.owner, row.heir)}
    if own.shard in busy:
        return []
    others = [shard for shard in alive if shard is not own and shard.shard not in busy]
    chosen: dict[int, _Row] = {}
    heirs: dict[int, Shard] = {}
    for slot, load in sorted(loads.items(), key=lambda one: (-one[1], one[0])):
        if not others or _load(own) <= _EVEN * mean or len(chosen) == _MOST:
            break
        row = known.get(slot, _Row(slot % len(shards), 0, None, -math.inf))
        heir = min(others, key=lambda shard: (_load(shard), shard.shard))
        if row.owner != own.shard or now < row.changed_at + _REST_S or not 0 < load <= (_load(own) - _load(heir)) / 2:
            continue
        chosen[slot] = row._replace(heir=heir.shard, changed_at=now)
        heirs[heir.shard] = heir
        own.load, heir.load = _load(own) - load, _load(heir) + load
    _put(session, chosen)
    return list(heirs.values())


def _mean(shards: Sequence[Shard]) -> float:
    return sum(map(_load, shards)) / len(shards)


def _load(shard: Shard) -> float:
    return shard.load or 0.0


def _rows(session: Session) -> dict[int, _Row]:
    return {slot: _Row(*row) for slot, *row in session.run("SELECT slot, owner, move, heir, changed_at FROM slots")}


def _put(session: Session, rows: Mapping[int, _Row]) -> None:
    """Write rows, under a version that nobody has seen. All shards' rows are locked, so nobody else is at it."""
    if not rows:
        return
    [(version,)] = session.run("SELECT coalesce(max(version), 0) + 1 FROM slots")
    session.each(
        "INSERT INTO slots (slot, owner, move, heir, version, changed_at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (slot) DO UPDATE SET owner = excluded.owner, move = excluded.move, heir = excluded.heir,"
        " version = excluded.version, changed_at = excluded.changed_at",
        [(slot, row.owner, row.move, row.heir, version, row.changed_at) for slot, row in sorted(rows.items())],
    )
