"""A slot goes from one life to another by letters: what is known there afterwards, and what is done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dowse.cluster.membership import Membership
from dowse.cluster.slots import even_owners, slot_of
from dowse.engine.life import Life
from dowse.engine.life.moving import Moves
from dowse.frontier import Errand
from dowse.model.clock import Clock
from dowse.model.common_ground import Slot
from dowse.model.errors import StoreError
from dowse.model.moved import MovedSite, Waits, Whole
from dowse.model.others import Letter
from dowse.model.page import Outcome
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR, SourcePage
from dowse.model.topic import Topic
from dowse.predict.learning.learner import Learner
from tests.engine.life.made import Made, links_to, row

_names = [f"h{number}.test" for number in range(100)]
OURS, THEIRS = (
    next(f"http://{name}/" for name in _names if slot_of(f"http://{name}/", "host") % 3 == owner) for owner in (0, 1)
)
SLOT = slot_of(OURS, "host")
OTHER = next(url for url in (f"http://{name}/" for name in _names) if slot_of(url, "host") % 3 == 0 and url != OURS)


class Shard(Made):
    """A life as one of three shards."""

    def __init__(self, number: int, delay_s: float = 0.0, strategy: str = "best-first") -> None:
        clock: Clock = Made().clock
        self.others = Membership(number, even_owners(3), "host", clock, polite=False)
        super().__init__(strategy, delay_s=delay_s, others=self.others)

    @property
    def moves(self) -> Moves:
        assert self.life.moves is not None
        return self.life.moves

    def told_to_give(self, slot: int, heir: int) -> None:
        self.others.learn([Slot(slot, self.others.shard, 0, heir)])
        self.moves.hold([slot])

    def letters(self) -> list[Letter]:
        """What it has written since this was last asked."""
        found = [
            letter
            for batch in self.commit().batches
            for letter in (*batch.letters.values(), *batch.passed_on)
        ]  # fmt: skip
        self.disk.batches.clear()
        return found

    def known(self, url: str) -> int:
        return int(self.life._frontier.find(self.life._frontier.fingerprints([url]))[0])

    def fetched(self, *links: str) -> str:
        """The best page comes, and has these links."""
        lease = self.begun()
        self.over(lease)
        self.links(lease, *links)
        self.life.end(lease, row(lease, Outcome.FETCHED, score=0.5))
        return lease.url


def moved() -> tuple[Shard, Shard, list[Letter]]:
    """A slot with a fetched page and two that wait has gone from the first shard to the second, by these letters."""
    giver, taker = Shard(0), Shard(1)
    giver.seed(OURS)
    assert giver.fetched(f"{OURS}1", f"{OURS}2") == OURS
    giver.letters()
    giver.told_to_give(SLOT, 1)
    assert not giver.moves.give(giver.others.leaving)
    return giver, taker, giver.letters()


def test_what_waits_waits_there_and_what_ended_is_known() -> None:
    giver, taker, letters = moved()
    assert giver.life.waiting == 0
    assert giver.others.owner(OURS) == 1
    taker.life.admit_letters(letters[:-1])
    assert (taker.life.waiting, taker.others.owner(OURS)) == (2, 0)
    taker.clock.time += 100
    assert taker.life.lease() is None, "the slot is not whole"
    taker.life.admit_letters(letters[-1:])
    taker.open_all()
    assert taker.others.owner(OURS) is None
    assert [taker.fetched(OURS), taker.fetched()] == [f"{OURS}1", f"{OURS}2"]
    assert taker.life.waiting == 0, "the first page is known"
    assert taker.state(taker.known(OURS)) == CandidateState.ENDED_ELSEWHERE


def test_a_slot_that_was_still_coming_is_held_after_a_restart() -> None:
    _, taker, letters = moved()
    taker.life.admit_letters(letters[:-1])
    for site in taker.sites.first(len(taker.sites)):
        site.held = False
    made = taker.life
    again = Life(Topic(query="x"), taker.sites, made._strategy, made._admission._scope, taker.clock)
    taker.clock.time += 100
    assert (again.waiting, again.lease()) == (2, None)
    again.admit_letters(letters[-1:])
    assert again.lease() is not None


def test_nothing_goes_while_something_is_under_way() -> None:
    shard = Shard(0)
    shard.seed(OURS, f"{OURS}1")
    lease = shard.begun()
    shard.told_to_give(SLOT, 1)
    assert shard.moves.give(shard.others.leaving), "it must be tried again"
    shard.over(lease)
    assert shard.moves.give(shard.others.leaving), "its page is not judged yet"
    shard.clock.time += 100
    assert shard.life.lease() is None, "nothing more is begun"
    shard.life.end(lease, row(lease, Outcome.FETCHED, score=0.5))
    assert not shard.moves.give(shard.others.leaving)
    assert shard.others.owner(OURS) == 1


def test_letters_for_who_had_the_slot_are_passed_on_behind_those_of_the_move() -> None:
    giver, taker, letters = moved()
    late = [Letter(9, 0, f"{OURS}late", 3, 0.25), Letter(10, 0, OURS, 1, 0.75)]
    giver.life.admit_letters(late)
    assert giver.life.waiting == 0
    passed = giver.letters()
    assert [(one.shard, one.url, one.depth, one.value) for one in passed] == [
        (1, f"{OURS}late", 3, 0.25), (1, OURS, 1, 0.75),
    ]  # fmt: skip
    taker.life.admit_letters(passed[:1])
    assert [one.shard for one in taker.letters()] == [0], "who does not have it yet sends it back"
    taker.life.admit_letters([*letters, *passed])
    assert taker.life.waiting == 3


def test_links_of_the_former_owner_become_letters() -> None:
    giver, _, _ = moved()
    giver.seed(OTHER)
    giver.fetched(f"{OURS}new", f"{OURS}1")
    assert (1, f"{OURS}new") in [(one.shard, one.url) for one in giver.letters()]


def test_what_the_former_owner_did_not_want_may_come_in_when_it_is_mentioned_again() -> None:
    _, taker, letters = moved()
    taker.seed(THEIRS)
    taker.fetched(f"{OURS}unwanted", f"{THEIRS}1")
    taker.life.admit_letters(letters)
    taker.open_all()
    waiting = taker.life.waiting
    assert taker.state(taker.known(f"{OURS}unwanted")) == CandidateState.ELSEWHERE
    taker.life.admit_letters([Letter(1, 1, f"{OURS}unwanted", 2, 0.5)])
    assert taker.state(taker.known(f"{OURS}unwanted")) == CandidateState.WAITING
    assert taker.life.waiting == waiting + 1


def test_a_site_goes_with_its_delay_its_pause_its_failures_and_what_was_read() -> None:
    giver, taker = Shard(0, delay_s=1.0), Shard(1, delay_s=1.0)
    giver.seed(OURS, f"{OURS}1")
    site = giver.sites.of(OURS)
    giver.sites.opened(site, "rules", 7.0)
    giver.sites.set_aside(site, 30.0)
    giver.sites._failures[site.id] = 5
    giver.sites.walked.append(f"{OURS}sitemap.xml")
    giver.told_to_give(SLOT, 1)
    giver.moves.give(giver.others.leaving)
    taker.life.admit_letters(giver.letters())
    there = taker.sites.of(OURS)
    assert (there.delay_s, there.ready_at - taker.clock.now(), there.errand) == (7.0, 30.0, Errand.ADDRESS)
    assert taker.sites._failures[there.id] == 5
    assert taker.sites.walked == [f"{OURS}sitemap.xml"]
    taker.clock.time += 29.0
    assert taker.life.lease() is None
    taker.clock.time += 2.0
    assert taker.life.lease() is not None


def test_a_closed_site_stays_closed() -> None:
    giver, taker = Shard(0), Shard(1)
    giver.seed(OURS)
    giver.sites.close(giver.sites.of(OURS), "gone", CandidateState.FAILED)
    giver.told_to_give(SLOT, 1)
    giver.moves.give(giver.others.leaving)
    taker.life.admit_letters([*giver.letters(), Letter(1, 1, f"{OURS}more", 1, 0.5)])
    assert (taker.sites.of(OURS).closed, taker.life.waiting) == ("gone", 0)


def test_seeds_keep_their_place_and_attempts_are_counted_on() -> None:
    giver, taker = Shard(0), Shard(1)
    giver.seed(OURS)
    lease = giver.begun()
    giver.over(lease)
    giver.life.wait(lease, "timeout")
    giver.told_to_give(SLOT, 1)
    giver.moves.give(giver.others.leaving)
    taker.life.admit_letters(giver.letters())
    taker.open_all()
    lease = taker.lease()
    assert taker.life.attempts(lease) == 1
    assert taker.life._frontier.priority(lease.candidate) > SEED_FLOOR


def test_a_slot_comes_back() -> None:
    giver, taker, letters = moved()
    taker.life.admit_letters(letters)
    taker.open_all()
    assert taker.fetched(f"{OURS}3") == f"{OURS}1"
    taker.letters()
    taker.others.learn([Slot(SLOT, 1, 1, 0)])
    taker.moves.hold([SLOT])
    assert not taker.moves.give(taker.others.leaving)
    giver.life.admit_letters(taker.letters())
    giver.open_all()
    assert giver.others.owner(OURS) is None
    assert {giver.fetched(), giver.fetched(OURS, f"{OURS}1")} == {f"{OURS}2", f"{OURS}3"}
    assert giver.life.waiting == 0


def test_damage_is_told() -> None:
    _, taker, letters = moved()
    whole = letters[-1]
    for bad in (b"\x83", b"\x80{", b"\x80{}x", b'\x80{"delay_s":-1}', b"\x82"):
        with pytest.raises(StoreError, match="damaged"):
            taker.life.admit_letters([replace(whole, mention=bad)])


def test_what_is_told_comes_back() -> None:
    site = MovedSite(1.5, 2.5, 3, 4, 5, "why", 6.5, ("a", "b"))
    assert MovedSite.unpacked(site.packed()) == site
    assert Waits.unpacked(Waits(300, 70_000, b"x").packed()) == Waits(255, 65_535, b"x")
    waits = Waits(1, 2, b"row", (("http://a.test/ä", 0.5), ("http://b.test/", 1.0)))
    assert Waits.unpacked(waits.packed()) == waits
    assert Whole.unpacked(Whole(1023, 1 << 40).packed()) == Whole(1023, 1 << 40)


def features(shard: Shard, *urls: str) -> list[list[float]]:
    """The evidence for URLs, as the strategy has it; what is learned of all pages is set aside."""
    strategy = shard.life._strategy
    assert isinstance(strategy, Learner)
    tables, found = strategy._tables, strategy.memory.at(np.array([shard.known(url) for url in urls]))
    columns = [n for n, name in enumerate(strategy._columns.names) if name not in ("tokens", "site")]
    tables.pages, tables.total = 100, 25.0
    told: list[list[float]] = tables.features(found)[:, columns].tolist()
    return told


def test_what_the_strategy_knows_of_a_url_goes_with_it() -> None:
    giver, taker = Shard(0, strategy="learning"), Shard(1, strategy="learning")
    giver.seed(OURS, OTHER)
    far, near = f"{OURS}far", f"{OURS}near"
    for urls, worth in (((near, f"{OURS}x"), 0.9), ((*(f"{OURS}{n}" for n in range(60)), far, near), 0.3)):
        lease = giver.begun()
        giver.over(lease)
        giver.life.judged(lease, worth, worth > 0.5)
        page = SourcePage(
            id=lease.candidate, site=lease.site.id, depth=0, ordinal=0, score=worth, relevant=worth > 0.5,
            n_links=len(urls), worth=worth, url=lease.url,
        )  # fmt: skip
        links = links_to(*urls)
        links = replace(links, similarity=links.similarity + np.float32(worth / 2))
        giver.life.admit_links(page, lease.url, links)
        giver.life.end(lease, row(lease, Outcome.FETCHED, score=worth))
    giver.letters()
    before = features(giver, far, near)
    giver.told_to_give(SLOT, 1)
    giver.moves.give(giver.others.leaving)
    letters = giver.letters()
    taker.life.admit_letters(letters)
    assert features(taker, far, near) == before
    known = taker.known(near)
    assert taker.life._strategy.refresh(known) == pytest.approx(taker.life._frontier.priority(known), rel=0.5)
    assert all(any(of) for of in before), "it is not nothing"
    damaged = [letter for letter in letters if letter.url == near]
    told = Waits.unpacked(damaged[0].mention or b"")
    assert len(told.pages) == 2
    with pytest.raises(StoreError, match="damaged"):
        Shard(1, strategy="learning").life.admit_letters([
            replace(damaged[0], mention=replace(told, pages=told.pages[:1]).packed())
        ])  # fmt: skip
