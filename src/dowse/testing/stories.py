"""Random webs, and crawls of them as the engine would tell a strategy: with words, URLs, anchors, seeds, redirects
and failures.

What happens in a story does not depend on the strategy, so that the answers of two can be compared event by event. A
strategy hears of each page once, when it is fetched; of a target as often as pages mention it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag, Context
from dowse.model.strategy import (
    LearnsFromFailures,
    LinkView,
    Memory,
    Proposes,
    RefusesPages,
    Revision,
    SourcePage,
    Strategy,
)
from dowse.model.url import canonical
from dowse.testing.contract import expect

__all__ = ["Answers", "Event", "MakeStrategy", "Records", "Story", "Telling", "random_story", "resumed"]

MakeStrategy = Callable[[], Strategy]
_SITES, _SEEDS = 5, 3
_FIRST_PROPOSED, _MOST_PROPOSED = 4_000, 1_000  # the number of the first one, and how many a page may lead to
_TERMS = np.sort(np.random.default_rng(1).choice(1 << 32, 60, replace=False).astype(np.uint32))
_WORDS = ("solar", "cell", "perovskite", "bread", "news", "about", "panel", "2026", "home", "tandem")


@dataclass(frozen=True, slots=True)
class Event:
    """A candidate is fetched: it redirects to another that is new (``leads_to``), fails at its site (``fails_at``), or
    is a page with links."""

    candidate: int
    leads_to: int | None = None
    fails_at: int | None = None
    lasting: bool = True  # of a failure
    page: SourcePage | None = None
    links: LinkView | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """Events in order, and how many candidates there are in the end; the first few are seeds."""

    events: tuple[Event, ...]
    candidates: int


class _Web:
    """Rolls the dice of one story."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.sites = [self.dice.randrange(_SITES) for _ in range(_SEEDS)]
        self.depths = [0] * _SEEDS
        self.waiting = set(range(_SEEDS))

    def url(self, candidate: int) -> str:
        words = [_WORDS[(candidate * 7 + step) % len(_WORDS)] for step in range(1 + candidate % 3)]
        return f"http://site{self.sites[candidate]}.test/{'/'.join(words)}/{candidate}.html"

    def anchor(self, candidate: int) -> str:
        return "" if candidate % 11 == 0 else " ".join(self.dice.choices(_WORDS, k=1 + candidate % 3))

    def new(self, depth: int, site: int | None = None) -> int:
        self.sites.append(self.dice.randrange(_SITES) if site is None else site)
        self.depths.append(depth)
        self.waiting.add(len(self.sites) - 1)
        return len(self.sites) - 1

    def bag(self, relevant: bool) -> Bag:
        half = len(_TERMS) // 2
        own = range(half) if relevant else range(half // 2, len(_TERMS))
        chosen = np.array(sorted(self.dice.sample(own, 12)))
        return Bag(_TERMS[chosen], np.array([self.dice.randint(1, 9) for _ in chosen], np.float32))

    def targets(self, page: int, most: int) -> list[int]:
        """Some that are new, some that wait, and some that were fetched; two that nearly every page mentions."""
        depth = self.depths[page] + 1
        some = self.dice.sample(range(len(self.sites)), min(len(self.sites), most))
        known = [id_ for id_ in dict.fromkeys((0, min(_SEEDS, len(self.sites) - 1), *some)) if id_ != page]
        new = [self.new(depth) for _ in range(self.dice.randint(1, 4))]  # so a story goes on
        found = [*new, *known]
        self.dice.shuffle(found)
        return found

    def links(self, page: int, found: Sequence[int]) -> LinkView:
        ranked = [id_ for id_ in found if id_ in self.waiting and id_ >= _SEEDS]
        places = {id_: place for place, id_ in enumerate(found)}
        beside = [id_ for id_ in found if id_ not in set(ranked)]
        similarity = [
            [float("nan") if self.dice.random() < 0.2 else self.dice.random() for _ in Context] for _ in ranked
        ]
        depth = self.depths[page] + 1
        return LinkView(
            ids=np.array(ranked, np.int64),
            sites=np.array([self.sites[id_] for id_ in ranked], np.int64),
            depths=np.array([min(self.depths[id_], depth) for id_ in ranked], np.int64),
            counts=np.array([self.dice.randint(1, 3) for _ in ranked], np.float32),
            similarity=np.array(similarity, np.float32).reshape(len(ranked), len(Context)),
            current=np.full(len(ranked), np.nan),
            others=np.array(beside, np.int64),
            others_at=np.array([places[id_] for id_ in beside], np.int32),
            urls=[self.url(id_) for id_ in ranked],
            anchors=[self.anchor(id_) for id_ in ranked],
            positions=np.array([places[id_] for id_ in ranked], np.int32),
            to_itself=page % 3 == 0,
        )


def random_story(seed: int = 0, pages: int = 30, links: int = 8) -> Story:
    """A crawl of so many pages of a random web."""
    web, events, judged = _Web(seed), list[Event](), 0
    while judged < pages and web.waiting:
        seeds = [id_ for id_ in sorted(web.waiting) if id_ < _SEEDS]
        candidate = seeds[0] if seeds else web.dice.choice(sorted(web.waiting))
        web.waiting.discard(candidate)
        ending = web.dice.random() if candidate >= _SEEDS else 1.0
        if ending < 0.1:
            events.append(Event(candidate, leads_to=web.new(web.depths[candidate])))
            continue
        if ending < 0.25 and web.waiting:
            events.append(Event(candidate, fails_at=web.sites[candidate], lasting=ending < 0.2))
            continue
        relevant = web.dice.random() < 0.4
        found = web.targets(candidate, links)
        page = SourcePage(
            id=candidate, site=web.sites[candidate], depth=web.depths[candidate], ordinal=judged,
            score=web.dice.uniform(0.3, 1.0) if relevant else web.dice.choice((0.0, web.dice.uniform(0.0, 0.3))),
            relevant=relevant, n_links=len(found), threshold=0.3,
            worth=web.dice.uniform(0.5, 1.0) if relevant else web.dice.uniform(0.0, 0.5), bag=web.bag(relevant),
            similarity=web.dice.random(), by_words=web.dice.random() < 0.5,
        )  # fmt: skip
        events.append(Event(candidate, page=page, links=web.links(candidate, found)))
        judged += 1
    return Story(tuple(events), len(web.sites))


def _no_links() -> LinkView:
    """What is shown of a page that a strategy does not go on from."""
    none, single = np.zeros(0, np.int64), np.zeros(0, np.float32)
    return LinkView(none, none, none, single, np.zeros((0, len(Context)), np.float32), np.zeros(0, np.float64))


Answers = list[tuple[str, int, float]]
"""What a strategy said: of what kind, of which candidate, which number."""


@dataclass(slots=True)
class Records:
    """What a crawl's records keep of a strategy."""

    rows: dict[int, bytes] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def commit(self, strategy: Strategy) -> None:
        """Take up what is new, as the engine does about once a second."""
        memory = strategy.memory
        if memory is not None:
            self.rows.update(zip(*memory.changes(), strict=True))
        self.state = {
            key: value if isinstance(value, bytes) else json.loads(json.dumps(value, allow_nan=False))
            for key, value in strategy.state().items()
        }


class Telling:
    """Tells a story to a strategy as the engine would, and notes the answers."""

    def __init__(self, strategy: Strategy, known: dict[int, float] | None = None) -> None:
        self.strategy = strategy
        self.known = dict(known or {})  # the priority of each candidate that was ranked
        self.fetched: set[int] = set()
        self.proposed: dict[str, int] = {}  # URLs that the strategy has led to, and their numbers

    def after_a_stop(self, strategy: Strategy) -> Telling:
        """The same story goes on with another strategy, which took up the records of this one."""
        later = Telling(strategy, self.known)
        later.fetched, later.proposed = set(self.fetched), dict(self.proposed)
        return later

    def tell(self, event: Event) -> Answers:
        """One event, and what was answered."""
        strategy, id_ = self.strategy, event.candidate
        answers: Answers = []
        now = strategy.refresh(id_)
        if now is not None:
            answers.append(("refresh", id_, now))
        why = strategy.explain(id_, self.known.get(id_, 1.0))
        answers += [(f"because of {name}", id_, value * weight) for name, (value, weight) in why.features.items()]
        self.fetched.add(id_)
        if event.leads_to is not None:
            if strategy.memory is not None:
                strategy.memory.moved(id_, event.leads_to)
            self.known[event.leads_to] = self.known.get(id_, 1.0)
            return answers
        if event.fails_at is not None:
            if isinstance(strategy, LearnsFromFailures):
                strategy.failed(id_, event.fails_at, lasting=event.lasting)
            return answers
        assert event.page is not None
        assert event.links is not None
        page, links = self.seen(event.page, event.links)
        if isinstance(strategy, RefusesPages):
            follows = strategy.follows(page)
            answers.append(("follows", id_, float(follows)))
            links = links if follows else _no_links()
        ids = links.ids.tolist()
        ranked = strategy.rank(page, links)
        expect(len(ranked) == len(ids), "rank answers with one priority a link")
        self.known.update(zip(ids, ranked.tolist(), strict=True))
        answers += [("rank", *pair) for pair in zip(ids, ranked.tolist(), strict=True)]
        if isinstance(strategy, Proposes):
            answers += [("rank_proposed", *pair) for pair in self._led_to(strategy, page)]
        return answers + [("revise", *pair) for pair in self._revised(strategy.revise(self.is_waiting))]

    def _led_to(self, strategy: Proposes, page: SourcePage) -> Iterator[tuple[int, float]]:
        """What the strategy leads to from a page, and how it ranks that. None of it is ever fetched."""
        urls = list(strategy.propose(page))
        expect(len(urls) == len(set(urls)) <= _MOST_PROPOSED, f"propose names each URL once, {_MOST_PROPOSED} at most")
        expect(all(canonical(url) == url for url in urls), "what is proposed is canonical")
        ids = [self.proposed.setdefault(url, _FIRST_PROPOSED + len(self.proposed)) for url in urls]
        nothing = np.zeros(len(ids), np.int64)
        view = LinkView(
            ids=np.array(ids, np.int64), sites=nothing, depths=nothing + page.depth + 1,
            counts=np.zeros(len(ids), np.float32),
            similarity=np.full((len(ids), len(Context)), np.nan, np.float32),
            current=np.array([self.known.get(id_, np.nan) for id_ in ids], np.float64),
        )  # fmt: skip
        if self.strategy.learns_words:
            view = replace(view, urls=urls, anchors=[""] * len(ids), positions=np.arange(len(ids), dtype=np.int32))
        ranked = strategy.rank_proposed(page, view)
        expect(len(ranked) == len(ids), "rank_proposed answers with one priority a URL")
        self.known.update(zip(ids, ranked.tolist(), strict=True))
        yield from zip(ids, ranked.tolist(), strict=True)

    def seen(self, page: SourcePage, links: LinkView) -> tuple[SourcePage, LinkView]:
        """What of a page this strategy gets to see."""
        current = np.array([self.known.get(id_, np.nan) for id_ in links.ids.tolist()], np.float64)
        if self.strategy.learns_words:
            return page, replace(links, current=current)
        none = np.zeros(0, np.int32)
        without = replace(links, current=current, urls=(), anchors=(), positions=none, others_at=none)
        return replace(page, bag=None), without

    def is_waiting(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which candidates still wait."""
        waiting = [id_ in self.known and id_ not in self.fetched for id_ in np.asarray(ids).tolist()]
        return np.array(waiting, np.bool_)

    def _revised(self, revision: Revision | None) -> Iterator[tuple[int, float]]:
        if revision is None:
            return
        ids, values = (column.tolist() for column in revision)
        expect(len(ids) == len(values) == len(set(ids)), "revise answers with candidates and one priority each")
        expect(bool(self.is_waiting(np.array(ids, np.int64)).all()), "revise changes what still waits, nothing else")
        self.known.update(zip(ids, values, strict=True))
        yield from zip(ids, values, strict=True)


def resumed(make: MakeStrategy, records: Records, candidates: int) -> Strategy:
    """A new strategy that takes up what the records keep, as a later run does."""
    strategy = make()
    memory: Memory | None = strategy.memory
    if memory is not None:
        last = max(candidates, *(id_ + 1 for id_ in records.rows)) if records.rows else candidates
        for first in range(0, last, 50):
            memory.load(first, [records.rows.get(id_) for id_ in range(first, min(first + 50, last))])
    strategy.restore(dict(records.state))
    return strategy
