"""Is a judge right as often as it says? The pages of all topics together, in bins of about the same chance."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dowse.lab.judging.metrics import Bin, reliability
from dowse.lab.judging.trials import Setting, Trial
from dowse.lab.judging.verdict_table import by_setting

__all__ = ["Curve", "reliability_csv", "reliability_curves", "telling_curves"]

_TELLING = 8  # examples


@dataclass(frozen=True, slots=True)
class Curve:
    """The bins of one judge that was told so much, the lowest chances first."""

    setting: Setting
    bins: tuple[Bin, ...]


def reliability_curves(trials: Sequence[Trial]) -> list[Curve]:
    """One for each setting. Topics on which the judge refused are left out: it said nothing."""
    curves = []
    for setting, own in by_setting(trials).items():
        spoke = [trial for trial in own if not trial.refused]
        if spoke:
            chances = np.concatenate([trial.chances for trial in spoke]).astype(np.float64)
            bins = reliability(chances, np.concatenate([trial.truth for trial in spoke]))
            curves.append(Curve(setting, tuple(bins)))
    return curves


def telling_curves(curves: Sequence[Curve]) -> list[Curve]:
    """Of each judge and background one, for a short table: that of about 8 examples, no counter-examples."""
    best: dict[tuple[str, str], Curve] = {}
    for curve in curves:
        if not curve.setting.counter_examples:
            key = curve.setting.judge, curve.setting.background
            if key not in best or _away(curve) < _away(best[key]):
                best[key] = curve
    return list(best.values())


def _away(curve: Curve) -> int:
    return abs(curve.setting.examples - _TELLING)


def reliability_csv(curves: Sequence[Curve]) -> str:
    """A line a bin, of every setting."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([
        "judge", "background", "examples", "counter_examples", "low", "high", "said", "held", "pages",
    ])  # fmt: skip
    for curve in curves:
        own = curve.setting
        names = (own.judge, own.background, own.examples, own.counter_examples)
        writer.writerows([*names, one.low, one.high, one.said, one.held, one.pages] for one in curve.bins)
    return text.getvalue()
