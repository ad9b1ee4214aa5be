from __future__ import annotations

import os
from pathlib import Path

import pytest

from dowse.lab.compare.each_topic import Task, each_topic
from dowse.lab.compare.plan import Plan
from dowse.model.errors import DowseError, UserError
from tests.lab.compare.webs import write_labelled

PLAN = Plan(("bfs",), seed_sets=2, examples=4, min_pages=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


def targets(task: Task) -> tuple[int, int]:
    """Called in another process: how many targets, and of how many seed sets."""
    return len(task.topic.targets), len(task.seeds)


def die(_: Task) -> None:
    os._exit(3)


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_labels_each_once(folder: Path, jobs: int) -> None:
    told: list[tuple[int, int]] = []
    labels = ["solar cells", "rare", "bread", "solar cells"]
    done = each_topic(targets, folder, PLAN, labels, jobs=jobs, told=lambda *at: told.append(at))
    assert list(done.found.items()) == [("solar cells", (36, 2)), ("bread", (76, 2))]
    assert [unfit.label for unfit in done.unfit] == ["rare"]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_what_cannot_be_worked_on_is_told(folder: Path) -> None:
    with pytest.raises(UserError, match="has the label 'none'"):
        each_topic(targets, folder, PLAN, ["bread", "none"], jobs=2)
    with pytest.raises(UserError, match="no label takes part"):
        each_topic(targets, folder, PLAN, [])
    with pytest.raises(DowseError, match=r"try --jobs 1$"):
        each_topic(die, folder, PLAN, ["bread", "solar cells"], jobs=2)
    with pytest.raises(DowseError, match=r"try --jobs 1; all is well$"):
        each_topic(die, folder, PLAN, ["bread", "solar cells"], jobs=2, kept="all is well")
