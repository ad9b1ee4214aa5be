from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from dowse.lab.judging.metrics import BINS
from dowse.lab.judging.reliability import reliability_csv, reliability_curves, telling_curves
from dowse.lab.judging.trials import Setting
from tests.lab.judging.made import LABELS, PAGES, trial

SETTINGS = [Setting("learned", "bfs", examples, 0) for examples in (0, 3, 20)]
AGAINST = Setting("learned", "bfs", 8, 8)


def test_all_topics_together_and_right_chances_lie_on_the_diagonal() -> None:
    [curve] = reliability_curves([trial(label, SETTINGS[1]) for label in LABELS])
    assert sum(one.pages for one in curve.bins) == len(LABELS) * PAGES
    assert len(curve.bins) == BINS + 1
    for one in curve.bins:
        error = np.sqrt(one.said * (1 - one.said) / one.pages)
        assert one.held == pytest.approx(one.said, abs=4 * error)


def test_topics_that_a_judge_refused_say_nothing() -> None:
    spoke, refused = trial("bread", SETTINGS[0]), trial("courses", SETTINGS[0], refused=True)
    assert reliability_curves([spoke, refused]) == reliability_curves([spoke])
    assert reliability_curves([refused]) == []


def test_of_each_judge_the_curve_of_about_eight_examples_is_told() -> None:
    other = Setting("similarity", "", 0, 0)
    curves = reliability_curves([trial("bread", setting) for setting in (*SETTINGS, AGAINST, other)])
    assert [curve.setting for curve in telling_curves(curves)] == [SETTINGS[1], other]


def test_csv_has_a_line_a_bin() -> None:
    curves = reliability_curves([trial("bread", setting) for setting in (*SETTINGS, AGAINST)])
    rows = list(csv.DictReader(io.StringIO(reliability_csv(curves))))
    assert len(rows) == sum(len(curve.bins) for curve in curves)
    assert [row["counter_examples"] for row in rows][:: len(rows) - 1] == ["0", "8"]
    assert float(rows[0]["said"]) == curves[0].bins[0].said
