"""Categories that a predicate names: what one is, where its file is found, and how it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.judge.category import load_category
from dowse.judge.lexicon import Counts
from dowse.judge.predicate.syntax import Leaf, SyntaxFault
from dowse.model.topic import Expression, Topic

__all__ = ["ENDING", "Category", "category_file", "load_category"]

ENDING = ".category.json"


class Category(Protocol):
    """A trained category: how probable it is that a page belongs to it."""

    @property
    def name(self) -> str: ...

    @property
    def language(self) -> str:
        """Its terms are stemmed in this language; a judge must use the same."""
        ...

    @property
    def threshold(self) -> float:
        """A page belongs to the category from this probability on."""
        ...

    def probability(self, terms: NDArray[np.uint64], counts: Counts) -> float:
        """Of a page with these distinct terms (by ``word_hash``), each so often."""
        ...

    def strongest(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak for it most, with weights above 0."""
        ...


def category_file(leaf: Leaf, topic: Topic, expression: Expression) -> Path:
    """Where the file of a category is: as the topic says, else beside the topic file, else in the current folder."""
    name = leaf.argument
    if name in topic.categories:
        return Path(topic.categories[name])
    folders = [Path.cwd()]
    if expression.source is not None and expression.line is not None:
        folders.insert(0, Path(expression.source).parent)
    for folder in folders:
        if (folder / f"{name}{ENDING}").is_file():
            return folder / f"{name}{ENDING}"
    raise SyntaxFault(
        f"there is no category {name!r}: make {name}{ENDING} with dowse train {name}, or name its file under "
        f"[categories] or with --category {name}=FILE",
        leaf.at,
    )
