from __future__ import annotations

import itertools
import json
import math
import random
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dowse.model.forecast import Forecast
from dowse.predict.backtest import HORIZONS
from dowse.predict.forecaster import _Z, LEAST_JUDGED, LEVEL, MOST_WAITING, Forecaster, interval

PLENTY = 1_000_000


def test_the_normal_quantile_is_that_of_the_level() -> None:
    assert pytest.approx(NormalDist().inv_cdf(0.5 + LEVEL / 2)) == _Z


@pytest.mark.parametrize(("mean", "variance"), [(0.5, 0.5), (3.0, 4.0), (40.0, 60.0), (40.0, 900.0), (400.0, 9000.0)])
def test_the_interval_is_the_wider_of_those_of_a_gamma_and_of_a_log_normal_distribution(
    mean: float, variance: float
) -> None:
    dice = np.random.default_rng(7)
    gamma = dice.gamma(mean * mean / variance, variance / mean, 200_000)
    log_normal = (mean + 1) * np.exp(dice.normal(0, math.sqrt(variance) / (mean + 1), 200_000)) - 1
    bounds = [np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) for drawn in (gamma, log_normal)]
    made = interval(mean, variance, PLENTY)
    assert made.low == pytest.approx(max(0.0, min(low for low, _ in bounds)), abs=0.02 * mean + 0.02)
    assert made.high == pytest.approx(max(high for _, high in bounds), abs=0.02 * mean + 0.04)


def test_what_was_forecast_quite_wrongly_may_come_manifold_or_hardly() -> None:
    """Where errors were as large as the forecast itself, a topic may be found yet, or have run out."""
    made = interval(20.0, 2 * 20.0**2, PLENTY)
    assert made.low < 1
    assert made.high > 100


@given(st.floats(0, 2000), st.floats(0, 1e6), st.integers(0, 1000))
def test_an_interval_holds_what_is_expected_and_nothing_impossible(mean: float, variance: float, most: int) -> None:
    made = interval(mean, variance, most)
    assert 0 <= made.low <= made.expected <= made.high <= most


class World:
    """An endless web in which the chance of a relevant page is the square of its priority, times a factor that may
    change; a crawl takes the best of what it found."""

    def __init__(self, number: int, falls_to: float = 1.0) -> None:
        self.dice = random.Random(number)
        self.waiting = [self.dice.random() for _ in range(3000)]
        self.falls_to = falls_to
        self.relevant: list[int] = []

    def crawl(self, forecaster: Forecaster, fetches: int) -> list[Forecast]:
        made = []
        for n in range(1, fetches + 1):
            self.waiting.sort()
            priority = self.waiting.pop()
            self.waiting += [self.dice.random() for _ in range(2)]
            factor = 1 + (self.falls_to - 1) * n / fetches
            relevant = self.dice.random() < factor * priority**2
            self.relevant.append(relevant)
            forecaster.learn(priority, judged=True, relevant=relevant, value=0.5 * relevant)
            if n % 50 == 0:
                made.append(forecaster.look(self.best(), len(self.waiting), 3000 + 2 * n))
        return made

    def best(self) -> NDArray[np.float64]:
        return np.array(sorted(self.waiting, reverse=True)[:MOST_WAITING])

    def came(self, after: int, fetches: int) -> int:
        return sum(self.relevant[after : after + fetches])


def inside(world: World, made: list[Forecast]) -> dict[int, list[bool]]:
    found: dict[int, list[bool]] = {horizon: [] for horizon in HORIZONS}
    for forecast in made:
        for horizon in forecast.horizons:
            if forecast.fetches + horizon.fetches <= len(world.relevant):
                came = world.came(forecast.fetches, horizon.fetches)
                found[horizon.fetches].append(horizon.relevant.low <= came <= horizon.relevant.high)
    return found


@pytest.mark.parametrize("falls_to", [1.0, 0.3])
def test_intervals_hold_what_comes(falls_to: float) -> None:
    """In a web that stays as it is, and in one whose topic runs dry meanwhile."""
    found: dict[int, list[bool]] = {horizon: [] for horizon in HORIZONS}
    for number in range(4):
        world = World(number, falls_to)
        for horizon, hits in inside(world, world.crawl(Forecaster(), 2500)).items():
            found[horizon] += hits
    for hits in found.values():
        assert sum(hits) / len(hits) >= LEVEL - 0.1


@pytest.mark.parametrize("place", [0, 1])
def test_forecasts_are_near_what_comes(place: int) -> None:
    world = World(11)
    made = [one for one in world.crawl(Forecaster(), 2500) if 500 <= one.fetches <= 2000]
    horizons = [(one.horizons[place], world.came(one.fetches, one.horizons[place].fetches)) for one in made]
    all_that_came = sum(came for _, came in horizons)
    assert sum(abs(horizon.relevant.expected - came) for horizon, came in horizons) < 0.15 * all_that_came
    assert sum(abs(horizon.value.expected - came / 2) for horizon, came in horizons) < 0.15 * all_that_came / 2


def test_a_crawl_that_began_well_is_not_promised_to_go_on_so() -> None:
    """The best come first: after a hundred fetches, half of them relevant, nobody knows of five hundred more."""
    young, old = Forecaster(), Forecaster()
    for forecaster, fetches in ((young, 100), (old, 20_000)):
        for n in range(fetches):
            forecaster.learn(0.5, judged=True, relevant=n % 2 == 0, value=0.5)
    early, late = (one.look(np.full(MOST_WAITING, 0.5), PLENTY, PLENTY).horizons[2].relevant for one in (young, old))
    assert early.expected < 250 < 450 < late.expected
    assert early.high / early.low > 5 * late.high / late.low


def test_too_little_is_said_not_guessed() -> None:
    forecaster = Forecaster()
    for n in range(LEAST_JUDGED - 1):
        forecaster.learn(0.5, judged=True, relevant=n % 2 == 0, value=0.5)
    for _ in range(500):  # what brought no page says nothing about pages
        forecaster.learn(0.5, judged=False, relevant=False, value=0.0)
    early = forecaster.look(np.full(100, 0.5), 100, 200)
    assert (early.horizons, early.judged) == ((), LEAST_JUDGED - 1)
    forecaster.learn(0.5, judged=True, relevant=True, value=0.5)
    assert [horizon.fetches for horizon in forecaster.look(np.full(100, 0.5), 100, 200).horizons] == list(HORIZONS)


def test_more_fetches_never_bring_less() -> None:
    """Even where a thousand always brought far less than was said, and a hundred did not."""
    told = Forecaster()
    state = told.state()
    state["backtest"]["checked"][2] = [[50.0, -150.0, 450.0, 0.0]] * 2  # weight, errors, squares, noise
    told.restore(state, fetches=0, judged=0, relevant=0, value=0.0)
    for n in range(100):
        told.learn(0.5, judged=True, relevant=n % 2 == 0, value=0.5)
    horizons = told.look(np.full(MOST_WAITING, 0.5), PLENTY, PLENTY).horizons
    assert horizons[1].relevant.expected > 100
    for shorter, longer in itertools.pairwise(horizons):
        for one, other in ((shorter.relevant, longer.relevant), (shorter.value, longer.value)):
            assert one.expected <= other.expected
            assert one.low <= other.low
            assert one.high <= other.high


def found_by(known: int, waiting: int) -> Forecast:
    """After a hundred fetches, of which every second was relevant."""
    forecaster = Forecaster()
    for n in range(100):
        forecaster.learn(0.5, judged=True, relevant=n % 2 == 0, value=0.5)
    return forecaster.look(np.full(min(waiting, MOST_WAITING), 0.5), waiting, known)


def test_what_cannot_be_fetched_is_not_forecast() -> None:
    dry = found_by(known=100, waiting=0)
    assert [(one.reachable, one.relevant.high) for one in dry.horizons] == [(0, 0)] * 3
    few = found_by(known=60, waiting=60)  # each fetch brought 0.6 new URLs: the 60 that wait will bring some as well
    assert [one.reachable for one in few.horizons] == [100, 103, 103]
    assert few.horizons[1].relevant.expected == pytest.approx(103 / 2 * 2.03**-0.45, rel=0.1)
    many = found_by(known=1000, waiting=60)
    assert [one.reachable for one in many.horizons] == list(HORIZONS)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_what_is_in_reach_is_the_first_number_for_which_urls_do_not_suffice(known: int, waiting: int) -> None:
    """Those that wait, and those that are found on the way: the fewer a fetch, the longer the crawl."""

    def suffice(count: int) -> bool:
        found: float = known / 100 * count * (1 + count / 100) ** -0.5
        return waiting + found >= count

    for horizon in found_by(known, waiting).horizons:
        first = next((count for count in range(1, horizon.fetches + 1) if not suffice(count)), horizon.fetches + 1)
        assert abs(horizon.reachable - (first - 1 if waiting else 0)) <= 1  # of rounding


def test_a_restart_changes_nothing() -> None:
    """The outcomes come from the records, the rest from the state."""
    whole, first, second = Forecaster(), Forecaster(), Forecaster()
    rng = random.Random(5)
    story = [(rng.random(), rng.random() < 0.3, rng.random()) for _ in range(900)]
    best = np.linspace(1, 0, MOST_WAITING)
    for forecaster, part in ((whole, story), (first, story[:700])):
        for n, (priority, relevant, value) in enumerate(part, 1):
            forecaster.learn(priority, judged=True, relevant=relevant, value=value)
            if n % 50 == 0:
                forecaster.look(best, PLENTY, 2000 + 3 * n)
    done = story[:700]
    for priority, relevant, value in done:
        second.recall(priority, relevant=relevant, value=value)
    second.restore(
        json.loads(json.dumps(first.state())), fetches=700, judged=700, relevant=sum(row[1] for row in done),
        value=sum(row[2] for row in done),
    )  # fmt: skip
    for n, (priority, relevant, value) in enumerate(story[700:], 701):
        second.learn(priority, judged=True, relevant=relevant, value=value)
        if n % 50 == 0:
            second.look(best, PLENTY, 2000 + 3 * n)
    assert second.look(best, PLENTY, 5000) == whole.look(best, PLENTY, 5000)
