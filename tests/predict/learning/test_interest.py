"""The interest ratios against their definitions, read sentence by sentence, on random webs.

Aggarwal, On learning strategies for topic specific web crawling, section 3, and the robust form of METHODS, section 4.
Nothing here uses the counts or the ratios of the code: every number is found by looking at all the pages again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.learning.interest import InterestRatios

LOG_OF_NOTHING = -30.0  # what stands for log 0, see METHODS
KAPPA, CLIP, LEAST, SOURCES = 10.0, 3.0, 5, 8


@dataclass
class Page:
    """A page that was crawled."""

    url: str
    words: frozenset[int]
    satisfies: bool
    links: frozenset[int]  # ids of URLs

    @property
    def host(self) -> str:
        return self.url.split("/")[2]


@dataclass
class Crawl:
    """What is known at a moment: the pages crawled so far, by id, in their order; perhaps what an earlier crawl
    counted, each of its pages as a part of one."""

    pages: dict[int, Page] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)  # where a URL redirected from
    named_before_it_moved: bool = False
    earlier: Crawl | None = None
    weight: float = 1.0  # of a page

    def inlinking(self, id_: int) -> list[int]:
        """The pages that link to it and "have already been crawled", each once; to what redirects there, they link as
        well."""
        names = {id_, self.moved.get(id_, id_)}
        return [page for page, own in self.pages.items() if names & own.links and page != id_]

    def words_of_parents(self, id_: int) -> set[int]:
        """Those of the event ``Q_w``: the word stands in some crawled page that links there."""
        return {word for page in self.inlinking(id_) for word in self.pages[page].words}

    def seen(self) -> Iterator[tuple[Crawl, int, Page]]:
        for crawl in (self, self.earlier):
            if crawl is not None:
                yield from ((crawl, id_, page) for id_, page in crawl.pages.items())

    @property
    def size(self) -> float:
        return sum(crawl.weight for crawl, _, _ in self.seen())

    @property
    def satisfying(self) -> float:
        return sum(crawl.weight for crawl, _, page in self.seen() if page.satisfies)

    def linked(self) -> dict[tuple[bool, bool], float]:
        """Links between crawled pages, by whether the source and the target satisfy."""
        found = dict.fromkeys(((True, True), (True, False), (False, True), (False, False)), 0.0)
        for crawl, id_, page in self.seen():
            for source in crawl.inlinking(id_):
                found[crawl.pages[source].satisfies, page.satisfies] += crawl.weight
        return found


Seen = list[tuple[float, bool, set[Any]]]
"""Of each page that was crawled: its weight, whether it satisfies, and the events that are true of it."""


def counts(seen: Seen, event: Any) -> tuple[float, float]:
    """``n(E)``, and ``n(C and E)``."""
    true = [(weight, satisfies) for weight, satisfies, events in seen if event in events]
    return sum(weight for weight, _ in true), sum(weight for weight, satisfies in true if satisfies)


class Published:
    """The paper's form."""

    robust = False

    @staticmethod
    def tokens(url: str) -> set[str]:
        """'We use the "." and "/" characters in the URL as the separators.' The scheme is that of all."""
        return {token for token in re.split(r"[./]", url.lower().removeprefix("http://")) if token}

    @staticmethod
    def knows(crawl: Crawl) -> bool:
        """P(C) is "the fraction of web pages already crawled which satisfy the user defined predicate"."""
        return 0 < crawl.satisfying < crawl.size

    @staticmethod
    def of_events(crawl: Crawl, of_candidate: set[Any], seen: Seen, t: float) -> float:
        """Equations 5 to 7: the product over the events that are true of the candidate and significant."""
        share, total = crawl.satisfying / crawl.size, 0.0
        for event in of_candidate:
            pages, satisfying = counts(seen, event)
            if not pages:
                continue
            own = satisfying / pages  # P(C|Q)
            if abs(own - share) / math.sqrt(share * (1 - share) / crawl.satisfying) >= t:
                total += math.log(own / share) if own else LOG_OF_NOTHING
        return total

    @staticmethod
    def of_links(crawl: Crawl, candidate: int) -> float:
        """``p^m q^(k-m)``, with the fractions of table 1."""
        share, kinds = crawl.satisfying / crawl.size, crawl.linked()
        inlinking = [crawl.pages[page].satisfies for page in crawl.inlinking(candidate)]
        if not inlinking:
            return 0.0
        p = q = 1.0
        if links := sum(kinds.values()):
            p = kinds[True, True] / links / (share * share)
            q = kinds[False, True] / links / (share * (1 - share))
        logs = [math.log(ratio) if ratio else LOG_OF_NOTHING for ratio in (p if own else q for own in inlinking)]
        return max(LOG_OF_NOTHING, sum(logs))

    @staticmethod
    def of_siblings(crawl: Crawl, siblings: list[bool]) -> float:
        """``s/e``."""
        if not siblings:
            return 0.0
        expected = len(siblings) * crawl.satisfying / crawl.size
        return math.log(sum(siblings) / expected) if any(siblings) else LOG_OF_NOTHING


class Robust:
    """The robust form of METHODS, section 4."""

    robust = True

    @staticmethod
    def tokens(url: str) -> set[str]:
        """Split at every character that is not alphanumeric."""
        return {token for token in re.split(r"[^0-9a-z]", url.lower().removeprefix("http://")) if token}

    @staticmethod
    def knows(crawl: Crawl) -> bool:
        return True

    @staticmethod
    def usual(crawl: Crawl) -> float:
        """``P^ = (n(C)+a)/(N+a+b)``, never 0 or 1; a = b = 1."""
        return (crawl.satisfying + 1) / (crawl.size + 2)

    @classmethod
    def ratio(cls, crawl: Crawl, satisfying: float, pages: float) -> float:
        """``log I = log(((n(C and E) + kappa P^)/(n(E) + kappa))/P^)``, clipped."""
        usual = cls.usual(crawl)
        return max(-CLIP, min(CLIP, math.log((satisfying + KAPPA * usual) / (pages + KAPPA) / usual)))

    @classmethod
    def of_events(cls, crawl: Crawl, of_candidate: set[Any], seen: Seen, t: float) -> float:
        """Significance uses the word's own count: ``z = |P(C|Q)-P^| / sqrt(P^(1-P^)/n(Q))``, ``n(Q) >= 5``."""
        usual, total = cls.usual(crawl), 0.0
        for event in of_candidate:
            pages, satisfying = counts(seen, event)
            if pages >= LEAST and abs(satisfying / pages - usual) / math.sqrt(usual * (1 - usual) / pages) >= t:
                total += cls.ratio(crawl, satisfying, pages)
        return total

    @staticmethod
    def of_links(crawl: Crawl, candidate: int) -> float:
        """``p = f1/((f1+f2)(f1+f3))``, ``q = f3/((f3+f4)(f1+f3))``, smoothed (half a link more of each sort, as shares
        of all); one vote for each source host (the share of its pages that satisfy), ``k`` capped."""
        kinds = crawl.linked()
        counted = [kinds[pair] + 0.5 for pair in ((True, True), (True, False), (False, True), (False, False))]
        f1, f2, f3, f4 = (count / sum(counted) for count in counted)
        p, q = f1 / ((f1 + f2) * (f1 + f3)), f3 / ((f3 + f4) * (f1 + f3))
        votes: dict[str, list[bool]] = {}
        for page in crawl.inlinking(candidate):
            votes.setdefault(crawl.pages[page].host, []).append(crawl.pages[page].satisfies)
        total = 0.0
        for own in list(votes.values())[:SOURCES]:
            m = sum(own) / len(own)
            total += m * math.log(p) + (1 - m) * math.log(q)
        return total

    @classmethod
    def of_siblings(cls, crawl: Crawl, siblings: list[bool]) -> float:
        """``((s + kappa P^)/(n_sib + kappa))/P^``; no sibling: 1."""
        return cls.ratio(crawl, sum(siblings), len(siblings)) if siblings else 0.0


Form = type[Published] | type[Robust]


@dataclass(frozen=True)
class Moment:
    """A crawl as it stands, looked at in one form."""

    form: Form
    crawl: Crawl

    @cached_property
    def by_words(self) -> Seen:
        seen = self.crawl.seen()
        return [(own.weight, page.satisfies, own.words_of_parents(id_)) for own, id_, page in seen]

    @cached_property
    def by_tokens(self) -> Seen:
        return [(own.weight, page.satisfies, self.form.tokens(page.url)) for own, _, page in self.crawl.seen()]

    def expected(self, candidate: int, tokens: set[str], t: float) -> tuple[float, float, float, float]:
        """log Ic, log Iu, log Il, log Is."""
        form, crawl = self.form, self.crawl
        if not form.knows(crawl):
            return 0.0, 0.0, 0.0, 0.0
        parents = set(crawl.inlinking(candidate))
        siblings = [  # "linked to by the same page as the candidate", and visited already: each once
            page.satisfies
            for id_, page in crawl.pages.items()
            if id_ != candidate and parents.intersection(crawl.inlinking(id_))
        ]
        return (
            form.of_events(crawl, crawl.words_of_parents(candidate), self.by_words, t),
            form.of_events(crawl, tokens, self.by_tokens, t),
            form.of_links(crawl, candidate),
            form.of_siblings(crawl, siblings),
        )


# -- random webs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Story:
    """A random web of a few sites, and the order in which it is crawled."""

    urls: list[str]
    words: list[frozenset[int]]
    satisfies: list[bool]
    links: list[frozenset[int]]
    order: list[int]
    seeds: frozenset[int]
    redirected: tuple[int, int] | None  # from the first, at its turn, to the second, which nothing before it links to


@st.composite
def stories(draw: st.DrawFn, sites: int = 3) -> Story:
    size = draw(st.integers(3, 16))
    numbers = st.integers(0, size - 1)
    some = st.frozensets(numbers, max_size=6)
    parts = st.sampled_from(("ski", "a.b", "Ice-hockey", "x"))
    urls = [f"http://site{draw(st.integers(0, sites))}.{draw(parts)}.org/{draw(parts)}/{n}" for n in range(size)]
    order = draw(st.permutations(range(size)))
    redirected = None
    seeds = draw(st.frozensets(numbers, max_size=3))
    links = [draw(some) - {n} for n in range(size)]
    if draw(st.booleans()) and size > 4:
        source, target = order[size // 3], order[-1]  # the target waits for a while, and pages may link to both
        if source not in seeds and target not in seeds:
            redirected = source, target
            early = set(order[: size // 3])
            links = [own - {target} if n in early else own for n, own in enumerate(links)]
    words = [draw(st.frozensets(st.integers(1, 9), max_size=6)) for _ in range(size)]
    return Story(urls, words, [draw(st.booleans()) for _ in range(size)], links, order, seeds, redirected)


def stopped(strategy: InterestRatios, made: Callable[[], InterestRatios], kept: dict[int, bytes]) -> InterestRatios:
    """What goes on after a stop."""
    kept.update(zip(*strategy.memory.changes(), strict=True))
    fresh = made()
    for id_, row in kept.items():
        fresh.memory.load(id_, [row])
    fresh.restore(strategy.state())
    return fresh


def told(strategy: InterestRatios, crawl: Crawl, id_: int, story: Story) -> None:
    """The page as the engine tells of it: links to what may still be fetched, and to others."""
    page = crawl.pages[id_]
    hosts = sorted({url.split("/")[2] for url in story.urls})
    gone = {*crawl.pages, *story.seeds, *crawl.moved.values()}
    ranked = sorted(page.links - gone)
    others = sorted(page.links.intersection(gone) - {id_})
    count = len(ranked)
    view = LinkView(
        ids=np.array(ranked, np.int64),
        sites=np.array([hosts.index(story.urls[target].split("/")[2]) for target in ranked], np.int64),
        depths=np.ones(count, np.int64), counts=np.full(count, 3, np.float32),
        similarity=np.zeros((count, len(Context)), np.float32),
        current=np.full(count, np.nan), others=np.array(others, np.int64),
        others_at=np.arange(len(others), dtype=np.int32), urls=[story.urls[target] for target in ranked],
        anchors=[""] * count, positions=np.arange(count, dtype=np.int32),
    )  # fmt: skip
    words = np.array(sorted(page.words), np.uint32)
    strategy.rank(
        SourcePage(
            id_, hosts.index(page.host), 0, len(crawl.pages) - 1, 0.0, page.satisfies, len(page.links),
            bag=Bag(words, np.ones(len(words), np.float32)), url=page.url,
        ),
        view,
    )  # fmt: skip


def go(
    strategy: InterestRatios, crawl: Crawl, story: Story, made: Callable[[], InterestRatios], stop: int = -1
) -> Iterator[InterestRatios]:
    """Crawl the story, once stopped and resumed; the strategy after each page."""
    kept = dict[int, bytes]()
    for turn, id_ in enumerate(story.order):
        if turn == stop:
            strategy = stopped(strategy, made, kept)
        if story.redirected is not None and id_ == story.redirected[0]:
            crawl.moved[story.redirected[1]] = id_
            crawl.named_before_it_moved = any(id_ in page.links for page in crawl.pages.values())
            strategy.memory.moved(*story.redirected)
            continue
        crawl.pages[id_] = Page(story.urls[id_], story.words[id_], story.satisfies[id_], story.links[id_])
        told(strategy, crawl, id_, story)
        yield strategy


def tokens_known(form: Form, crawl: Crawl, candidate: int, story: Story) -> set[str]:
    """Where a redirect led is known by the URL that redirects, as pages named it, until one names the other."""
    if any(candidate in page.links for page in crawl.pages.values()):
        return form.tokens(story.urls[candidate])
    return form.tokens(story.urls[crawl.moved[candidate]]) if crawl.named_before_it_moved else set()


def check(form: Form, strategy: InterestRatios, crawl: Crawl, story: Story, t: float) -> None:
    moment = Moment(form, crawl)
    for candidate in range(len(story.urls)):
        waits = candidate not in crawl.pages and candidate not in crawl.moved.values()
        if waits and crawl.inlinking(candidate) and candidate not in story.seeds:
            tokens = tokens_known(form, crawl, candidate, story)
            assert strategy._logs(candidate) == pytest.approx(moment.expected(candidate, tokens, t), abs=1e-9)


FORMS = pytest.mark.parametrize("form", [Published, Robust])


@FORMS
@settings(max_examples=100, deadline=None)
@given(story=stories(), t=st.sampled_from((0.0, 1.0, 2.0)), stop=st.integers(0, 14))
def test_every_log_is_that_of_the_definition(form: Form, story: Story, t: float, stop: int) -> None:
    def made() -> InterestRatios:
        return InterestRatios((1.0, 1.0, 1.0, 1.0), robust=form.robust, exact=True, significance=t)

    crawl = Crawl()
    for strategy in go(made(), crawl, story, made, stop):
        check(form, strategy, crawl, story, t)


@FORMS
@settings(max_examples=50, deadline=None)
@given(before=stories(), story=stories(), t=st.sampled_from((0.0, 2.0)), stop=st.integers(0, 14),
       part=st.sampled_from((0.0, 0.25, 0.5, 1.0, 9.0)))  # fmt: skip
def test_an_earlier_crawl_counts_on_as_so_many_pages_at_the_most(
    form: Form, before: Story, story: Story, t: float, stop: int, part: float
) -> None:
    """Section 4.1: statistics are sums. All of them are multiplied by one factor; siblings are those of this crawl.
    (The factors here make sums exact: five pages are five.)"""

    def first() -> InterestRatios:
        return InterestRatios((1.0, 1.0, 1.0, 1.0), robust=form.robust)

    earlier = Crawl()
    *_, last = go(first(), earlier, before, first)
    statistics = last.statistics()
    assert (statistics.pages, statistics.value) == (earlier.size, earlier.satisfying)
    earlier.weight, reuse = min(1.0, part), part * len(earlier.pages)

    def made() -> InterestRatios:
        return InterestRatios(
            (1.0, 1.0, 1.0, 1.0), robust=form.robust, exact=True, significance=t, before=statistics, reuse=reuse
        )

    crawl = Crawl(earlier=earlier)
    for strategy in go(made(), crawl, story, made, stop):
        check(form, strategy, crawl, story, t)
    handed_on = strategy.statistics().events[strategy.form]
    assert handed_on.pages == pytest.approx(crawl.size)
    assert sorted(handed_on.pairs) == pytest.approx(sorted(crawl.linked().values()))


@settings(max_examples=20, deadline=None)
@given(story=stories(sites=15), stop=st.integers(0, 14))
def test_many_hosts_have_no_more_than_eight_votes(story: Story, stop: int) -> None:
    hub = len(story.urls) - 1
    links = [own | {hub} - {n} for n, own in enumerate(story.links)]
    order = [id_ for id_ in story.order if id_ != hub]
    story = Story(story.urls, story.words, story.satisfies, links, order, frozenset(), None)

    def made() -> InterestRatios:
        return InterestRatios((0.0, 0.0, 1.0, 0.0), robust=True, exact=True)

    crawl = Crawl()
    for strategy in go(made(), crawl, story, made, stop):
        check(Robust, strategy, crawl, story, 2.0)


def test_a_word_on_hubs_speaks_for_what_they_lead_to() -> None:
    """14 pages off the topic have a word, and each leads to a page on it; a third of the others are on it by chance."""
    crawl, strategy = Crawl(), InterestRatios((1.0, 0.0, 0.0, 0.0), robust=False, exact=True)
    story = Story([f"http://x.org/{n}" for n in range(80)], [], [], [], [], frozenset(), None)
    for hub in range(14):
        crawl.pages[hub] = Page(story.urls[hub], frozenset((7,)), False, frozenset((14 + hub, 70)))
        told(strategy, crawl, hub, story)
    for target in range(14, 28):
        crawl.pages[target] = Page(story.urls[target], frozenset((8,)), True, frozenset())
        told(strategy, crawl, target, story)
    for other in range(28, 57):
        crawl.pages[other] = Page(story.urls[other], frozenset((9,)), False, frozenset())
        told(strategy, crawl, other, story)
    log = strategy._logs(70)[0]
    assert log == pytest.approx(math.log(1 / (14 / 57)))
    assert log > 1.4


def test_seeds_and_their_tokens_count_like_those_of_any_page() -> None:
    """Nobody links to a seed: the strategy hears of its URL when it was judged."""
    crawl, strategy = Crawl(), InterestRatios((0.0, 1.0, 0.0, 0.0), robust=False, exact=True, significance=0.0)
    urls = ["http://ice.org/a.html", "http://ice.org/b_c", "http://oven.org/a.html", "http://ice.org/new"]
    story = Story(urls, [], [], [], [], frozenset((0, 1, 2)), None)
    for seed, satisfies in ((0, True), (1, True), (2, False)):
        crawl.pages[seed] = Page(urls[seed], frozenset(), satisfies, frozenset((3,)))
        told(strategy, crawl, seed, story)
    share = 2 / 3  # "ice" is on two pages, which satisfy; "org" on three, of which two do; "new" on none
    assert strategy._logs(3)[1] == pytest.approx(math.log(1 / share) + math.log(share / share))


def test_a_url_may_have_more_parents_than_sixteen_bits_can_count() -> None:
    """What is known of it goes over a stop, and one more page may mention it."""

    def made() -> InterestRatios:
        return InterestRatios((0.0, 0.0, 1.0, 0.0), robust=False)

    strategy, parents = made(), range(10, 66_010)
    for number in parents:
        page = strategy.memory.at(number)
        page.ordinal, page.satisfies = number - 10, number % 2 == 0
    strategy.memory.at(3).parents = list(parents)
    fresh = stopped(strategy, made, {})
    assert fresh.memory.entries[3].parents == list(parents)
    view = LinkView(
        np.array([3]), np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(1, np.float32),
        np.zeros((1, len(Context)), np.float32), np.full(1, np.nan),
    )  # fmt: skip
    [value] = fresh.rank(SourcePage(5, 0, 0, len(parents), 0.0, True, 1), view).tolist()
    assert value == fresh._logs(3)[2]
    assert len(fresh.memory.entries[3].parents) == len(parents) + 1
