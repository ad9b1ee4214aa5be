from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from dowse.store.times import iso


@given(st.floats(-1e9, 1e11))
@example(0.9999995)
@example(1.9999999)
@example(-0.0)
@example(1763275000.0000005)
def test_times_are_written_as_datetime_writes_them(at: float) -> None:
    assert iso(at) == datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")[:-6] + "Z"
