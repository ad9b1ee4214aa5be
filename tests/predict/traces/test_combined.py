"""Links and people together, against what either part is by its definition, on random webs with random traces."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, Proposes, SourcePage, Strategy
from dowse.model.topic import StrategyChoice
from dowse.model.traces import Traces
from dowse.predict import build_strategy
from dowse.predict.traces import Reach
from dowse.predict.traces.reach import EVERYTHING
from tests.model.test_traces import made_of
from tests.predict.learning.test_interest import Crawl, Moment, Page, Published, Robust, Story, stories
from tests.predict.traces.literal import Judged, Literal

LAST = -1e6
Row = tuple[int, int, int]
_ROWS = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 40).map(lambda part: part * 500 + part % 3), st.integers(0, 15)),
    max_size=60,
)


class Whole:
    """What a crawl knows, literally."""

    def __init__(self, story: Story, rows: list[Row], *, robust: bool, t: float) -> None:
        self.story, self.robust, self.t = story, robust, t
        once = {(user, at): page for user, at, page in rows if page < len(story.urls)}  # nobody reads two at a time
        self.rows = sorted((*when, page) for when, page in once.items())
        self.crawl, self.judged = Crawl(), list[Judged]()
        self.proposed = set[int]()
        self.lately: tuple[list[float], list[float]] = [], []  # logs of people and links, of candidates as ranked

    @property
    def people(self) -> Literal:
        reach = Reach() if self.robust else EVERYTHING
        return Literal(self.rows, self.judged, robust=self.robust, reach=reach, t=self.t)

    def judge(self, id_: int) -> None:
        story = self.story
        page = Page(story.urls[id_], story.words[id_], story.satisfies[id_], story.links[id_])
        self.crawl.pages[id_] = page
        there = id_ if any(row[2] == id_ for row in self.rows) else -1
        self.judged.append(Judged(there, page.satisfies, dict.fromkeys(page.words, 1.0)))

    def descendants(self, id_: int) -> list[int]:
        """What was read within five accesses, most often first."""
        people, times = self.people, Counter[int]()
        for place in people.accesses(id_):
            times.update(self.rows[near][2] for near in people.around(place))
        del times[id_]
        return sorted(times, key=lambda page: (-times[page], page))[:20]

    def expected(self, candidate: int) -> float | None:
        """log (I_C * I_L); None where nothing leads there."""
        there = any(row[2] == candidate for row in self.rows)
        parents = self.crawl.inlinking(candidate)
        if not parents and not (there and candidate in self.known):
            return None
        pages = self.crawl.pages
        if not self.robust and candidate not in self.proposed and not any(pages[one].satisfies for one in parents):
            return LAST  # "linked to by a predicate-satisfying web page"
        usual = [median(logs[-256:]) if logs and self.robust else 0.0 for logs in self.lately]
        of_people = self.of_people(candidate) if there else usual[0]
        return (10 if self.robust else 1) * of_people + (self.of_links(candidate) if parents else usual[1])

    def of_people(self, candidate: int) -> float:
        people = self.people
        return people.temporal(candidate) + people.signature(candidate) + people.user(candidate)

    def of_links(self, candidate: int) -> float:
        form = Robust if self.robust else Published
        return sum(Moment(form, self.crawl).expected(candidate, form.tokens(self.story.urls[candidate]), self.t))

    def ranked(self, candidates: list[int]) -> None:
        for candidate in candidates:
            if any(row[2] == candidate for row in self.rows):
                self.lately[0].append(self.of_people(candidate))
            self.lately[1].append(self.of_links(candidate))

    @property
    def known(self) -> set[int]:
        return self.proposed | {link for page in self.crawl.pages.values() for link in page.links - self.story.seeds}


def _view(ids: list[int], others: list[int], whole: Whole) -> LinkView:
    count, urls = len(ids), whole.story.urls
    hosts = sorted({url.split("/")[2] for url in urls})
    return LinkView(
        ids=np.array(ids, np.int64), sites=np.array([hosts.index(urls[id_].split("/")[2]) for id_ in ids], np.int64),
        depths=np.ones(count, np.int64), counts=np.ones(count, np.float32),
        similarity=np.full((count, len(Context)), np.nan, np.float32), current=np.full(count, np.nan),
        others=np.array(others, np.int64), others_at=np.arange(len(others), dtype=np.int32),
        urls=[urls[id_] for id_ in ids], anchors=[""] * count, positions=np.arange(count, dtype=np.int32),
    )  # fmt: skip


def _source(id_: int, whole: Whole) -> SourcePage:
    page, hosts = whole.crawl.pages[id_], sorted({url.split("/")[2] for url in whole.story.urls})
    words = np.array(sorted(page.words), np.uint32)
    return SourcePage(
        id_, hosts.index(page.host), 0, len(whole.crawl.pages) - 1, 0.0, page.satisfies, len(page.links),
        bag=Bag(words, np.ones(len(words), np.float32)), url=page.url,
    )  # fmt: skip


def _new(form: str, t: float, traces: Traces) -> Strategy:
    return build_strategy(StrategyChoice("combined", {"form": form, "t": t}), seed_number=1, traces=traces)


def crawled(
    strategy: Strategy, whole: Whole, traces: Traces, form: str, stop: int = -1
) -> Iterator[tuple[Strategy, dict[int, float]]]:
    """The story, told as the engine would, once stopped; after each page the strategy, and what it said of whom."""
    kept = dict[int, bytes]()
    for turn, id_ in enumerate(whole.story.order):
        assert strategy.memory is not None
        if turn % 3 == 0 or turn == stop:
            kept.update(zip(*strategy.memory.changes(), strict=True))
        if turn == stop:
            state, strategy = strategy.state(), _new(form, whole.t, traces)
            assert strategy.memory is not None
            for known, row in kept.items():
                strategy.memory.load(known, [row])
            strategy.restore(state)
        whole.judge(id_)
        gone = {*whole.crawl.pages, *whole.story.seeds}
        links = whole.story.links[id_]
        ranked = sorted(links - gone)
        page = _source(id_, whole)
        whole.ranked(ranked)
        values = strategy.rank(page, _view(ranked, sorted(links.intersection(gone) - {id_}), whole))
        said = dict(zip(ranked, values.tolist(), strict=True))
        assert isinstance(strategy, Proposes)
        wanted = whole.descendants(id_) if whole.judged[-1].page >= 0 else []
        proposed = list(strategy.propose(page))
        assert Counter(proposed) == Counter(whole.story.urls[there] for there in wanted)
        new = [there for there in wanted if there not in gone]
        whole.proposed |= {*new}
        values = strategy.rank_proposed(page, _view(new, [], whole))
        said |= dict(zip(new, values.tolist(), strict=True))
        yield strategy, said


@pytest.mark.parametrize("form", ["paper", "robust"])
@settings(max_examples=60, deadline=None)
@given(story=stories(), rows=_ROWS, t=st.sampled_from((0.5, 1.0, 2.0)), stop=st.integers(0, 14))
def test_both_parts_are_literal_and_a_missing_one_counts_as_1(
    form: str, story: Story, rows: list[Row], t: float, stop: int
) -> None:
    story = replace(story, redirected=None)
    whole = Whole(story, rows, robust=form == "robust", t=t)
    traces = made_of([(user, at, story.urls[page]) for user, at, page in whole.rows])
    for strategy, said in crawled(_new(form, t, traces), whole, traces, form, stop):
        for candidate in range(len(story.urls)):
            if candidate in whole.crawl.pages or candidate in story.seeds:
                continue
            expected = whole.expected(candidate)
            found = strategy.refresh(candidate)
            assert (found is None) == (expected is None)
            if expected is not None and found is not None:
                assert math.isclose(found, expected, abs_tol=1e-9, rel_tol=1e-9), strategy.explain(candidate, found)
                if candidate in said:
                    assert math.isclose(said[candidate], expected, abs_tol=1e-9, rel_tol=1e-9)
                why = strategy.explain(candidate, found).features
                assert sum(value * weight for value, weight in why.values()) == pytest.approx(found, abs=1e-6)
