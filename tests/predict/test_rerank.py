from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.predict.rerank import Sweep

_AT_ONCE = 512


def everything(ids: np.ndarray) -> np.ndarray:
    return np.ones(len(ids), np.bool_)


@given(st.integers(1, 5_000), st.integers(0, 20), st.integers(1, 7))
def test_everything_is_ranked_within_a_bounded_number_of_pages(count: int, before: int, every: int) -> None:
    """However often a strategy changes its mind, no candidate waits longer than one round for the last of it."""
    sweep = Sweep()
    sweep.begin(count)
    for _ in range(before):
        sweep.some(count, everything)
    pages = -(-count // _AT_ONCE) + 1  # one more where the round does not begin at its beginning
    seen: set[int] = set()
    for page in range(pages):
        if page % every == 0:
            sweep.begin(count)
        ids = sweep.some(count, everything)
        seen.update([] if ids is None else ids.tolist())
    assert seen == set(range(count))


def test_it_rests_when_all_is_done_and_leaves_out_what_does_not_wait() -> None:
    sweep = Sweep()
    assert sweep.some(10, everything) is None
    sweep.begin(10)
    ids = sweep.some(10, lambda ids: ids % 2 == 0)
    assert ids is not None
    assert ids.tolist() == [0, 2, 4, 6, 8]
    assert sweep.some(10, everything) is None
    other = Sweep()
    other.restore(sweep.state())
    other.begin(3)
    found = other.some(12, everything)
    assert found is not None
    assert found.tolist() == [10, 11]
