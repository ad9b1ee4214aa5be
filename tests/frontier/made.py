"""Frontiers for tests: filled, opened and drained."""

from __future__ import annotations

import numpy as np

from dowse.frontier.frontier import Frontier
from dowse.model.records import CandidateBlock, CandidateRow, CandidateState
from dowse.model.url import fingerprint


def add(frontier: Frontier, urls: list[str], priorities: list[float], now: float = 0.0) -> list[int]:
    prints = np.array([fingerprint(url) for url in urls], np.uint64)
    ids = frontier.add(urls, prints, depth=0, parent=-1, priorities=np.array(priorities, np.float64), now=now)
    return [int(id_) for id_ in ids]


def open_sites(frontier: Frontier, addresses: dict[str, str] | None = None) -> None:
    """Run both errands of every site at time 0 without delay."""
    for site in frontier.sites:
        frontier.set_address(site, (addresses or {}).get(site.host))
        frontier.open(site)


def drain(frontier: Frontier, now: float = 0.0) -> list[str]:
    """Lease and finish everything, moving time on when nothing is ready."""
    order: list[str] = []
    while True:
        lease = frontier.next(now)
        if lease is None:
            wake = frontier.wake_at()
            if wake is None:
                return order
            now = max(wake, now)
            continue
        order.append(lease.url)
        frontier.release(lease, now)
        frontier.finish(lease.candidate, CandidateState.FETCHED)


def block(rows: list[CandidateRow]) -> CandidateBlock:
    return CandidateBlock(
        rows[0].id, [row.url for row in rows], np.array([row.site for row in rows]),
        np.array([row.depth for row in rows]), np.array([-1 if row.parent is None else row.parent for row in rows]),
        np.array([row.priority for row in rows]), np.array([row.run for row in rows]),
        np.array([int(row.state) for row in rows]), np.array([row.attempts for row in rows]), {},
        [None] * len(rows),
    )  # fmt: skip


def load(frontier: Frontier, rows: list[CandidateRow], size: int = 3) -> None:
    """As a resume does it: first the sites, then the URLs in blocks."""
    for row in rows:
        assert frontier.site_of_url(row.url).id == row.site
    for start in range(0, len(rows), size):
        frontier.load(block(rows[start : start + size]))
    frontier.loaded(0.0)
