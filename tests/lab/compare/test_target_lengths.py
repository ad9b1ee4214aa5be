from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.compare.run_results import Kind, RunResult
from dowse.lab.compare.target_lengths import comparable
from tests.lab.compare.test_summary_table import small

KINDS: dict[str, Kind] = {
    "best-first": "strategy", "hybrid": "strategy", "bfs": "baseline", "random": "baseline", "oracle-path": "oracle",
}  # fmt: skip


def run(strategy: str, distances: list[int] | None, topic: str = "t", seed_set: str = "s") -> RunResult:
    return small(strategy, topic, seed_set) | {"target_distances": distances, "kind": KINDS[strategy]}


def test_the_first_targets_of_each_as_many_as_the_worst_strategy_found() -> None:
    lengths = comparable([run("best-first", [1, 2, 3, 4]), run("hybrid", [5, 1, 1]), run("bfs", [1, 1, 1, 1, 1])])
    assert lengths.targets == {("t", "s"): 3}
    assert [lengths.sums(name) for name in ("best-first", "hybrid", "bfs")] == [
        {("t", "s"): 6}, {("t", "s"): 7}, {("t", "s"): 3},
    ]  # fmt: skip
    assert lengths.links_per_target("best-first") == {("t", "s"): 2}


def test_references_but_bfs_do_not_decide_and_may_have_none() -> None:
    lengths = comparable([run("best-first", [1, 2]), run("random", [9]), run("oracle-path", [1, 1, 1])])
    assert lengths.targets == {("t", "s"): 2}
    assert lengths.sums("random") == {}
    assert lengths.sums("oracle-path") == {("t", "s"): 2}


def test_a_mean_is_of_the_same_topics_and_seeds_for_all_or_of_none() -> None:
    lengths = comparable([
        run("best-first", [1, 2]), run("random", [9, 9]), run("best-first", [1, 2], "u"), run("random", [9], "u"),
    ])  # fmt: skip
    assert lengths.sums("random") == {}
    assert lengths.sums("random", "t") == {("t", "s"): 18}
    assert lengths.sums("random", "u") == {}


def test_nothing_found_and_no_links_followed() -> None:
    lengths = comparable([run("best-first", []), run("bfs", [1]), run("hybrid", None, "u"), run("bfs", [1, 4], "u")])
    assert lengths.targets == {("u", "s"): 2}
    assert lengths.sums("hybrid") == {}
    assert lengths.sums("bfs") == {("u", "s"): 5}
    assert comparable([]).targets == {}
    assert comparable([]).sums("bfs") == {}


cells = st.dictionaries(
    st.tuples(st.sampled_from("tu"), st.sampled_from("12")),
    st.dictionaries(st.sampled_from(sorted(KINDS)), st.none() | st.lists(st.integers(0, 9), max_size=6), min_size=1),
    max_size=4,
)


@given(cells)
def test_by_the_definition(made: dict[tuple[str, str], dict[str, list[int] | None]]) -> None:
    lengths = comparable([run(name, found, *cell) for cell, own in made.items() for name, found in own.items()])
    expected: dict[tuple[str, str], int] = {}
    for cell, own in made.items():
        deciding = (own.get(name) for name in ("best-first", "hybrid", "bfs"))
        fewest = min((len(distances) for distances in deciding if distances is not None), default=0)
        if fewest:
            expected[cell] = fewest
    assert lengths.targets == expected
    for name in KINDS:
        known = {cell: made[cell].get(name) or [] for cell in expected}
        if all(len(found) >= expected[cell] for cell, found in known.items()):
            assert lengths.sums(name) == {cell: sum(found[: expected[cell]]) for cell, found in known.items()}
        else:
            assert lengths.sums(name) == {}
