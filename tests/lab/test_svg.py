from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.svg import steps, thinned


@given(st.integers(0, 10_000), st.integers(2, 700))
def test_thinning_keeps_both_ends_and_its_limit(count: int, limit: int) -> None:
    kept = thinned(count, limit).tolist()
    assert len(kept) == min(count, limit)
    assert kept == sorted(set(kept))
    if count:
        assert (kept[0], kept[-1]) == (0, count - 1)


@given(st.floats(0.01, 1e9), st.integers(2, 8), st.booleans())
def test_steps_are_round_and_few(top: float, most: int, whole: bool) -> None:
    values = steps(top, most, whole=whole)
    assert values[0] == 0
    assert len(values) <= most + 1
    assert values[-1] <= top * (1 + 1e-6)
    if len(values) > 1:
        step = values[1] - values[0]
        assert f"{step:e}"[0] in "125"
        assert np.allclose(np.diff(values), step)
