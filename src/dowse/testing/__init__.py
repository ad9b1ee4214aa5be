"""What Dowse expects of a strategy and of a judge, as checks to run on your own.

Each check is a plain function that takes whatever makes a new strategy (or judge), and raises :class:`ContractBroken`,
an AssertionError, which says what was promised and what happened instead. With pytest::

    import pytest
    from dowse.testing import STRATEGY_CHECKS

    @pytest.mark.parametrize("check", STRATEGY_CHECKS)
    def test_contract(check):
        check(MyStrategy)

:func:`check_strategy` and :func:`check_judge` run all of them.
"""

from __future__ import annotations

from dowse.testing.contract import ContractBroken
from dowse.testing.judge_checks import JUDGE_CHECKS, check_judge
from dowse.testing.stories import Story, random_story
from dowse.testing.strategy_checks import BOUNDED_CHECKS, STRATEGY_CHECKS, check_strategy

__all__ = [
    "BOUNDED_CHECKS", "JUDGE_CHECKS", "STRATEGY_CHECKS", "ContractBroken", "Story", "check_judge", "check_strategy",
    "random_story",
]  # fmt: skip
