"""Shards whose slots move, with real records over a real common ground, that do anything in any order and die between
any two steps. The literal model is what a single engine would do: each URL that can be reached is fetched, and once.

What is checked at every moment: a slot is with one shard or on its way; no URL is asked for by two shards, nor again
once its page is in anybody's records. A page that was asked for and not recorded when its shard died may be asked for
again, by whoever has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from dowse.cluster.ground import moves
from dowse.cluster.membership import Membership
from dowse.cluster.slots import slot_of
from dowse.engine.life.restoring import restore
from dowse.frontier import Errand, Lease
from dowse.model.common_ground import CommonGround, Fenced, Report
from dowse.model.others import MAIL_FROM
from dowse.model.page import Outcome
from dowse.model.topic import Politeness, StrategyChoice, Topic
from dowse.store import CrawlStore
from dowse.store.outbox import Outbox
from tests.cluster.ground.places import START, Place, postgres_place, report, sqlite_place
from tests.engine.life.made import Made, row
from tests.servers import POSTGRESQL, DatabaseServer

SHARDS, HOSTS, PAGES = 3, 5, 3
_names = (f"h{number}.test" for number in range(10_000))
NAMES = [name for name in _names if slot_of(f"http://{name}/", "host") % SHARDS == 0][:HOSTS]  # all the first shard's
SLOTS = {slot_of(f"http://{name}/", "host") for name in NAMES}
URLS = [f"http://{name}/{page}" for page in range(PAGES) for name in NAMES]
SEEDS = URLS[: HOSTS + 2]

running = precondition(lambda self: any(shard.life is not None for shard in self.shards))
numbers = st.integers(0, SHARDS - 1)


def links(url: str) -> list[str]:
    """Each page leads to the next of its host and to pages of two others: all are reached, from many sides."""
    at = URLS.index(url)
    page, host = divmod(at, HOSTS)
    found = [(page + 1, host), (page, (host + 1) % HOSTS), (page + 1, (host + 2) % HOSTS)]
    return [URLS[p * HOSTS + h] for p, h in found if p < PAGES]


class Shard:
    """A shard by its steps, as ``cluster/beats`` takes them. What is in its folder outlives it."""

    def __init__(self, number: int, folder: Path, place: Place, strategy: str) -> None:
        self.number = number
        self._folder = folder
        self._place = place
        self._topic = Topic(
            query="x", politeness=Politeness(delay_s=0.0), strategy=StrategyChoice(strategy),
        )  # fmt: skip
        self._ground: CommonGround = place.open()
        self.life: Made | None = None
        self.under_way: Lease | None = None

    def start(self) -> None:
        """Begin a new epoch, with what is in the folder."""
        if self.life is not None:
            self.die()
        joined = self._ground.join(self.number)
        self.member, self.posted, self.seen = joined.member, joined.posted, joined.slots_version
        clock = Made().clock
        self.others = Membership(
            self.number, joined.owners, "host", clock, polite=False, slots=joined.slots,
        )  # fmt: skip
        resume = (self._folder / "dowse.sqlite").exists()
        self.store = CrawlStore.open(self._folder) if resume else CrawlStore.create(self._folder, {}, START)
        if resume:
            self.others.recall(self.store.statistics())
        made = Made(topic=self._topic, others=self.others, records=self.store)
        made.clock.time = self._place.now
        if resume:
            made.sites.load(self.store.sites())
            restore(made.life, self.store, self._topic)
        made.clock.time += 1
        made.life.admit_seeds([url for url in SEEDS if self.others.owner(url) is None])
        made.sites.journal.commit()
        self.life = made
        self.noted = {
            int(name.removeprefix(MAIL_FROM)): int(value)
            for name, value in self.store.statistics().items() if name.startswith(MAIL_FROM)
        }  # fmt: skip
        self._hold()

    def die(self) -> None:
        """What was not committed is gone."""
        self.store.close()
        self.life, self.under_way = None, None

    @property
    def made(self) -> Made:
        assert self.life is not None
        return self.life

    def _hold(self) -> None:
        assert self.made.life.moves is not None
        self.made.life.moves.hold(self.others.leaving)

    # -- steps -----------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        self.made.sites.journal.commit()

    def post(self, most: int) -> None:
        letters = Outbox(self.store).after(self.posted, most)
        if letters:
            self._ground.post(self.member, letters)
            self.posted = letters[-1].number

    def receive(self, most: int, *, committed: bool) -> None:
        for batch in self._ground.receive(self.member, dict(self.noted), most):
            self.made.life.admit_letters(batch.letters)
            self.noted[batch.sender] = batch.last
            self.made.sites.journal.statistic(f"{MAIL_FROM}{batch.sender}", batch.last)
        if committed:
            self.commit()

    def note(self) -> None:
        self._ground.noted(self.member, dict(self.noted))

    def hear_what_arrived(self) -> None:
        for shard, number in self._ground.arrived(self.member).items():
            Outbox(self.store).arrived(shard, number)

    def beat(self, weight: float | None, *, lost: bool = False) -> tuple[str, str] | None:
        """``weight``: what slots here seem to be worth, beside those elsewhere; None: that is not told."""
        moves_ = self.made.life.moves
        assert moves_ is not None
        loads = None if weight is None else {slot: load * weight for slot, load in moves_.loads().items()}
        journal = self.made.sites.journal
        told = journal.is_clean and not Outbox(self.store).after(self.posted, 1)
        idle = told and not self.made.life.waiting and self.under_way is None and not self.others.leaving
        base = report(waiting=1000, idle="empty" if idle else "")
        beat = Report(
            base.spent, base.held, 0, 0.0, 1000, base.promises, base.idle, slots_seen=self.seen,
            taken=dict(self.others.taken), loads=loads,
        )  # fmt: skip
        orders = self._ground.beat(self.member, beat)
        if lost:
            return None
        self.others.learn(orders.slots)
        self.seen = max(self.seen, orders.slots_version)
        self._hold()
        return orders.stop

    def give(self) -> None:
        assert self.made.life.moves is not None
        self.made.life.moves.give(self.others.leaving)

    def ask(self) -> str | None:
        """Begin to fetch the best page: which."""
        made = self.made
        for _ in range(3 * HOSTS):
            made.clock.time += 1
            lease = made.life.lease()
            if lease is None:
                return None
            if lease.errand is Errand.PAGE:
                made.life.begin(lease)
                self.under_way = lease
                return lease.url
            site = lease.site
            made.sites.cancel(lease)
            made.sites.found_at(site, f"192.0.2.{site.id}")
            made.sites.opened(site, "allowed")
        return None

    def end(self) -> None:
        """The page under way has come."""
        lease, made = self.under_way, self.made
        assert lease is not None
        self.under_way = None
        made.over(lease)
        targets = links(lease.url)
        made.links(lease, *targets, score=0.5)
        made.life.end(lease, row(lease, Outcome.FETCHED, score=0.5))

    def recorded(self) -> list[str]:
        """The pages in its records."""
        return [url for (url,) in self.store._connection.execute("SELECT url FROM pages")]

    def has(self) -> set[int]:
        """The slots that it has, of those that matter."""
        return {slot for slot in SLOTS if self.others._owners[slot] == self.number}


def _post(shard: Shard) -> None:
    shard.post(1000)


def _receive(shard: Shard) -> None:
    shard.receive(1000, committed=True)
    shard.note()


class Machine(RuleBasedStateMachine):
    def __init__(self, place: Place, folder: Path, strategy: str = "best-first") -> None:
        super().__init__()
        self.place = place
        self.folder = TemporaryDirectory(dir=folder)
        place.create(SHARDS, moving=True)
        self.shards = [Shard(n, Path(self.folder.name) / str(n), place, strategy) for n in range(SHARDS)]
        self.asked: Counter[str] = Counter()
        self.excused: Counter[str] = Counter()  # asked for by a shard that died before it wrote down what came
        self.unwritten: list[Counter[str]] = [Counter() for _ in range(SHARDS)]
        for shard in self.shards:
            shard.start()

    def step(self, number: int, what: Callable[[Shard], object]) -> None:
        """One step of a shard that runs. Where others have taken it for dead, it dies."""
        shard = self.shards[number]
        try:
            what(shard)
        except Fenced:
            self.die(number)

    def die(self, number: int) -> None:
        self.shards[number].die()
        self.excused += self.unwritten[number]
        self.unwritten[number].clear()

    def one_that_runs(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from([n for n, shard in enumerate(self.shards) if shard.life is not None]))

    # -- what may happen -------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1.0, 9.0]))
    def time_passes(self, seconds: float) -> None:
        self.place.pass_s(seconds)

    @rule(number=numbers)
    def starts(self, number: int) -> None:
        if self.shards[number].life is not None:
            self.die(number)
        self.shards[number].start()

    @running
    @rule(data=st.data())
    def dies(self, data: st.DataObject) -> None:
        self.die(self.one_that_runs(data))

    @running
    @rule(data=st.data())
    def commits(self, data: st.DataObject) -> None:
        self.write(self.one_that_runs(data))

    def write(self, number: int) -> None:
        self.shards[number].commit()
        if self.shards[number].under_way is None:
            self.unwritten[number].clear()

    @running
    @rule(data=st.data(), most=st.integers(1, 30))
    def posts(self, data: st.DataObject, most: int) -> None:
        self.step(self.one_that_runs(data), lambda shard: shard.post(most))

    @running
    @rule(data=st.data(), most=st.integers(1, 30))
    def receives(self, data: st.DataObject, most: int) -> None:
        self.step(self.one_that_runs(data), lambda shard: shard.receive(most, committed=True))

    @running
    @rule(data=st.data(), most=st.integers(1, 30))
    def receives_and_dies(self, data: st.DataObject, most: int) -> None:
        number = self.one_that_runs(data)
        self.step(number, lambda shard: shard.receive(most, committed=False))
        if self.shards[number].life is not None:
            self.die(number)

    @running
    @rule(data=st.data())
    def notes(self, data: st.DataObject) -> None:
        self.step(self.one_that_runs(data), Shard.note)

    @running
    @rule(data=st.data())
    def hears_what_arrived(self, data: st.DataObject) -> None:
        self.step(self.one_that_runs(data), Shard.hear_what_arrived)

    @running
    @rule(data=st.data(), weight=st.sampled_from([None, 0.0, 1.0, 100.0]), lost=st.booleans())
    def beats(self, data: st.DataObject, weight: float | None, lost: bool) -> None:
        self.step(self.one_that_runs(data), lambda shard: shard.beat(weight, lost=lost))

    @rule(data=st.data(), gives=st.booleans(), mail=st.booleans())
    def one_has_too_much(self, data: st.DataObject, gives: bool, mail: bool) -> None:
        """All tell so, and that one may give at once what it is to give; and the mail may go."""
        for number, shard in enumerate(self.shards):
            if shard.life is None:
                self.starts(number)
        most = [shard.number for shard in self.shards if shard.made.life.waiting and not shard.others.leaving]
        heavy = data.draw(st.sampled_from(most or [0]))
        for number in [*(set(range(SHARDS)) - {heavy}), heavy]:
            self.step(number, lambda shard: shard.beat(100.0 if shard.number == heavy else 0.0))
        if gives and self.shards[heavy].life is not None:
            self.step(heavy, Shard.give)
        if mail:
            self.mail_goes(data)

    @rule(data=st.data())
    def slots_go_round(self, data: st.DataObject) -> None:
        """Several times in a row, with a page here and there."""
        for _ in range(3):
            self.one_has_too_much(data, True, False)
            for what in (_post, _receive, _post, _receive):
                for number, shard in enumerate(self.shards):
                    if shard.life is not None:
                        self.step(number, what)
            self.fetches(data, True)

    @rule(data=st.data())
    def mail_goes(self, data: st.DataObject) -> None:
        """From some, to some."""
        for number in data.draw(st.permutations(range(SHARDS))):
            for what in data.draw(st.sampled_from([(), (_post,), (_receive,), (_post, _receive)])):
                if self.shards[number].life is not None:
                    self.step(number, what)

    @running
    @rule(data=st.data(), written=st.booleans())
    def fetches(self, data: st.DataObject, written: bool) -> None:
        """A page, as far as there is one to be had."""
        number = self.one_that_runs(data)
        if self.shards[number].under_way is None:
            self.ask(number)
        if self.shards[number].under_way is not None:
            self.shards[number].end()
        if written:
            self.write(number)

    @running
    @rule(data=st.data())
    def gives(self, data: st.DataObject) -> None:
        self.step(self.one_that_runs(data), Shard.give)

    @running
    @rule(data=st.data())
    def asks(self, data: st.DataObject) -> None:
        self.ask(self.one_that_runs(data))

    def ask(self, number: int) -> None:
        shard = self.shards[number]
        if shard.under_way is None and (url := shard.ask()) is not None:
            assert slot_of(url, "host") in shard.has()
            for other in self.shards:
                assert other is shard or other.under_way is None or other.under_way.url != url
                assert other.life is None or url not in other.recorded(), "its page is there"
            self.asked[url] += 1
            self.unwritten[number][url] += 1

    @running
    @rule(data=st.data())
    def a_page_comes(self, data: st.DataObject) -> None:
        number = self.one_that_runs(data)
        if self.shards[number].under_way is not None:
            self.shards[number].end()

    # -- what is promised ------------------------------------------------------------------------------------------

    @invariant()
    def a_slot_is_with_one_shard_or_on_its_way(self) -> None:
        owners = Counter(slot for shard in self.shards if shard.life is not None for slot in shard.has())
        assert max(owners.values(), default=0) <= 1

    @invariant()
    def what_is_under_way_is_in_a_slot_of_ours(self) -> None:
        for shard in self.shards:
            assert shard.under_way is None or slot_of(shard.under_way.url, "host") in shard.has()

    @invariant()
    def a_url_is_fetched_once(self) -> None:
        for url, times in self.asked.items():
            assert times <= 1 + self.excused[url], url

    def let_it_end(self) -> None:
        for number, shard in enumerate(self.shards):
            if shard.life is not None:
                self.die(number)
            shard.start()
        for _ in range(200):
            stops = []
            for number, shard in enumerate(self.shards):
                if shard.under_way is not None:
                    shard.end()
                self.write(number)
                shard.receive(1000, committed=True)
                shard.note()
                shard.post(1000)
                stops.append(shard.beat(None))
                shard.give()
                shard.post(1000)
                self.ask(number)
            self.place.pass_s(1.0)
            if any(stops):
                break
        else:
            raise AssertionError("it does not end")
        pages = Counter(url for shard in self.shards for url in shard.recorded())
        assert pages == Counter(URLS), "each that can be reached, once"
        self.a_url_is_fetched_once()
        event(f"moves: {min(5, max(shard.others._moves[slot] for shard in self.shards for slot in SLOTS))}")

    def teardown(self) -> None:
        try:
            self.let_it_end()
        finally:
            for shard in self.shards:
                if shard.life is not None:
                    shard.store.close()
            self.place.close()
            self.folder.cleanup()


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slots move as often as it is asked for, and be it a single one."""
    monkeypatch.setattr(moves, "_REST_S", 0.0)
    monkeypatch.setattr(moves, "_FEW", 0)


@contextmanager
def sqlite_places() -> Iterator[Callable[[], Place]]:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        yield lambda: stack.enter_context(sqlite_place(Path(folder) / f"{len(list(Path(folder).iterdir()))}.db"))


def so_many(part: int) -> settings:
    """Of the examples that tests usually take, since one here is a whole crawl."""
    return settings(max_examples=max(3, settings().max_examples // part), stateful_step_count=50, deadline=None)


def _of(make: Callable[[], Machine]) -> Any:
    """Hypothesis calls it; its types want a class."""
    return make


@pytest.mark.parametrize("strategy", ["best-first", "learning"])
def test_any_order_in_sqlite(tmp_path: Path, strategy: str) -> None:
    with sqlite_places() as new:
        run_state_machine_as_test(_of(lambda: Machine(new(), tmp_path, strategy)), settings=so_many(8))


@POSTGRESQL
def test_any_order_in_postgresql(tmp_path: Path, postgres_server: DatabaseServer) -> None:
    class InPostgres(Machine):
        def __init__(self) -> None:
            self.stack = ExitStack()
            super().__init__(self.stack.enter_context(postgres_place(postgres_server.url)), tmp_path)

        def teardown(self) -> None:
            with self.stack:
                super().teardown()

    run_state_machine_as_test(InPostgres, settings=so_many(25))
