"""URLs of other shards: told there, never asked for here; and what others tell is taken up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from dowse.model.budget import Budget, Purse
from dowse.model.mention import Mention
from dowse.model.others import Letter
from dowse.model.page import Context
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR, SourcePage
from dowse.model.topic import Scope, Topic
from dowse.predict.learning import Learner
from tests.engine.life.made import Made, links_to

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


def test_an_address_that_is_kept_off_is_missed_as_soon_as_something_waits_there() -> None:
    made = shared(delay_s=1.0)
    made.seed(OURS)
    lease = made.lease()
    made.over(lease)
    made.sites.keep_off("192.0.2.0")
    assert made.sites.missed() == set(), "nothing is left to ask there"
    made.seed("http://a.test/2")
    made.clock.time += 100
    assert made.life.lease() is None
    assert made.sites.missed() == {"192.0.2.0"}
    assert made.sites.missed() == set(), "it is told once"
    made.sites.let_in("192.0.2.0", 5.0)
    made.sites.keep_off("192.0.2.0")
    assert made.sites.missed() == {"192.0.2.0"}, "what waits for its delay waits for it, too"


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


@dataclass
class TheOther(Shards):
    """Shard 1, whose hosts begin with ``b``."""

    def owner(self, url: str) -> int | None:
        return None if url.startswith("http://b") else 0


def learning(others: Shards | None) -> Made:
    made = Made("learning", others=others)
    made.seed(*(f"http://a.test/{n}" for n in range(12)))
    return made


def judged(made: Made, worth: float, *urls: str) -> None:
    """The next page of host ``a`` was judged, and has these links, each in contexts of its own."""
    lease = made.begun()
    made.over(lease)
    made.life.judged(lease, worth, worth >= 0.5)
    page = SourcePage(
        id=lease.candidate, site=lease.site.id, depth=0, ordinal=0, score=worth, relevant=worth >= 0.5,
        n_links=len(urls), worth=worth, url=lease.url,
    )  # fmt: skip
    links = links_to(*urls)
    similarity = np.linspace(0, worth, len(urls) * len(Context), dtype=np.float32).reshape(-1, len(Context))
    similarity[0, 0] = np.nan
    links = replace(
        links, similarity=similarity, anchors=[f"word{n}" for n in range(len(urls))],
        positions=5 * np.arange(len(urls), dtype=np.int32), paths=np.arange(1, len(urls) + 1, dtype=np.uint32),
    )  # fmt: skip
    made.life.admit_links(page, lease.url, links)
    made.open_all()


def mail(made: Made) -> list[Letter]:
    return [letter for batch in made.commit().batches for letter in batch.letters.values()]


def learner(made: Made) -> Learner:
    strategy = made.life._strategy
    assert isinstance(strategy, Learner)
    return strategy


def evidence(made: Made, url: str) -> dict[str, float]:
    """What is known of a URL, but for what pages are worth on average: that is learned from pages."""
    number = int(made.life._frontier.find(made.life._frontier.fingerprints([url]))[0])
    tables = learner(made)._tables
    tables.pages, tables.total = 100, 25.0
    rows = learner(made).memory.at(np.array([number]))
    return dict(zip(learner(made)._columns.names, tables.features(rows)[0].tolist(), strict=True))


STORY = ((0.9, (THEIRS, "http://b.test/y", "http://a.test/own")), (0.2, ("http://b.test/y", "http://b.test/z", THEIRS)))


def test_a_link_says_at_the_other_shard_what_it_says_where_its_page_was_judged() -> None:
    sender, receiver, alone = learning(Shards()), Made("learning", others=TheOther()), learning(None)
    for worth, urls in STORY:
        judged(sender, worth, *urls)
        judged(alone, worth, *urls)
    told = mail(sender)
    assert [(one.shard, one.url) for one in told] == [(1, url) for _, urls in STORY for url in urls if "b." in url]
    receiver.life.admit_letters(told)
    assert receiver.life.waiting == 3
    for url in (THEIRS, "http://b.test/y", "http://b.test/z"):
        here, there = evidence(receiver, url), evidence(alone, url)
        own = {name for name in here if name.startswith("siblings")}  # a page of the sender's is known there alone
        assert {name: here[name] for name in here.keys() - own} == {name: there[name] for name in here.keys() - own}
    receiver.open_all()
    assert sorted(receiver.disk.states()) == []
    parents = [row.parent for batch in receiver.commit().batches for row in batch.candidates]
    assert parents == [None, 0, 0, None, 3]
    assert receiver.disk.states()[0][:2] == (CandidateState.ELSEWHERE, "elsewhere")
    assert not mail(receiver), "whoever has judged a page need not be told of it"


def test_links_to_pages_that_were_judged_elsewhere_have_them_for_siblings() -> None:
    receiver, sender = Made("learning", others=TheOther()), learning(Shards())
    judged(sender, 0.9, THEIRS)
    receiver.seed("http://b.test/")
    lease = receiver.begun()
    receiver.over(lease)
    receiver.links(lease, "http://a.test/0", "http://b.test/new", score=0.1)
    assert evidence(receiver, "http://b.test/new")["siblings on the page, mean"] == 0.0
    receiver.life.admit_letters(mail(sender))
    assert evidence(receiver, "http://b.test/new")["siblings on the page, mean"] > 0.1


def test_after_a_stop_links_of_others_say_what_they_said_and_count_for_no_page() -> None:
    sender, receiver = learning(Shards()), Made("learning", others=TheOther())
    for worth, urls in STORY:
        judged(sender, worth, *urls)
    receiver.life.admit_letters(mail(sender))
    one, again = learner(receiver), Learner()
    again.memory.load(0, one.memory.rows(range(one.memory.count)))
    again.restore(one.state())
    ids = np.arange(one.memory.count)
    assert again.value(ids)[1].tolist() == one.value(ids)[1].tolist()
    assert (again._tables.pages, again._answers.asked) == (one._tables.pages, one._answers.asked) == (0, 0)
    assert again.own_part() is None


def test_of_a_url_that_all_pages_link_to_eight_links_are_told() -> None:
    sender = learning(Shards())
    for _ in range(11):
        judged(sender, 0.5, THEIRS)
    assert len(mail(sender)) == 8


def test_a_page_tells_more_of_its_links_when_its_worth_is_another() -> None:
    receiver = Made("learning", others=TheOther())
    for number, worth in enumerate((0.25, 0.75)):
        sender = learning(Shards())
        judged(sender, worth, f"http://b.test/{number}")
        receiver.life.admit_letters(mail(sender))
    assert [evidence(receiver, f"http://b.test/{number}")["best page"] for number in range(2)] == [0.75, 0.75]


def test_what_is_told_of_a_link_comes_back_and_damage_is_left_out() -> None:
    sender = learning(Shards())
    judged(sender, 0.75, THEIRS)
    [letter] = mail(sender)
    assert letter.mention is not None
    told = Mention.unpacked(letter.mention)
    assert Mention.unpacked(told.packed()).packed() == letter.mention
    assert (told.page_url, told.worth, told.anchor) == ("http://a.test/0", 0.75, "word0")
    assert (told.position, told.path) == (0, 1)
    receiver = Made("learning", others=TheOther())
    for bad in (b"", letter.mention[:20], b"\xff" * 80, replace(told, page_url="no URL").packed()):
        receiver.life.admit_letters([replace(letter, mention=bad)])
    assert receiver.life.waiting == 1, "by its value"
    assert [row.url for batch in receiver.commit().batches for row in batch.candidates] == [THEIRS]


def test_a_strategy_that_does_not_go_by_links_takes_the_value() -> None:
    sender, receiver = learning(Shards()), shared(shards=TheOther())
    judged(sender, 0.9, THEIRS)
    [letter] = mail(sender)
    receiver.life.admit_letters([letter])
    receiver.commit()
    assert receiver.disk.priorities() == {0: letter.value}
