from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.compare.plan import REFERENCES, Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.papers.paper_figures import PAPERS
from dowse.predict import NEED_TRACES, STRATEGIES
from tests.lab.compare.webs import write_labelled

PLAN = Plan(("best-first",), budget="20%", seed_sets=2, seeds=2, examples=4, min_pages=20)
LABELS = ["solar cells", "rare", "bread"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


@pytest.mark.parametrize("name", PAPERS)
def test_any_number_of_processes_draws_the_same_curves(folder: Path, name: str) -> None:
    told: list[tuple[int, int]] = []
    plan = replace(PLAN, strategies=("learning",)) if name in ("ag-6", "ag-7") else PLAN
    one = PAPERS[name].curves(folder, plan, LABELS, told=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]
    for kept in folder.rglob("runs/*.json"):
        kept.unlink()
    two = PAPERS[name].curves(folder, plan, LABELS, jobs=2)
    assert [unfit.label for unfit in one.unfit] == [unfit.label for unfit in two.unfit] == ["rare"]
    assert len(one.curves) == len(two.curves) > 1
    for ours, theirs in zip(one.curves, two.curves, strict=True):
        assert (ours.strategy, ours.kind, ours.runs) == (theirs.strategy, theirs.kind, theirs.runs)
        for column in ("at", "height", "low", "high"):
            assert np.array_equal(getattr(ours, column), getattr(theirs, column), equal_nan=True)


@pytest.mark.parametrize("name", ["gt-5", "gt-6", "gt-7", "ag-linkage"])
def test_runs_that_are_kept_are_not_run_again(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PAPERS[name].kept
    before = PAPERS[name].curves(folder, PLAN, ["bread"]).curves

    def never(*_: object) -> None:
        raise AssertionError("it was run again")

    monkeypatch.setattr(TopicRuns, "run", never)
    assert [curve.strategy for curve in PAPERS[name].curves(folder, PLAN, ["bread"]).curves] == [
        curve.strategy for curve in before
    ]


def test_references_take_part_where_they_make_sense(folder: Path) -> None:
    drawn = {name: PAPERS[name].curves(folder, PLAN, ["solar cells"]).curves for name in ("gt-5", "gt-6", "gt-7")}
    names = {name: {curve.strategy for curve in curves} for name, curves in drawn.items()}
    assert names["gt-5"] == names["gt-6"] == {"best-first", *REFERENCES}
    assert {"best-first", "bfs", "oracle-path", "oracle-greedy"} <= names["gt-7"]
    assert "knapsack" not in names["gt-7"], "it follows no links"


def test_lift_is_told_of_every_strategy_against_breadth_first_and_best_first(folder: Path) -> None:
    figure = PAPERS["ag-linkage"]
    assert {*STRATEGIES, "learning:form=paper", "learning:combine=logs"} - NEED_TRACES <= set(figure.strategies)
    assert set(figure.drawn) < set(figure.strategies)
    some = replace(PLAN, strategies=("dfs", "learning:form=paper", "tunnel:form=max"), seed_sets=1)
    table = figure.curves(folder, some, ["solar cells"]).table
    against = {row.strategy: [other for other, _ in row.against] for row in table}
    both = ["bfs", "best-first"]
    assert against == {
        "dfs": both, "learning:form=paper": both, "tunnel:form=max": both, "random": both, "bfs": ["best-first"],
        "best-first": ["bfs"],
    }  # fmt: skip


def test_the_tunnels_figures_show_the_papers_strategies(folder: Path) -> None:
    for name in ("gt-5", "gt-6", "gt-7"):
        assert {"best-first", "tunnel:form=paper", "tunnel:form=max", "tunnel"} == set(PAPERS[name].strategies)
