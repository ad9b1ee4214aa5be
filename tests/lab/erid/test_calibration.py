from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.erid.calibration import Outcomes, best_threshold, calibrated, outcome_lines, outcomes
from dowse.model.errors import UserError

SCORED = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7]), st.booleans()), min_size=2, max_size=30)


def columns(pages: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in pages]), np.array([positive for _, positive in pages])


def literal_outcomes(pages: list[tuple[float, bool]], threshold: float) -> Outcomes:
    """A page is accepted if its score is at least the threshold."""
    return Outcomes(
        sum(score >= threshold and positive for score, positive in pages),
        sum(score >= threshold and not positive for score, positive in pages),
        sum(score < threshold and not positive for score, positive in pages),
        sum(score < threshold and positive for score, positive in pages),
    )


def f1(found: Outcomes) -> float:
    hits = found.accepted_right
    return 2 * hits / max(1, 2 * hits + found.accepted_wrong + found.refused_wrong)


def cuts(pages: list[tuple[float, bool]]) -> list[float]:
    """Every threshold that tells the pages apart in another way."""
    scores = sorted({score for score, _ in pages})
    return [scores[0], *((one + other) / 2 for one, other in pairwise(scores))]


@given(SCORED)
def test_no_threshold_has_a_better_f1(pages: list[tuple[float, bool]]) -> None:
    threshold, reached = best_threshold(*columns(pages))
    assert reached
    assert f1(literal_outcomes(pages, threshold)) == pytest.approx(
        max(f1(literal_outcomes(pages, cut)) for cut in cuts(pages))
    )


@given(SCORED, st.sampled_from([0.5, 0.8, 1.0]))
def test_no_threshold_of_that_precision_accepts_more(pages: list[tuple[float, bool]], precision: float) -> None:
    threshold, reached = best_threshold(*columns(pages), precision)
    fit = [cut for cut in cuts(pages) if literal_outcomes(pages, cut).precision >= precision]
    assert reached is bool(fit)
    if fit:
        assert threshold == pytest.approx(min(fit))
    else:
        best = max(literal_outcomes(pages, cut).precision for cut in cuts(pages))
        assert literal_outcomes(pages, threshold).precision == best


@given(SCORED, st.sampled_from([0.0, 0.15, 0.3]))
def test_outcomes_are_counted_as_the_paper_does(pages: list[tuple[float, bool]], threshold: float) -> None:
    scores, truth = columns(pages)
    assert outcomes(scores >= threshold, truth) == literal_outcomes(pages, threshold)


def test_the_papers_tables_have_the_precision_and_recall_that_follow_from_them() -> None:
    first, second = Outcomes(287, 12, 48, 3), Outcomes(69, 60, 221, 0)
    assert [round(one, 2) for one in (first.precision, first.recall)] == [0.96, 0.99]
    assert [round(one, 2) for one in (second.precision, second.recall)] == [0.53, 1.0]
    assert outcome_lines(second)[1:] == [
        "correct estimation            69       221",
        "incorrect estimation          60         0",
        "pages in all                 129       221",
    ]


def test_each_page_is_judged_by_a_threshold_that_does_not_know_it() -> None:
    """Scores that say nothing: on the pages it was made from, the best threshold would look better than it is."""
    dice = np.random.default_rng(3)
    scores, truth = dice.random(60), dice.random(60) < 0.4
    urls = [f"http://a.test/{number}" for number in range(60)]
    found = calibrated(urls, scores, truth)
    seen = outcomes(scores >= found.threshold, truth)
    assert f1(found.outcomes) < f1(seen)
    assert calibrated(urls, scores, truth) == found, "the same folds every time"
    reverse = slice(None, None, -1)
    assert calibrated(urls[reverse], scores[reverse], truth[reverse]) == found


def test_what_scores_tell_apart_is_told_apart() -> None:
    scores = np.array([0.01 * number for number in range(40)])
    found = calibrated([f"http://a.test/{number}" for number in range(40)], scores, scores >= 0.2)
    assert found.threshold == pytest.approx(0.195)
    assert found.outcomes.accepted_right >= 19
    assert found.measured.f1.low < found.measured.f1.value


def test_a_precision_that_holds_for_its_own_pages_only_is_doubted() -> None:
    """Two pages on the topic score highest, and are all of that precision: without one, the cut is elsewhere."""
    scores = np.arange(40) / 100
    truth = np.isin(np.arange(40), [3, 5, 7, 9, 11, 13, 15, 17, 19, 39])
    found = calibrated([f"http://a.test/{number}" for number in range(40)], scores, truth, 0.9)
    assert found.reached
    assert found.measured.precision.high < 0.9
    value = found.measured.precision.value
    assert found.doubts == (f"a precision of 0.9 rests on 1 page; measured without it: {value:.2f}",)


def test_a_threshold_that_accepts_all_is_doubted_unless_so_much_was_asked_for() -> None:
    urls = [f"http://a.test/{number}" for number in range(40)]
    scores = np.arange(40) / 40
    [swapped] = calibrated(urls, scores, scores < 0.5).doubts
    assert "do not tell the two sides apart" in swapped
    [little] = calibrated(urls, scores, scores >= 0.5, 0.4).doubts
    assert little == "it accepts every page: 0.50 of them are on the topic, and no more is asked for"
    [silent] = calibrated(urls, np.zeros(40), scores >= 0.5).doubts
    assert silent.startswith("no keyword occurs")
    assert calibrated(urls, scores, scores >= 0.5).doubts == ()


def literal_surplus(scores: np.ndarray, truth: np.ndarray) -> float:
    """By how much pages on the topic win more often than half against those off it, pair by pair."""
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one in scores[truth] for other in scores[~truth]]
    return sum(wins) - len(wins) / 2


def test_labels_by_chance_are_doubted() -> None:
    """Labels dealt out by chance, twenty times: nearly all are doubted, and only those that order nothing."""
    doubted = 0
    for number in range(20):
        dice = np.random.default_rng(number)
        scores, truth = dice.integers(0, 12, 80) / 100, dice.random(80) < 0.3
        doubts = calibrated([f"http://a.test/{page}" for page in range(80)], scores, truth).doubts
        doubted += bool(doubts)
        # as often as every page would be exchanged with any other
        spread = np.std([literal_surplus(scores, dice.permutation(truth)) for _ in range(200)])
        by_chance = [doubt for doubt in doubts if "by more than chance" in doubt]
        if by_chance:
            assert literal_surplus(scores, truth) < 2.5 * spread
        elif not doubts:
            assert literal_surplus(scores, truth) > 1.6 * spread
    assert doubted >= 18


def test_both_sides_are_needed() -> None:
    with pytest.raises(UserError, match="at least 2 of each"):
        calibrated(["a", "b", "c"], np.zeros(3), np.array([True, True, False]))
