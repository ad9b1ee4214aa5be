from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.compare.comparison import compare
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.shard_choice import by_shards, shard_counts, sharing_of, without_sharing
from dowse.lab.replay.shared_replay import Sharing
from dowse.model.errors import DowseError
from tests.lab.compare.webs import write_many_sites


def test_a_strategy_says_how_it_is_shared() -> None:
    assert sharing_of("learning:shards=2,grants=even,learn=apart,by=host") == Sharing(
        2, by="host", promises=False, learning=False, every_s=1.0
    )
    assert without_sharing("hybrid:by=host,a=0.5,shards=2,b=0.1,learn=apart") == "hybrid:a=0.5,b=0.1"
    assert without_sharing("hybrid:a=0.5") == "hybrid:a=0.5"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bfs:shards=0", "shards is a number from 1 to 1024"),
        ("bfs:shards=two", "shards is a number"),
        ("bfs:shards=true", "shards is a number"),
        ("bfs:shards=2,grants=most", "grants is promise or even"),
        ("bfs:shards=2,learn=no", "learn is together or apart"),
        ("bfs:grants=even", "no parameter 'grants'"),
        ("bfs:shards=2,a=1", "no parameter 'a'"),
    ],
)
def test_one_that_cannot_be_is_told_at_once(text: str, says: str) -> None:
    with pytest.raises(DowseError, match=says):
        Plan((text,))


@pytest.mark.parametrize("text", ["", "two", "1,,2", "-1", "2.5"])
def test_numbers_of_shards(text: str) -> None:
    with pytest.raises(DowseError, match="--shards: write numbers"):
        shard_counts(text)


def test_shards_are_named_once() -> None:
    with pytest.raises(DowseError, match="names its shards"):
        by_shards(["learning:shards=2"], [4])


def test_shards_spend_what_one_engine_may(tmp_path: Path) -> None:
    """Each takes part as a strategy of its own, and finds other pages than one engine."""
    names = ("learning", "learning:shards=3,by=host", "learning:shards=3,by=host,learn=apart")
    plan = Plan(names, budget="80r", seed_sets=1, seeds=3, examples=4, min_pages=20)
    folder = write_many_sites(tmp_path)
    runs = {run["strategy"]: run for run in compare(folder, plan, ["solar cells"], keep=False).runs}
    assert [runs[name]["requests"] for name in names] == [80, 80, 80]
    assert len({tuple(runs[name]["relevant_at"]) for name in names}) == 3
    again = {run["strategy"]: run for run in compare(folder, plan, ["solar cells"], keep=False).runs}
    assert again == runs, "whenever it is run"
