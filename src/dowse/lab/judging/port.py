"""What a judge is told when it is measured, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_CRAWL", "Background", "Contestant", "Scores", "Told"]


@dataclass(frozen=True, slots=True)
class Told:
    """What a judge knows of a topic. Pages go by their numbers in the corpus."""

    query: str
    positive: tuple[int, ...] = ()
    negative: tuple[int, ...] = ()
    seed_number: int = 0  # for a judge that rolls dice


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Pages without a label, in the order in which a crawl fetched them."""

    strategy: str  # of the crawl
    seeds: tuple[int, ...]  # where the crawl began
    pages: NDArray[np.int64] = field(repr=False)


NO_CRAWL = Background("", (), np.zeros(0, np.int64))
"""For judges that learn nothing from unlabelled pages."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """How likely each page of the corpus is on the topic, by its number (whatever stands at what is no page), and from
    where on the judge calls it relevant."""

    chances: NDArray[np.float64] = field(repr=False)
    threshold: float


class Contestant(Protocol):
    """A judge that takes part. It is made anew for each topic, and asked several times about it."""

    name: str
    learns: bool  # from unlabelled pages: then it is measured with each background, else with NO_CRAWL once

    def scores(self, told: Told, background: Background) -> Scores:
        """The same arguments give the same scores, whatever was asked before. Raises TopicError where it has nothing
        to go by."""
        ...
