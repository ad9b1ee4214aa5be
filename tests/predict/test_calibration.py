from __future__ import annotations

import bisect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.strategy import SEED_PRIORITY
from dowse.predict.calibration import BINS, MOST, PRIOR, Calibration, Curve, pooled

Outcome = tuple[float, bool, float]  # priority, relevant, value

HALF_LIFE = 250.0

UNIT = st.floats(0, 1)
PRIORITIES = st.one_of(st.integers(-6, 0).map(float), UNIT, st.integers(0, 5).map(lambda n: SEED_PRIORITY - n))
OUTCOMES = st.lists(st.tuples(PRIORITIES, st.booleans(), UNIT), min_size=1, max_size=120)


def learned(outcomes: list[Outcome]) -> Calibration:
    calibration = Calibration()
    for outcome in outcomes:
        calibration.learn(*outcome)
    return calibration


def curve_of(outcomes: list[Outcome], half_life: float = HALF_LIFE) -> Curve:
    [curve] = learned(outcomes).curves([half_life])
    return curve


def chances(outcomes: list[Outcome], priorities: list[float]) -> list[float]:
    curve = curve_of(outcomes)
    found: list[float] = curve.relevant[curve.bins(np.array(priorities))].tolist()
    return found


def rising(means: list[float], weights: list[float]) -> list[float]:
    """Isotonic regression by its min-max formula: max over starts of min over ends of the mean in between."""

    def mean(start: int, end: int) -> float:
        part = range(start, end + 1)
        return sum(means[n] * weights[n] for n in part) / sum(weights[n] for n in part)

    places = range(len(means))
    return [max(min(mean(j, k) for k in places if k >= i) for j in places if j <= i) for i in places]


def naive(outcomes: list[Outcome], priority: float, column: int) -> float:
    """What a fetch of this priority is expected to bring, outcome by outcome."""
    recent = outcomes[-MOST:]
    rows = [(*outcome, 0.5 ** (age / HALF_LIFE)) for age, outcome in enumerate(reversed(recent))]
    seeds = [row for row in rows if row[0] >= SEED_PRIORITY / 2]
    others = sorted((row for row in rows if row[0] < SEED_PRIORITY / 2), key=lambda row: row[0])
    used = others or seeds
    weight = math.fsum(row[3] for row in used)
    base = math.fsum(row[column] * row[3] for row in used)
    base = (base + 0.5) / (weight + 1) if column == 1 else base / weight

    def shrunk(rows: list[tuple[float, bool, float, float]]) -> tuple[float, float]:
        heavy = PRIOR + math.fsum(row[3] for row in rows)
        return (PRIOR * base + math.fsum(row[column] * row[3] for row in rows)) / heavy, heavy

    if priority >= SEED_PRIORITY / 2:
        return shrunk(seeds)[0]
    edges = sorted({others[len(others) * n // BINS][0] for n in range(1, BINS)} - {others[0][0]}) if others else []
    bins: list[list[tuple[float, bool, float, float]]] = [[] for _ in range(len(edges) + 1)]
    for row in others:
        bins[bisect.bisect_right(edges, row[0])].append(row)
    means = [shrunk(rows) for rows in bins]
    return rising([mean for mean, _ in means], [heavy for _, heavy in means])[bisect.bisect_right(edges, priority)]


@given(st.lists(st.tuples(UNIT, st.floats(0.01, 10)), max_size=12))
def test_pooling_is_isotonic_regression(rows: list[tuple[float, float]]) -> None:
    means, weights = [mean for mean, _ in rows], [weight for _, weight in rows]
    assert pooled(means, weights) == pytest.approx(rising(means, weights))


@given(OUTCOMES, st.lists(PRIORITIES, min_size=1, max_size=5))
def test_the_chances_are_those_of_the_naive_version(outcomes: list[Outcome], asked: list[float]) -> None:
    curve = curve_of(outcomes)
    bins = curve.bins(np.array(asked))
    assert curve.relevant[bins].tolist() == pytest.approx([naive(outcomes, one, 1) for one in asked])
    assert curve.value[bins].tolist() == pytest.approx([naive(outcomes, one, 2) for one in asked])


@given(OUTCOMES)
def test_a_higher_priority_has_no_lower_chance_and_none_is_certain(outcomes: list[Outcome]) -> None:
    curve = curve_of(outcomes)
    assert (np.diff(curve.relevant[:-1]) >= 0).all()
    assert (np.diff(curve.value[:-1]) >= 0).all()
    assert ((curve.relevant > 0) & (curve.relevant < 1)).all()


@given(OUTCOMES, st.lists(UNIT, min_size=1, max_size=5))
def test_only_the_rank_of_a_priority_counts(outcomes: list[Outcome], asked: list[float]) -> None:
    def scaled(priority: float) -> float:
        return priority if priority >= SEED_PRIORITY / 2 else 8 * priority - 1024  # exact in binary, so no new ties

    inside = [(float(np.float32(priority)), relevant, value) for priority, relevant, value in outcomes]
    asked = [float(np.float32(priority)) for priority in asked]
    other = [(scaled(priority), relevant, value) for priority, relevant, value in inside]
    if len({priority for priority, _, _ in inside}) == len({priority for priority, _, _ in other}):
        assert chances(inside, asked) == chances(other, [scaled(priority) for priority in asked])


def test_old_outcomes_are_forgotten() -> None:
    last = [(n % 17 / 17, n % 3 == 0, 0.5) for n in range(MOST)]
    one = curve_of([(0.9, True, 1.0)] * 10 + last)
    other = curve_of([(0.1, False, 0.0)] * 777 + last)
    assert one.relevant == pytest.approx(other.relevant)
    assert one.value == pytest.approx(other.value)
    assert (one.edges == other.edges).all()


def test_newer_outcomes_count_more() -> None:
    then, now = [(0.5, True, 1.0)] * 300, [(0.5, False, 0.0)] * 300
    [improving], [failing] = chances(now + then, [0.5]), chances(then + now, [0.5])
    assert improving > 0.65
    assert failing < 0.35


def test_a_longer_memory_gives_more_to_what_was() -> None:
    then, now = [(0.5, True, 1.0)] * 300, [(0.5, False, 0.0)] * 300
    short, long = learned(then + now).curves([100.0, 10_000.0])
    assert short.relevant[0] < 0.15
    assert long.relevant[0] == pytest.approx(0.5, abs=0.02)


def test_seeds_do_not_speak_for_the_urls_they_lead_to() -> None:
    links = [(0.2, n % 10 == 0, 0.1) for n in range(100)]
    seeds = [(SEED_PRIORITY - n, True, 1.0) for n in range(50)]
    [link, seed] = chances(seeds + links, [0.2, SEED_PRIORITY - 3])
    assert chances(links, [0.2]) == pytest.approx([link])
    assert seed > 0.7 > 0.2 > link
