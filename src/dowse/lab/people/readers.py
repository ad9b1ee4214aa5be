"""Simulated readers of a recorded web that has labels, for want of a log of its real ones.

The rules, none of which knows how a crawl will use the log:

1. There is one reader for every four pages of the corpus, and half a year.
2. A reader has one to three interests, labels drawn by how many pages they have, each with a weight between 0 and 1.
   One reader in ten has none, and whoever has some goes by them in seven of ten choices only: the rest is by chance.
3. A reader comes back a few times (geometric, 4 on average), at any moment of the half year. Each time reads some
   pages (geometric, 8 on average), one every 40 seconds on average (exponential).
4. The first page is *jumped to*: a host is drawn, among all hosts by the square root of their pages, or among those
   with pages of an interest by the share of it there; then a page of that host, by one more than the links that lead to
   it, so that popular pages are popular with everybody.
5. Then, with 2 chances in 10, the reader jumps again; with 1 in 10 goes back a page, which a log does not show; else
   follows a link of the page. A link to a page of an interest is twice as likely as another where the reader goes by
   interest, and as likely as another where not. Where no link leads on, the reader jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.lab.corpus import Corpus
from dowse.lab.corpus.traces import Traces
from dowse.model.errors import UserError
from dowse.model.url import split

__all__ = ["simulated"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PAGES_A_READER = 4
BEGINS_S, LASTS_S = 1_700_000_000, 182 * 86_400
MOST_INTERESTS = 3
NO_INTEREST = 0.1
BY_INTEREST = 0.7
SITTINGS, PAGES_A_SITTING, SECONDS_A_PAGE = 4.0, 8.0, 40.0
JUMPS, GOES_BACK = 0.2, 0.1
OF_INTEREST = 2.0  # how much likelier a link is


class _Web:
    """What readers see of a corpus: hosts, links, and which pages are popular."""

    def __init__(self, corpus: Corpus) -> None:
        self.pages: Ints = np.flatnonzero(corpus.pages.is_page())
        self.graph = corpus.graph
        hosts: dict[str, list[int]] = {}
        for page in self.pages.tolist():
            hosts.setdefault(split(corpus.url(page)).host, []).append(page)
        self.on_host: list[Ints] = [np.array(pages, np.int64) for pages in hosts.values()]
        known = 1.0 + np.bincount(self.graph.targets, minlength=len(corpus))
        self.popular: list[Floats] = [_shares(known[pages]) for pages in self.on_host]
        sizes = np.array([len(pages) for pages in self.on_host], np.float64)
        self.large = _shares(sizes**0.5)
        self.has: list[NDArray[np.bool_]] = []
        self.about: list[Floats] = []  # of an interest, the hosts that have pages of it
        for pages in corpus.labels.pages.values():
            has = np.zeros(len(corpus), bool)
            has[list(pages)] = True
            self.has.append(has)
            self.about.append(_shares(np.array([has[own].mean() for own in self.on_host])))
        self.wanted = _shares(np.array([len(pages) for pages in corpus.labels.pages.values()], float))


class _Reader:
    def __init__(self, web: _Web, chance: np.random.Generator) -> None:
        self._web, self._chance = web, chance
        self._interests: Sequence[int] = ()
        self._weights = np.zeros(0)
        if chance.random() >= NO_INTEREST:
            count = min(int(chance.integers(1, MOST_INTERESTS + 1)), int((web.wanted > 0).sum()))
            self._interests = chance.choice(len(web.wanted), count, replace=False, p=web.wanted).tolist()
            self._weights = _shares(chance.random(count) + 1e-9)

    def sitting(self) -> list[int]:
        """The pages of one sitting, as a log has them."""
        chance = self._chance
        page = self._jump()
        seen, way = [page], [page]
        for _ in range(int(chance.geometric(1 / PAGES_A_SITTING)) - 1):
            what = chance.random()
            if what < GOES_BACK and len(way) > 1:
                way.pop()
                continue
            found = None if what < GOES_BACK + JUMPS else self._follow(way[-1])
            page = self._jump() if found is None else found
            seen.append(page)
            way.append(page)
        return seen

    def _interest(self) -> int | None:
        if not len(self._interests) or self._chance.random() >= BY_INTEREST:
            return None
        return int(self._chance.choice(self._interests, p=self._weights))

    def _jump(self) -> int:
        interest = self._interest()
        hosts = self._web.large if interest is None else self._web.about[interest]
        host = int(self._chance.choice(len(hosts), p=hosts))
        return int(self._chance.choice(self._web.on_host[host], p=self._web.popular[host]))

    def _follow(self, page: int) -> int | None:
        links = np.unique(self._web.graph.links_of(page))
        links = links[links != page]
        if not len(links):
            return None
        interest = self._interest()
        likely = np.ones(len(links)) if interest is None else np.where(self._web.has[interest][links], OF_INTEREST, 1.0)
        return int(self._chance.choice(links, p=_shares(likely)))


def simulated(corpus: Corpus, seed_number: int = 0) -> Traces:
    """The accesses of simulated readers, in order of time. UserError for a corpus without labels."""
    if not corpus.labels.pages:
        raise UserError(f"{corpus.folder} has no labels, so simulated readers have nothing to be interested in")
    web, chance = _Web(corpus), np.random.default_rng(seed_number)
    readers = max(1, len(web.pages) // PAGES_A_READER)
    user, at, page = [], [], []
    for reader in range(readers):
        one = _Reader(web, chance)
        for _ in range(int(chance.geometric(1 / SITTINGS))):
            seen = one.sitting()
            pauses = chance.exponential(SECONDS_A_PAGE, len(seen))
            at.append(np.floor(BEGINS_S + chance.random() * LASTS_S + np.cumsum(pauses)))
            user.append(np.full(len(seen), reader, np.int32))
            page.append(np.array(seen, np.int32))
    when = np.concatenate(at)
    order = np.argsort(when, kind="stable")
    names = tuple(f"simulated-{reader}" for reader in range(readers))
    return Traces(names, np.concatenate(user)[order], when[order], np.concatenate(page)[order])


def _shares(weights: NDArray[np.floating[Any]]) -> Floats:
    total = weights.sum()
    return np.asarray(weights / total if total else weights, np.float64)
