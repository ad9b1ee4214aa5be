"""Trials for the tests: everything follows from numbers."""

from __future__ import annotations

import numpy as np

from dowse.lab.judging.metrics import figures
from dowse.lab.judging.trials import Setting, Trial

PAGES = 2_000
LABELS = ("courses", "solar cells", "Ancient Rome", "bread")


def trial(label: str, setting: Setting, *, skill: float = 2.0, refused: bool = False, seed: int = 0) -> Trial:
    """A judge whose chances are right on average: the log-odds of a page are drawn, then whether it is relevant."""
    dice = np.random.default_rng([seed, len(label), setting.examples])
    chances = np.zeros(PAGES) if refused else 1 / (1 + np.exp(5 - skill * dice.normal(size=PAGES)))
    truth = dice.random(PAGES) < (0.1 if refused else chances)
    return Trial(label, setting, figures(chances, truth, 0.5), 0.5, refused, chances.astype(np.float32), truth)
