"""The port every crawl order stands behind.

A strategy turns what the crawl has paid for into priorities: higher goes earlier, ties go in order of discovery. It
is told of each judged page once, with the page's links; it answers with the new priority of each link's target. It
sees ids, scores and link features only, never a page that was not fetched (no peeking).

What a strategy knows of each single candidate is its :class:`Memory`: it grows with the frontier, so it is stored
candidate by candidate, next to the priority it led to. What it knows of the crawl as a whole is its ``state``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dowse.model.block_rule import BlockRule
from dowse.model.page import Bag, Context, Counting

__all__ = [
    "SEED_FLOOR",
    "SEED_PRIORITY",
    "Answer",
    "Carried",
    "Carries",
    "CountsTexts",
    "CutsPages",
    "Explanation",
    "GoesBySite",
    "IsWaiting",
    "LearnsFromFailures",
    "LinkView",
    "Memory",
    "Proposes",
    "RanksAgain",
    "RanksMentions",
    "RefusesPages",
    "Revaluing",
    "Revision",
    "Sample",
    "SourcePage",
    "Strategy",
    "Subject",
    "WantsAllTerms",
]

SEED_PRIORITY = 1e12
"""A seed has no parent and comes first (METHODS, section 1); seeds keep their own order below this."""

SEED_FLOOR = SEED_PRIORITY / 2
"""What is above is a seed's place, and no value of a strategy's."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A fetched and judged page, as a strategy sees it."""

    id: int
    site: int
    depth: int
    ordinal: int  # how many pages were judged before it
    score: float
    relevant: bool
    n_links: int
    threshold: float = 0.5  # the score from which a page is relevant
    worth: float = 0.0  # from 0 to 1, and about a half where it is doubtful
    bag: Bag | None = None  # its terms, for a strategy that learns from words
    url: str | None = None  # canonical; like the bag, for a strategy that learns from words
    similarity: float = 0.0  # cosine with the topic's words, whoever judges; by the strategy's Counting
    by_words: bool = False  # the score measures words, as similarity and ERID do; it is no chance or degree
    categories: tuple[str, ...] = ()  # where a predicate judges: its tests for categories that the page passes


@dataclass(frozen=True, slots=True)
class LinkView:
    """Links of one page to URLs that may still be fetched, as columns of equal length."""

    ids: NDArray[np.int64]  # the target's candidate id
    sites: NDArray[np.int64]  # the target's site
    depths: NDArray[np.int64]  # the target's depth, in links from a seed
    counts: NDArray[np.float32]  # links from the page to the target, L(p,h)
    similarity: NDArray[np.float32]  # of its contexts, one column a Context; nan where there is no word
    current: NDArray[np.float64]  # what it was thought worth before this page; nan when the URL is new
    others: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """The page's other targets: fetched, being fetched, or seeds, whose place is not the strategy's to choose."""

    others_at: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))  # positions of those
    urls: Sequence[str] = ()  # of the targets, canonical; like the next two, for those who ask for them
    anchors: Sequence[str] = ()
    positions: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Where the first link to each stands among all the page's links."""

    paths: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    """The path of tags that leads to it, hashed; 0: none."""

    to_itself: bool = False  # the page links to itself, too

    def of(self, context: Context) -> NDArray[np.float32]:
        """The similarity of one context."""
        return self.similarity[:, context]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a candidate has its priority: feature -> (value, weight), under a version of the model."""

    priority: float
    features: dict[str, tuple[float, float]]
    version: int = 0


IsWaiting = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Which of these candidates still wait."""

Revision = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Candidates and their new priorities."""


class Memory(Protocol):
    """What a strategy knows of each candidate, as short byte strings that can be stored and taken up again."""

    @property
    def kind(self) -> str:
        """What the rows mean: those of another kind must not be loaded."""
        ...

    def changes(self) -> tuple[Sequence[int], Sequence[bytes]]:
        """The candidates of which more is known than when this was last asked, and all that is known of each."""
        ...

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        """Take up the rows of candidates with ids in a row from ``first`` on; None: nothing was known."""
        ...

    def moved(self, source: int, target: int) -> None:
        """A redirect leads from one candidate to another that is new: what was known goes with it."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """A page that is known to be on the topic, or off it."""

    bag: Bag
    url: str = ""  # where it is from; empty: not from the web


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody said of a page of the crawl."""

    page: int
    positive: bool  # is it on the topic?
    sample: Sample
    by_lot: bool = False  # was it drawn by lot to be asked about? Then it speaks for others, too


@dataclass(frozen=True, slots=True)
class Subject:
    """What whoever learns from words is told of the topic before the crawl."""

    positive: tuple[Sample, ...] = ()  # the examples
    negative: tuple[Sample, ...] = ()
    query: tuple[int, ...] = ()  # its terms, hashed as in a bag


class Strategy(Protocol):
    """Orders the frontier. Deterministic: the same calls give the same answers."""

    @property
    def name(self) -> str: ...

    @property
    def predicts_value(self) -> bool:
        """Are priorities values, at least 0 and twice as good when twice as high? Then a cost can be set against them;
        an order such as breadth first has none."""
        ...

    @property
    def learns_words(self) -> bool:
        """Does it want the terms of pages, and the URLs and anchors of links?"""
        ...

    @property
    def memory(self) -> Memory | None:
        """What it knows of single candidates; None when the priority is all there is."""
        ...

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        """Learn from a judged page; the new (finite) priorities of its link targets, one a row."""
        ...

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        """Priorities that changed though no page mentioned their URL; asked for after each page. A strategy spreads
        such work out, so that it costs the same a page however much waits."""
        ...

    def refresh(self, candidate: int) -> float | None:
        """What a candidate is worth at this moment, asked for before it is fetched; None: what it was ranked with."""
        ...

    def explain(self, candidate: int, priority: float) -> Explanation:
        """The features behind a candidate's priority (or, where a cost is set against it, its value)."""
        ...

    def state(self) -> dict[str, Any]:
        """Everything learned of the crawl as a whole, as JSON values or bytes, so that it can go on after a stop."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a saved :meth:`state`."""
        ...


@runtime_checkable
class LearnsFromFailures(Protocol):
    """A strategy that also wants to hear of URLs that were asked for in vain."""

    def failed(self, candidate: int, site: int, *, lasting: bool) -> None:
        """A URL of this site brought no page to learn from: an error, another type, a copy of a known page. Not
        ``lasting``: the site may answer another time, so this says little of the URL."""
        ...


@runtime_checkable
class Proposes(Protocol):
    """A strategy that knows URLs which no page links to.

    What it proposes is found *through a page*, as links are: that page is the candidate's parent, and its depth one
    more than the page's. Proposals pass scope, the rules against endless sites, robots.txt and budgets like links, are
    ranked again when they are proposed again, and are told apart from links by ``dowse why``: a candidate whose parent
    has no link to it was proposed. No peeking: what is proposed comes from what the strategy was given before the
    crawl, never from pages that were not paid for.
    """

    def propose(self, page: SourcePage) -> Sequence[str]:
        """URLs that a page leads to other than by its links, canonical, each once; asked for after :meth:`rank` of that
        page. A bounded number a page. Those that are no canonical web address are left out."""
        ...

    def rank_proposed(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        """The (finite) priorities of what was proposed and may be fetched, one a row. A row is like that of a link,
        without count, context and anchor; nothing is to be learned from the page again."""
        ...


@runtime_checkable
class RanksAgain(Protocol):
    """A strategy that must not learn twice from a page that is visited again."""

    def rank_again(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        """The (finite) priorities of links that are new on a page which it was shown before, one a row."""
        ...


@runtime_checkable
class RanksMentions(Protocol):
    """A strategy to which a link says the same when another shard has judged the page that has it."""

    def rank_mentions(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        """The (finite) priorities of targets of links on a page that another shard has judged and learned from, one a
        row. The page is no page of ours: it counts for nothing but what it says of its links. It may come again, with
        other links."""
        ...


@dataclass(frozen=True, slots=True)
class Carried:
    """What a strategy knows of a URL that goes to another shard, in its own format; and the judged pages, by their
    candidates, that this speaks of, with what each is worth."""

    row: bytes
    pages: Sequence[int]
    worths: Sequence[float]


@runtime_checkable
class Carries(Protocol):
    """A strategy whose knowledge of a URL that waits can go with it to another shard."""

    def carried(self, ids: NDArray[np.int64]) -> list[Carried | None]:
        """What is known of each of these; None: nothing."""
        ...

    def take_carried(
        self, ids: NDArray[np.int64], sites: NDArray[np.int64], told: Sequence[Carried], site_of: Mapping[int, int]
    ) -> NDArray[np.float64]:
        """Take up what another shard told of URLs of these sites, whose pages are ``told`` by the candidates that stand
        for them here, each with its site: what the URLs are worth. ValueError where it cannot be so."""
        ...


@runtime_checkable
class WantsAllTerms(Protocol):
    """A strategy that learns words, and for which the terms that a page has most often are not enough."""

    @property
    def wants_all_terms(self) -> bool: ...


@runtime_checkable
class CountsTexts(Protocol):
    """A strategy that says how texts are to be measured for it; for others, repeated text counts less, and the best of
    several links counts."""

    @property
    def counting(self) -> Counting: ...


@runtime_checkable
class CutsPages(Protocol):
    """A strategy that goes by content blocks, and says how pages are cut into them."""

    @property
    def block_rule(self) -> BlockRule: ...


@runtime_checkable
class GoesBySite(Protocol):
    """A strategy that works off one web site after the other (METHODS, section 2, WebCrawler).

    Only URLs of so many web sites, the current ones, are fetched; its priorities are the order on them. When nothing of
    a current site waits or is under way, it is processed: no link to it is taken up any more (the rule ``site-done``).
    The site of the URL with the highest priority is the next. A web site is a host, by http or https, with or without
    ``www.``; in what this strategy is shown, the number of a site is that of its web site, and what a memory knows of a
    URL does not go over to another web site with a redirect.
    """

    @property
    def sites_at_once(self) -> int:
        """How many sites are current at a time, at least 1."""
        ...


@runtime_checkable
class RefusesPages(Protocol):
    """A strategy that does not go on from every page."""

    @property
    def drops_refused(self) -> bool:
        """Is what it does not go on from left out of the archive?"""
        ...

    def follows(self, page: SourcePage) -> bool:
        """Is the crawl to go on from a judged page? Asked once, before :meth:`Strategy.rank`. If not, new links on it
        are refused (the rule ``page-refused``), and the page is ranked as one without links."""
        ...


@runtime_checkable
class Revaluing(Protocol):
    """A strategy to which a page's worth matters after it was judged: a judge that learns thinks otherwise later."""

    def revalue(self, ids: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Pages are worth something else than was thought. Some may be unknown here."""
        ...
