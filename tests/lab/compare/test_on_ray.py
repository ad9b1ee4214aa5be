"""The lab's comparison on a Ray cluster of this machine: the same runs as here, to the last digit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.cluster.on_ray import connect
from dowse.engine.workers.calls import WorkerDied
from dowse.lab.compare.comparison import compare
from dowse.lab.compare.each_topic import each_item
from dowse.lab.compare.on_ray import RayHands
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import open_corpus
from dowse.model.errors import DowseError, UserError
from tests.lab.compare.webs import write_many_sites

pytest.importorskip("ray")
pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]  # Ray gives up where a busy machine takes long to start it

PLAN = Plan(("learning", "learning:shards=2", "hybrid"), budget="60r", seed_sets=2, examples=4, min_pages=20)
LABELS = ["solar cells", "rare", "bread"]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = connect("")
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_many_sites(tmp_path_factory.mktemp("web"))
    with (folder / "labels.csv").open("a") as stream:
        stream.write("http://h0.test/0,rare\n")
    return folder


@pytest.mark.parametrize("places", [1, 8])
def test_the_same_runs_as_here(ray: Any, folder: Path, places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a topic is one task or several."""
    hands = RayHands(ray, folder, open_corpus(folder, jobs=1).digest)
    monkeypatch.setattr(RayHands, "places", places)
    told: list[tuple[int, int]] = []
    there = compare(folder, PLAN, LABELS, keep=False, hands=hands, told=lambda *at: told.append(at))
    assert there == compare(folder, PLAN, LABELS, keep=False)
    assert told[-1] == (3, 3)


def test_what_is_wrong_there_is_told_here(ray: Any, folder: Path) -> None:
    with pytest.raises(UserError, match="has the label 'none'"):
        compare(folder, PLAN, ["none"], hands=RayHands(ray, folder, open_corpus(folder, jobs=1).digest))
    with pytest.raises(UserError, match=r"of the cluster: its .* holds another corpus"):
        compare(folder, PLAN, LABELS, hands=RayHands(ray, folder, "0"))
    with pytest.raises(DowseError, match=r"is no folder.*; all nodes must see the corpus at the same path"):
        compare(folder, PLAN, LABELS, hands=RayHands(ray, folder / "nowhere", "0"))


def test_a_process_that_dies_over_its_work(ray: Any, folder: Path) -> None:
    hands = RayHands(ray, folder, open_corpus(folder, jobs=1).digest)
    with pytest.raises(WorkerDied, match="a process died while it ran a topic; all is well"):
        each_item(die, ["bread"], hands=hands, kept="all is well")


def die(_: str) -> None:
    os._exit(3)


def test_runs_are_kept(ray: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, strategies=("bfs",))
    there = compare(folder, plan, LABELS, hands=RayHands(ray, folder, open_corpus(folder, jobs=1).digest))
    monkeypatch.setattr("dowse.lab.compare.topic_runs.TopicRuns.run", None)
    assert compare(folder, plan, LABELS) == there
