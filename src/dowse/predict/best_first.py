"""Best first: a link is worth what the pages that carry it are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import Explanation, LinkView, SourcePage
from dowse.predict.settled import Settled

__all__ = ["BestFirst"]


class BestFirst(Settled):
    """The score of the best page that links to a URL.

    The naive best-first crawler of the field (Cho, Garcia-Molina and Page 1998; Menczer et al. 2004): ``max`` over
    the fetched parents of their similarity to the topic. A URL is raised when a better page mentions it.
    """

    name = "best-first"
    predicts_value = True
    memory = None

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        return np.fmax(links.current, page.score)

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {"predicted": (priority, 0.0), "best parent's score": (priority, 1.0)})
