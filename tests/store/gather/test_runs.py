"""Runs of shards as runs of the crawl."""

from __future__ import annotations

from dowse.store.gather.runs import ShardRun, joined_runs

BY = ("learned", 0.5, 1, 10, "", None)


def run(shard: int, start: str, end: str | None, reason: str | None = "empty", reached: str = "") -> ShardRun:
    return ShardRun(shard, start, end, reached or start, reason, BY)


def told(*runs: ShardRun) -> list[tuple[str, str | None, str | None]]:
    return [row[:3] for row in joined_runs(runs, alone=False)]


def test_what_goes_on_at_the_same_time_is_one_run() -> None:
    assert told(run(0, "01", "09"), run(1, "02", "08")) == [("01", "09", "empty")]


def test_a_shard_that_was_started_again_in_between_makes_no_further_run() -> None:
    again = (run(1, "02", None, "interrupted", reached="04"), run(1, "05", "09"))
    assert told(run(0, "01", "09"), *again) == [("01", "09", "empty")]


def test_a_crawl_that_was_resumed_has_two_runs() -> None:
    first = (run(0, "01", "05", "budget: pages"), run(1, "02", "05", "budget: pages"))
    second = (run(0, "10", "20"), run(1, "11", "20"))
    assert told(*first, *second) == [("01", "05", "budget: pages"), ("10", "20", "empty")]


def test_a_run_ends_when_all_its_shards_have() -> None:
    assert told(run(0, "01", "05"), run(1, "02", None, None)) == [("01", None, None)]


def test_a_run_that_was_killed_as_a_whole_was_interrupted() -> None:
    killed = (run(0, "01", None, "interrupted", reached="04"), run(1, "02", None, "interrupted", reached="05"))
    assert told(*killed, run(0, "10", "20"), run(1, "11", "20")) == [("01", None, "interrupted"), ("10", "20", "empty")]


def test_figures_are_those_of_the_model_that_was_made_of_most_and_verdicts_of_a_shard_alone() -> None:
    one = ShardRun(0, "01", "09", "01", "empty", ("learned", 0.4, 3, 10, "", "{}"))
    two = ShardRun(1, "01", "09", "01", "empty", ("learned", 0.6, 2, 20, "vague", "{}"))
    assert joined_runs([one, two], alone=False) == [("01", "09", "empty", "learned", 0.6, 2, 20, "vague", None)]
    assert joined_runs([one], alone=True) == [("01", "09", "empty", "learned", 0.4, 3, 10, "", "{}")]
