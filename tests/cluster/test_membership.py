"""What a shard knows of the others, at once."""

from __future__ import annotations

from dowse.cluster.membership import Membership
from dowse.cluster.slots import even_owners, slot_of
from dowse.model.common_ground import LEASE_S
from tests.fetch.servers import FakeClock

URLS = [f"https://site{n}.example{n}.org/" for n in range(40)]


def member(clock: FakeClock, shard: int = 0, *, polite: bool = True) -> Membership:
    return Membership(shard, even_owners(3), "domain", clock, polite=polite)


def test_each_url_has_one_owner() -> None:
    clock = FakeClock()
    members = [member(clock, shard) for shard in range(3)]
    for url in URLS:
        owners = {one.shard if one.owner(url) is None else one.owner(url) for one in members}
        assert owners == {slot_of(url) % 3}


def test_an_address_is_asked_for_once_until_it_is_held() -> None:
    one, calls = member(FakeClock()), list[int]()
    one.on_want = lambda: calls.append(1)
    assert not one.may_ask("192.0.2.1")
    assert not one.may_ask("192.0.2.1")
    assert (one.wanted, len(calls)) == ({"192.0.2.1"}, 1)
    one.held.add("192.0.2.1")
    assert one.may_ask("192.0.2.1")


def test_without_a_delay_there_is_nothing_to_share() -> None:
    assert member(FakeClock(), polite=False).may_ask("192.0.2.1")


def test_it_takes_itself_for_dead_before_the_others_do() -> None:
    clock = FakeClock()
    one = member(clock)
    assert not one.is_current(), "nobody has answered yet"
    one.heard_at(clock.now())
    clock.time += LEASE_S - 4
    assert one.is_current()
    clock.time += 2
    assert not one.is_current()
    one.heard_at(clock.now())
    one.fenced()
    assert not one.is_current()
