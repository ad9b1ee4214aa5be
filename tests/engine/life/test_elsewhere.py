"""URLs of other shards: told there, never asked for here; and what others tell is taken up."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from dowse.model.budget import Budget, Purse
from dowse.model.others import Letter
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR
from dowse.model.topic import Scope, Topic
from tests.engine.life.made import Made

OURS, THEIRS = "http://a.test/", "http://b.test/x"


@dataclass
class Shards:
    """Hosts that begin with ``b`` are shard 1's; addresses in ``others`` are asked by somebody else."""

    others: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    current: bool = True

    def owner(self, url: str) -> int | None:
        return 1 if url.startswith("http://b") else None

    def may_ask(self, address: str) -> bool:
        self.asked.append(address)
        return address not in self.others

    def is_current(self) -> bool:
        return self.current


def letters(made: Made) -> list[tuple[int, str, int, float]]:
    return [
        (one.shard, one.url, one.depth, one.value)
        for batch in made.commit().batches
        for one in batch.letters.values()
    ]  # fmt: skip


def shared(topic: Topic | None = None, shards: Shards | None = None, delay_s: float = 0.0) -> Made:
    return Made(topic=topic, others=shards or Shards(), delay_s=delay_s)


def test_what_is_another_shards_is_told_there_and_never_waits_here() -> None:
    made = shared()
    made.seed(OURS)
    lease = made.begun()
    made.over(lease)
    made.links(lease, THEIRS, "http://a.test/y", score=0.6)
    assert made.life.waiting == 1
    assert letters(made) == [(1, THEIRS, 1, 0.6)]
    assert made.disk.states()[1][:2] == (CandidateState.ELSEWHERE, "elsewhere")
    assert made.lease().url == "http://a.test/y"
    assert made.life.lease() is None
    assert len([row for batch in made.disk.batches for row in batch.links]) == 2, "the link itself is kept"


def test_it_is_told_again_when_a_page_thinks_it_worth_more_and_only_then() -> None:
    made = shared()
    made.seed(OURS, "http://a.test/2", "http://a.test/3")
    for score in (0.5, 0.2, 0.7):
        lease = made.begun()
        made.over(lease)
        made.links(lease, THEIRS, score=score)
        made.commit()
    assert letters(made) == [(1, THEIRS, 1, 0.5), (1, THEIRS, 1, 0.7)]


def test_redirects_and_listed_seeds_that_lead_to_another_shard_are_told_there() -> None:
    made = shared()
    made.seed(OURS, "http://b.test/listed")
    lease = made.begun()
    made.over(lease)
    assert made.life.admit_redirect(lease, THEIRS) == ""
    told = letters(made)
    assert [(shard, url, depth) for shard, url, depth, _ in told] == [
        (1, "http://b.test/listed", 0), (1, THEIRS, 0)
    ]  # fmt: skip
    assert all(value >= SEED_FLOOR for *_, value in told)
    assert made.life.waiting == 0


def test_letters_are_taken_up_by_the_same_rules_as_links() -> None:
    made = shared(Topic(query="x", scope=Scope(exclude=("/secret*",))))
    made.life.admit_letters([
        Letter(1, 0, "http://a.test/low", 4, 0.2), Letter(2, 0, "http://a.test/secret", 1, 0.9),
        Letter(3, 0, "http://a.test/high", 2, 0.8), Letter(4, 0, "http://a.test/seed", 0, 2 * SEED_FLOOR),
        Letter(5, 0, "http://a.test/low", 3, 0.4),
    ])  # fmt: skip
    made.open_all()
    taken = []
    while (lease := made.life.lease()) is not None:
        taken.append((lease.url, lease.depth))
        made.over(lease)
        made.clock.time += 1
    assert taken == [("http://a.test/seed", 0), ("http://a.test/high", 2), ("http://a.test/low", 3)]
    assert made.commit().batches[0].refusals == {"path": 1}


def test_a_letter_raises_what_is_known_and_never_lowers_it() -> None:
    made = shared()
    for value in (0.5, 0.9, 0.1):
        made.life.admit_letters([Letter(1, 0, "http://a.test/x", 1, value)])
    made.open_all()
    assert made.life.waiting == 1
    made.commit()
    assert made.disk.priorities() == {0: 0.9}
    made.begun()
    made.life.admit_letters([Letter(1, 0, "http://a.test/x", 1, 0.95)])
    assert made.life.waiting == 0, "it is asked for once"


def test_an_address_of_another_shard_is_not_asked_until_it_is_given() -> None:
    shards = Shards({"192.0.2.0"})
    made = shared(shards=shards, delay_s=1.0)
    made.seed(OURS)
    assert shards.asked == ["192.0.2.0"]
    made.clock.time += 100
    assert made.life.lease() is None
    assert made.life.wake_at() is None
    assert made.sites.try_turn(made.sites.of(OURS)) == pytest.approx(0.05), "to look again soon"
    made.sites.let_in("192.0.2.0", 5.0)
    assert made.life.lease() is None
    assert made.life.wake_at() == made.clock.time + 5.0
    made.clock.time += 4.0
    assert made.life.lease() is None
    lease = made.lease()
    assert made.sites.keep_off("192.0.2.0") is None, "it is being asked"
    made.over(lease)
    assert made.sites.keep_off("192.0.2.0") == 1.0, "its delay runs on, whoever asks next"


def test_an_address_that_was_not_asked_in_the_end_stays_kept_off() -> None:
    made = shared(delay_s=1.0)
    made.seed(OURS, "http://a.test/2")
    lease = made.lease()
    made.sites.keep_off("192.0.2.0")
    made.life.put_back(lease)
    made.clock.time += 100
    assert made.life.lease() is None
    made.sites.let_in("192.0.2.0", 0.0)
    assert made.life.lease() is not None


def test_a_site_that_moves_asks_for_its_new_address() -> None:
    shards = Shards({"198.51.100.1"})
    made = shared(shards=shards, delay_s=1.0)
    made.seed(OURS)
    site = made.sites.of(OURS)
    made.sites.moved(site, "198.51.100.1")
    made.clock.time += 100
    assert made.life.lease() is None
    made.sites.moved(site, "198.51.100.2")
    assert made.life.lease() is not None


def test_a_part_of_a_budget_is_spent_to_its_end_and_what_may_follow_counts_as_left() -> None:
    purse = Purse(Budget(pages=2, requests=5))
    assert (purse.fetches_left(), purse.requests_left()) == (2, 5)
    purse.to_come.pages, purse.to_come.requests = 10, 1
    assert (purse.fetches_left(), purse.requests_left()) == (6, 6)
    assert [purse.reserve(page=True) for _ in range(3)] == [True, True, False]


def test_bytes_that_were_not_granted_yet_are_asked_for_before_anything_is_cut() -> None:
    purse = Purse(Budget(bytes=10))

    def more(wanted: int) -> None:
        purse.budget = Budget(bytes=min(25, (purse.budget.bytes or 0) + wanted))

    purse.more_bytes = more
    assert [purse.grant(8), purse.grant(8), purse.grant(8), purse.grant(8)] == [8, 8, 8, 1]


def test_a_purse_tells_what_it_holds_for_pages_under_way() -> None:
    purse = Purse(Budget(pages=5))
    assert [purse.reserve(page=True), purse.reserve(page=True), purse.reserve(page=False)] == [True, True, True]
    purse.page_over(kept=True)
    assert (purse.pages_held, purse.spent.pages) == (2, 1)
