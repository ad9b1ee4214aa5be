from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.page import Bag


@given(st.dictionaries(st.integers(0, (1 << 32) - 1), st.floats(0.01, 2000), max_size=300))
def test_a_bag_is_unpacked_as_it_was_packed(counts: dict[int, float]) -> None:
    """To three digits of how often; what was stored once stays as it is."""
    terms = sorted(counts)
    bag = Bag(np.array(terms, np.uint32), np.array([counts[term] for term in terms], np.float32))
    found = Bag.unpacked(bag.packed())
    assert found.terms.tolist() == terms
    assert found.counts.tolist() == pytest.approx(bag.counts.tolist(), rel=1e-3)
    assert (found.terms.dtype, found.counts.dtype) == (bag.terms.dtype, bag.counts.dtype)
    assert found.packed() == bag.packed()
    assert len(bag.packed()) == 2 + 6 * len(terms)


@pytest.mark.parametrize("often", [np.nan, np.inf, -1.0])
def test_no_term_occurs_a_number_of_times_that_is_none(often: float) -> None:
    with pytest.raises(ValueError, match="is none"):
        Bag.unpacked(Bag(np.array([7], np.uint32), np.array([often], np.float32)).packed())
