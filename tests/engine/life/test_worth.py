"""Priorities follow what pages and prices tell; nobody is asked."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.model.http import Response, Timings
from dowse.model.topic import Politeness, StrategyChoice, Topic
from tests.engine.life.made import Made, row

A, B = "http://a.test/", "http://a.test/b"


def test_a_better_page_raises_what_waits_and_only_that() -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.over(lease)
    made.links(lease, "http://a.test/1", "http://a.test/2", "http://a.test/3", score=0.2)
    made.life.end(lease, row(lease, score=0.2))
    poor = made.begun()
    assert poor.url == "http://a.test/1"
    made.over(poor)
    made.links(poor, "http://a.test/3", A, score=0.8)
    made.commit()
    assert made.disk.priorities() == pytest.approx({0: 1e12, 1: 0.2, 2: 0.2, 3: 0.8})
    assert made.lease().url == "http://a.test/3"
    made.life.worth.rerank(np.array([0, 1]), np.array([9.0, 9.0]))
    made.commit()
    assert made.disk.batches[-1].priorities == {}, "neither waits"


def test_cost_is_learned_from_exchanges_and_set_against_value() -> None:
    choice = StrategyChoice("best-first", maximise="efficiency")
    made = Made(topic=Topic(query="x", strategy=choice, politeness=Politeness(delay_s=0.0)))
    made.seed(A)
    lease = made.begun()
    made.life.worth.measured(
        lease, Response(A, 200, (), timings=Timings(first_byte_s=2.0, total_s=4.0), wire_bytes=10_000)
    )
    made.over(lease)
    made.links(lease, B, score=0.5)
    priority = made.commit().priorities()[1]
    assert 0 < priority < 0.5 / 2, "its site takes seconds"
    made.life.worth.sized(1, 1_000_000_000)
    assert made.commit().priorities()[1] < priority / 10
    assert made.life.worth.values(np.array([1]), np.array([priority])).tolist() == [0.5]
