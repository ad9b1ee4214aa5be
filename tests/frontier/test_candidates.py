from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.frontier.candidates import Candidates, orders_of, priorities_of, priority_of

NUMBERS = st.lists(st.floats(allow_nan=False), min_size=1, max_size=50)


@given(NUMBERS)
def test_orders_sort_from_high_to_low_and_back(priorities: list[float]) -> None:
    values = np.array(priorities, np.float64)
    orders = orders_of(values)
    assert (priorities_of(orders) == values).all()
    assert [priority_of(order) for order in orders.tolist()] == values.tolist()
    by_order = values[np.argsort(orders, kind="stable")]
    assert (by_order == values[np.argsort(-values, kind="stable")]).all()


@given(st.lists(st.lists(st.text(max_size=20), max_size=9), max_size=30))
def test_paths_come_back(batches: list[list[str]]) -> None:
    columns = Candidates(capacity=1)
    everything = []
    for batch in batches:
        paths = [path.encode("utf-8", "ignore").decode() for path in batch]
        zeros = np.zeros(len(paths), np.int64)
        columns.extend(paths, zeros, 3, -1, 0, np.zeros(len(paths), np.uint64))
        everything += paths
    assert [columns.path(id_) for id_ in range(len(columns))] == everything
