"""WebCrawler's order: breadth first with local-site priority (Gatial and Balogh, section 3.1; METHODS, section 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.strategy import Explanation, LinkView, SourcePage
from dowse.predict.memory import NumberTable
from dowse.predict.rerank import RanksOnMention

__all__ = ["SiteFirst"]


class SiteFirst(RanksOnMention):
    """Breadth first, one web site after the other; on each, the first levels are followed whatever they are.

    The queue is one for all sites, in order of discovery. Of the current site (or ``sites`` of them) it is worked off;
    then the site of the oldest URL that waits is the next, and no link leads back. The *level* of a page is its
    distance from the first page taken on its site: 0 for that page, for seeds, and for what only other sites link to;
    else one more than that of the nearest page of the site that links to it. Beyond ``free_levels``, links are followed
    only where the topic's judge (ERID in the paper) accepts the page; what it refuses is left out of the archive with
    ``drop_refused``.
    """

    name = "site-first"
    predicts_value = False

    def __init__(self, sites: int = 1, free_levels: int = 2, drop_refused: bool = False) -> None:
        if sites < 1:
            raise TopicError(f"site-first needs at least one current site, not sites={sites}")
        if free_levels < 0:
            raise TopicError(f"site-first needs 0 or more free levels, not free_levels={free_levels}")
        self.sites_at_once = sites
        self.drops_refused = drop_refused
        self._free_levels = free_levels
        self.memory = NumberTable(1, "level on its site, plus 1")

    def follows(self, page: SourcePage) -> bool:
        return self._level(page.id) <= self._free_levels or page.score >= page.threshold

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        own = links.ids[links.sites == page.site]
        if len(own):
            found = np.float32(self._level(page.id) + 2)
            before = self.memory.at(own)
            nearer = (before == 0) | (before > found)
            self.memory.put(own[nearer[:, 0]], np.full((int(nearer.sum()), 1), found))
        place = -links.ids.astype(np.float64)
        return np.where(np.isnan(links.current), place, links.current)  # the target of a redirect has its source's

    def explain(self, candidate: int, priority: float) -> Explanation:
        features = {"minus place in the queue": (priority, 1.0), "level on its site": (self._level(candidate), 0.0)}
        return Explanation(priority, features)

    def _level(self, candidate: int) -> float:
        """0 too where no page of its own site led there."""
        return max(0.0, self.memory.one(candidate).item() - 1.0)
