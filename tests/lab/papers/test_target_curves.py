from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.summary_table import summarise
from dowse.lab.papers.target_curves import harvest_curves, length_curves, recall_curves
from dowse.model.errors import UserError
from tests.lab import compared
from tests.lab.compare.test_target_lengths import run


def last(results: list[RunResult], measure: str) -> dict[str, float]:
    return {row["strategy"]: row[measure]["mean"] for row in summarise(results)}  # type: ignore[literal-required]


def test_harvest_and_recall_end_where_the_summary_says() -> None:
    results = compared.results(topics=3, seed_sets=2, budget=300)
    for curves, measure in ((harvest_curves(results, 1_500), "harvest"), (recall_curves(results, 1_500), "recall")):
        assert {curve.strategy: curve.height[-1] for curve in curves} == pytest.approx(last(results, measure))
        assert {float(curve.at[-1]) for curve in curves} == {20.0}, "in percent of the corpus"
        assert curves[0].strategy == "oracle-path"
    assert all(curve.at[0] > 0 for curve in harvest_curves(results, 1_500)), "nothing was fetched before that"


def test_lengths_grow_to_a_hundred_times_the_links_a_target() -> None:
    results = compared.results(topics=3, seed_sets=2, budget=300)
    curves = {curve.strategy: curve for curve in length_curves(results)}
    expected = {name: 100 * links for name, links in last(results, "links_per_target").items() if links is not None}
    assert {name: curve.height[-1] for name, curve in curves.items()} == pytest.approx(expected)
    assert {"oracle-path", "hybrid", "bfs"} <= set(curves)
    for curve in curves.values():
        assert curve.at.tolist() == list(range(101))
        assert curve.height[0] == 0
        assert (np.diff(curve.height) > 0).all()


def test_every_topic_weighs_the_same() -> None:
    """One target two links away, and four that are six away: half of the way to each."""
    results = [run("best-first", [2], "a"), run("best-first", [6, 6, 6, 6], "b")]
    [curve] = length_curves(results)
    assert curve.height[[50, 100]].tolist() == pytest.approx([200, 400])


def test_who_did_not_find_so_many_has_no_curve() -> None:
    results = [run("best-first", [1, 1]), run("bfs", [1, 2, 3]), run("random", [9]), run("oracle-path", None)]
    assert {curve.strategy for curve in length_curves(results)} == {"best-first", "bfs"}
    with pytest.raises(UserError, match="a strategy found no target; raise --budget"):
        length_curves([run("best-first", []), run("bfs", [1, 2])])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_sums_at_the_targets_themselves(distances: list[int]) -> None:
    """Where a target lies on the axis of a hundred, the height is the sum so far, on the same scale."""
    [curve] = length_curves([run("best-first", distances)])
    for place in range(len(distances) + 1):
        at = 100 * place / len(distances)
        if at.is_integer():
            assert curve.height[int(at)] == pytest.approx(100 / len(distances) * sum(distances[:place]))
