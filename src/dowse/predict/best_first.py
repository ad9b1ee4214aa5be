"""Best first: a link is worth what the pages that carry it are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage

__all__ = ["BestFirst"]


class BestFirst:
    """The score of the best page that links to a URL.

    The naive best-first crawler of the field (Cho, Garcia-Molina and Page 1998; Menczer et al. 2004): ``max`` over
    the fetched parents of their similarity to the topic. A URL is raised when a better page mentions it.
    """

    name = "best-first"
    predicts_value = True
    memory = None

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        return np.fmax(links.current, page.score)

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {"predicted": (priority, 0.0), "best parent's score": (priority, 1.0)})

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """The priorities themselves are all there is to remember."""
