"""A small category, and where one is loaded from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.judge.lexicon import Counts
from dowse.model.errors import TopicError
from dowse.model.words import word_hash

__all__ = ["MadeCategory", "load_made", "write_made"]


@dataclass(frozen=True)
class MadeCategory:
    """The share of a page's terms that are the category's."""

    name: str
    terms: tuple[str, ...]
    language: str = "english"
    threshold: float = 0.5

    def probability(self, terms: NDArray[np.uint64], counts: Counts) -> float:
        own = np.isin(terms, np.array([word_hash(term) for term in self.terms], np.uint64))
        total = float(counts.sum())
        return float(counts[own].sum()) / total if total else 0.0

    def strongest(self, n: int) -> list[tuple[str, float]]:
        return [(term, 2.0 / (place + 1)) for place, term in enumerate(self.terms)][:n]


def write_made(path: Path, *terms: str, language: str = "english") -> Path:
    path.write_text(json.dumps({"terms": terms, "language": language}))
    return path


def load_made(path: Path) -> MadeCategory:
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError):
        raise TopicError(f"{path}: is no category") from None
    return MadeCategory(path.name.partition(".")[0], tuple(data["terms"]), data["language"])
