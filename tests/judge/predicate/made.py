"""Small categories in files, and pages that are told by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dowse.judge.category_file import save_category
from tests.judge.made import by_hand

__all__ = ["write_made"]


def write_made(path: Path, *terms: str, language: str = "english", bias: float = -1.5, embedded: float = 0.0) -> Path:
    """The file of a category whose terms weigh 2, 1, 2/3, ... Where ``embedded`` is not 0, each of the weights of the
    text's embedding is so much."""
    vocabulary = [(term, 1.0, 2.0 / (place + 1)) for place, term in enumerate(terms)]
    embedding = [embedded] * 256 if embedded else None
    category = by_hand(*vocabulary, bias=bias, embedding=embedding)
    save_category(replace(category, language=language), path)
    return path
