"""What a predicate gets to see of a page, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.judge.category import Category
from dowse.model.facts import PageFacts
from dowse.model.page import Part

__all__ = ["Measured", "Predicate", "Satisfied"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A page's facts, and how its words are measured when they are asked for."""

    facts: PageFacts
    similarity: float
    erid: float
    count: Callable[[Sequence[str]], float]  # occurrences of terms in a row
    probability: Callable[[Category], float]


@dataclass(frozen=True, slots=True)
class Satisfied:
    """Whether a page satisfies a predicate: ``score`` is at least 0.5 exactly when it ``held``."""

    held: bool
    score: float
    parts: tuple[Part, ...]
    fault: str = ""


class Predicate(Protocol):
    """What a page must satisfy. Picklable, so that it can be sent to workers."""

    @property
    def needs_objects(self) -> bool:
        """Does it look at :attr:`PageFacts.objects`?"""
        ...

    @property
    def needs_text(self) -> bool:
        """Does it look at :attr:`PageFacts.text`?"""
        ...

    @property
    def categories(self) -> Mapping[str, Category]:
        """The categories that it asks for, by the names it has for them."""
        ...

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms that it counts on pages."""
        ...

    def wanted(self) -> dict[str, float]:
        """The terms that pages which satisfy it are likely to have, with weights up to 1."""
        ...

    def __call__(self, page: Measured) -> Satisfied: ...
