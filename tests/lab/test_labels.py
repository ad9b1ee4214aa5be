from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.labels import spread


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_keep_their_order_and_distance(wanted: list[float]) -> None:
    places = spread(wanted, 0.0, 300.0, 38.0)
    step = min(38.0, 300.0 / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], -i))
    gaps = [places[b] - places[a] for a, b in pairwise(order)]
    assert all(gap >= step - 1e-6 for gap in gaps)
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in places)
    if all(wanted[b] - wanted[a] >= step for a, b in pairwise(order)):
        assert places == wanted
