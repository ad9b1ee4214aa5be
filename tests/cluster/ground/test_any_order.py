"""Shards that do anything in any order, die between any two steps, repeat calls whose answer got lost, and come back
late or with an old epoch: the ground answers as the literal one does, and what the crawl as a whole is promised holds.

What a shard has recorded outlives it: its letters, what it took up, what it spent. What it was told does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import LEASE_S, CommonGround, Fenced, Member
from dowse.model.others import Letter
from tests.cluster.ground.literal import LiteralGround
from tests.cluster.ground.places import START, Place, postgres_place, report, sqlite_place
from tests.servers import POSTGRESQL, DatabaseServer

SHARDS, PAGES = 3, 25
ADDRESSES = ("10.0.0.1", "10.0.0.2", "2001:db8::1")
DELAY_S = {"10.0.0.1": 1.0, "10.0.0.2": 20.0, "2001:db8::1": 60.0}

T = TypeVar("T")
running = precondition(lambda self: any(map(self.runs, range(SHARDS))))
shard_numbers = st.integers(0, SHARDS - 1)
promises = st.sampled_from([-1.0, 0.0, 0.5])
twice = st.booleans()


@dataclass
class Engine:
    """A shard as it is: first what is recorded, then what is in memory."""

    letters: list[Letter] = field(default_factory=list)
    next_number: int = 1
    taken: list[tuple[int, int]] = field(default_factory=list)  # sender and number of each letter that was taken up
    recorded: dict[int, int] = field(default_factory=dict)  # of each sender, the last number
    spent: int = 0
    to_do: int = 0  # URLs that it could fetch
    member: Member | None = None
    may_spend: int = 0
    current_until: float = 0.0
    asks_from: dict[str, float] = field(default_factory=dict)  # addresses, from when on
    asked: dict[str, float] = field(default_factory=dict)  # addresses, when it did so last

    @property
    def number_of_last(self) -> int:
        return self.next_number - 1


class Machine(RuleBasedStateMachine):
    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        place.create(SHARDS, budget=Budget(pages=PAGES))
        self.grounds: list[CommonGround] = [place.open() for _ in range(SHARDS)]
        self.literal = LiteralGround(SHARDS, PAGES, START)
        self.engines = [Engine() for _ in range(SHARDS)]
        self.old: list[Member] = []
        self.asked: dict[str, tuple[float, int]] = {}
        self.written: list[tuple[int, Letter]] = []
        for shard in range(SHARDS):
            self.start(shard)
            self.engines[shard].to_do = 1
            self.beat(shard)

    def call(self, shard: int, what: Callable[[CommonGround, Member], T], again: bool = False) -> T | None:
        """A call of a shard that runs. None: it was refused, and dies of that."""
        engine = self.engines[shard]
        assert engine.member is not None
        answer = None
        for _ in range(1 + again):
            if self.literal.is_heard(engine.member):
                answer = what(self.grounds[shard], engine.member)
            else:
                with pytest.raises(Fenced):
                    what(self.grounds[shard], engine.member)
                self.die(shard)
                return None
        return answer

    def told(self, shard: int, what: Callable[[CommonGround, Member], None], again: bool = False) -> bool:
        """The same for a call that answers nothing: was it heard?"""

        def heard(ground: CommonGround, member: Member) -> bool:
            what(ground, member)
            return True

        return bool(self.call(shard, heard, again))

    def runs(self, shard: int) -> bool:
        return self.engines[shard].member is not None

    def one_that_runs(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from([shard for shard in range(SHARDS) if self.runs(shard)]))

    # -- who takes part --------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([0.25, 1.0, 5.0]))
    def time_passes(self, seconds: float) -> None:
        self.place.pass_s(seconds)
        self.literal.now = self.place.now

    @rule(seconds=st.sampled_from([LEASE_S - 0.25, LEASE_S, 61.0]), beating=st.sets(shard_numbers))
    def much_time_passes(self, seconds: float, beating: set[int]) -> None:
        """Some keep their lease, and others do not."""
        while seconds > 0:
            self.time_passes(min(seconds, LEASE_S - 0.25))
            seconds -= LEASE_S - 0.25
            for shard in beating:
                if self.runs(shard):
                    self.beat(shard)

    @running
    @rule(data=st.data())
    def dies(self, data: st.DataObject) -> None:
        self.die(self.one_that_runs(data))

    def die(self, shard: int) -> None:
        engine = self.engines[shard]
        assert engine.member is not None
        self.old.append(engine.member)
        engine.member, engine.asks_from, engine.asked, engine.may_spend = None, {}, {}, engine.spent

    @rule(shard=shard_numbers, again=twice)
    def starts(self, shard: int, again: bool) -> None:
        self.start(shard, again)

    def start(self, shard: int, again: bool = False) -> None:
        if self.runs(shard):
            self.die(shard)
        for _ in range(1 + again):
            joined = self.grounds[shard].join(shard)
            assert joined.member == self.literal.join(shard)
            assert joined.posted == self.literal.shards[shard].posted
        engine = self.engines[shard]
        engine.member = joined.member
        assert joined.granted.pages is not None
        assert joined.granted.pages >= engine.spent
        engine.may_spend = joined.granted.pages
        engine.current_until = self.place.now + LEASE_S

    @precondition(lambda self: self.old)
    @rule(data=st.data())
    def an_old_one_speaks(self, data: st.DataObject) -> None:
        member = data.draw(st.sampled_from(self.old))
        ground = self.grounds[member.shard]
        if not self.literal.is_heard(member):
            calls: list[Callable[[], object]] = [
                lambda: ground.beat(member, report()), lambda: ground.post(member, []),
                lambda: ground.noted(member, {1: 1}), lambda: ground.receive(member, {}, 1),
                lambda: ground.want(member, {"10.0.0.1": 0.5}), lambda: ground.free(member, {"10.0.0.1": 0.0}),
                lambda: ground.publish(member, b"old"), lambda: ground.more_bytes(member, 1),
                lambda: ground.let_in(member),
            ]  # fmt: skip
            with pytest.raises(Fenced):
                data.draw(st.sampled_from(calls))()

    @running
    @rule(data=st.data(), again=twice, lost=st.booleans(), under_way=st.integers(0, 3), stalled=st.booleans())
    def beats(self, data: st.DataObject, again: bool, lost: bool, under_way: int, stalled: bool) -> None:
        self.beat(self.one_that_runs(data), again, lost=lost, under_way=under_way, stalled=stalled)

    def beat(
        self, shard: int, again: bool = False, *, lost: bool = False, under_way: int = 0, stalled: bool = False
    ) -> None:  # fmt: skip
        engine = self.engines[shard]
        held = min(engine.may_spend, engine.spent + under_way)
        all_posted = engine.number_of_last <= self.literal.shards[shard].posted
        idle = ""
        if held == engine.spent and all_posted and not engine.to_do:
            idle = "stalled" if stalled else "empty"
        elif held == engine.spent == engine.may_spend and all_posted:
            idle = "budget: pages"
        told = report(Spent(pages=engine.spent), Spent(pages=held), promises=[0.1 * shard] * engine.to_do, idle=idle)
        before = [standing.granted.pages or 0 for standing in self.grounds[0].standings()]
        orders = self.call(shard, lambda ground, member: ground.beat(member, told), again)
        if orders is None:
            return
        had_ended = self.literal.stop is not None
        self.literal.tell(shard, told)
        self.literal.find_end()
        if self.literal.stop is not None and not had_ended:
            self.check_end(self.literal.stop[0])
        self.literal.give_on(shard)
        assert orders.stop == self.literal.stop
        assert dict(orders.keep_off) == self.literal.keep_off(shard)
        assert dict(orders.let_in) == self.literal.let_in(shard)
        assert dict(orders.give_up) == self.literal.give_up(shard)
        after = [standing.granted.pages or 0 for standing in self.grounds[0].standings()]
        assert orders.granted == Budget(pages=after[shard])
        assert [n for n in range(SHARDS) if before[n] != after[n]] in ([], [shard]), "others keep what they have"
        assert after[shard] >= held
        assert orders.to_come == Spent(pages=PAGES - sum(after))
        if idle in ("empty", "stalled") or orders.stop:
            assert after[shard] == held, "what it does not need is given back"
        engine.may_spend = held
        if not lost:
            engine.may_spend = after[shard]
            engine.current_until = self.place.now + LEASE_S
            for address, wait_s in orders.let_in.items():
                engine.asks_from.setdefault(address, self.place.now + wait_s)

    def let_it_end(self) -> None:
        """Once all is well for a while, the crawl comes to its end."""
        for shard in range(SHARDS):
            self.start(shard)
        for _ in range(2 * PAGES):
            for shard in range(SHARDS):
                self.finish_work(shard, 3)
                if self.runs(shard):
                    self.beat(shard)
            self.time_passes(1.0)
            if self.literal.stop:
                return
        raise AssertionError("it does not end")

    def finish_work(self, shard: int, pages: int) -> None:
        """As a shard does in one beat, but for the beat itself."""
        self.post(shard, self.engines[shard].letters)
        if self.runs(shard):
            self.receive(shard, 1000, records=True)
        if self.runs(shard):
            self.note(shard)
        for _ in range(pages if self.runs(shard) else 0):
            self.fetch(shard, [])

    # -- what a shard does in its own records -----------------------------------------------------------------------

    def fetch(self, shard: int, to: list[int]) -> None:
        engine = self.engines[shard]
        if not engine.to_do or engine.spent >= engine.may_spend:
            return
        engine.to_do -= 1
        engine.spent += 1
        for receiver in to:
            if receiver != shard:
                letter = Letter(engine.next_number, receiver, f"http://{engine.next_number}.test/", 1, 0.5)
                engine.letters.append(letter)
                self.written.append((shard, letter))
                engine.next_number += 1

    def post(self, shard: int, letters: list[Letter], again: bool = False) -> None:
        if self.told(shard, lambda ground, member: ground.post(member, letters), again):
            self.literal.post(shard, letters)

    def receive(self, shard: int, most: int, *, records: bool) -> None:
        engine = self.engines[shard]
        received = self.call(shard, lambda ground, member: ground.receive(member, engine.recorded, most))
        if received is None:
            return
        waiting = self.literal.waiting_for(shard, engine.recorded)
        assert bool(received) == bool(waiting)
        assert sum(len(one.letters) for one in received) <= most
        for one in received:
            assert one.letters == waiting[one.sender][: len(one.letters)]
            assert one.letters
        if records:
            for one in received:
                engine.taken += [(one.sender, letter.number) for letter in one.letters]
                engine.recorded[one.sender] = one.last
                engine.to_do += len(one.letters)

    def note(self, shard: int, again: bool = False) -> None:
        recorded = dict(self.engines[shard].recorded)
        if self.told(shard, lambda ground, member: ground.noted(member, recorded), again):
            self.literal.note(shard, recorded)

    # -- what is promised of all together --------------------------------------------------------------------------

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        for receiver, engine in enumerate(self.engines):
            assert len(engine.taken) == len(set(engine.taken))
            on_its_way = {(n, letter.number) for n, own in enumerate(self.engines) for letter in own.letters}
            for sender, letter in self.written:
                if letter.shard == receiver:
                    assert (sender, letter.number) in on_its_way or (sender, letter.number) in engine.taken

    @invariant()
    def the_budget_holds(self) -> None:
        assert sum(engine.spent for engine in self.engines) <= PAGES
        granted = [standing.granted.pages or 0 for standing in self.grounds[2].standings()]
        assert sum(granted) <= PAGES
        assert all(own >= engine.spent for own, engine in zip(granted, self.engines, strict=True))

    def check_end(self, kind: str) -> None:
        """It has just ended: rightly so, whatever the ground believes?"""
        event(f"ended: {kind}")
        if kind == "budget":
            assert sum(engine.spent for engine in self.engines) == PAGES
            return
        for receiver, engine in enumerate(self.engines):
            assert not engine.to_do
            assert {(n, letter.number) for n, letter in self.written if letter.shard == receiver} == set(engine.taken)

    @invariant()
    def who_watches_sees_it(self) -> None:
        for standing in self.grounds[1].standings():
            shard = standing.shard
            assert (standing.epoch, standing.alive) == (
                self.literal.shards[shard].epoch, self.literal.is_alive(shard),
            )  # fmt: skip
            assert standing.unread == sum(len(own) for own in self.literal.waiting_for(shard, {}).values())

    def teardown(self) -> None:
        self.let_it_end()
        self.place.close()


class Mail(Machine):
    """Work, letters, and ends."""

    @running
    @rule(data=st.data(), again=twice)
    def leaves(self, data: st.DataObject, again: bool) -> None:
        shard = self.one_that_runs(data)
        engine = self.engines[shard]
        told = report(Spent(pages=engine.spent), waiting=engine.to_do)
        member = engine.member
        assert member is not None
        if self.literal.is_heard(member):
            for _ in range(1 + again):
                self.grounds[shard].leave(member, told)
            self.literal.leave(shard, told)
        else:
            with pytest.raises(Fenced):
                self.grounds[shard].leave(member, told)
        self.die(shard)

    @precondition(lambda self: self.place.now > START + 20.0)
    @rule(again=twice)
    def is_ended_by_hand(self, again: bool) -> None:
        self.literal.stop = self.literal.stop or ("interrupted", "by hand")
        for _ in range(1 + again):
            assert self.grounds[0].stop("interrupted", "by hand") == self.literal.stop

    @precondition(lambda self: self.literal.stop)
    @rule(again=twice)
    def goes_on(self, again: bool) -> None:
        for _ in range(1 + again):
            self.grounds[1].go_on()
        self.literal.go_on()

    @running
    @rule(data=st.data(), beating=st.booleans())
    def finishes_its_work(self, data: st.DataObject, beating: bool) -> None:
        shard = self.one_that_runs(data)
        self.finish_work(shard, PAGES)
        if beating and self.runs(shard):
            self.beat(shard)

    @running
    @rule(data=st.data(), found=st.integers(1, 4))
    def finds_seeds(self, data: st.DataObject, found: int) -> None:
        shard = self.one_that_runs(data)
        if self.literal.shards[shard].idle == "":
            self.engines[shard].to_do += found

    @running
    @rule(data=st.data(), to=st.lists(st.lists(shard_numbers, max_size=4), min_size=1, max_size=4))
    def fetches_pages(self, data: st.DataObject, to: list[list[int]]) -> None:
        shard = self.one_that_runs(data)
        for receivers in to:
            self.fetch(shard, receivers)

    @running
    @rule(again=twice, data=st.data())
    def posts(self, again: bool, data: st.DataObject) -> None:
        shard = self.one_that_runs(data)
        letters = self.engines[shard].letters
        if not letters:
            return
        posted = self.literal.shards[shard].posted
        start = data.draw(st.integers(0, sum(letter.number <= posted for letter in letters)))
        some = letters[start : data.draw(st.integers(start, len(letters)))]
        self.post(shard, some, again)

    @running
    @rule(data=st.data(), most=st.integers(1, 5), records=st.booleans())
    def receives(self, data: st.DataObject, most: int, records: bool) -> None:
        self.receive(self.one_that_runs(data), most, records=records)

    @running
    @rule(data=st.data(), again=twice)
    def notes(self, data: st.DataObject, again: bool) -> None:
        self.note(self.one_that_runs(data), again)

    @running
    @rule(data=st.data())
    def hears_what_arrived(self, data: st.DataObject) -> None:
        shard = self.one_that_runs(data)
        arrived = self.call(shard, lambda ground, member: ground.arrived(member))
        if arrived is not None:
            assert dict(arrived) == self.literal.arrived(shard)
            engine = self.engines[shard]
            engine.letters = [letter for letter in engine.letters if letter.number > arrived.get(letter.shard, 0)]


class Addresses(Machine):
    """Addresses, and what is published."""

    @running
    @rule(data=st.data(), address=st.sampled_from(ADDRESSES), promise=promises, again=twice)
    def wants(self, data: st.DataObject, address: str, promise: float, again: bool) -> None:
        shard = self.one_that_runs(data)
        if self.told(shard, lambda ground, member: ground.want(member, {address: promise}), again):
            self.literal.want(shard, address, promise)

    @running
    @rule(data=st.data())
    def looks_between_beats(self, data: st.DataObject) -> None:
        """What it is told may be asked from then on, as after a beat."""
        shard = self.one_that_runs(data)
        found = self.call(shard, lambda ground, member: ground.let_in(member))
        if found is not None:
            assert dict(found) == self.literal.let_in(shard)
            for address, wait_s in found.items():
                self.engines[shard].asks_from.setdefault(address, self.place.now + wait_s)

    @running
    @rule(data=st.data(), address=st.sampled_from(ADDRESSES), again=twice)
    def frees(self, data: st.DataObject, address: str, again: bool) -> None:
        shard = self.one_that_runs(data)
        engine = self.engines[shard]
        wait_s = max(0.0, engine.asked.pop(address, 0.0) + DELAY_S[address] - self.place.now)
        engine.asks_from.pop(address, None)
        if self.told(shard, lambda ground, member: ground.free(member, {address: wait_s}), again):
            self.literal.free(shard, address, wait_s)

    @running
    @rule(data=st.data(), address=st.sampled_from(ADDRESSES))
    def asks(self, data: st.DataObject, address: str) -> None:
        """At an address, if it may: nobody else did so lately."""
        shard = self.one_that_runs(data)
        engine, now = self.engines[shard], self.place.now
        if now < engine.current_until and now >= engine.asks_from.get(address, float("inf")):
            before, who = self.asked.get(address, (0.0, shard))
            assert who == shard or now >= before + DELAY_S[address]
            self.asked[address] = now, shard
            engine.asked[address] = now

    @running
    @rule(data=st.data(), learned=st.binary(max_size=3), again=twice)
    def publishes(self, data: st.DataObject, learned: bytes, again: bool) -> None:
        shard = self.one_that_runs(data)
        if self.told(shard, lambda ground, member: ground.publish(member, learned), again):
            version, _ = self.literal.published.get(shard, (0, b""))
            self.literal.published[shard] = version + 1 + again, learned

    @running
    @rule(data=st.data(), seen=st.dictionaries(shard_numbers, st.integers(1, 3)))
    def reads_what_is_published(self, data: st.DataObject, seen: dict[int, int]) -> None:
        shard = self.one_that_runs(data)
        found = self.call(shard, lambda ground, member: ground.published(member, seen))
        if found is not None:
            assert {one.shard: (one.version, one.data) for one in found} == {
                n: own for n, own in self.literal.published.items() if n != shard and own[0] != seen.get(n)
            }


class Everything(Mail, Addresses):
    pass


@contextmanager
def sqlite_places() -> Iterator[Callable[[], Place]]:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        yield lambda: stack.enter_context(sqlite_place(Path(folder) / f"{len(list(Path(folder).iterdir()))}.db"))


def so_many(part: int) -> settings:
    """Of the examples that tests usually take, since one here is a whole crawl."""
    return settings(max_examples=settings().max_examples // part, stateful_step_count=60)


def _of(make: Callable[[], Machine]) -> Any:
    """Hypothesis calls it; its types want a class."""
    return make


@pytest.mark.parametrize("machine", [Mail, Addresses, Everything])
def test_any_order_in_sqlite(machine: type[Machine]) -> None:
    with sqlite_places() as new:
        run_state_machine_as_test(_of(lambda: machine(new())), settings=so_many(5))


@POSTGRESQL
def test_any_order_in_postgresql(postgres_server: DatabaseServer) -> None:
    class InPostgres(Everything):
        def __init__(self) -> None:
            self.stack = ExitStack()
            super().__init__(self.stack.enter_context(postgres_place(postgres_server.url)))

        def teardown(self) -> None:
            with self.stack:
                super().teardown()

    run_state_machine_as_test(InPostgres, settings=so_many(12))
