from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.predict.backtest import HORIZONS, PRIOR_SPREAD, Backtest, Correction, Totals

Story = list[tuple[bool, float, list[float] | None]]  # a fetch: relevant, value, and what is forecast after it

NOISE = tuple((2.0, 1.0) for _ in HORIZONS)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Fetches with a forecast now and then. Long enough for the shorter horizons to end."""
    rng = draw(st.randoms(use_true_random=False))
    length, every = draw(st.integers(0, 1300)), draw(st.integers(20, 200))
    return [
        (rng.random() < 0.2, rng.random(), [rng.random() * h for h in HORIZONS] if n % every == 0 else None)
        for n in range(length)
    ]


def told(backtest: Backtest, story: Story, totals: Totals = Totals()) -> Totals:  # noqa: B008 - a frozen value
    for relevant, value, forecast in story:
        totals = Totals(totals.fetches + 1, totals.relevant + relevant, totals.value + value)
        backtest.passed(totals)
        if forecast is not None:
            backtest.note(totals, tuple((one, one / 2) for one in forecast), NOISE)
    return totals


def naive(story: Story) -> list[tuple[Correction, Correction]]:
    """Every forecast whose fetches are over, weighed from the definition."""
    found: list[tuple[Correction, Correction]] = []
    noted = [at for at, fetch in enumerate(story, 1) if fetch[2] is not None]
    for place, horizon in enumerate(HORIZONS):
        ended = [at for at in noted if at + horizon <= len(story)]
        both = []
        for number in (0, 1):
            weights, errors, noise = [], [], []
            for at in ended:
                before = max((one for one in noted if one < at), default=0)
                since = (ended[-1] - at) / max(1000, horizon)
                weights.append(min(1.0, (at - before) / horizon) * 0.5**since)
                forecast = story[at - 1][2]
                assert forecast is not None
                expected = forecast[place] / (1 + number)
                came = sum((relevant, value)[number] for relevant, value, _ in story[at : at + horizon])
                errors.append(math.log((came + 1) / (expected + 1)))
                noise.append(NOISE[place][number] / (expected + 1) ** 2)
            prior = 0.5 * (found[-1][number].bias if found else 0.0)
            bias = (3 * prior + math.fsum(w * e for w, e in zip(weights, errors, strict=True))) / (3 + sum(weights))
            around = math.fsum(w * ((e - bias) ** 2 - n) for w, e, n in zip(weights, errors, noise, strict=True))
            both.append(Correction(bias, (PRIOR_SPREAD[place][number] ** 2 + max(0.0, around)) / (1 + sum(weights))))
        found.append((both[0], both[1]))
    return found


def flat(corrections: list[tuple[Correction, Correction]]) -> list[float]:
    return [number for pair in corrections for one in pair for number in (one.bias, one.variance)]


@given(stories())
@settings(max_examples=25)
def test_the_corrections_are_those_of_the_naive_version(story: Story) -> None:
    backtest = Backtest()
    told(backtest, story)
    assert flat(backtest.corrections()) == pytest.approx(flat(naive(story)))


@given(stories(), st.integers(0, 1300))
@settings(max_examples=25)
def test_a_restart_changes_nothing(story: Story, cut: int) -> None:
    whole, first, second = Backtest(), Backtest(), Backtest()
    told(whole, story)
    totals = told(first, story[:cut])
    second.restore(json.loads(json.dumps(first.state())))
    told(second, story[cut:], totals)
    assert second.corrections() == whole.corrections()
    assert second.state() == whole.state()


def steady(factor: float) -> Backtest:
    """Each fifth page is relevant, and the forecasts are wrong by this factor."""
    backtest = Backtest()
    forecast = [factor * horizon / 5 for horizon in HORIZONS]
    story: Story = [(n % 5 == 0, 0.1, forecast if n % 50 == 0 else None) for n in range(6000)]
    told(backtest, story)
    return backtest


def test_what_comes_true_needs_no_correction_and_little_room() -> None:
    for (relevant, value), (spread, _) in zip(steady(1.0).corrections(), PRIOR_SPREAD, strict=True):
        assert abs(relevant.bias) < 0.02
        assert abs(value.bias) < 0.02
        assert relevant.variance < spread**2 / 2


def test_what_is_always_too_high_is_brought_down() -> None:
    for relevant, _ in steady(2.0).corrections():
        assert relevant.bias == pytest.approx(math.log(0.5), abs=0.35)
        assert relevant.bias < -0.3


def test_what_ended_unseen_is_not_checked() -> None:
    """After a kill the notes may be older than the records: their horizon ended somewhere in between."""
    backtest = Backtest()
    backtest.note(Totals(50, 10, 5.0), tuple((1.0, 1.0) for _ in HORIZONS), NOISE)
    backtest.passed(Totals(50 + HORIZONS[0] + 1, 100, 50.0))
    assert backtest.corrections() == Backtest().corrections()
    assert backtest.state()["open"] == [0, 1, 1]


def test_notes_are_not_kept_for_ever() -> None:
    assert max(steady(1.0).state()["open"]) <= 1000 // 50


def test_a_state_of_other_horizons_is_left_aside() -> None:
    backtest = Backtest()
    backtest.restore({"horizons": [7], "notes": "nothing that could be read"})
    assert backtest.corrections() == Backtest().corrections()
