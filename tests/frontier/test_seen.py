from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.seen import SeenSet

# Few distinct low bits, so that probe chains are long and wrap around.
KEYS = st.lists(st.integers(0, 63).map(lambda n: n * 1024) | st.integers(0, 2**64 - 1), unique=True, max_size=200)


@settings(max_examples=100, deadline=None)
@given(keys=KEYS, cuts=st.lists(st.integers(1, 60), max_size=20), absent=KEYS)
def test_behaves_like_a_dict(keys: list[int], cuts: list[int], absent: list[int]) -> None:
    seen = SeenSet(capacity=4)
    known: dict[int, int] = {}
    keys = [key for key in keys if key != 0] if 1 in keys else keys  # 0 and 1 share a slot mark by design
    while keys:
        size = cuts.pop() if cuts else len(keys)
        part, keys = keys[:size], keys[size:]
        ids = np.arange(len(known), len(known) + len(part))
        seen.add(np.array(part, np.uint64), ids)
        known.update(zip(part, ids.tolist(), strict=True))
    asked = list(known) + [key for key in absent if key > 1]
    found = seen.find(np.array(asked, np.uint64))
    assert found.tolist() == [known.get(key, -1) for key in asked]
    assert len(seen) == len(known)


def test_grows_without_losing_anything() -> None:
    seen = SeenSet()
    keys = np.random.default_rng(1).integers(2, 2**63, 50_000).astype(np.uint64)
    keys = np.unique(keys)
    for start in range(0, len(keys), 700):
        part = keys[start : start + 700]
        seen.add(part, np.arange(start, start + len(part)))
    assert (seen.find(keys) == np.arange(len(keys))).all()
    assert (seen.find(keys + np.uint64(1)) == -1).sum() > 49_000
