from __future__ import annotations

import time
from collections import Counter
from itertools import count, islice

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.frontier import Frontier
from dowse.frontier.table import Table
from dowse.frontier.traps import GrowthRules
from dowse.model.topic import Traps
from dowse.model.url import fingerprint

# Few distinct upper halves, at both ends of the table, so that probe chains are long and wrap around.
CROWDED = st.builds(
    lambda edge, n: (edge << 32) + n, st.sampled_from([0, 1, 2**32 - 1, 2**32 - 2, 2**31]), st.integers(0, 99)
)
KEYS = st.lists(CROWDED | st.integers(0, 2**64 - 1), unique=True, max_size=300)


def without_zero(keys: list[int]) -> list[int]:
    return [key for key in keys if key != 0]  # 0 and 1 are one by design


@settings(max_examples=150, deadline=None)
@given(keys=KEYS.map(without_zero), cuts=st.lists(st.integers(1, 150), max_size=20), absent=KEYS.map(without_zero))
def test_behaves_like_a_dict(keys: list[int], cuts: list[int], absent: list[int]) -> None:
    table = Table(capacity=4)
    known: dict[int, int] = {}
    while keys:
        size = cuts.pop() if cuts else len(keys)
        part, keys = keys[:size], keys[size:]
        ids = np.arange(len(known), len(known) + len(part))
        table.add(np.array(part, np.uint64), ids)
        known.update(zip(part, ids.tolist(), strict=True))
    asked = [*known, *absent]
    found = table.find(np.array(asked, np.uint64))
    assert found.tolist() == [known.get(key, -1) for key in asked] == [table.get(key) for key in asked]
    assert len(table) == len(known)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(CROWDED | st.integers(1, 9), max_size=120), max_size=8), st.booleans())
def test_counts_like_a_counter(batches: list[list[int]], together: bool) -> None:
    table = Table(capacity=4)
    counter: Counter[int] = Counter()
    for batch in map(without_zero, batches):
        counter.update(batch)
        if together:
            table.count_all(np.array(batch, np.uint64))
        else:
            for key in batch:
                table.count(key)
    assert {key: table.get(key) for key in counter} == dict(counter)
    assert len(table) == len(counter)


def test_grows_without_losing_anything() -> None:
    table = Table()
    keys = np.random.default_rng(1).integers(2, 2**64 - 2, 500_000, dtype=np.uint64)
    assert len(np.unique(keys)) == len(keys)
    for start in range(0, len(keys), 7000):
        part = keys[start : start + 7000]
        table.add(part, np.arange(start, start + len(part)))
    assert (table.find(keys) == np.arange(len(keys))).all()
    assert (table.find(keys + np.uint64(1)) == -1).sum() > len(keys) - 10
    assert table.nbytes / len(table) < 26


MANY = 50_000


def taken_up_in_s(urls: list[str], seed: int) -> float:
    """CPU seconds to take URLs up, as they come with pages."""
    frontier = Frontier(hash_seed=seed)
    started = time.process_time()
    for start in range(0, len(urls), 500):
        part = urls[start : start + 500]
        prints = frontier.fingerprints(part)
        assert (frontier.find(prints) < 0).all()
        frontier.add(part, prints, depth=1, parent=0, priorities=np.zeros(len(part)), now=0.0)
    return time.process_time() - started


def test_urls_made_to_crowd_cost_what_others_do() -> None:
    """Whoever knows how URLs are hashed finds 50,000 with equal leading bits in a second: those took 16 s."""
    named = (f"http://a.test/{number}" for number in count())
    crowded = list(islice((url for url in named if fingerprint(url) >> 60 == 5), MANY))
    others = [f"http://a.test/{number}" for number in range(MANY)]
    seed = 0x1234_5678_9ABC_DEF1
    ordinary = min(taken_up_in_s(others, seed) for _ in range(2))
    assert min(taken_up_in_s(crowded, seed) for _ in range(2)) < 5 * ordinary + 0.1


def test_patterns_made_to_crowd_cost_what_others_do() -> None:
    def counted_in_s(urls: list[str]) -> float:
        rules = GrowthRules(Traps(max_per_host=0), 0x1234_5678_9ABC_DEF1)
        started = time.process_time()
        for url in urls:
            rules.count(0, url)
        return time.process_time() - started

    rules = GrowthRules(Traps())
    named = (f"http://a.test/{number:x}g/1" for number in count())
    crowded = list(islice((url for url in named if rules.judged(0, url, relevant=True) >> 60 == 5), MANY // 5))
    others = [f"http://a.test/{number:x}g/1" for number in range(MANY // 5)]
    ordinary = min(counted_in_s(others) for _ in range(2))
    assert min(counted_in_s(crowded) for _ in range(2)) < 5 * ordinary + 0.1
