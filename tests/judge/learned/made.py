"""Texts as dense rows, and a small web of two vocabularies."""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.texts import Text, Weighing
from dowse.model.page import Bag

ON, OFF, BOTH = range(1000, 1060), range(2000, 2200), range(3000, 3040)
"""Words of pages on the topic, off it, and of all."""
NAMES = (1000, 1001)
"""What the topic is called: most pages on it say so, few others do."""


def texts_of(drawn: Sequence[tuple[Sequence[tuple[int, float]], Sequence[int]]]) -> list[Text]:
    """Texts of (term, weight) pairs, with their domains."""
    return [
        Text(
            np.array([term for term, _ in words], np.int32),
            np.array([weight for _, weight in words], np.float32),
            np.array(domains, np.int32),
        )
        for words, domains in drawn
    ]


def dense(texts: Sequence[Text], weighing: Weighing) -> NDArray[np.float64]:
    """A row a text, as the docstring of Vectors has it: words of length 1, and 0.3 for each domain."""
    rarity, power = weighing.rarity, 2 if weighing.squared else 1
    size = len(rarity)
    rows = np.zeros((len(texts), size))
    for row, text in zip(rows, texts, strict=True):
        own = [
            float(w) ** power * rarity[min(t, size - 1)] for t, w in zip(text.terms.tolist(), text.weights, strict=True)
        ]
        length = math.sqrt(math.fsum(value * value for value in own))
        for term, value in zip(text.terms.tolist(), own, strict=True):
            row[min(term, size - 1)] += value / max(length, 1e-12)
        for domain in text.domains.tolist():
            row[min(domain, size - 1)] += 0.3
    return rows


def bag(counts: dict[int, Any]) -> Bag:
    terms = sorted(counts)
    return Bag(np.array(terms, np.uint32), np.array([counts[term] for term in terms], np.float32))


def page(number: int, *, on: bool) -> Bag:
    """A page of 40 words, half of which all pages may have."""
    dice = random.Random(f"{number} {on}")
    own = [*dice.choices(ON if on else OFF, k=20), *dice.choices(BOTH, k=20)]
    if dice.random() < (0.6 if on else 0.02):
        own += [*NAMES, dice.choice(NAMES)]
    return bag({word: own.count(word) for word in own})


def finished(pieces: Generator[None, None, Any]) -> Any:
    """What work in pieces comes to."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            return end.value
