"""Freshness over time, against its sentence taken literally, one page at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.finished.expected_freshness import change_rates, expected_freshness
from dowse.model.visits import GoodVisits
from dowse.recrawl.revisit import Visit, rate_of
from dowse.store.views import VisitHistory

DAY = 86_400.0
times = st.integers(0, 40).map(float)
pages = st.lists(st.tuples(times, st.one_of(st.none(), times), st.lists(times, max_size=4), st.booleans()), max_size=6)


def history(made: list[tuple[float, float | None, list[float], bool]]) -> VisitHistory:
    """Pages, each with the days of its first fetch, of its end and of later visits, and whether it is relevant."""
    visits = sorted((day, 7 * row) for row, (first, _, later, _) in enumerate(made) for day in [first, *later])
    return VisitHistory(
        np.arange(len(made), dtype=np.int64) * 7, np.zeros(len(made), np.int64),
        np.array([relevant for *_, relevant in made], np.bool_), np.array([first * DAY for first, *_ in made]),
        np.array([math.inf if gone is None else gone * DAY for _, gone, *_ in made]),
        GoodVisits(np.array([page for _, page in visits], np.int64), np.array([day * DAY for day, _ in visits]),
                   np.zeros(len(visits), np.int8)),
    )  # fmt: skip


@given(pages, st.lists(times, min_size=1, max_size=5).map(sorted), st.lists(st.floats(0, 2), min_size=6, max_size=6))
def test_as_the_sentence_has_it(
    made: list[tuple[float, float | None, list[float], bool]], moments: list[float], a_day: list[float]
) -> None:
    told = history(made)
    rates = np.array(a_day[: len(made)]) / DAY
    found = expected_freshness(told, rates, np.array(moments) * DAY, {"relevant": told.relevant})["relevant"]
    for now, share in zip(moments, found, strict=True):
        held = [
            math.exp(-rate * (now - max([first, *(day for day in later if first <= day <= now)])))
            for (first, gone, later, relevant), rate in zip(made, a_day, strict=False)
            if relevant and first <= now and (gone is None or gone > now)
        ]
        assert share == pytest.approx(sum(held) / len(held), nan_ok=True) if held else math.isnan(share)


def test_rates_are_those_of_the_policies() -> None:
    told = history([(0.0, None, [1.0, 2.0, 3.0], True)])
    changed = np.array([-1, 1, 0, 1], np.int8)
    told = VisitHistory(told.page, told.site, told.relevant, told.first, told.gone,
                        GoodVisits(told.visits.page, told.visits.at, changed))  # fmt: skip
    own = rate_of([Visit(DAY, True), Visit(DAY, False), Visit(DAY, True)])
    usual = 1 / (30 * DAY)
    site = (3 * own + 2 * (3 * own + 2 * usual) / 5) / 5
    assert change_rates(told)[0] == pytest.approx((3 * own + 2 * site) / 5)
