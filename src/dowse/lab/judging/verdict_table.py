"""From trials to tables: verdicts by judge and what it was told, what a biased background costs; means over topics."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from dowse.lab.compare.bootstrap import Cell, Interval, difference, mean, ratio
from dowse.lab.judging.metrics import Figures
from dowse.lab.judging.trials import Crawled, Setting, Trial
from dowse.model.shown import table_cell

__all__ = [
    "BiasRow", "CrawlRow", "VerdictRow", "bias_rows", "by_setting", "crawl_rows", "shown_verdicts", "trial_values",
    "trials_csv", "verdict_rows", "verdicts_csv",
]  # fmt: skip

MEASURES = tuple(field.name for field in fields(Figures))


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """Means over topics. ``f1_of_best`` is the mean F1 over the mean of the best F1s. ``share_brier`` is the Brier
    score of saying of every page how many of all are on the topic. Of ``refused`` topics the judge could make
    nothing."""

    setting: Setting
    topics: int
    refused: int
    figures: dict[str, Interval]  # by the names of Figures
    f1_of_best: Interval
    share_brier: float


@dataclass(frozen=True, slots=True)
class CrawlRow:
    """How biased a background is: means over topics."""

    strategy: str
    topics: int
    pages: float
    share: Interval  # of them on the topic
    corpus_share: float


@dataclass(frozen=True, slots=True)
class BiasRow:
    """What a judge's figures are with a background, minus what they are with the first one, on the same topics."""

    setting: Setting
    against: str  # the first background
    f1: Interval
    average_precision: Interval


def by_setting(trials: Sequence[Trial]) -> dict[Setting, list[Trial]]:
    """In the order in which settings first come."""
    found: dict[Setting, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.setting, []).append(trial)
    return found


def verdict_rows(trials: Sequence[Trial], seed_number: int = 0) -> list[VerdictRow]:
    """A row a setting."""
    rows = []
    for setting, own in by_setting(trials).items():
        cells = {name: _cells(own, name) for name in MEASURES}
        rows.append(
            VerdictRow(
                setting, len(own), sum(trial.refused for trial in own),
                {name: mean(cells[name], seed_number) for name in MEASURES},
                ratio(cells["f1"], cells["best_f1"], seed_number).interval,
                sum(_share_brier(trial) for trial in own) / len(own),
            )
        )  # fmt: skip
    return rows


def _share_brier(trial: Trial) -> float:
    share = float(trial.truth.mean())
    return share * (1 - share)


def _cells(trials: Sequence[Trial], measure: str) -> dict[Cell, float]:
    return {(trial.label, ""): getattr(trial.figures, measure) for trial in trials}


def crawl_rows(crawled: Sequence[Crawled], seed_number: int = 0) -> list[CrawlRow]:
    """A row a background."""
    crawls: dict[str, list[Crawled]] = {}
    for one in crawled:
        crawls.setdefault(one.strategy, []).append(one)
    return [
        CrawlRow(
            strategy, len(own), sum(one.pages for one in own) / len(own),
            mean({(one.label, ""): one.share for one in own}, seed_number),
            sum(one.corpus_share for one in own) / len(own),
        )
        for strategy, own in crawls.items()
    ]  # fmt: skip


def bias_rows(trials: Sequence[Trial], seed_number: int = 0) -> list[BiasRow]:
    """A row a judge that learns, what it was told, and each background but its first."""
    groups = by_setting(trials)
    first: dict[str, str] = {}
    rows = []
    for setting, ours in groups.items():
        against = first.setdefault(setting.judge, setting.background)
        if setting.background != against:
            theirs = groups[replace(setting, background=against)]
            f1, ap = (
                difference(_cells(ours, name), _cells(theirs, name), seed_number).interval
                for name in ("f1", "average_precision")
            )
            rows.append(BiasRow(setting, against, f1, ap))
    return rows


# -- as text -----------------------------------------------------------------------------------------------------------

HEADS = {"f1": "F1", "average_precision": "AP", "precision": "precision", "recall": "recall", "best_f1": "best F1",
         "of_best": "F1 of best", "brier": "Brier"}  # fmt: skip


def shown_verdicts(rows: Sequence[VerdictRow]) -> tuple[list[str], list[list[tuple[str, str]]]]:
    """Headings, and for each row its cells: a text, and the interval below it (empty where there is none)."""
    heads = ["judge", "background", "told", *HEADS.values()]
    return heads, [_cells_of(row) for row in rows]


def _cells_of(row: VerdictRow) -> list[tuple[str, str]]:
    setting, found = row.setting, {**row.figures, "of_best": row.f1_of_best}
    names = [(setting.judge, ""), (setting.background or "-", ""), (setting.told, "")]
    return [*names, *(_shown(found[name], 3 if name == "brier" else 2) for name in HEADS)]


def _shown(interval: Interval, digits: int) -> tuple[str, str]:
    """
    >>> _shown(Interval(0.525, 0.4, 0.65, 44, "topics"), 2)
    ('0.53', '0.40–0.65')
    """
    if not math.isfinite(interval.mean):
        return "", ""
    bounds = [f"{bound:.{digits}f}" for bound in (interval.low, interval.high) if math.isfinite(bound)]
    return f"{interval.mean:.{digits}f}", "–".join(bounds)


def verdicts_csv(rows: Sequence[VerdictRow]) -> str:
    """A line a row with the bare numbers: ``f1``, ``f1_low``, ``f1_high`` and so on; empty where there is none."""
    names = (*MEASURES, "f1_of_best")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([
        "judge", "background", "examples", "counter_examples", "topics", "refused",
        *(name + end for name in names for end in ("", "_low", "_high")),
    ])  # fmt: skip
    for row in rows:
        found = [*row.figures.values(), row.f1_of_best]
        numbers = [_number(bound) for one in found for bound in (one.mean, one.low, one.high)]
        writer.writerow([*_setting_values(row.setting).values(), row.topics, row.refused, *numbers])
    return text.getvalue()


def trial_values(trial: Trial) -> dict[str, str | int | float | bool | None]:
    """One trial in plain values; None for a figure that would divide by nothing."""
    return {
        "topic": trial.label, **_setting_values(trial.setting), "threshold": trial.threshold, "refused": trial.refused,
        "pages": len(trial.truth), "relevant": int(trial.truth.sum()),
        **{name: _number(value) for name, value in asdict(trial.figures).items()},
    }  # fmt: skip


def trials_csv(trials: Sequence[Trial]) -> str:
    """A line a trial."""
    text = io.StringIO()
    values = [trial_values(trial) for trial in trials]
    writer = csv.DictWriter(text, list(values[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "topic": table_cell(str(row["topic"]))} for row in values)
    return text.getvalue()


def _setting_values(setting: Setting) -> dict[str, str | int]:
    return {
        "judge": setting.judge, "background": setting.background, "examples": setting.examples,
        "counter_examples": setting.counter_examples,
    }  # fmt: skip


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
