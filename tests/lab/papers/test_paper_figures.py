from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.compare.comparison import kept_runs
from dowse.lab.compare.each_topic import Task, opened, topic_and_seeds
from dowse.lab.compare.plan import REFERENCES, Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Unfit
from dowse.lab.papers.affinity_curves import REUSED
from dowse.lab.papers.paper_figures import PAPERS
from dowse.lab.papers.people_curves import BEST
from dowse.lab.papers.reuse_curves import FRESH
from dowse.model.errors import UserError
from dowse.predict import NEED_TRACES, STRATEGIES
from tests.lab.compare.webs import with_people, write_labelled

PLAN = Plan(("best-first",), budget="20%", seed_sets=2, seeds=2, examples=4, min_pages=20)
LABELS = ["solar cells", "rare", "bread"]


_OF_STRATEGIES = ("ag-4", "ag-5", "ag-traces")  # which have no references


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_people(write_labelled(tmp_path_factory.mktemp("web"), also=True))


@pytest.mark.parametrize("name", PAPERS)
def test_any_number_of_processes_draws_the_same_curves(folder: Path, name: str) -> None:
    told: list[tuple[int, int]] = []
    alone = {"ag-6-linkage": "learning", "ag-7-linkage": "learning", "ag-6": "traces", "ag-7": "traces"}.get(name)
    plan = PLAN if alone is None else replace(PLAN, strategies=(alone,))
    plan = replace(plan, seed_sets=1) if name in ("ag-2", "ag-3") else plan
    one = PAPERS[name].curves(folder, plan, LABELS, told=lambda *at: told.append(at))
    topics = 2 if name in ("ag-4", "ag-5") else 3  # a label without a word of its own makes none
    assert told == [(one, topics) for one in range(1, topics + 1)]
    for kept in folder.rglob("runs/*.json"):
        kept.unlink()
    two = PAPERS[name].curves(folder, plan, LABELS, jobs=2)
    assert [unfit.label for unfit in one.unfit] == [unfit.label for unfit in two.unfit] == ["rare"]
    assert len(one.curves) == len(two.curves) > (0 if name in _OF_STRATEGIES else 1)
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


def test_traces_stand_against_the_best_of_five_crawls_by_links(folder: Path) -> None:
    plan = replace(PLAN, strategies=("traces",), seed_sets=1)
    drawn = PAPERS["ag-2"].curves(folder, plan, ["solar cells"])
    best = max(drawn.table, key=lambda row: row.strategy == BEST)
    assert {row.strategy for row in drawn.table} == {"traces", BEST}
    plan = replace(plan, strategies=("learning",), seed_sets=6)
    own = [run["auc"] or 0.0 for run in kept_runs(_task(folder, plan), keep=False)]
    assert best.area.mean == max(own[1:])


def _task(folder: Path, plan: Plan) -> Task:
    corpus, web = opened(folder)
    made = topic_and_seeds(corpus, plan, "solar cells")
    assert not isinstance(made, Unfit)
    return Task(corpus, web, plan, *made)


def test_users_are_known_from_an_earlier_trace(folder: Path) -> None:
    plan = replace(PLAN, strategies=("traces",), seed_sets=1)
    drawn = PAPERS["ag-6"].curves(folder, plan, ["solar cells"])
    assert {row.strategy for row in drawn.table} == {FRESH, REUSED}
    assert drawn.notes == ["of 8 users of the later trace, 8 were in the earlier one"]
    with pytest.raises(UserError, match="goes by the corpus' own people"):
        PAPERS["ag-6"].curves(folder, replace(plan, strategies=("learning",)), ["solar cells"])


def test_the_best_of_five_begins_elsewhere_each_time(folder: Path) -> None:
    with pytest.raises(UserError, match="roots are always the same"):
        PAPERS["ag-2"].curves(folder, replace(PLAN, seeds_kind="roots"), ["bread"])
