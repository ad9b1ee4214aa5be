from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest

from dowse.lab.judging.metrics import Figures
from dowse.lab.judging.trials import Crawled, Setting
from dowse.lab.judging.verdict_table import (
    bias_rows,
    crawl_rows,
    shown_verdicts,
    trial_values,
    trials_csv,
    verdict_rows,
    verdicts_csv,
)
from tests.lab.judging.made import LABELS, trial

ALONE, EIGHT = Setting("similarity", "", 0, 0), Setting("similarity", "", 8, 8)


def figures(f1: float, best_f1: float = 0.8, average_precision: float = 0.5) -> Figures:
    return Figures(0.5, 0.5, f1, best_f1, average_precision, 0.02)


def test_a_row_has_the_mean_over_topics_of_every_figure_and_its_interval() -> None:
    trials = [trial(label, setting) for label in LABELS for setting in (ALONE, EIGHT)]
    rows = verdict_rows(trials)
    assert [row.setting for row in rows] == [ALONE, EIGHT]
    for row in rows:
        own = [one for one in trials if one.setting == row.setting]
        assert (row.topics, row.refused) == (4, 0)
        for name, interval in row.figures.items():
            values = [getattr(one.figures, name) for one in own]
            assert interval.mean == pytest.approx(np.mean(values))
            assert min(values) <= interval.low <= interval.mean <= interval.high <= max(values)
        best = np.mean([one.figures.best_f1 for one in own])
        assert row.f1_of_best.mean == pytest.approx(row.figures["f1"].mean / best)
        shares = [np.mean((one.truth.mean() - one.truth) ** 2) for one in own]
        assert row.share_brier == pytest.approx(np.mean(shares))
    assert rows == verdict_rows(trials), "resampled alike each time"


def test_a_topic_without_a_figure_is_left_out_of_its_mean() -> None:
    known, unknown = trial("bread", ALONE), replace(trial("courses", ALONE), figures=figures(math.nan))
    [row] = verdict_rows([known, unknown])
    assert row.figures["f1"].mean == known.figures.f1
    assert math.isnan(row.figures["f1"].low), "one topic cannot be resampled"
    heads, [cells] = shown_verdicts([row])
    assert cells[heads.index("F1")] == (f"{known.figures.f1:.2f}", "")
    assert trial_values(unknown)["f1"] is None


def test_the_table_as_text() -> None:
    trials = [
        replace(trial(label, EIGHT), figures=figures(value)) for label, value in zip("ab", (0.4, 0.6), strict=True)
    ]
    heads, [cells] = shown_verdicts(verdict_rows(trials))
    shown = dict(zip(heads, cells, strict=True))
    assert shown["judge"] == ("similarity", "")
    assert shown["background"] == ("-", "")
    assert shown["told"] == ("name, 8 for, 8 against", "")
    assert shown["F1"] == ("0.50", "0.40–0.60")
    assert shown["F1 of best"][0] == "0.62"
    assert shown["Brier"] == ("0.020", "0.020–0.020")


def test_csv_has_a_line_a_row_and_a_line_a_trial() -> None:
    trials = [trial(label, setting) for setting in (ALONE, EIGHT) for label in ("bread", "=1+1")]
    rows = list(csv.DictReader(io.StringIO(verdicts_csv(verdict_rows(trials)))))
    assert [(row["judge"], row["examples"], row["counter_examples"], row["topics"]) for row in rows] == [
        ("similarity", "0", "0", "2"), ("similarity", "8", "8", "2"),
    ]  # fmt: skip
    assert float(rows[0]["f1"]) == pytest.approx(np.mean([one.figures.f1 for one in trials[:2]]))
    assert float(rows[0]["f1_of_best_low"]) <= float(rows[0]["f1_of_best"]) <= float(rows[0]["f1_of_best_high"])
    lines = list(csv.DictReader(io.StringIO(trials_csv(trials))))
    assert len(lines) == 4
    assert float(lines[0]["average_precision"]) == trials[0].figures.average_precision
    assert lines[0]["relevant"] == str(trials[0].truth.sum())
    assert not lines[1]["topic"].startswith("="), "no formula for a spreadsheet"


def test_a_background_is_set_against_the_first_one_on_the_same_topics() -> None:
    plain, focused = Setting("learned", "bfs", 8, 0), Setting("learned", "learning", 8, 0)
    both = {"a": (0.5, 0.3), "b": (0.7, 0.6)}
    trials = [
        replace(trial(label, setting), figures=figures(f1, average_precision=f1 / 2))
        for label, values in both.items()
        for setting, f1 in zip((plain, focused), values, strict=True)
    ]
    alone = replace(trial("c", focused), figures=figures(0.0))  # no such topic with the first background
    [row] = bias_rows([trial("a", ALONE), *trials, alone])
    assert (row.setting, row.against) == (focused, "bfs")
    assert row.f1.mean == pytest.approx(-0.15)
    assert (row.f1.low, row.f1.high) == pytest.approx((-0.2, -0.1))
    assert row.average_precision.mean == pytest.approx(-0.075)
    assert bias_rows([trial("a", ALONE), trial("a", EIGHT)]) == []


def test_crawls_are_told_by_how_much_of_them_is_on_the_topic() -> None:
    crawled = [
        Crawled("a", "bfs", 100, 0.1, 0.05), Crawled("a", "learning", 100, 0.5, 0.05),
        Crawled("b", "bfs", 80, 0.3, 0.15), Crawled("b", "learning", 100, 0.7, 0.15),
    ]  # fmt: skip
    plain, focused = crawl_rows(crawled)
    assert (plain.strategy, plain.topics, plain.pages) == ("bfs", 2, 90)
    assert (plain.share.mean, focused.share.mean) == pytest.approx((0.2, 0.6))
    assert plain.corpus_share == pytest.approx(0.1)
    assert crawl_rows([]) == []
