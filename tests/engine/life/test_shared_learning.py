"""Strategy and judge are told as one; what is damaged is one told event, and changes nothing."""

from __future__ import annotations

import numpy as np

from dowse.engine.life.shared_learning import SharedLearning, _framed
from dowse.judge import LearnedJudge
from dowse.model.sharing import packed
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy
from tests.engine.life.made import Made
from tests.judge.learned.test_learned_judge import QUERY, seen
from tests.predict.learning.test_shards import learner


def judging(first: int) -> LearnedJudge:
    judge = LearnedJudge(QUERY)
    for id_ in range(first, first + 20):
        judge.add(id_, *seen(id_))
    return judge


class Shard:
    """A learner and a judge, and what they share."""

    def __init__(self, number: int, made: Made | None = None) -> None:
        self.strategy, self.judge = learner(number), judging(100 * number)
        parts = {"strategy": self.strategy, "judge": self.judge}
        self.shared = SharedLearning(parts, (made or Made()).sites.journal)


def events(made: Made) -> list[tuple[str, str]]:
    return [(row.kind, row.detail) for batch in made.commit().batches for row in batch.events]


def test_strategy_and_judge_are_told_together_and_again_when_either_has_more() -> None:
    one, other = Shard(1), Shard(2)
    first = one.shared.own()
    assert first is not None
    assert one.shared.own() is None
    other.shared.take(1, first)
    assert other.judge._others[1].pages == 20
    known = other.strategy._learned.known
    for id_ in range(500, 540):
        one.judge.add(id_, *seen(id_))
    again = one.shared.own()
    assert again is not None
    other.shared.take(1, again)
    assert other.judge._others[1].pages == 60
    assert other.strategy._learned.known == known, "that part was told again as it was"


def test_damage_is_told_once_a_shard_and_what_was_taken_up_stays() -> None:
    made = Made()
    one, other = Shard(1), Shard(2, made)
    good = one.shared.own()
    assert good is not None
    other.shared.take(1, good)
    before = dict(other.judge._others)
    part = packed({"pages": np.ones(1)})
    odd = [_framed({"judge": {"index": part}}), _framed({"strategy": {"sums": part}}), _framed({"judge": {"0": b""}})]
    odd.append(_framed({"judge": {str(number): part for number in range(101)}}))
    for bad in (b"?", good[:9], good[:-9], *odd):
        other.shared.take(1, bad)
    other.shared.take(1, _framed({"another": {"sums": b"?"}}))
    other.shared.take(3, b"?")
    assert other.judge._others == before
    assert [(kind, detail.partition(":")[0]) for kind, detail in events(made)] == [
        ("another shard's learning not taken up", "shard 1"), ("another shard's learning not taken up", "shard 3")
    ]  # fmt: skip


def test_a_strategy_that_learns_nothing_has_nothing_to_tell() -> None:
    parts = {"strategy": build_strategy(StrategyChoice("best-first"), seed_number=0), "judge": None}
    nothing = SharedLearning(parts, Made().sites.journal)
    assert nothing.own() is None
    told = Shard(1).shared.own()
    assert told is not None
    nothing.take(1, told)
