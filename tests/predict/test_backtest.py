from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.predict.backtest import HORIZONS, Backtest, Correction, Estimate, Totals, stretch, usual_error

Story = list[tuple[bool, float, list[float] | None]]  # a fetch: relevant, value, and what is forecast after it

NOISE = (2.0, 1.0)


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
            backtest.note(totals, estimates(totals.fetches, forecast))
    return totals


def estimates(fetches: int, forecast: list[float]) -> tuple[Estimate, ...]:
    return tuple(
        Estimate((one, one / 2), NOISE, stretch(fetches, horizon))
        for one, horizon in zip(forecast, HORIZONS, strict=True)
    )


def corrected(backtest: Backtest, fetches: int = 2000) -> list[tuple[Correction, Correction]]:
    return backtest.corrections(estimates(fetches, [1.0] * len(HORIZONS)))


def naive(story: Story) -> list[tuple[Correction, Correction]]:
    """Every forecast whose fetches are over, weighed from the definition."""
    found: list[tuple[Correction, Correction]] = []
    shorter, wide = [0.0, 0.0], [1.0, 1.0]
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
                usual = math.hypot((0.5, 0.3)[number], (1.2, 0.9)[number] * math.log((at + horizon) / at))
                errors.append(math.log((came + 1) / (expected + 1)) / usual)
                noise.append(NOISE[number] / (expected + 1) ** 2 / usual**2)
            prior = 0.5 * shorter[number]
            bias = (prior + math.fsum(w * e for w, e in zip(weights, errors, strict=True))) / (1 + sum(weights))
            around = math.fsum(w * ((e - bias) ** 2 - n) for w, e, n in zip(weights, errors, noise, strict=True))
            shorter[number] = bias
            unit = usual_error(number, stretch(2000, horizon))
            variance = (wide[number] + max(0.0, around)) / (1 + sum(weights))
            wide[number] = max(1.0, variance)
            both.append(Correction(bias * unit, variance * unit**2))
        found.append((both[0], both[1]))
    return found


def flat(corrections: list[tuple[Correction, Correction]]) -> list[float]:
    return [number for pair in corrections for one in pair for number in (one.bias, one.variance)]


@given(stories())
@settings(max_examples=25)
def test_the_corrections_are_those_of_the_naive_version(story: Story) -> None:
    backtest = Backtest()
    told(backtest, story)
    assert flat(corrected(backtest)) == pytest.approx(flat(naive(story)))


@given(stories(), st.integers(0, 1300))
@settings(max_examples=25)
def test_a_restart_changes_nothing(story: Story, cut: int) -> None:
    whole, first, second = Backtest(), Backtest(), Backtest()
    told(whole, story)
    totals = told(first, story[:cut])
    second.restore(json.loads(json.dumps(first.state())))
    told(second, story[cut:], totals)
    assert corrected(second) == corrected(whole)
    assert second.state() == whole.state()


def steady(factor: float) -> Backtest:
    """Each fifth page is relevant, and the forecasts are wrong by this factor."""
    backtest = Backtest()
    forecast = [factor * horizon / 5 for horizon in HORIZONS]
    story: Story = [(n % 5 == 0, 0.1, forecast if n % 50 == 0 else None) for n in range(6000)]
    told(backtest, story)
    return backtest


def test_what_comes_true_needs_no_correction_and_little_room() -> None:
    for (relevant, value), (before, _) in zip(corrected(steady(1.0)), corrected(Backtest()), strict=True):
        assert abs(relevant.bias) < 0.02
        assert abs(value.bias) < 0.02
        assert relevant.variance < before.variance / 2


def test_what_is_always_too_high_is_brought_down() -> None:
    for relevant, _ in corrected(steady(2.0)):
        assert relevant.bias == pytest.approx(math.log(0.5), abs=0.35)
        assert relevant.bias < -0.3


def test_what_is_stretched_far_is_less_sure() -> None:
    """A thousand fetches after a hundred are eleven times the crawl; after a hundred thousand they are its morrow."""
    early, late = corrected(Backtest(), 100)[2], corrected(Backtest(), 100_000)[2]
    for far, near in zip(early, late, strict=True):
        assert far.variance > 4 * near.variance


def test_what_ended_unseen_is_not_checked() -> None:
    """After a kill the notes may be older than the records: their horizon ended somewhere in between."""
    backtest = Backtest()
    backtest.note(Totals(50, 10, 5.0), estimates(50, [1.0] * len(HORIZONS)))
    backtest.passed(Totals(50 + HORIZONS[0] + 1, 100, 50.0))
    assert corrected(backtest) == corrected(Backtest())
    assert backtest.state()["open"] == [0, 1, 1]


def test_notes_are_not_kept_for_ever() -> None:
    assert max(steady(1.0).state()["open"]) <= 1000 // 50


def test_a_state_of_other_horizons_is_left_aside() -> None:
    backtest = Backtest()
    backtest.restore({"horizons": [7], "estimates": "nothing that could be read"})
    backtest.restore({"horizons": list(HORIZONS), "notes": "of a time when errors had another unit"})
    assert corrected(backtest) == corrected(Backtest())
