from __future__ import annotations

import pytest

from dowse.lab.compare.plan import Plan, budget_requests, parse_strategy
from dowse.model.errors import DowseError
from dowse.model.topic import StrategyChoice


def test_strategies_with_and_without_parameters() -> None:
    assert parse_strategy("bfs") == StrategyChoice("bfs", {})
    assert parse_strategy("hybrid:a=1,robust=true,measure=link") == StrategyChoice(
        "hybrid", {"a": 1, "robust": True, "measure": "link"}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [("bfs:a", "is no strategy"), ("best-furst", "did you mean best-first"), ("bfs:a=1", "no parameter 'a'")],
)
def test_a_strategy_that_cannot_be_is_told_at_once(text: str, message: str) -> None:
    with pytest.raises(DowseError, match=message):
        Plan((text,))


@pytest.mark.parametrize(
    "wrong", [{"strategies": ()}, {"seed_sets": 0}, {"seeds": 0}, {"min_pages": 0}, {"examples": -1},
              {"examples": 0, "query": False}, {"budget": "lots"}, {"budget": "0r"}, {"budget": "9" * 400},
              {"seeds_kind": "middle"}],
)  # fmt: skip
def test_a_plan_that_cannot_be_run_is_told_at_once(wrong: dict[str, object]) -> None:
    with pytest.raises(DowseError):
        Plan(**{"strategies": ("bfs",), **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["0%", "0", "-3r", "20p", "", "1.5r", "0.001%"])
def test_a_budget_that_is_none(text: str) -> None:
    with pytest.raises(DowseError, match="no budget for the lab"):
        budget_requests(text, 1000)
