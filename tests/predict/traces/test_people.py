"""What people tell of candidates: categories as signatures, what is told, and that all who wait have their turn."""

from __future__ import annotations

import numpy as np

from dowse.model.page import Bag
from dowse.model.strategy import SourcePage
from dowse.model.words import word_hash
from dowse.predict.traces.people import People
from dowse.predict.traces.reach import Reach
from tests.model.test_traces import made_of

SPORTS = 'category("sports") > 0.6'
LOWER = 0xFFFFFFFF


def people(readers: int = 8, pages: int = 40) -> People:
    """Half of them read the even pages, and half the odd ones."""
    rows = [(user, 600 * step + user, f"http://a.org/{page}") for user in range(1, readers + 1)
            for step, page in enumerate(range(user % 2, pages, 2))]  # fmt: skip
    return People(made_of(rows), robust=True, significance=2.0, reach=Reach(words=4))


def judged(some: People, id_: int, *, satisfies: bool, categories: tuple[str, ...] = (), words: int = 9) -> None:
    terms = np.unique(np.random.default_rng(id_).integers(1, 1 << 32, words, np.uint32))
    some.judged(SourcePage(
        id_, 0, 0, id_, float(satisfies), satisfies, 0, bag=Bag(terms, np.full(len(terms), 5, np.float32)),
        url=f"http://a.org/{id_}", categories=categories,
    ))  # fmt: skip


def test_a_category_is_a_signature_where_words_are_not() -> None:
    """No word is on two pages; that people who read about sports are those who go to the topic, the category tells."""
    some, without = people(), people()
    for id_ in range(30):
        on = id_ % 2 == 0
        judged(some, id_, satisfies=on, categories=(SPORTS,) if on else ())
        judged(without, id_, satisfies=on)
    for one in (some, without):
        one.met(np.array([100, 101]), ["http://a.org/38", "http://a.org/39"])
    signature = some.logs([100, 101])[:, 1].tolist()
    assert signature[0] > 0.3
    assert word_hash(SPORTS) & LOWER in dict(some.evidence.signatures.words(
        38, some.evidence.users(some.memory.page(100)), some.evidence.counted
    ))  # fmt: skip
    assert f"log interest ratio of {SPORTS} in what else they read" in some.told(100)
    assert f"log interest ratio of {SPORTS} in what else they read" not in some.told(101)


def test_what_is_told_is_told_after_a_stop() -> None:
    some, later = people(), people()
    for id_ in range(30):
        judged(some, id_, satisfies=id_ % 2 == 0, categories=(SPORTS,) if id_ % 2 == 0 else ())
    some.met(np.array([100]), ["http://a.org/38"])
    for id_, row in zip(*some.memory.changes(), strict=True):
        later.memory.load(id_, [row])
    later.restore(some.state())
    assert later.told(100) == some.told(100)
    assert np.array_equal(later.logs([100]), some.logs([100]))
    assert np.array_equal(later.now(100), some.now(100))


def test_categories_take_the_places_of_words() -> None:
    some = people()
    judged(some, 0, satisfies=True, categories=(SPORTS, "category(news)"), words=50)
    kept = some.memory.known[0].words
    assert len(kept) == 4
    assert {word_hash(SPORTS) & LOWER, word_hash("category(news)") & LOWER} <= set(kept.tolist())


def test_all_who_wait_are_valued_anew_in_turns() -> None:
    some = people(pages=200)
    ids = np.arange(100, 190)
    some.met(ids, [f"http://a.org/{id_}" for id_ in ids.tolist()])
    gone = {110, 150}
    for id_ in range(60):
        judged(some, id_, satisfies=id_ % 2 == 0)
    stale = some.logs(ids.tolist())
    seen: list[int] = []
    for _ in range(24):  # 88 wait, four at a time; and the last turn is short
        swept = some.sweep(lambda asked: np.array([id_ >= 100 and id_ not in gone for id_ in asked.tolist()], bool))
        assert len(swept) <= 4
        seen += swept
    assert set(seen) == set(ids.tolist()) - gone
    assert max(seen.count(id_) for id_ in seen) <= 2
    assert not np.array_equal(some.logs(ids.tolist()), stale)
    fresh = np.array([some.now(id_) for id_ in seen])
    assert np.allclose(some.logs(seen), fresh)
