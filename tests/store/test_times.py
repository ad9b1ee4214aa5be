from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from dowse.store.times import iso, seconds


@given(st.floats(-1e9, 1e11))
@example(0.9999995)
@example(1.9999999)
@example(-0.0)
@example(1763275000.0000005)
def test_times_are_written_as_datetime_writes_them(at: float) -> None:
    assert iso(at) == datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


@given(st.floats(allow_nan=True, allow_infinity=True))
@example(291_764_000_000.0)  # the year 11216
@example(253402300799.9999999)
@example(-62135596800.5)
def test_any_clock_is_written_down(at: float) -> None:
    text = iso(at)
    assert len(text) == 27
    assert seconds(text) <= 253402300799
    if -62135596800 <= at <= 253402300799:
        assert abs(seconds(text) - at) < 1e-3
    assert (iso(float("-inf")) <= text <= iso(float("inf"))) or at != at
