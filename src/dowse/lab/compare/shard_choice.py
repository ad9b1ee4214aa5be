"""A strategy that several shards follow together (docs/cluster.md), among the strategies of a comparison.

``learning:shards=4`` is the default strategy, crawled by four engines that have one budget. Beside ``shards`` may
stand ``grants=even`` (the budget is dealt evenly, not to those that promise most), ``learn=apart`` (none hears what the
others have learned), and ``by=host``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dowse.cluster.slots import SPREADS
from dowse.lab.replay.shared_replay import Sharing
from dowse.model.common_ground import SLOTS
from dowse.model.errors import UserError
from dowse.predict import split_strategy

__all__ = ["by_shards", "shard_counts", "sharing_of", "without_sharing"]

_SHARDS = "shards"
_CHOICES = {"grants": ("promise", "even"), "learn": ("together", "apart"), "by": SPREADS}
"""Each option of several shards; the first value is that of a live crawl that is told nothing."""
_EVERY_S = 1.0  # between beats, as live


def sharing_of(strategy: str) -> Sharing | None:
    """How a strategy's crawl is shared; None where one engine does it.

    >>> sharing_of("learning:shards=4,grants=even")
    Sharing(shards=4, by='domain', promises=False, learning=True, moving=False, every_s=1.0)
    >>> sharing_of("learning:t=0.5")
    """
    params = split_strategy(strategy)[1]
    if _SHARDS not in params:
        return None
    shards = params[_SHARDS]
    if isinstance(shards, bool) or not isinstance(shards, int) or not 1 <= shards <= SLOTS:
        raise UserError(f"{strategy!r}: shards is a number from 1 to {SLOTS}")
    chosen = {name: _chosen(strategy, params, name) for name in _CHOICES}
    return Sharing(
        shards, by=chosen["by"], promises=chosen["grants"] == "promise", learning=chosen["learn"] == "together",
        every_s=_EVERY_S,
    )  # fmt: skip


def _chosen(strategy: str, params: dict[str, Any], name: str) -> Any:
    choices = _CHOICES[name]
    value = params.get(name, choices[0])
    if value not in choices:
        raise UserError(f"{strategy!r}: {name} is {' or '.join(choices)}")
    return value


def without_sharing(strategy: str) -> str:
    """What each shard follows.

    >>> without_sharing("hybrid:a=0.5,shards=4,learn=apart"), without_sharing("learning:shards=2")
    ('hybrid:a=0.5', 'learning')
    """
    if _SHARDS not in split_strategy(strategy)[1]:
        return strategy
    name, _, rest = strategy.partition(":")
    own = [entry for entry in rest.split(",") if entry.partition("=")[0].strip() not in (_SHARDS, *_CHOICES)]
    return f"{name}:{','.join(own)}" if own else name


def shard_counts(text: str) -> tuple[int, ...]:
    """
    >>> shard_counts("1,2,4,8")
    (1, 2, 4, 8)
    """
    if not re.fullmatch(r"[0-9]{1,4}(,[0-9]{1,4})*", text.replace(" ", "")):
        raise UserError(f"--shards: write numbers, as in 1,2,4, not {text!r}")
    return tuple(dict.fromkeys(map(int, text.split(","))))


def by_shards(strategies: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    """Each strategy once a number of shards; 1 is one engine, as it is without shards.

    >>> by_shards(["learning", "hybrid:a=0.5"], [1, 4])
    ('learning', 'learning:shards=4', 'hybrid:a=0.5', 'hybrid:a=0.5,shards=4')
    """
    if named := [strategy for strategy in strategies if _SHARDS in split_strategy(strategy)[1]]:
        raise UserError(f"{named[0]!r} names its shards: leave out --shards")
    return tuple(
        strategy if count == 1 else f"{strategy}{',' if ':' in strategy else ':'}{_SHARDS}={count}"
        for strategy in strategies
        for count in counts
    )
