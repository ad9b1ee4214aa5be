"""How many of the best waiting URLs may go."""

from __future__ import annotations

import pytest

from dowse.engine.life.tally import Tally
from dowse.engine.loop.dispatch import allowance
from dowse.model.topic import Target


@pytest.mark.parametrize(
    ("left", "target", "expected"),
    [
        (None, Target(), None),
        (3200, Target(), 200),
        (0, Target(), 8),
        (None, Target(relevant=100), 360),
        (320, Target(relevant=100), 20),
        (None, Target(value=25.0), 100),  # 20 more at a fifth a page
        (None, Target(relevant=10), 8),  # all are found
    ],
)
def test_the_strictest_count_decides(left: int | None, target: Target, expected: int | None) -> None:
    assert allowance(left, target, Tally(pages=25, relevant=10, value=5.0)) == expected


def test_before_the_first_value_a_quarter_a_page_is_expected() -> None:
    assert allowance(None, Target(value=10.0), Tally(pages=3)) == 40


def test_the_few_that_always_may_go_are_those_of_all_shards_together() -> None:
    assert [allowance(0, Target(), Tally(), part) for part in (1.0, 0.5, 0.25, 0.0)] == [8, 4, 2, 1]
