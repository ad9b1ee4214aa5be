"""How a found URL becomes one that waits: scope, the rules against endless sites, and the strategy's ranking."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dowse.engine.life.elsewhere import Elsewhere, best_of_each, by_page
from dowse.frontier.frontier import Frontier
from dowse.frontier.scope import StaticScope
from dowse.frontier.seen import LOW, WAITS
from dowse.frontier.traps import GrowthRules
from dowse.model.mention import Mention
from dowse.model.others import Letter
from dowse.model.page import Context, Links
from dowse.model.records import PAGE_REFUSED, CandidateBlock
from dowse.model.revive import revived
from dowse.model.statistic_names import FRUITLESS
from dowse.model.strategy import (
    SEED_FLOOR,
    SEED_PRIORITY,
    LinkView,
    Proposes,
    RanksAgain,
    RanksMentions,
    RefusesPages,
    SourcePage,
    Strategy,
)  # fmt: skip
from dowse.model.topic import Topic
from dowse.model.url import canonical

if TYPE_CHECKING:
    from dowse.engine.life.life import Life

__all__ = ["Admission"]

_AT_ONCE = 500  # links
_NONE = np.zeros(0, np.int64)
_NO_COUNTS = np.zeros(0, np.float32)
_NO_CONTEXTS = np.zeros((0, len(Context)), np.float32)
_NO_VALUES = np.zeros(0)


def _proposed(urls: list[str], fingerprints: np.ndarray) -> Links:
    """URLs that nobody links to, as columns of links: without anchors and contexts."""
    count = len(urls)
    return Links(
        urls=urls, fingerprints=fingerprints, anchors=[""] * count, counts=np.zeros(count, np.float32),
        positions=np.arange(count, dtype=np.int32), rels=[""] * count, paths=np.zeros(count, np.uint32),
        similarity=np.full((count, len(Context)), np.nan, np.float32),
    )  # fmt: skip


def _mentioned(told: Sequence[tuple[Letter, Mention]], frontier: Frontier) -> Links:
    """Links of one page as columns."""
    urls, mentions = [letter.url for letter, _ in told], [mention for _, mention in told]
    return Links(
        urls=urls, fingerprints=frontier.fingerprints(urls), anchors=[one.anchor for one in mentions],
        counts=np.array([one.count for one in mentions], np.float32), rels=[""] * len(urls),
        positions=np.array([one.position for one in mentions], np.int32),
        paths=np.array([one.path for one in mentions], np.uint32),
        similarity=np.array([one.contexts for one in mentions], np.float32),
    )  # fmt: skip


class Admission:
    """Everything new to the crawl passes here once. Part of :class:`Life`, which takes up what is admitted."""

    def __init__(
        self, life: Life, frontier: Frontier, strategy: Strategy, scope: StaticScope, topic: Topic,
        elsewhere: Elsewhere | None = None,
    ) -> None:  # fmt: skip
        self._life = life
        self._elsewhere = elsewhere
        self._mentions = strategy if isinstance(strategy, RanksMentions) else None
        self._frontier = frontier
        self._strategy = strategy
        self._scope = scope
        self._refuses = strategy if isinstance(strategy, RefusesPages) else None
        self._growth = self.growth = GrowthRules(topic.scope.traps, frontier.hash_seed)
        self._max_depth = topic.scope.max_depth
        self._seeds = 0

    def seeds(self, urls: list[str]) -> int:
        """Take up canonical seed URLs in their order; how many were new and in scope."""
        urls = list(dict.fromkeys(urls))
        prints = self._frontier.fingerprints(urls)
        kept = []
        for row in np.flatnonzero(self._frontier.find(prints) < 0).tolist():
            rule = self._scope.refuse(urls[row])
            site = self._frontier.site_of_url(urls[row]) if rule is None else None
            if site is not None and site.closed:
                rule = "site-closed"
            if rule is not None:
                self._life.journal.refused(rule, 1, urls[row])
            elif site is not None:
                self._growth.count(site.id, urls[row])
                kept.append(row)
        if kept:
            priorities = SEED_PRIORITY - np.arange(self._seeds, self._seeds + len(kept), dtype=np.float64)
            self._life.take_up([urls[row] for row in kept], prints[kept], depth=0, priorities=priorities)
            self._seeds += len(kept)
        return len(kept)

    async def foresee(self, links: Links) -> None:
        """Work out in slices, between which others have their turn, what :meth:`links` will need of a page with very
        many new ones."""
        if len(links.urls) <= _AT_ONCE:  # as nearly always
            return
        new = np.flatnonzero(self._frontier.find(links.fingerprints) < 0).tolist()
        for start in range(0, len(new), _AT_ONCE):
            self._growth.foresee([links.urls[row] for row in new[start : start + _AT_ONCE]])
            await asyncio.sleep(0)

    def links(self, page: SourcePage, page_url: str, links: Links) -> bool:
        """Take up the links of a judged page and let the strategy rank their targets; it hears of pages without links
        as well, since it may learn from what they are. False: the strategy does not go on from the page."""
        ids, priorities, standing = self._frontier.look_up(links.fingerprints)
        current = self._life.worth.values(ids, priorities)
        pattern = self._growth.judged(page.site, page_url, page.relevant)
        self._life.journal.statistic_then(
            f"{FRUITLESS}{page.site}", partial(self._growth.fruitless.state, page.site)
        )  # fmt: skip
        seen = page
        if self._frontier.goes_by_site:
            seen = replace(page, site=int(self._frontier.web_sites(np.array([page.site]))[0]))
        if self._refuses is not None and not self._refuses.follows(seen):
            self._stop_at(seen, links, ids)
            return False
        new, runs = self._admit(page, pattern, links, ids)
        ranked = ((standing == WAITS) | (standing == LOW)) & (current < SEED_FLOOR)
        to_itself = bool((ids == page.id).any())
        other = (((standing >= WAITS) > ranked) & (ids != page.id)).nonzero()[0]
        view = self._view(page, links, ids, current, ranked, new, other, to_itself)
        self._rank(seen, links, view, new, runs, self._strategy.rank(seen, view))
        if isinstance(self._strategy, Proposes):
            self._propose(seen, pattern, self._strategy)
        self._note(page, links, ids)
        return True

    def _stop_at(self, page: SourcePage, links: Links, ids: np.ndarray) -> None:
        """The strategy does not go on from a page, but may learn from what it is."""
        new = (ids < 0).nonzero()[0].tolist()
        if new:
            self._life.journal.refused(PAGE_REFUSED, len(new), links.urls[new[0]])
        self._strategy.rank(page, LinkView(_NONE, _NONE, _NONE, _NO_COUNTS, _NO_CONTEXTS, _NO_VALUES))
        self._note(page, links, ids)

    def _note(self, page: SourcePage, links: Links, ids: np.ndarray) -> None:
        """The strategy has heard of a page: it may think otherwise of what this did not mention."""
        self._life.worth.revise()
        kept = ids >= 0
        self._life.journal.links(page.id, links, None if kept.all() else kept.nonzero()[0], ids[kept])

    def links_again(self, page: SourcePage, page_url: str, links: Links) -> None:
        """A page that was judged before has other links by now: take up those targets that are new to the crawl. What
        it said of the others is known."""
        if self._refuses is not None and not self._refuses.follows(page):
            return
        ids, _, _ = self._frontier.look_up(links.fingerprints)
        new, runs = self._admit(page, self._growth.pattern(page_url), links, ids)
        if new:
            nothing, unknown = np.zeros(len(ids), np.bool_), np.full(len(ids), math.nan)
            view = self._view(page, links, ids, unknown, nothing, new, _NONE, False)
            rank = self._strategy.rank_again if isinstance(self._strategy, RanksAgain) else self._strategy.rank
            self._rank(page, links, view, new, runs, rank(page, view))
            rows = np.array(new, np.int64)
            self._life.journal.links(page.id, links, rows, ids[rows])

    def redirect(self, candidate: int, url: str, *, moves: bool = True) -> str:
        """Take up the target of a redirect in place of the URL that redirects, or, where nothing ``moves``, beside it.
        Returns "" when it will be fetched, "known" when it was already taken up, else the rule that refuses it."""
        prints = self._frontier.fingerprints([url])
        if self._frontier.find(prints)[0] >= 0:
            return "known"
        rule = self._refuses_alone(url)
        if rule is not None:
            return rule
        columns = self._frontier.candidates
        self._life.take_up(
            [url], prints, depth=columns.depth.item(candidate), parent=columns.parent.item(candidate),
            priorities=np.array([self._frontier.priority(candidate)]), source=candidate if moves else None,
        )  # fmt: skip
        return ""

    def _refuses_alone(self, url: str) -> str | None:
        """The rule that refuses a URL which comes without a page."""
        rule = self._scope.refuse(url)
        if rule is None and self._frontier.is_processed(url):
            rule = "site-done"
        site = self._frontier.site_of_url(url) if rule is None else None
        if site is not None:
            rule = "site-closed" if site.closed else self._growth.admit(site.id, url, None, 0, False).rule
        if rule is not None:
            self._life.journal.refused(rule, 1, url)
        return rule

    def letters(self, letters: Sequence[Letter]) -> None:
        """Take up what other shards have found: links as if their pages had been judged here, where the strategy goes
        by links; else what is known is raised where they think it worth more."""
        if self._mentions is not None and self._elsewhere is not None:
            linked, letters = by_page(letters)
            for told in linked.values():
                letters.extend(self._linked(told, self._mentions, self._elsewhere))
        letters = best_of_each(letters)
        if not letters:
            return
        prints = self._frontier.fingerprints([letter.url for letter in letters])
        ids, priorities, standing = self._frontier.look_up(prints)
        values = np.array([letter.value for letter in letters])
        more = ((standing == WAITS) | (standing == LOW)) & (values > self._life.worth.values(ids, priorities))
        more &= values < SEED_FLOOR
        if more.any():
            self._life.worth.rerank(ids[more], values[more])
            self._life.worth.mentioned(ids[more])
        self._come_home(ids[ids >= 0])
        for row in np.flatnonzero(ids < 0).tolist():
            letter = letters[row]
            if self._refuses_alone(letter.url) is None:
                worth = values[row : row + 1]
                of_seed = letter.value >= SEED_FLOOR
                self._life.take_up(
                    [letter.url], prints[row : row + 1], depth=letter.depth,
                    values=None if of_seed else worth, priorities=worth if of_seed else None,
                )  # fmt: skip

    def _linked(
        self, told: Sequence[tuple[Letter, Mention]], strategy: RanksMentions, elsewhere: Elsewhere
    ) -> list[Letter]:  # fmt: skip
        """Take up links of one page that another shard has judged; those of no use as links, the page being ours."""
        first = told[0][1]
        page_id = self._judged_there(first, elsewhere)
        if page_id is None:
            return [letter for letter, _ in told]
        site = self._frontier.web_sites(self._frontier.candidates.site[[page_id]].astype(np.int64)).item(0)
        page = SourcePage(
            id=page_id, site=site, depth=first.depth, ordinal=0, score=first.score, relevant=first.relevant,
            n_links=first.n_links, threshold=first.threshold, worth=first.worth, url=first.page_url,
            similarity=first.similarity, by_words=first.by_words,
        )  # fmt: skip
        links = _mentioned(told, self._frontier)
        ids, priorities, standing = self._frontier.look_up(links.fingerprints)
        current = self._life.worth.values(ids, priorities)
        next_id = len(self._frontier.candidates)
        new = [row for row in np.flatnonzero(ids < 0).tolist() if self._refuses_alone(links.urls[row]) is None]
        ids[new] = np.arange(next_id, next_id + len(new))
        ranked = ((standing == WAITS) | (standing == LOW)) & (current < SEED_FLOOR)
        if new or ranked.any():
            view = self._view(page, links, ids, current, ranked, new, _NONE, False)
            self._rank(page, links, view, new, [0] * len(new), strategy.rank_mentions(page, view))
        return []

    def _judged_there(self, told: Mention, elsewhere: Elsewhere) -> int | None:
        """The candidate that stands here for a page that another shard has judged; None where it is ours."""
        prints = self._frontier.fingerprints([told.page_url])
        id_ = int(self._frontier.find(prints)[0])
        if id_ < 0:
            priority = np.array([SEED_PRIORITY])
            ids = self._life.take_up(
                [told.page_url], prints, depth=told.depth, priorities=priority, judged_there=True
            )  # fmt: skip
            return int(ids[0])
        if not elsewhere.is_theirs(id_):
            return None
        elsewhere.judged_there(id_)
        return id_

    def page_of(self, url: str, depth: int) -> int:
        """The candidate that stands for a page that was judged, here or by another shard."""
        prints = self._frontier.fingerprints([url])
        id_ = int(self._frontier.find(prints)[0])
        if id_ < 0:
            ids = self._life.take_up(
                [url], prints, depth=depth, priorities=np.array([SEED_PRIORITY]), judged_there=True
            )
            return int(ids[0])
        if self._elsewhere is not None and self._elsewhere.is_theirs(id_):
            self._elsewhere.judged_there(id_)
        return id_

    def rule_by_now(self, candidate: int, site: int, url: str) -> str | None:
        """The rule by which a leased URL would not come in any more, what was judged since considered; a seed stays."""
        is_seed = not self._frontier.candidates.depth.item(candidate)
        return None if is_seed else self._growth.rule_by_now(site, url)

    def load(self, block: CandidateBlock) -> None:
        """Count URLs that an earlier run took up."""
        self._growth.count_all(block.sites, block.urls)

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Go on from what an earlier run learned of fruitless places."""
        for name, state in learned.items():
            if name.startswith(FRUITLESS):
                self._growth.fruitless.load(int(name.removeprefix(FRUITLESS)), revived(dict[str, int], state))

    def _admit(
        self, page: SourcePage, page_pattern: int, links: Links, ids: np.ndarray
    ) -> tuple[list[int], list[int]]:  # fmt: skip
        """Give admitted new URLs the ids they will have; the row and the pattern run of each, in that order."""
        new = (ids < 0).nonzero()[0].tolist()
        admitted: list[int] = []
        runs: list[int] = []
        if not new:
            return admitted, runs
        if self._max_depth is not None and page.depth + 1 > self._max_depth:
            self._life.journal.refused("depth", len(new), links.urls[new[0]])
            return admitted, runs
        frontier, growth = self._frontier, self._growth
        page_run = int(frontier.candidates.run[page.id])
        next_id = len(frontier.candidates)
        for row in new:
            url = links.urls[row]
            if frontier.is_processed(url):
                self._life.journal.refused("site-done", 1, url)
                continue
            site = frontier.known_site(url)
            if site is None:
                if growth.is_full(url):  # asked first: a site, once made, stays
                    self._life.journal.refused("domain-cap", 1, url)
                    continue
                site = frontier.site_of_url(url)
            if site.closed:
                self._life.journal.refused("site-closed", 1, url)
                continue
            admission = growth.admit(site.id, url, page_pattern, page_run, page.relevant)
            if admission.rule is not None:
                self._life.journal.refused(admission.rule, 1, url)
                continue
            ids[row] = next_id + len(runs)
            admitted.append(row)
            runs.append(admission.run)
        return admitted, runs

    def _view(
        self, page: SourcePage, links: Links, ids: np.ndarray, current: np.ndarray, ranked: np.ndarray,
        new: list[int], other: np.ndarray, to_itself: bool,
    ) -> LinkView:  # fmt: skip
        """The links whose targets the strategy ranks: those that were ranked before, and the new ones."""
        columns, depth = self._frontier.candidates, page.depth + 1
        rows = ranked.nonzero()[0]
        if not new and not len(rows) and not self._strategy.learns_words:  # half the pages of a site lead nowhere new
            return LinkView(_NONE, _NONE, _NONE, _NO_COUNTS, _NO_CONTEXTS, _NO_VALUES, ids[other], to_itself=to_itself)
        old = ids[rows]
        sites, depths = columns.site[old].astype(np.int64), np.minimum(columns.depth[old], depth).astype(np.int64)
        if new:
            known, ranked = ranked, ranked.copy()
            ranked[new] = True
            known, rows = known[ranked], ranked.nonzero()[0]
            of_old, sites = sites, np.empty(len(known), np.int64)
            sites[known], sites[~known] = of_old, [self._frontier.site_of_url(links.urls[row]).id for row in new]
            of_old, depths = depths, np.full(len(known), depth, np.int64)
            depths[known] = of_old
        view = LinkView(
            ids=ids[rows], sites=self._frontier.web_sites(sites), depths=depths, counts=links.counts[rows],
            similarity=links.similarity[rows], current=current[rows], others=ids[other],
            to_itself=to_itself,
        )  # fmt: skip
        if not self._strategy.learns_words:
            return view
        asked = rows.tolist()
        paths = links.paths[rows] if len(links.paths) else links.paths  # whoever made these links may know none
        return replace(
            view, urls=[links.urls[row] for row in asked], anchors=[links.anchors[row] for row in asked],
            positions=links.positions[rows], others_at=links.positions[other], paths=paths,
        )  # fmt: skip

    def _propose(self, page: SourcePage, page_pattern: int, strategy: Proposes) -> None:
        """Take up what the strategy proposes to go to from a judged page, as if the page had links there; it has none,
        though, and none is recorded."""
        urls = [url for url in dict.fromkeys(strategy.propose(page)) if self._may_come_in(url)]
        if not urls:
            return
        links = _proposed(urls, self._frontier.fingerprints(urls))
        ids, priorities, standing = self._frontier.look_up(links.fingerprints)
        current = self._life.worth.values(ids, priorities)
        new, runs = self._admit(page, page_pattern, links, ids)
        ranked = ((standing == WAITS) | (standing == LOW)) & (current < SEED_FLOOR)
        if new or ranked.any():
            view = self._view(page, links, ids, current, ranked, new, _NONE, False)
            self._rank(page, links, view, new, runs, strategy.rank_proposed(page, view))

    def _may_come_in(self, url: str) -> bool:
        """What workers ask of links: is it a web address, and in scope?"""
        rule = "bad-url" if canonical(url) != url else self._scope.refuse(url)
        if rule is not None:
            self._life.journal.refused(rule, 1, url)
        return rule is None

    def _rank(
        self, page: SourcePage, links: Links, view: LinkView, new: list[int], runs: list[int], values: np.ndarray
    ) -> None:
        """Links have these values by now; those that are new are taken up with them."""
        ids, first = view.ids, len(self._frontier.candidates)  # of the new ones
        if len(ids) > len(new):
            known = ids < first
            sites = None if self._frontier.goes_by_site else view.sites[known]  # else those are web sites
            self._life.worth.rerank(ids[known], values[known], sites)
        if new:
            self._life.take_up(
                [links.urls[row] for row in new], links.fingerprints[new], depth=page.depth + 1, parent=page.id,
                values=values[ids >= first], runs=runs,
            )  # fmt: skip
        if self._frontier.lowest > -math.inf:
            self._life.worth.mentioned(ids)
        if self._elsewhere is not None:
            self._come_home(ids)
            self._elsewhere.tell_links(page, view)

    def _come_home(self, ids: np.ndarray) -> None:
        """Of these candidates, which were mentioned, those that are ours since their slot came here, and that whoever
        had it did not want: they come in like new ones."""
        if self._elsewhere is None:
            return
        for id_ in self._elsewhere.come_home(ids):
            if self._refuses_alone(self._frontier.url(id_)) is None:
                found = np.array([id_])
                self._life.come_back(found, self._life.worth.values(found, self._frontier.priorities(found)))
