"""Small texts of two kinds, and categories made of them."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from dowse.judge import Category, Terms
from dowse.judge.bags import Bag, bag_of
from dowse.judge.category import made_category
from dowse.judge.measured import Figure, Measured
from dowse.judge.training import Trained, train
from dowse.model.words import words

ENGLISH = Terms("english")
BIRDS = ["bird", "nest", "feather", "wing", "egg", "beak", "flock", "migration", "song", "owl", "heron"]
STEEL = ["furnace", "alloy", "iron", "weld", "casting", "slag", "forge", "ingot", "mill", "ore", "rivet"]
COMMON = words("the report says that people often look for more detail in older notes about their work")
FIGURE = Figure(0.9, 0.8, 0.95, 0.01)
MEASURED = Measured(8, 5, FIGURE, FIGURE, FIGURE, FIGURE)


def texts(subject: list[str], count: int, *, seed: int = 0, share: float = 0.3) -> list[str]:
    """Texts in which so much is of the subject, and the rest is common to all."""
    dice = random.Random(f"{subject[0]} {seed}")
    return [
        " ".join(dice.choice(subject if dice.random() < share else COMMON) for _ in range(60)) for _ in range(count)
    ]


def bags(subject: list[str], count: int, *, seed: int = 0, share: float = 0.3) -> list[Bag]:
    return [bag_of(text, ENGLISH) for text in texts(subject, count, seed=seed, share=share)]


def trained(positive: list[Bag], negative: list[Bag], **settings: int) -> Trained:
    return train(
        "birds",
        positive,
        negative,
        language="english",
        made_at="2026-11-15T12:00:00+00:00",
        made_by="dowse 0",
        **settings,
    )


@cache
def of_birds(count: int = 12) -> Trained:
    """A category trained once for all tests that need one."""
    return trained(bags(BIRDS, count), bags(STEEL, count))


def by_hand(*vocabulary: tuple[str, float, float], **facts: Any) -> Category:
    """A category with these terms (term, scale, weight)."""
    known = {"threshold": 0.5, "bias": 0.0, "slope": 1.0, "offset": 0.0, **facts}
    return made_category(
        vocabulary, name="birds", language="english", positive=8, negative=9, measured=MEASURED,
        made_at="2026-11-15T12:00:00+00:00", made_by="dowse 0", **known,
    )  # fmt: skip
