"""From value to priority: what a candidate is worth, as it stands or for what it costs.

With ``maximise = "value"`` a priority is the strategy's value. With ``"efficiency"`` it is value over cost (METHODS,
section 1). A site's cost is learned as the crawl goes; when it has changed by a quarter, what waits at that site is
priced anew, so a changed opinion of one site never touches the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.frontier import Site
from dowse.frontier.frontier import Frontier
from dowse.model.http import Failure, Response
from dowse.model.records import CandidateBlock
from dowse.model.strategy import SEED_FLOOR, Explanation, Strategy
from dowse.model.topic import Topic
from dowse.predict import Costs, Exchanged, SiteLog

__all__ = ["Pricing", "costs_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Repriced = tuple[Ints, Floats]
"""Candidates, and the priorities they are to have."""
_CHANGED = 1.25  # times the cost at which what waits was priced
_PRICED_A_REQUEST = 1_000  # candidates: so many more wait, so many more requests until the next pricing
_SLOW = 5.0  # times what a page takes elsewhere
_SLOW_S = 1.0  # and at least so long
_BACK = 20.0  # pages' time: how long a slow site stands back
_LONGEST_BACK_S = 300.0


class Pricing:
    """Learns what sites cost, and sets it against what candidates are worth."""

    def __init__(self, frontier: Frontier, topic: Topic) -> None:
        self._frontier = frontier
        self.log = SiteLog()
        self._costs = costs_of(topic, self.log, topic.strategy.maximise)  # None: value alone counts
        self._values = np.zeros(1024)  # by candidate, like the next
        self._prefixes = np.zeros(1024, np.int32)
        self._sizes: dict[int, float] = {}  # of candidates a HEAD has told of
        self._priced: dict[int, tuple[float, int]] = {}  # site -> its cost when priced, and its requests then
        self._requests: dict[int, int] = {}

    # -- priorities ----------------------------------------------------------------------------------------------

    def met(self, ids: Ints, urls: list[str], sites: Ints) -> None:
        """Candidates are new: their sizes will be guessed by where they lie."""
        if self._costs is None or not len(ids):
            return
        if int(ids[-1]) >= len(self._values):
            more = int(ids[-1]) + 1 + len(self._values) // 8 + 1024 - len(self._values)
            self._values = np.concatenate((self._values, np.zeros(more)))
            self._prefixes = np.concatenate((self._prefixes, np.zeros(more, np.int32)))
        places = zip(sites.tolist(), urls, strict=True)
        self._prefixes[ids] = [self.log.prefix(site, url[url.index("/", 8) :]) for site, url in places]

    def priorities(self, ids: Ints, sites: Ints, values: Floats) -> Floats:
        """The priorities of candidates with these values; each was :meth:`met` before."""
        if self._costs is None or not len(ids):
            return values
        self._values[ids] = values
        return values / self._cost(self._costs, ids, sites)

    def values(self, ids: Ints, priorities: Floats) -> Floats:
        """What the strategy last thought candidates of these priorities worth, whatever they cost; a seed's is its
        place, and one that is not known (nan) has none."""
        if self._costs is not None:
            np.copyto(priorities, self._values[ids], where=priorities < SEED_FLOOR)
        return priorities

    def refreshed(self, candidate: int, strategy: Strategy) -> float | None:
        """The priority that a candidate has by all that is known now; None: the one it was given."""
        if self._frontier.priority(candidate) >= SEED_FLOOR:
            return None
        value = strategy.refresh(candidate)
        if value is None or self._costs is None:
            return value
        self._values[candidate] = value
        return value / self._expected(self._costs, candidate)[1]

    def moved(self, source: int, target: int) -> None:
        """A redirect leads from one candidate to another, which was :meth:`met`: it is worth as much."""
        if self._costs is not None:
            self._values[target] = self._values[source]

    def _cost(self, costs: Costs, ids: Ints, sites: Ints, delays_s: Sequence[float] = ()) -> Floats:
        """``delays_s``: of the sites, where they are not those of this moment."""
        of_site, found = self._frontier.sites, np.empty(len(ids))
        if len(sites) and not (sites != sites[0]).any():  # as mostly: one site, nothing to sort
            groups = [np.arange(len(sites))]
        else:
            order = np.argsort(sites, kind="stable")
            groups = np.split(order, np.flatnonzero(np.diff(sites[order])) + 1) if len(order) else []
        for rows in groups:
            site = int(sites[rows[0]])
            prefixes = self._prefixes[ids[rows]] if self._costs is not None else np.zeros(len(rows), np.int32)
            wait_s = delays_s[site] if delays_s else of_site[site].delay_s
            found[rows] = costs.of_pages(site, prefixes, wait_s)
        if self._sizes:
            for row, (id_, site) in enumerate(zip(ids.tolist(), sites.tolist(), strict=True)):
                if id_ in self._sizes:
                    found[row] = costs.of_page(site, self._sizes[id_], of_site[site].delay_s)
        return found

    def _expected(self, costs: Costs, candidate: int) -> tuple[float, float]:
        """Bytes and cost of a single candidate."""
        site = self._frontier.site_of(candidate)
        size = self._sizes.get(candidate)
        if size is None:
            size = self.log.size(self._prefixes.item(candidate), self.log.of(site.id).size)
        return size, costs.of_page(site.id, size, site.delay_s)

    def explain(self, candidate: int, strategy: Strategy) -> Explanation:
        """The strategy's reasons, with the cost set against them."""
        priority = self._frontier.priority(candidate)
        if self._costs is None:
            return strategy.explain(candidate, priority)
        value = self._values.item(candidate) if priority < SEED_FLOOR else priority
        why = strategy.explain(candidate, value)
        size, cost = self._expected(self._costs, candidate)
        features = {**why.features, "value": (float(self._values[candidate]), 0.0), "expected bytes": (size, 0.0),
                    "expected seconds": (cost, 0.0)}  # fmt: skip
        return Explanation(priority, features, why.version)

    # -- learning ------------------------------------------------------------------------------------------------

    def learn(self, site: Site, candidate: int, result: Response | Failure) -> None:
        """An exchange for a candidate is over."""
        times = result.timings
        exchanged = Exchanged(
            times.first_byte_s, max(0.0, times.total_s - times.first_byte_s), result.wire_bytes,
            failed=isinstance(result, Failure),
        )  # fmt: skip
        self.log.learn(site.id, int(self._prefixes[candidate]) if self._costs is not None else 0, exchanged)
        self._sizes.pop(candidate, None)
        self._requests[site.id] = self._requests.get(site.id, 0) + 1

    def timed(self, site: Site, answer: Response) -> None:
        """A site has answered a HEAD: how soon is known better, and nothing else."""
        self.log.learn_latency(site.id, answer.timings.first_byte_s)
        self._requests[site.id] = self._requests.get(site.id, 0) + 1

    def load(self, block: CandidateBlock) -> None:
        """Take up candidates of an earlier run."""
        if self._costs is not None:
            self.met(np.arange(block.first, block.first + len(block)), block.urls, block.sites)

    def restore(
        self,
        exchanges: Iterable[tuple[str, int, float, float, bool]],
        delays_s: Sequence[float],
        before: Costs | None,
    ) -> Repriced | None:
        """Learn again what an earlier run's exchanges cost: URL, bytes, seconds to the first byte and in all, and
        whether no answer came. ``delays_s`` are those that its sites had; ``before`` is what its priorities were set
        against (None: nothing). Where that has changed, candidates get these new priorities."""
        for url, size, first_byte_s, total_s, failed in exchanges:
            site = self._frontier.site_of_url(url)
            prefix = self.log.prefix(site.id, url[url.index("/", 8) :]) if self._costs is not None else 0
            self.log.learn(site.id, prefix, Exchanged(first_byte_s, max(0.0, total_s - first_byte_s), size, failed))
        ids = np.arange(len(self._frontier.candidates))
        ids = ids[self._frontier.priorities(ids) < SEED_FLOOR] if self._costs or before else ids[:0]
        values, sites = self._frontier.priorities(ids), self._frontier.candidates.site[ids].astype(np.int64)
        if before is not None:
            # A priority was value over cost, and the cost is known again, but for what changed after it was priced.
            values *= self._cost(before, ids, sites, delays_s)
        if self._costs is not None:
            self._values[ids] = values
        if (before is None) == (self._costs is None):
            return None
        return ids, self.priorities(ids, sites, values)

    def sized(self, candidate: int, size: float) -> float | None:
        """A candidate's size is known before it is fetched: the priority it has with that; None: the one it was given,
        as for a seed."""
        if self._costs is None or self._frontier.priority(candidate) >= SEED_FLOOR:
            return None
        self._sizes[candidate] = size
        return float(self._values[candidate]) / self._expected(self._costs, candidate)[1]

    def reprice(self, site: Site) -> Repriced | None:
        """Price what waits at a site again if its cost has changed."""
        if self._costs is None:
            return None
        cost = self._costs.of_page(site.id, None, site.delay_s)
        requests = self._requests.get(site.id, 0)
        if site.id in self._priced:  # else it was taken for a site like the others, with the usual delay
            before, asked = self._priced[site.id]
            if 1 / _CHANGED < cost / before < _CHANGED or requests < asked + site.waiting // _PRICED_A_REQUEST:
                return None
        self._priced[site.id] = cost, requests
        ids = self._frontier.waiting_at(site)
        ids = ids[self._values[ids] > 0]  # what has no value, seeds among them, has no price
        priorities = self._values[ids] / self._cost(self._costs, ids, np.full(len(ids), site.id))
        return ids, priorities

    def stands_back_s(self, site: Site) -> float:
        """How long a site is to be asked only when no other can be; 0: it is as quick as others."""
        takes = self.log.of(site.id).takes_s
        return min(_BACK * takes, _LONGEST_BACK_S) if takes > max(_SLOW * self.log.usual_s(), _SLOW_S) else 0.0


def costs_of(topic: Topic, log: SiteLog, maximise: str) -> Costs | None:
    """What values are set against; None: nothing, value alone is maximised."""
    cost = topic.cost
    return None if maximise == "value" else Costs(log, cost.min_s, cost.max_s, cost.form == "robust")
