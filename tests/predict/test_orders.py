from __future__ import annotations

import numpy as np
import pytest

from dowse.model.errors import TopicError
from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy, describe


def rank(name: str, *, ordinal: int = 0, score: float = 0.5, depths: list[int], current: list[float],
         sites: list[int] | None = None, seed_number: int = 0) -> list[float]:  # fmt: skip
    n = len(depths)
    page = SourcePage(id=9, site=0, depth=0, ordinal=ordinal, score=score, relevant=True, n_links=n)
    zeros = np.zeros(n, np.float32)
    view = LinkView(
        np.arange(n), np.array(sites or [0] * n), np.array(depths), zeros, np.zeros((n, len(Context)), np.float32),
        np.array(current),
    )  # fmt: skip
    return list(build_strategy(StrategyChoice(name), seed_number=seed_number).rank(page, view).tolist())


NEW = float("nan")


def test_bfs_prefers_the_nearest_and_never_lowers() -> None:
    assert rank("bfs", depths=[1, 3, 3], current=[NEW, NEW, -2.0]) == [-1, -3, -2]


def test_dfs_prefers_the_newest_page() -> None:
    assert rank("dfs", ordinal=4, depths=[1, 2], current=[NEW, 1.0]) == [4, 4]


def test_best_first_takes_the_best_parent() -> None:
    assert rank("best-first", score=0.4, depths=[1, 1, 1], current=[NEW, 0.1, 0.7]) == [0.4, 0.4, 0.7]


def test_random_depends_on_the_seed_number_only() -> None:
    first = rank("random", depths=[1] * 500, current=[NEW] * 500, seed_number=1)
    assert first == rank("random", ordinal=8, score=0.1, depths=[2] * 500, current=[0.3] * 500, seed_number=1)
    assert first != rank("random", depths=[1] * 500, current=[NEW] * 500, seed_number=2)
    assert 0.4 < np.mean(first) < 0.6


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (StrategyChoice("best-frist"), "did you mean best-first"),
        (StrategyChoice("bfs", {"alpha": 1}), "has no parameter 'alpha'"),
    ],
)
def test_wrong_choices_say_what_to_change(choice: StrategyChoice, words: str) -> None:
    with pytest.raises(TopicError, match=words):
        build_strategy(choice, seed_number=0)


def test_every_strategy_has_a_line_for_help() -> None:
    assert describe("bfs") == "Nearest to a seed first."
