"""What each call of a common ground does, over both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.cluster.ground import IN_MEMORY, create_ground, open_ground
from dowse.cluster.ground.mail import rows_of
from dowse.cluster.ground.packing import pack, unpack
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import LEASE_S, SLOTS, Fenced, Member
from dowse.model.errors import NotACrawl, StoreError, UserError
from dowse.model.others import Letter
from tests.cluster.ground.places import Place, letters, report

NOTHING_LEFT = ("empty", "no URL is left to fetch")


def test_a_shard_is_told_where_it_stands(place: Place) -> None:
    ground = place.create(3, budget=Budget(pages=100, seconds=60.0), settings={"topic": {"query": "ä"}})
    assert ground.settings() == {"topic": {"query": "ä"}}
    joined = ground.join(1)
    assert joined.member == Member(1, 1)
    assert joined.granted == Budget(pages=0, seconds=60.0)
    assert (joined.posted, joined.elapsed_s) == (0, 0.0)
    owners = [int.from_bytes(joined.owners[at : at + 2], "little") for at in range(0, 2 * SLOTS, 2)]
    assert [owners.count(shard) for shard in range(3)] == [342, 341, 341]
    place.pass_s(5.0)
    assert ground.join(1).elapsed_s == 5.0
    standings = ground.standings()
    assert [(s.shard, s.epoch, s.alive, s.seen_s, s.slots) for s in standings] == [
        (0, 0, False, None, 342), (1, 2, True, 0.0, 341), (2, 0, False, None, 341),
    ]  # fmt: skip


def test_an_older_epoch_and_one_whose_lease_is_over_are_heard_no_more(place: Place) -> None:
    ground = place.create()
    old, new = ground.join(0).member, ground.join(0).member
    with pytest.raises(Fenced, match="started again"):
        ground.beat(old, report())
    place.pass_s(LEASE_S - 0.01)
    ground.beat(new, report())
    place.pass_s(LEASE_S - 0.01)
    ground.post(new, letters(1, 3, 1))
    place.pass_s(0.01)
    calls = (
        lambda: ground.beat(new, report()), lambda: ground.post(new, letters(4, 5, 1)),
        lambda: ground.receive(new, {}, 10), lambda: ground.noted(new, {1: 1}), lambda: ground.arrived(new),
        lambda: ground.want(new, {"10.0.0.1": 0.5}), lambda: ground.free(new, {}), lambda: ground.publish(new, b""),
        lambda: ground.published(new, {}), lambda: ground.leave(new, report()), lambda: ground.more_bytes(new, 1),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(Fenced, match="taken for dead"):
            call()
    joined = ground.join(0)
    assert (joined.member.epoch, joined.posted) == (3, 3)
    ground.beat(joined.member, report())


def test_letters_are_given_until_they_are_noted(place: Place) -> None:
    ground = place.create(3)
    first, second, third = (ground.join(n).member for n in range(3))
    mixed = [Letter(n, 1 + n % 2, f"http://{n}.test/", n, 0.5) for n in range(1, 11)]
    ground.post(first, mixed)
    ground.post(first, mixed)
    ground.post(third, letters(1, 4, 1))
    own = [letter for letter in mixed if letter.shard == 1]
    for _ in range(2):
        received = ground.receive(second, {}, 100)
        assert [(r.sender, list(r.letters)) for r in received] == [(0, own), (2, letters(1, 4, 1))]
    assert ground.receive(second, {}, 3)[0].letters == own[:3]
    assert [r.sender for r in ground.receive(second, {0: 10}, 3)] == [2]
    assert [r.letters for r in ground.receive(second, {0: 4, 2: 3}, 100)] == [own[2:], letters(4, 4, 1)]
    ground.noted(second, {0: 4})
    assert [letter.number for letter in ground.receive(second, {0: 4}, 2)[0].letters] == [6, 8]
    assert ground.standings()[1].unread == 3 + 4
    assert dict(ground.arrived(first)) == {1: 4}
    ground.noted(second, {0: 10, 2: 4})
    ground.noted(second, {0: 3})
    assert ground.receive(second, {0: 10, 2: 4}, 100) == []
    assert dict(ground.arrived(first)) == {1: 10}
    assert ground.join(0).posted == 10


def test_many_letters_come_in_their_order_a_batch_at_a_time(place: Place) -> None:
    ground = place.create()
    sender, receiver = ground.join(0).member, ground.join(1).member
    ground.post(sender, letters(1, 12_000, 1))
    noted, seen = 0, list[Letter]()
    while received := ground.receive(receiver, {0: noted}, 7_000):
        [one] = received
        seen += one.letters
        noted = one.last
        ground.noted(receiver, {0: noted})
    assert seen == letters(1, 12_000, 1)


def test_letters_to_nobody_are_refused(place: Place) -> None:
    ground = place.create()
    sender = ground.join(0).member
    for receiver in (0, 2, -1):
        with pytest.raises(UserError, match="wrote to shard"):
            ground.post(sender, letters(1, 1, receiver))
    with pytest.raises(UserError, match="no shard 2"):
        ground.join(2)


def test_packed_letters_come_back_as_they_were() -> None:
    odd = [
        Letter(5, 1, "http://\ud800.test/", 0, float("inf")),
        Letter(4_000_000_000, 1, "", 4_000_000_000, -0.5, b"\n\0"),
    ]
    assert unpack(pack(odd), 5, 2, 1) == odd
    with pytest.raises(StoreError, match="damaged"):
        unpack(pack(odd), 5, 3, 1)
    with pytest.raises(StoreError, match="damaged"):
        unpack(b"nonsense", 5, 2, 1)
    with pytest.raises(ValueError, match="order"):
        rows_of(0, [odd[1], odd[0]], 2)


def test_what_others_publish_is_told_once_a_version(place: Place) -> None:
    ground = place.create(3)
    first, second, third = (ground.join(n).member for n in range(3))
    ground.publish(first, b"\x00one")
    ground.publish(first, b"\x00two")
    ground.publish(second, b"")
    assert [(p.shard, p.data) for p in ground.published(third, {})] == [(0, b"\x00two"), (1, b"")]
    versions = {p.shard: p.version for p in ground.published(third, {})}
    assert ground.published(third, versions) == []
    assert ground.published(first, versions) == []
    ground.publish(first, b"\x00three")
    assert [(p.shard, p.data) for p in ground.published(third, versions)] == [(0, b"\x00three")]


def test_an_address_is_asked_by_one_shard_at_a_time(place: Place) -> None:
    ground = place.create(3)
    first, second, third = (ground.join(n).member for n in range(3))
    ground.want(first, {"10.0.0.1": 0.5, "10.0.0.2": 0.5})
    place.pass_s(1.0)
    ground.want(third, {"10.0.0.1": 0.5, "10.0.0.3": 0.5})
    place.pass_s(1.0)
    ground.want(second, {"10.0.0.1": 0.5})
    ground.want(first, {"10.0.0.1": 0.5})
    orders = ground.beat(first, report())
    assert (dict(orders.keep_off), dict(orders.let_in)) == ({}, {"10.0.0.1": 0.0, "10.0.0.2": 0.0})
    assert dict(orders.give_up) == {"10.0.0.1": 0.5}
    orders = ground.beat(third, report())
    assert (orders.keep_off, orders.let_in, orders.give_up) == ({"10.0.0.1": 1}, {"10.0.0.3": 0.0}, {})
    ground.free(first, {"10.0.0.1": 2.5})
    ground.free(first, {"10.0.0.1": 0.0})
    place.pass_s(1.0)
    orders = ground.beat(third, report())
    assert dict(orders.let_in) == {"10.0.0.1": 1.5, "10.0.0.3": 0.0}, "it has wanted it longest"
    assert (orders.keep_off, orders.give_up) == ({}, {"10.0.0.1": 0.5})
    assert ground.beat(second, report()).keep_off == {"10.0.0.1": 1}
    ground.free(second, {"10.0.0.1": 0.0})
    assert ground.beat(second, report()).keep_off == {}
    assert ground.beat(third, report()).give_up == {}


def test_a_dead_shards_addresses_go_to_others_once_no_delay_can_be_shortened(place: Place) -> None:
    ground = place.create()
    dead, alive = ground.join(0).member, ground.join(1).member
    ground.free(dead, {"10.0.0.9": 90.0})
    ground.want(dead, {"10.0.0.1": 0.5})
    for _ in range(2):
        place.pass_s(LEASE_S - 1.0)
        ground.want(alive, {"10.0.0.1": 0.5})
        orders = ground.beat(alive, report())
    assert (dict(orders.keep_off), dict(orders.let_in)) == ({}, {"10.0.0.1": LEASE_S + 90.0 - 2 * (LEASE_S - 1.0)})
    again = ground.join(0).member
    ground.want(again, {"10.0.0.1": 0.5})
    assert ground.beat(again, report()).keep_off == {"10.0.0.1": 1}


def test_a_shard_that_comes_again_in_time_has_kept_its_addresses(place: Place) -> None:
    ground = place.create()
    old, other = ground.join(0).member, ground.join(1).member
    ground.want(old, {"10.0.0.1": 0.5, "10.0.0.2": 0.5})
    new = ground.join(0).member
    ground.want(other, {"10.0.0.1": 0.5, "10.0.0.2": 0.5, "10.0.0.3": 0.5})
    ground.want(new, {"10.0.0.1": 0.5})
    orders = ground.beat(new, report())
    assert dict(orders.let_in) == {"10.0.0.1": 0.0}
    assert "10.0.0.1" in orders.give_up
    orders = ground.beat(other, report())
    assert orders.keep_off == {"10.0.0.1": 1}
    assert dict(orders.let_in) == {"10.0.0.2": 60.0, "10.0.0.3": 0.0}, "who asked there before knows it no more"


def test_the_crawl_ends_when_nobody_has_anything_to_do_and_no_letter_waits(place: Place) -> None:
    ground = place.create()
    first = ground.join(0).member
    assert ground.beat(first, report(idle="empty")).stop is None, "the other has not come yet"
    second = ground.join(1).member
    ground.post(first, letters(1, 1, 1))
    assert ground.beat(first, report(idle="empty")).stop is None
    assert ground.beat(second, report(idle="empty")).stop is None, "a letter waits"
    ground.noted(second, {0: 1})
    assert ground.beat(first, report(idle="empty")).stop is None, "it may have brought something to do"
    assert ground.beat(second, report(idle="stalled", waiting=3)).stop == (
        "stalled", "3 URLs wait for nothing that could come",
    )  # fmt: skip
    assert ground.stop("interrupted", "by hand") == ("stalled", "3 URLs wait for nothing that could come")
    ground.leave(second, report())
    ground.leave(second, report())
    ground.go_on({"run": 2})
    assert ground.settings() == {"run": 2}
    with pytest.raises(Fenced):
        ground.beat(first, report())
    first, second = ground.join(0).member, ground.join(1).member
    assert ground.beat(first, report(idle="empty")).stop is None
    assert ground.beat(second, report(idle="empty")).stop == NOTHING_LEFT
    assert ground.beat(first, report()).stop == NOTHING_LEFT


def test_a_dead_shard_is_not_idle(place: Place) -> None:
    ground = place.create()
    first, second = ground.join(0).member, ground.join(1).member
    ground.beat(first, report(idle="empty"))
    place.pass_s(LEASE_S - 1.0)
    ground.beat(second, report())
    place.pass_s(1.0)
    assert ground.beat(second, report(idle="empty")).stop is None
    first = ground.join(0).member
    assert ground.beat(second, report(idle="empty")).stop is None, "its folder may have more than its last word"
    assert ground.beat(first, report(idle="empty")).stop == NOTHING_LEFT


def test_who_leaves_gives_back_what_it_did_not_spend(place: Place) -> None:
    ground = place.create(budget=Budget(pages=100))
    first, second = ground.join(0).member, ground.join(1).member
    assert ground.beat(first, report(promises=[1.0] * 50)).granted.pages
    ground.leave(first, report(Spent(pages=1)))
    orders = ground.beat(second, report(promises=[1.0] * 50))
    assert orders.to_come.pages == 100 - 1 - (orders.granted.pages or 0)
    assert ground.join(0).granted.pages == 1


def test_a_target_is_met_by_all_together(place: Place) -> None:
    ground = place.create(target_relevant=10)
    first, second = ground.join(0).member, ground.join(1).member
    assert ground.beat(first, report(relevant=6)).stop is None
    place.pass_s(LEASE_S - 1.0)
    assert ground.beat(second, report(relevant=3)).stop is None
    place.pass_s(LEASE_S - 1.0)
    stop = ground.beat(second, report(relevant=4)).stop
    assert stop == ("target", "10 relevant pages were wanted"), "those of a dead shard count"


def test_a_clock_that_was_set_back_holds_nobody_up_in_the_next_run(place: Place) -> None:
    ground = place.create()
    first, second = ground.join(0).member, ground.join(1).member
    ground.beat(first, report())
    ground.want(first, {"10.0.0.1": 0.5})
    ground.want(second, {"10.0.0.1": 0.5})
    ground.free(first, {"10.0.0.1": 30.0})
    ground.stop("interrupted", "by hand")
    place.pass_s(-1e6)
    ground.go_on()
    first = ground.join(0).member
    ground.want(first, {"10.0.0.1": 0.5})
    for _ in range(30):
        place.pass_s(LEASE_S / 2)
        wait_s = ground.beat(first, report()).let_in.get("10.0.0.1")
        if wait_s is not None:
            break
    assert wait_s is not None
    assert wait_s <= 60.0
    assert ground.crawl().elapsed_s < 1000.0


def test_seconds_are_over_for_all_at_once(place: Place) -> None:
    ground = place.create(budget=Budget(seconds=30.0))
    first = ground.join(0).member
    assert ground.beat(first, report()).granted == Budget(seconds=30.0)
    assert ground.beat(first, report(idle="budget: seconds")).stop == ("budget", "seconds (30s)")


def test_the_time_in_which_nobody_was_alive_does_not_count(place: Place) -> None:
    ground = place.create(1)
    member = ground.join(0).member
    place.pass_s(10.0)
    ground.beat(member, report())
    place.pass_s(1000.0)
    joined = ground.join(0)
    assert joined.elapsed_s == 10.0 + LEASE_S
    ground.leave(joined.member, report())
    place.pass_s(1000.0)
    assert ground.join(0).elapsed_s == 10.0 + LEASE_S


def test_a_budget_is_spent_by_who_promises_most(place: Place) -> None:
    ground = place.create(budget=Budget(pages=1000))
    first, second = ground.join(0).member, ground.join(1).member
    ground.beat(first, report(promises=[0.9] * 500))
    poor = ground.beat(second, report(promises=[0.1] * 500))
    rich = ground.beat(first, report(promises=[0.9] * 500))
    assert (rich.granted.pages, poor.granted.pages) == (4, 0)
    assert poor.to_come.pages > 900
    assert (rich.part, poor.part) == (1.0, 0.0)
    equal = ground.beat(second, report(promises=[0.9] * 8 + [0.1] * 9))
    assert equal.granted.pages == 2


def test_pages_are_not_sat_on_at_the_end(place: Place) -> None:
    """Two shards, one of which gets nothing done, spend all of the budget."""
    ground = place.create(budget=Budget(pages=50))
    slow, quick = ground.join(0).member, ground.join(1).member
    spent, stop = 0, None
    for _ in range(100):
        place.pass_s(1.0)
        ground.beat(slow, report(promises=[0.5] * 9, waiting=9))
        orders = ground.beat(quick, report(Spent(pages=spent), promises=[0.5] * 500))
        stop = stop or orders.stop
        spent = orders.granted.pages or 0
        if spent >= 48:
            break
    assert spent >= 48
    assert ground.beat(slow, report(idle="empty")).stop is None
    for _ in range(2):
        spent = ground.beat(quick, report(Spent(pages=spent), promises=[0.5] * 500)).granted.pages or 0
    assert spent == 50
    assert ground.beat(quick, report(Spent(pages=50), idle="budget: pages")).stop == ("budget", "pages (50p)")


def test_what_a_dead_shard_may_have_spent_stays_counted(place: Place) -> None:
    ground = place.create(budget=Budget(pages=20))
    dead, alive = ground.join(0).member, ground.join(1).member
    granted = ground.beat(dead, report(promises=[1.0] * 20)).granted.pages or 0
    assert granted > 0
    spent = 0
    for _ in range(60):
        place.pass_s(1.0)
        spent = ground.beat(alive, report(Spent(pages=spent), promises=[1.0] * 20)).granted.pages or 0
    assert spent == 20 - granted
    joined = ground.join(0)
    assert joined.granted.pages == granted
    ground.beat(joined.member, report(Spent(pages=1), idle="empty"))
    spent = ground.beat(alive, report(Spent(pages=spent), promises=[1.0] * 20)).granted.pages or 0
    assert spent >= 20 - granted + 1


def test_bytes_for_a_body_that_is_coming_in_are_had_at_once(place: Place) -> None:
    ground = place.create(budget=Budget(bytes=10_000_000))
    first, second = ground.join(0).member, ground.join(1).member
    had = ground.beat(first, report(promises=[1.0])).granted.bytes or 0
    assert 0 < had < 1_000_000
    assert ground.more_bytes(first, 2_000_000) == 2_000_000
    assert ground.more_bytes(first, 1_000_000) == 2_000_000
    kept = ground.beat(first, report(idle="empty")).granted.bytes or 0
    assert kept == 2_000_000, "the report was made before it asked for more"
    assert ground.beat(first, report(Spent(bytes=1_500_000), idle="empty")).granted.bytes == 1_500_000
    other = ground.beat(second, report(promises=[1.0])).granted.bytes or 0
    assert ground.more_bytes(first, 20_000_000) == 10_000_000 - other


def test_nobody_holds_more_than_it_was_granted(place: Place) -> None:
    ground = place.create(budget=Budget(bytes=1_000_000))
    first, second = ground.join(0).member, ground.join(1).member
    had = ground.beat(first, report(promises=[1.0])).granted.bytes or 0
    told = report(Spent(), Spent(bytes=5_000_000), idle="budget: bytes")
    assert (ground.beat(first, told).granted.bytes or 0) <= 1_000_000
    assert had + (ground.beat(second, report(promises=[1.0])).granted.bytes or 0) <= 1_000_000
    assert sum(standing.granted.bytes or 0 for standing in ground.standings()) <= 1_000_000


def test_what_is_given_anew_holds_also_where_the_crawl_had_not_ended(place: Place) -> None:
    ground = place.create(budget=Budget(pages=2), target_relevant=5)
    member = ground.join(0).member
    ground.go_on({"run": 2}, budget=Budget(pages=9), target_value=3.0)
    crawl = ground.crawl()
    assert (crawl.settings, crawl.budget) == ({"run": 2}, Budget(pages=9))
    assert (crawl.target_relevant, crawl.target_value) == (5, 3.0)
    ground.beat(member, report())


def test_a_place_that_is_taken_or_empty_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ground.db"
    with pytest.raises(NotACrawl):
        open_ground(path, wall=lambda: 0.0)
    create_ground(path, shards=2, budget=Budget(), settings={"a": 1}, wall=lambda: 0.0).close()
    with pytest.raises(UserError, match="already holds"):
        create_ground(path, shards=2, budget=Budget(), settings={}, wall=lambda: 0.0)
    with pytest.raises(NotACrawl, match="holds the crawl 'crawl'"):
        open_ground(path, "other", wall=lambda: 0.0)
    ground = open_ground(path, wall=lambda: 0.0)
    assert ground.settings() == {"a": 1}
    ground.close()
    (tmp_path / "text").write_text("no database")
    with pytest.raises(NotACrawl):
        open_ground(tmp_path / "text", wall=lambda: 0.0)
    with pytest.raises(UserError, match="no name"):
        create_ground(IN_MEMORY, "../x", shards=1, budget=Budget(), settings={}, wall=lambda: 0.0)
    with pytest.raises(UserError, match="mysql"):
        create_ground("mysql://h/d", shards=1, budget=Budget(), settings={}, wall=lambda: 0.0)


def test_shards_of_one_process_may_meet_in_memory() -> None:
    ground = create_ground(IN_MEMORY, shards=2, budget=Budget(), settings={}, wall=lambda: 0.0)
    sender, receiver = ground.join(0).member, ground.join(1).member
    ground.post(sender, letters(1, 2, 1))
    assert ground.receive(receiver, {}, 10)[0].last == 2
    ground.close()


def test_an_address_goes_to_who_promises_most_there(place: Place) -> None:
    ground = place.create(4)
    holder, poor, first, second = (ground.join(n).member for n in range(4))
    for member, promise in ((holder, 0.1), (poor, 0.2), (first, 0.7), (second, 0.7)):
        ground.want(member, {"10.0.0.1": promise})
        place.pass_s(1.0)
    assert ground.beat(holder, report()).give_up == {"10.0.0.1": 0.7}
    assert [ground.beat(one, report()).keep_off["10.0.0.1"] for one in (poor, first, second)] == [3, 1, 2]
    ground.want(poor, {"10.0.0.1": 0.8})
    assert [ground.beat(one, report()).keep_off["10.0.0.1"] for one in (poor, first, second)] == [1, 2, 3]
    assert ground.let_in(poor) == {}
    ground.free(holder, {"10.0.0.1": 2.5})
    place.pass_s(1.0)
    assert ground.let_in(poor) == {"10.0.0.1": 1.5}, "it need not wait for its beat"
    assert ground.let_in(first) == {}
    assert ground.beat(poor, report()).give_up == {"10.0.0.1": 0.7}
