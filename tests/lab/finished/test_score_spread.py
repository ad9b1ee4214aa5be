from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.finished.score_spread import score_spread, sparks


@given(
    st.lists(st.floats(0, 1), max_size=40), st.floats(0.01, 1), st.sampled_from(["learned", "similarity"]),
    st.integers(2, 30),
)  # fmt: skip
def test_no_bin_has_pages_of_both_sides(scores: list[float], threshold: float, judge: str, bins: int) -> None:
    found = score_spread(np.array(scores), threshold, judge, bins)
    assert len(found.counts) == bins
    assert int(found.counts[found.below :].sum()) == sum(score >= found.threshold for score in scores)
    assert int(found.counts.sum()) == len(scores)
    assert found.near == sum(found.low <= score <= found.high for score in scores)
    assert (np.diff(found.edges) >= 0).all()
    bars = sparks(found)
    assert bars.index("|") == found.below
    assert [bar != "." for bar in bars.replace("|", "")] == [count > 0 for count in found.counts.tolist()]


def test_scores_that_are_no_chances_have_a_scale_of_their_own() -> None:
    found = score_spread(np.array([0.01, 0.05, 0.07, 0.2]), 0.06, "similarity", 10)
    assert found.top == 0.2
    assert (found.low, found.high) == pytest.approx((0.048, 0.072))
    assert found.near == 2
