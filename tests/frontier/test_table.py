from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.table import Table

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
