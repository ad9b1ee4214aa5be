"""The table of numbers that strategies keep for each candidate."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.predict.memory import NumberTable


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64])
def test_rows_of_any_kind_of_number_are_kept_as_numbers(kind: type[np.generic]) -> None:
    table, ids = NumberTable(2, "made"), np.array([3, 0])
    table.put(ids, np.array([[1, 2], [3, 4]], kind))
    assert table.at(np.array([0, 1, 3])).tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
