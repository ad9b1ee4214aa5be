from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.draw.axes import Panel, across, heading, spread, steps, thinned
from dowse.lab.draw.drawing import Text
from dowse.lab.draw.text_fit import text_width


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


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_keep_their_order_and_distance(wanted: list[float]) -> None:
    places = spread(wanted, 0.0, 300.0, 38.0)
    step = min(38.0, 300.0 / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    gaps = [places[b] - places[a] for a, b in pairwise(order)]
    assert all(gap >= step - 1e-6 for gap in gaps)
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in places)
    if all(wanted[b] - wanted[a] >= step for a, b in pairwise(order)):
        assert places == wanted


@given(st.integers(1, 10**9))
def test_numbers_below_a_panel_stay_inside_the_picture(most_x: int) -> None:
    panel = Panel(60, 10, 320, 100, most_x, 1)
    for mark in across(panel, "", 384):
        assert isinstance(mark, Text)
        wide = text_width(mark.text, mark.size)
        assert mark.x + (0 if mark.anchor == "end" else wide / 2) <= 384


def test_a_title_takes_two_lines_at_most_and_a_note_one() -> None:
    marks, height = heading("Wide words " * 50, "a note " * 90, 20, 800)
    assert len(marks) == 3
    assert height > max(mark.y for mark in marks if isinstance(mark, Text))
    assert all(text_width(mark.text, mark.size, bold=mark.bold) <= 800 for mark in marks if isinstance(mark, Text))
