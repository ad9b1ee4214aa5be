"""The common ground over a database: each call is one transaction of the state machines beside this module."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dowse.cluster.ground import addresses as at_addresses
from dowse.cluster.ground import ending, grants, mail, moves, sums
from dowse.cluster.ground.database import Database, Row, Session, Statement
from dowse.cluster.ground.members import (
    ALL,
    GRANTED,
    PROMISED_BY_OTHERS,
    Shard,
    Stage,
    add_shards,
    check,
    granted_in,
    one_shard,
    promises_in,
    read_own,
    read_shards,
    save,
    saved,
    shard_of,
    shards_of,
)
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import (
    LEASE_S,
    SLOTS,
    GroundAway,
    Joined,
    Member,
    Orders,
    Published,
    Received,
    RecordsElsewhere,
    Report,
    Standing,
)
from dowse.model.errors import NotACrawl
from dowse.model.others import Letter

__all__ = ["Crawl", "Ground"]


@dataclass(slots=True)
class Crawl:
    """The row of the crawl."""

    name: str
    settings: Mapping[str, Any]
    shards: int
    budget: Budget
    target_relevant: int | None
    target_value: float | None
    evenly: bool
    moving: bool = False
    elapsed_s: float = 0.0
    ticked_at: float | None = None  # elapsed seconds are counted up to then; None: nobody is at work
    stop: tuple[str, str] | None = None

    def is_due(self, now: float) -> bool:
        """Must its seconds be counted?"""
        return self.ticked_at is None or now - self.ticked_at >= _TICK_S

    def tick(self, now: float, *, at_work: bool = True) -> None:
        """Count the seconds in which somebody was alive."""
        if self.ticked_at is not None:
            self.elapsed_s += min(LEASE_S, max(0.0, now - self.ticked_at))
        self.ticked_at = now if at_work else None


_COLUMNS = (
    "id", "version", "name", "settings", "shards", "pages", "bytes", "seconds", "requests", "target_relevant",
    "target_value", "evenly", "moving", "elapsed_s", "ticked_at", "stop_kind", "stop_detail",
)  # fmt: skip
_VERSION = 3


_SELECT: Statement = (f"SELECT {', '.join(_COLUMNS)} FROM crawl WHERE id = 1", ())
_TICK_S = 1.0  # the seconds of the crawl are counted as often: its row is locked for it


def _read(session: Session, *, lock: bool) -> Crawl:
    return _crawl(session.run(f"{_SELECT[0]}{session.lock if lock else ''}"))


def _crawl(found: Sequence[Row]) -> Crawl:
    if not found:
        raise NotACrawl("there is no crawl of several shards")
    _, version, name, settings, shards, *limits, relevant, value, evenly, moving, elapsed, ticked, kind, detail = found[
        0
    ]
    if version != _VERSION:
        raise NotACrawl(f"the crawl is kept in form {version}; this Dowse reads {_VERSION}")
    stop = None if kind is None else (kind, detail)
    budget = Budget(*limits)
    return Crawl(
        name, json.loads(settings), shards, budget, relevant, value, bool(evenly), bool(moving), elapsed, ticked, stop
    )


def _write(session: Session, crawl: Crawl, *, new: bool = False) -> None:
    row = _row(crawl)
    if new:
        session.bring("crawl", _COLUMNS, [row])
    else:
        session.run(*_written(crawl))


def _written(crawl: Crawl) -> Statement:
    return f"UPDATE crawl SET {', '.join(f'{name} = ?' for name in _COLUMNS[1:])} WHERE id = 1", _row(crawl)[1:]


def _row(crawl: Crawl) -> Row:
    budget = crawl.budget
    return (
        1, _VERSION, crawl.name, json.dumps(crawl.settings), crawl.shards, budget.pages, budget.bytes, budget.seconds,
        budget.requests, crawl.target_relevant, crawl.target_value, int(crawl.evenly), int(crawl.moving),
        crawl.elapsed_s, crawl.ticked_at, *(crawl.stop or (None, None)),
    )  # fmt: skip


class Ground:
    """A :class:`~dowse.model.common_ground.CommonGround`. Any thread may call it; calls wait for each other."""

    def __init__(self, database: Database) -> None:
        self._database = database
        crawl = self.crawl()
        self._shards, self._budget = crawl.shards, crawl.budget
        self._now = 0.0  # as it was told at the last beat

    @staticmethod
    def begin(session: Session, crawl: Crawl) -> None:
        """What a new crawl's tables have in them."""
        _write(session, crawl, new=True)
        add_shards(session, crawl.shards)

    def close(self) -> None:
        self._database.close()

    def crawl(self) -> Crawl:
        """What all share of it."""
        with self._database.transaction() as session:
            return _read(session, lock=False)

    def ended(self) -> tuple[str, str] | None:
        return self.crawl().stop

    def settings(self) -> Mapping[str, Any]:
        """What the crawl was made with."""
        return self.crawl().settings

    def keep(self, name: str, data: bytes) -> None:
        with self._database.transaction() as session:
            session.run(
                "INSERT INTO kept (name, data) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
                (name, data),
            )

    def kept(self, name: str) -> bytes | None:
        with self._database.transaction() as session:
            found = session.run("SELECT data FROM kept WHERE name = ?", (name,))
        return bytes(found[0][0]) if found else None

    # -- who takes part --------------------------------------------------------------------------------------------

    def join(self, shard: int, *, empty: bool = False) -> Joined:
        with self._database.transaction() as session:
            own = shard_of(session.run(*one_shard(session, shard, lock=True)), shard)
            crawl = _read(session, lock=True)
            now = session.now()
            if empty and own.reported:
                raise RecordsElsewhere(f"the crawl's shard {shard} has records")
            if empty and own.is_alive(now):
                raise GroundAway(f"shard {shard} was started a moment ago")
            crawl.tick(now)
            if own.epoch:  # it may have asked at its addresses until now, and no longer knows of each
                own.others_at = max(own.others_at, min(now, own.lease_until) + at_addresses.longest_wait(own))
            own.begin(now)
            at_addresses.forget_wants(session, shard)
            save(session, [own])
            _write(session, crawl)
            granted = own.granted_of(crawl.budget)
            slots, version = moves.slots_in(session.run(*moves.since(0)), 0)
            return Joined(
                Member(shard, own.epoch), _owners(crawl.shards), granted, own.posted, crawl.elapsed_s, slots,
                version, crawl.moving,
            )  # fmt: skip

    def beat(self, member: Member, report: Report) -> Orders:
        with self._database.transaction() as session:
            orders = self._beat_alone(session, member, report)
        if orders is None:
            with self._database.transaction() as session:
                orders = self._beat_among_all(session, member, report)
        return orders

    def _beat_alone(self, session: Session, member: Member, report: Report) -> Orders | None:
        """A beat as most are: nothing changes but the shard's own row; and the crawl's where it is granted more, which
        is locked for this moment alone. None, and nothing has changed: it is to be done with all shards' rows locked.
        """
        shard, at, promised = member.shard, at_addresses.told(member, self._now), list[Statement]()
        if _is_divided(self._budget):
            promised = [(PROMISED_BY_OTHERS, (shard,))]
        now, (found, of_crawl, of_all, of_slots, *rest) = session.at_once(
            one_shard(session, shard, lock=True), _SELECT, ALL, moves.since(report.slots_seen), *at, *promised
        )
        own, crawl = shard_of(found, shard), _crawl(of_crawl)
        check(own, member, now)
        if crawl.budget != self._budget:
            self._budget = crawl.budget
            return None
        shards = [own if one.shard == shard else one for one in shards_of(of_all)]
        grants.note_pace(own, report, crawl.budget, now)
        own.tell(report, now)
        addresses = at_addresses.At.of(rest[: len(at)], now)
        if addresses.must_be_given_on(shards, now) or self._is_over(crawl, shards, now):
            return None
        if crawl.moving and (report.taken or moves.has_too_much(own, shards, report, now)):
            return None
        told = {shard: report.promises, **(promises_in(rest[-1]) if promised else {})}
        more = grants.wanted(own, shards, told, crawl.budget, now, evenly=crawl.evenly)
        others = grants.granted_to(one for one in shards if one is not own)
        writes = []
        if crawl.is_due(now) or not (crawl.stop or grants.is_within(own, more, crawl.budget)):
            _, (of_crawl, granted) = session.at_once((f"{_SELECT[0]}{session.lock}", ()), (GRANTED, (shard,)))
            crawl, others = _crawl(of_crawl), granted_in(granted)
            crawl.tick(now)
            writes.append(_written(crawl))
        own.granted = grants.given(own, Spent() if crawl.stop else more, crawl.budget, others)
        session.last(saved(own, report.promises), *writes)
        self._now = now
        free = grants.free_of(crawl.budget, grants.together(others, own.granted))
        part = grants.part_of(own, shards, told, crawl.budget, now, evenly=crawl.evenly)
        orders = addresses.orders(own.granted_of(crawl.budget), free, part, crawl.stop)
        return moves.with_slots(orders, of_slots, report.slots_seen)

    def _beat_among_all(self, session: Session, member: Member, report: Report) -> Orders:
        """A beat at which the crawl may end, addresses of dead shards are given on, or slots move."""
        shards = read_shards(session, lock=True)
        crawl = _read(session, lock=True)
        now = session.now()
        own = _of(shards, member)
        check(own, member, now)
        grants.note_pace(own, report, crawl.budget, now)
        own.tell(report, now)
        crawl.tick(now)
        self._find_end(session, crawl, shards, now)
        more, told = Spent(), {own.shard: report.promises}
        if crawl.stop is None:
            promised = session.run(PROMISED_BY_OTHERS, (own.shard,)) if _is_divided(crawl.budget) else []
            told |= promises_in(promised)
            more = grants.wanted(own, shards, told, crawl.budget, now, evenly=crawl.evenly)
        own.granted = grants.given(own, more, crawl.budget, grants.granted_to(one for one in shards if one is not own))
        if crawl.moving:
            moves.note_taken(session, own, report.taken, now)
            if crawl.stop is None:
                save(session, moves.spread(session, own, shards, report, now))
        session.run(*saved(own, report.promises))
        _write(session, crawl)
        at_addresses.give_on(session, own.shard, shards, now)
        at = [session.run(*one) for one in at_addresses.told(member, now)]
        free = grants.free(crawl.budget, shards)
        part = grants.part_of(own, shards, told, crawl.budget, now, evenly=crawl.evenly)
        orders = at_addresses.At.of(at, now).orders(own.granted_of(crawl.budget), free, part, crawl.stop)
        return moves.with_slots(orders, session.run(*moves.since(report.slots_seen)), report.slots_seen)

    def more_bytes(self, member: Member, total: int) -> int:
        with self._database.transaction() as session:
            own, _ = read_own(session, member, lock=True)
            crawl = _read(session, lock=True)
            if crawl.stop is None:
                all_ = grants.together(own.granted, granted_in(session.run(GRANTED, (own.shard,))))
                own.granted.bytes = own.sure_bytes = grants.more_bytes(own, crawl.budget, all_, total)
                save(session, [own])
            return own.granted.bytes

    def leave(self, member: Member, report: Report) -> None:
        with self._database.transaction() as session:
            shards = read_shards(session, lock=True)
            crawl = _read(session, lock=True)
            now = session.now()
            own = _of(shards, member)
            if own.epoch == member.epoch and own.stage is Stage.LEFT:
                return  # the answer to the first time got lost
            check(own, member, now)
            own.tell(report, now)
            own.stage, own.idle, own.lease_until = Stage.LEFT, "", now
            grants.cut_to_held(own)
            at_addresses.forget_wants(session, own.shard)
            crawl.tick(now, at_work=any(shard.is_alive(now) for shard in shards))
            self._find_end(session, crawl, shards, now)
            save(session, [own])
            _write(session, crawl)

    def stop(self, kind: str, detail: str) -> tuple[str, str]:
        with self._database.transaction() as session:
            crawl = _read(session, lock=True)
            if crawl.stop is None:
                crawl.stop = kind, detail
                _write(session, crawl)
            return crawl.stop

    def go_on(
        self, settings: Mapping[str, Any] | None = None, *, budget: Budget | None = None,
        target_relevant: int | None = None, target_value: float | None = None,
    ) -> None:  # fmt: skip
        with self._database.transaction() as session:
            shards = read_shards(session, lock=True)
            crawl = _read(session, lock=True)
            now = session.now()
            crawl.settings = crawl.settings if settings is None else settings
            crawl.budget = crawl.budget if budget is None else budget
            crawl.target_relevant = crawl.target_relevant if target_relevant is None else target_relevant
            crawl.target_value = crawl.target_value if target_value is None else target_value
            if crawl.stop is not None:
                crawl.stop, crawl.ticked_at = None, None
                for shard in shards:
                    shard.stage, shard.idle, shard.pages_per_s = Stage.AWAY, "", 0.0
                    shard.lease_until = min(shard.lease_until, now)
            at_addresses.not_from_the_future(session, shards, now)
            save(session, shards)
            _write(session, crawl)

    @staticmethod
    def _is_over(crawl: Crawl, shards: Sequence[Shard], now: float) -> bool:
        """May the crawl be over, by what can be seen while nothing is locked?"""
        wanted = crawl.target_relevant, crawl.target_value
        return crawl.stop is None and ending.found_end(shards, crawl.budget, *wanted, now, mail=False) is not None

    @staticmethod
    def _find_end(session: Session, crawl: Crawl, shards: Sequence[Shard], now: float) -> None:
        if crawl.stop is None:
            crawl.stop = ending.found_end(
                shards, crawl.budget, crawl.target_relevant, crawl.target_value, now, mail=mail.any_waits(session)
            )

    # -- mail ------------------------------------------------------------------------------------------------------

    def post(self, member: Member, letters: Sequence[Letter]) -> None:
        rows = mail.rows_of(member.shard, letters, self._shards)
        with self._own(member) as (session, own):
            new = [letter for letter in letters if letter.number > own.posted]
            if not new:
                return
            mail.put(session, rows if len(new) == len(letters) else mail.rows_of(own.shard, new, self._shards))
            own.posted, own.idle = new[-1].number, ""
            save(session, [own])

    def receive(self, member: Member, noted: Mapping[int, int], most: int) -> Sequence[Received]:
        with self._reading(member) as session:
            return mail.receive(session, member.shard, noted, most)

    def noted(self, member: Member, noted: Mapping[int, int]) -> None:
        with self._own(member) as (session, own):
            if mail.mark_noted(session, own.shard, noted):
                own.idle = ""
                save(session, [own])

    def arrived(self, member: Member) -> Mapping[int, int]:
        with self._reading(member) as session:
            return mail.arrived(session, member.shard)

    # -- addresses -------------------------------------------------------------------------------------------------

    def want(self, member: Member, addresses: Mapping[str, float]) -> None:
        with self._own(member) as (session, own):
            at_addresses.want(session, own, addresses, session.now())

    def let_in(self, member: Member) -> Mapping[str, float]:
        with self._reading(member) as session:
            now = session.now()
            return at_addresses.At.let_in_of(session.run(*at_addresses.held(member, now)), now)

    def free(self, member: Member, addresses: Mapping[str, float]) -> None:
        with self._own(member) as (session, own):
            now = session.now()
            epochs = at_addresses.living(read_shards(session, lock=False), now)
            at_addresses.free(session, own, addresses, epochs, now)
            save(session, [own])

    # -- what is learned -------------------------------------------------------------------------------------------

    def publish(self, member: Member, data: bytes) -> None:
        with self._own(member) as (session, own):
            sums.publish(session, own.shard, data)

    def published(self, member: Member, seen: Mapping[int, int]) -> Sequence[Published]:
        with self._reading(member) as session:
            return sums.published(session, member.shard, seen)

    # -- for those who watch ---------------------------------------------------------------------------------------

    def standings(self) -> Sequence[Standing]:
        with self._database.transaction() as session:
            crawl = _read(session, lock=False)
            shards = read_shards(session, lock=False)
            unread = mail.unread(session)
            moved, _ = moves.slots_in(session.run(*moves.since(0)), 0)
            now = session.now()
        slots = [len(range(shard, SLOTS, crawl.shards)) for shard in range(crawl.shards)]
        for one in moved:
            slots[one.slot % crawl.shards] -= 1
            slots[one.owner] += 1
        leaving = Counter(one.owner for one in moved if one.heir is not None)
        come = Counter(one.owner for one in moved if one.move)
        return [
            Standing(
                shard=shard.shard, epoch=shard.epoch, alive=shard.is_alive(now),
                seen_s=None if shard.seen_at is None else max(0.0, now - shard.seen_at), report=shard.report(),
                granted=shard.granted_of(crawl.budget), slots=slots[shard.shard], unread=unread.get(shard.shard, 0),
                load=shard.load or 0.0, leaving=leaving[shard.shard], came=come[shard.shard],
            )
            for shard in shards
        ]  # fmt: skip

    # -- within ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _own(self, member: Member) -> Iterator[tuple[Session, Shard]]:
        """A transaction of a member, with its row locked."""
        with self._database.transaction() as session:
            own, _ = read_own(session, member, lock=True)
            yield session, own

    @contextmanager
    def _reading(self, member: Member) -> Iterator[Session]:
        """A transaction of a member that changes nothing, and holds nobody up."""
        with self._database.transaction() as session:
            read_own(session, member, lock=False)
            yield session


def _of(shards: Sequence[Shard], member: Member) -> Shard:
    if not 0 <= member.shard < len(shards):
        raise NotACrawl(f"the crawl has no shard {member.shard}")
    return shards[member.shard]


def _is_divided(budget: Budget) -> bool:
    return any(getattr(budget, name) is not None for name in grants.DIVISIBLE)


def _owners(shards: int) -> bytes:
    """Slots in turn: each shard has as many as any other, but for one."""
    return b"".join((slot % shards).to_bytes(2, "little") for slot in range(SLOTS))
