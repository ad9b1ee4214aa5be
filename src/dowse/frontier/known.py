"""What is known of URLs and of sites: whoever asks changes nothing, but that a site is made on first mention."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import Candidates, priorities_of, priority_of
from dowse.frontier.seen import ENDED, GONE, LOW, WAITS, Seen, look_up
from dowse.frontier.site import Site
from dowse.frontier.table import Table
from dowse.model.records import CandidateState
from dowse.model.url import fingerprint

__all__ = ["BELOW", "DEFERRED", "ELSEWHERE", "ENDED_ELSEWHERE", "HELD", "LEASED", "WAITING", "Known"]

WAITING = int(CandidateState.WAITING)  # plain numbers: comparing arrays with an enum is slow
LEASED = int(CandidateState.LEASED)
_FETCHED = int(CandidateState.FETCHED)
BELOW = int(CandidateState.BELOW)
ELSEWHERE = int(CandidateState.ELSEWHERE)
ENDED_ELSEWHERE = int(CandidateState.ENDED_ELSEWHERE)
HELD = 101  # in memory only: it waits for another run
DEFERRED = 100  # in memory only: waiting for its time before it joins its site's queue again
_KINDS = bytes(
    {WAITING: WAITS, DEFERRED: WAITS, _FETCHED: GONE, LEASED: GONE, BELOW: LOW, ELSEWHERE: LOW}.get(state, ENDED)
    for state in range(256)
)


class Known:
    """The part of :class:`~dowse.frontier.frontier.Frontier` that remembers."""

    def __init__(self, delay_s: float, opens_at: float, hash_seed: int) -> None:
        self.delay_s = delay_s
        self.hash_seed = hash_seed
        self.candidates = Candidates()
        self.sites: list[Site] = []
        self._seen = Table()
        self._by_origin: dict[str, Site] = {}
        self._opens_at = opens_at
        self.holds: Callable[[str], bool] = _none  # is this new origin's site held?

    # -- sites ---------------------------------------------------------------------------------------------------

    def site(self, origin: str) -> Site:
        """The site of an origin, made on first mention."""
        site = self._by_origin.get(origin)
        if site is None:
            site = Site(
                id=len(self.sites), origin=origin, delay_s=self.delay_s, ready_at=self._opens_at,
                held=self.holds(origin),
            )  # fmt: skip
            self.sites.append(site)
            self._by_origin[origin] = site
            self._met(site)
        return site

    def _met(self, site: Site) -> None:
        """A site was made."""

    def known_site(self, url: str) -> Site | None:
        """The site of a canonical URL, if it was mentioned before."""
        return self._by_origin.get(url[: url.index("/", 8)])

    def site_of_url(self, url: str) -> Site:
        """The site of a canonical URL."""
        return self.site(url[: url.index("/", 8)])

    def site_of(self, candidate: int) -> Site:
        return self.sites[self.candidates.site.item(candidate)]

    # -- URLs ----------------------------------------------------------------------------------------------------

    def fingerprints(self, urls: list[str]) -> NDArray[np.uint64]:
        """What the URLs are known by here."""
        return np.fromiter((fingerprint(url, self.hash_seed) for url in urls), np.uint64, len(urls))

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Candidate ids, -1 for URLs never seen."""
        return self._seen.find(fingerprints)

    def look_up(self, fingerprints: NDArray[np.uint64]) -> Seen:
        """What is known of URLs, all at once."""
        return look_up(self._seen, self.candidates, _KINDS, fingerprints)

    def url(self, candidate: int) -> str:
        return self.site_of(candidate).origin + self.candidates.path(candidate)

    def priority(self, candidate: int) -> float:
        return priority_of(self.candidates.order.item(candidate))

    def priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The current priorities of candidates."""
        return priorities_of(self.candidates.order[ids])

    def to_come(self, most: int) -> tuple[NDArray[np.float64], int]:
        """What is yet to be fetched, waiting (if for another run) or under way: the highest priorities, at most so many
        and highest first, and how many there are in all. Looks at every URL: ask rarely."""
        count = len(self.candidates)
        states = self.candidates.state[:count]
        orders = self.candidates.order[:count][(states <= LEASED) | (states == DEFERRED) | (states == HELD)]
        best = orders if len(orders) <= most else np.partition(orders, most - 1)[:most]
        return priorities_of(np.sort(best)), len(orders)

    def is_waiting(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates wait, now or for a retry."""
        states = self.candidates.state[ids]
        waiting: NDArray[np.bool_] = (states == WAITING) | (states == DEFERRED)
        return waiting

    def is_below(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates do not wait, for their low priority."""
        below: NDArray[np.bool_] = self.candidates.state[ids] == BELOW
        return below

    def was_ended_elsewhere(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates ended at a shard that had their slot before."""
        ended: NDArray[np.bool_] = self.candidates.state[ids] == ENDED_ELSEWHERE
        return ended

    def is_elsewhere(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates are another shard's."""
        elsewhere: NDArray[np.bool_] = self.candidates.state[ids] == ELSEWHERE
        return elsewhere


def _none(origin: str) -> bool:
    return False
