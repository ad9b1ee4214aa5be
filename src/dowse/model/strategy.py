"""The port every crawl order stands behind.

A strategy turns what the crawl has paid for into priorities: higher goes earlier, ties go in order of discovery. It
is told of each judged page once, with the page's links; it answers with the new priority of each link's target. It
sees ids, scores and link features only, never a page that was not fetched (no peeking).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["SEED_PRIORITY", "Explanation", "LinkView", "SourcePage", "Strategy"]

SEED_PRIORITY = 1e12
"""A seed has no parent and comes first (METHODS, section 1); seeds keep their own order below this."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A fetched and judged page, as a strategy sees it."""

    id: int
    site: int
    depth: int
    ordinal: int  # how many pages were judged before it
    score: float
    relevant: bool
    n_links: int


@dataclass(frozen=True, slots=True)
class LinkView:
    """Links of one page to URLs that may still be fetched, as columns of equal length."""

    ids: NDArray[np.int64]  # the target's candidate id
    sites: NDArray[np.int64]  # the target's site
    depths: NDArray[np.int64]  # the target's depth, in links from a seed
    counts: NDArray[np.float32]  # links from the page to the target, L(p,h)
    anchor_similarity: NDArray[np.float32]
    paragraph_similarity: NDArray[np.float32]
    current: NDArray[np.float64]  # the target's priority before this page; nan when the URL is new


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a candidate has its priority: feature -> (value, weight), under a version of the model."""

    priority: float
    features: dict[str, tuple[float, float]]
    version: int = 0


class Strategy(Protocol):
    """Orders the frontier. Deterministic: the same calls give the same answers."""

    @property
    def name(self) -> str: ...

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        """Learn from a judged page; the new (finite) priorities of its link targets, one a row."""
        ...

    def explain(self, candidate: int, priority: float) -> Explanation:
        """The features behind a candidate's priority."""
        ...

    def state(self) -> dict[str, Any]:
        """Everything learned, as JSON values or bytes, so that a crawl can go on after a stop."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a saved :meth:`state`."""
        ...
