from __future__ import annotations

import math

import pytest

from dowse.predict.learning.strength import strength, strongest


def test_a_rare_word_can_neither_veto_nor_crown() -> None:
    assert strength(1, 1.0, 0.1).interest < 2
    assert strength(100, 100.0, 0.1).interest > 9
    assert strength(1, 0.0, 0.1).interest > 0.9
    assert strength(0, 0.0, 0.3).interest == 1
    assert strength(0, 0.0, 0.3).z == 0


def test_significance_by_its_own_count() -> None:
    assert strength(25, 15.0, 0.2).z == pytest.approx(0.4 / math.sqrt(0.2 * 0.8 / 25))


def test_the_strongest_for_and_against() -> None:
    rows = [("often", 100.0, 90.0), ("good", 50.0, 50.0), ("rare", 4.0, 4.0), ("bad", 50.0, 0.0), ("usual", 90.0, 45.0)]
    above, below = strongest(rows, 0.5, 5)
    assert [name for name, _ in above] == ["good", "often"], "4 pages are too few"
    assert [name for name, _ in below] == ["bad"]
    assert [name for name, _ in strongest(rows, 0.5, 1)[0]] == ["good"]
