"""URLs of other shards: ours are taken up, theirs become letters; and letters that come are taken up like links.

A URL that another shard owns is a candidate like any other, with its links and what the strategy knows of it, but it
never waits. It is told there when it is found, and again whenever a page has it thought worth more. Where the
strategy goes by links, each link is told with the page that has it, the first eight to each URL, and the receiver
values the URL by itself: such a page is a candidate there, which is known to be judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life.journal import Journal
from dowse.engine.life.pricing import Pricing
from dowse.frontier.frontier import Frontier
from dowse.model.mention import Mention
from dowse.model.others import Letter, MovingSlots, Others
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_PRIORITY, LinkView, SourcePage
from dowse.model.url import canonical

__all__ = ["Elsewhere", "best_of_each", "by_page"]

Ids = NDArray[np.int64]
_MOST_MENTIONS = 8  # of a URL: of more, the strategy forgets the first


class Elsewhere:
    """Sends what is not ours. Part of :class:`Life`, where there are other shards."""

    def __init__(
        self, others: Others, frontier: Frontier, pricing: Pricing, journal: Journal, *, by_links: bool
    ) -> None:  # fmt: skip
        """``by_links``: links are told with the pages that have them."""
        self._by_links = by_links
        self._mentions = bytearray()  # by candidate, how many of its links were told
        self._others = others
        self._frontier = frontier
        self._pricing = pricing
        self._journal = journal
        self._owners: dict[int, int] = {}  # site -> whose it is, of those that are not ours
        self._ours: set[int] = set()
        self._moving = others if isinstance(others, MovingSlots) else None
        self._changes = 0  # of owners, since when the last two hold

    def send(self, ids: Ids, *, told: bool = False) -> None:
        """Of these candidates, which were just taken up, those of others are told to them (unless it was them who
        ``told``) and do not wait here."""
        theirs = np.array([self._owner(id_) is not None for id_ in ids.tolist()], np.bool_)
        ids = ids[theirs]
        if len(ids):
            self._frontier.give_away(ids)
            for id_ in ids.tolist():
                self._journal.ended(id_, CandidateState.ELSEWHERE, "elsewhere", 0)
            if not told:
                self._tell(ids)

    def tell_again(self, ids: Ids, before: NDArray[np.float64]) -> None:
        """These candidates have other priorities than ``before``: where others' are worth more, they are told."""
        if self._by_links:  # the owner thinks again by itself
            return
        ids = ids[self._frontier.is_elsewhere(ids) & (self._frontier.priorities(ids) > before)]
        if len(ids):
            self._tell(ids)

    def tell_links(self, page: SourcePage, links: LinkView) -> None:
        """A judged page has these links, to URLs that were taken up: those to others' URLs are told to them."""
        if not self._by_links or not len(links.ids):
            return
        theirs = np.flatnonzero(self._frontier.is_elsewhere(links.ids))
        if not len(theirs):
            return
        frontier, url = self._frontier, self._frontier.url(page.id)
        values = self._pricing.values(links.ids, frontier.priorities(links.ids))
        self._mentions.extend(bytes(max(0, int(links.ids.max()) + 1 - len(self._mentions))))
        for row in theirs.tolist():
            id_ = links.ids.item(row)
            owner = self._owner(id_)
            if owner is None or self._mentions[id_] >= _MOST_MENTIONS:
                continue
            self._mentions[id_] += 1
            mention = Mention(
                url, page.depth, page.n_links, page.score, page.relevant, page.threshold, page.worth, page.similarity,
                page.by_words, links.counts.item(row), links.positions.item(row) if len(links.positions) else 0,
                links.paths.item(row) if len(links.paths) else 0, links.similarity[row].tolist(),
                links.anchors[row] if len(links.anchors) else "",
            )  # fmt: skip
            told = Letter(0, owner, frontier.url(id_), links.depths.item(row), values.item(row), mention.packed())
            self._journal.letter(id_, told, page.id)

    def judged_there(self, id_: int) -> None:
        """A candidate, just taken up or one of others', is a page that its owner has judged: it need not be told."""
        ids = np.array([id_])
        if self._frontier.was_ended_elsewhere(ids)[0]:
            return
        if not self._frontier.is_elsewhere(ids)[0]:
            self._frontier.give_away(ids)
            self._journal.ended(id_, CandidateState.ELSEWHERE, "elsewhere", 0)
        self._journal.reprioritised(self._frontier.update(ids, np.array([SEED_PRIORITY]), 0.0))

    def is_theirs(self, id_: int) -> bool:
        """Is a candidate another shard's, or did it end there before it was ours?"""
        ids = np.array([id_])
        return bool(self._frontier.is_elsewhere(ids)[0] or self._frontier.was_ended_elsewhere(ids)[0])

    def come_home(self, ids: Ids) -> list[int]:
        """Those of these candidates that are ours since their slot came here, and that whoever had it did not want."""
        if self._moving is None or not self._moving.changes:
            return []
        return [id_ for id_ in ids[self._frontier.is_elsewhere(ids)].tolist() if self._owner(id_) is None]

    def _tell(self, ids: Ids) -> None:
        frontier = self._frontier
        depths = frontier.candidates.depth[ids]
        values = self._pricing.values(ids, frontier.priorities(ids))
        for id_, depth, value in zip(ids.tolist(), depths.tolist(), values.tolist(), strict=True):
            owner = self._owner(id_)
            if owner is not None:
                self._journal.letter(id_, Letter(0, owner, frontier.url(id_), depth, value))

    def _owner(self, candidate: int) -> int | None:
        if self._moving is not None and self._changes != self._moving.changes:
            self._changes = self._moving.changes
            self._owners.clear()
            self._ours.clear()
        site = self._frontier.candidates.site.item(candidate)
        if site in self._ours:
            return None
        owner = self._owners.get(site)
        if owner is None:
            owner = self._others.owner(self._frontier.url(candidate))
            if owner is None:
                self._ours.add(site)
            else:
                self._owners[site] = owner
        return owner


def best_of_each(letters: Iterable[Letter]) -> Sequence[Letter]:
    """The letters about each URL as one: the highest value, the least depth."""
    best: dict[str, Letter] = {}
    for letter in letters:
        known = best.get(letter.url)
        if known is None:
            best[letter.url] = letter
        else:
            value, depth = max(known.value, letter.value), min(known.depth, letter.depth)
            best[letter.url] = Letter(letter.number, letter.shard, letter.url, depth, value)
    return list(best.values())


def by_page(letters: Iterable[Letter]) -> tuple[dict[str, list[tuple[Letter, Mention]]], list[Letter]]:
    """Links by the URL of the page that has them, each URL once; and the letters that tell of no link, or of one that
    cannot be."""
    linked: dict[str, dict[str, tuple[Letter, Mention]]] = {}
    others: list[Letter] = []
    for letter in letters:
        try:
            mention = None if letter.mention is None else Mention.unpacked(letter.mention)
        except ValueError:
            mention = None
        if mention is None or canonical(mention.page_url) != mention.page_url:
            others.append(letter)
        else:
            linked.setdefault(mention.page_url, {})[letter.url] = letter, mention
    return {page: list(links.values()) for page, links in linked.items()}, others
