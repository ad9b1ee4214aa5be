"""The learner against a literal version of its evidence, and how stale a value may be."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.errors import TopicError
from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy
from dowse.predict.learning import InterestRatios, Learner
from dowse.predict.learning.features import NAMES, Tables
from dowse.predict.learning.link_tokens import BUCKETS, link_tokens
from dowse.predict.learning.notes import PARENTS, ROW
from tests.compiled import needs_core, pure

SITES = 3


def bag(rng: np.random.Generator) -> Bag:
    terms = np.unique(rng.integers(1, 60, 12)).astype(np.uint32)
    return Bag(terms, np.ones(len(terms), np.float32))


def story(seed: int, pages: int, urls: int) -> list[tuple[SourcePage, LinkView]]:
    """A crawl of a random web: ids below ``urls`` are found, those judged are taken from them."""
    rng = np.random.default_rng(seed)
    told, found, judged = [], [0], list[int]()
    for ordinal in range(pages):
        open_ = [id_ for id_ in found if id_ not in judged]
        if not open_:
            break
        id_ = int(rng.choice(open_))
        judged.append(id_)
        targets = np.unique(rng.integers(0, urls, 14))
        targets = targets[targets != id_]
        waits = np.array([target not in judged for target in targets])
        positions = np.cumsum(rng.integers(1, 6, len(targets))).astype(np.int32)
        ids = targets[waits]
        score = float(rng.random())
        page = SourcePage(
            id=id_, site=id_ % SITES, depth=1, ordinal=ordinal, score=score, relevant=score > 0.5,
            n_links=len(targets), threshold=0.5, worth=score, bag=bag(rng),
        )  # fmt: skip
        view = LinkView(
            ids=ids, sites=ids % SITES, depths=np.ones(len(ids), np.int64), counts=np.ones(len(ids), np.float32),
            similarity=rng.random((len(ids), len(Context)), np.float32), current=np.full(len(ids), np.nan),
            others=targets[~waits], others_at=positions[~waits], positions=positions[waits],
            urls=[f"http://h{n % SITES}.example/a{n % 7}/b{n}" for n in ids.tolist()],
            anchors=[f"c{n % 5}" for n in ids.tolist()],
        )  # fmt: skip
        found += ids.tolist()
        told.append((page, view))
    return told


def tell(learner: Learner | InterestRatios, crawl: list[tuple[SourcePage, LinkView]]) -> None:
    for page, view in crawl:
        learner.rank(page, view)


class Literal:
    """What is to be known of each candidate, worked out from the whole story anew."""

    def __init__(self, learner: Learner, crawl: list[tuple[SourcePage, LinkView]]) -> None:
        self.values = {page.id: float(learner.memory.own[page.id]) for page, _ in crawl}
        self.site = {page.id: page.site for page, _ in crawl}
        self.links: dict[int, list[tuple[int, int]]] = {}  # target -> (page, position), in order
        self.tokens: dict[int, set[int]] = {}
        for page, view in crawl:
            every = [*zip(view.ids.tolist(), view.positions.tolist(), strict=True),
                     *zip(view.others.tolist(), view.others_at.tolist(), strict=True)]  # fmt: skip
            for target, position in every:
                self.links.setdefault(target, []).append((page.id, position))
            for target, url, anchor in zip(view.ids.tolist(), view.urls, view.anchors, strict=True):
                self.tokens.setdefault(target, {token for token in link_tokens(url, anchor) if token})
        self.usual = (sum(self.values.values()) + 0.5) / (len(self.values) + 1)

    def more(self, found: list[float], kappa: float, drawn: float = 0.0) -> float:
        return (sum(found) - len(found) * self.usual + kappa * drawn) / (len(found) + kappa)

    def features(self, candidate: int) -> dict[str, float]:
        links = self.links[candidate][-8:]
        worth = [self.values[page] for page, _ in links]
        n = len(links)
        expected = {
            "best page": max(worth),
            "mean of pages": (sum(worth) + 0.5 * self.usual) / (n + 0.5),
            "sum of pages": sum(value - self.usual for value in worth) / math.sqrt(n + 2),
            "site": self.more([v for page, v in self.values.items() if self.site[page] == candidate % SITES], 1.0),
            "pages that link to it": 0.05 * math.log1p(len(self.links[candidate])),
        }
        own = self.tokens[candidate]
        told = [
            self.more([v for page, v in self.values.items() if token in self.tokens.get(page, ())], 3.0)
            for token in own
        ]
        expected["tokens"] = sum(told) / math.sqrt(max(len(own), 1))
        known = [(page, at, self.values[target]) for target in self.values for page, at in
                 self.links.get(target, [])[-8:]]  # fmt: skip
        for name, run in (("on the page", 10**9), ("in twelve links", 12), ("in four links", 4)):
            rates = []
            for page, position in links:
                whole = self.more([v for source, _, v in known if source == page], 4.0)
                part = [v for source, at, v in known if source == page and at // run == position // run]
                rates.append(whole if run == 10**9 else self.more(part, 2.0, whole))
            expected[f"siblings {name}, mean"] = sum(rates) / n
            expected[f"siblings {name}, best"] = max(rates)
            expected[f"siblings {name}, sum"] = sum(rates) / math.sqrt(n + 2)
        return expected


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), pages=st.integers(1, 40))
def test_evidence_is_the_literal_one(seed: int, pages: int) -> None:
    crawl = story(seed, pages, 60)
    learner = Learner()
    tell(learner, crawl)
    literal = Literal(learner, crawl)
    waiting = sorted({id_ for _, view in crawl for id_ in view.ids.tolist()} - literal.values.keys())
    rows = learner.memory.at(np.array(waiting, np.int64))
    for row, candidate in zip(learner._tables.features(rows), waiting, strict=True):
        found = dict(zip(NAMES, row.tolist(), strict=True))
        for name, value in literal.features(candidate).items():
            assert found[name] == pytest.approx(value, abs=1e-5), name


@needs_core
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), pages=st.integers(1, 60), urls=st.integers(15, 200))
def test_the_core_gives_the_same_evidence(seed: int, pages: int, urls: int) -> None:
    learner, literal = Learner(), Learner()
    crawl = story(seed, pages, urls)
    tell(learner, crawl)
    with pure():
        tell(literal, crawl)
        expected = literal._tables.features(literal.memory.all())
    np.testing.assert_allclose(learner._tables.features(learner.memory.all()), expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), pages=st.integers(1, 60))
def test_pages_are_counted_one_by_one_as_all_at_once(seed: int, pages: int) -> None:
    learner = Learner()
    tell(learner, story(seed, pages, 60))
    again = Tables()
    again.restore(learner.memory.all())
    assert (again.pages, again.total) == (learner._tables.pages, learner._tables.total)
    rows = learner.memory.all()
    np.testing.assert_array_equal(again.features(rows), learner._tables.features(rows))


def revaluation(seed: int, learner: Learner) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A judge thinks otherwise of some pages, and of some URLs that are none yet or that nobody has heard of."""
    rng = np.random.default_rng(seed)
    ids = np.unique(rng.integers(0, learner.memory.count + 5, 30))
    return ids, rng.random(len(ids))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), pages=st.integers(1, 40))
def test_a_page_that_is_worth_something_else_counts_as_if_it_had_always_been(seed: int, pages: int) -> None:
    crawl = story(seed, pages, 60)
    learner = Learner()
    tell(learner, crawl)
    before = learner.memory.own.copy()
    ids, values = revaluation(seed, learner)
    learner.revalue(ids, values)
    for id_, value in zip(ids.tolist(), values.tolist(), strict=True):
        if id_ < len(before) and not np.isnan(before[id_]):
            assert learner.memory.own[id_] == pytest.approx(value, abs=1e-3)
            before[id_] = learner.memory.own[id_]
    np.testing.assert_array_equal(learner.memory.own[: len(before)], before)
    again = Tables()
    again.restore(learner.memory.all())
    rows = learner.memory.all()
    np.testing.assert_array_equal(again.features(rows), learner._tables.features(rows))


@pytest.mark.parametrize("stop", [3, 21, 55, 83, 99, 120, 139, 161])
def test_a_resumed_learner_goes_on_as_if_nothing_had_been(stop: int) -> None:
    crawl = story(7, 200, 400)
    running, resumed = Learner(), Learner()
    rows = dict[int, bytes]()
    for number, (page, view) in enumerate(crawl[:stop]):
        running.rank(page, view)
        if number % 20 == 2:
            running.revalue(*revaluation(number, running))
        rows.update(zip(*running.memory.changes(), strict=True))
    resumed.memory.load(0, [rows.get(id_) for id_ in range(running.memory.count)])
    resumed.restore(json.loads(json.dumps(running.state())))
    for page, view in crawl[stop:]:
        assert resumed.rank(page, view).tolist() == running.rank(page, view).tolist()
    assert resumed.memory.all().tobytes() == running.memory.all().tobytes()


def test_what_was_looked_at_is_looked_at_anew_after_each_page() -> None:
    learner, other = Learner(), Learner()
    for page, view in story(2, 40, 60):
        learner.rank(page, view)
        other.rank(page, view)
        for candidate in view.ids.tolist():
            found = learner.refresh(candidate)
            assert learner.refresh(candidate) == found
            other._columns.forget()
            assert other.refresh(candidate) == found


@needs_core
def test_a_link_that_the_tables_do_not_know_is_left_to_python() -> None:
    assert core is not None
    rows = np.zeros(2, ROW)
    rows["parents"] = 1
    base, groups, own = np.zeros(1, np.int32), np.zeros(9, np.complex128), np.zeros(9)
    tokens, sites, result = np.zeros(BUCKETS, np.complex64), np.zeros(1, np.complex128), np.zeros((2, len(NAMES)))
    one, nothing = np.ones(2), (np.zeros(0, np.int64), np.zeros((0, len(Context)), np.float32))
    assert core.evidence(rows, base, groups, own, tokens, sites, 0.5, result)
    for name, value in (("page", 1), ("page", -1), ("place", 99)):
        odd = rows.copy()
        odd[name] = value
        assert not core.evidence(odd, base, groups, own, tokens, sites, 0.5, result)
        assert not core.count_page(odd[:1], base, groups, tokens, sites, 0.5)
        pages, places = odd["page"][:, 0].astype(np.int64), odd["place"][:, 0].astype(np.int64)
        assert not core.count_links(base, groups, pages, places, 1, one)
        odd["parents"], odd["own"] = PARENTS, 0.5
        before = odd.tobytes()
        assert not core.note_links(odd, 0, np.zeros(len(odd), np.int64), *nothing, base, groups)
        assert odd.tobytes() == before
        assert not groups.any()
        assert not sites.any()
        assert not tokens.any()
    far = np.array([2**63 - 1, 2**62])
    assert not core.count_links(base, groups, np.zeros(2, np.int64), far, 1, one)
    assert not core.note_links(rows.copy(), 0, far, *nothing, base, groups)
    with pytest.raises(ValueError, match="other sizes"):
        core.evidence(rows[:1], base, groups, own, tokens, sites, 0.5, result)
    with pytest.raises(ValueError, match="one record"):
        core.count_page(rows, base, groups, tokens, sites, 0.5)
    with pytest.raises(ValueError, match="as many places"):
        core.count_links(base, groups, np.zeros(1, np.int64), np.zeros(2, np.int64), 1, one)
    with pytest.raises(ValueError, match="as many places"):
        core.note_links(rows, 0, np.zeros(1, np.int64), *nothing, base, groups)


def test_a_value_is_never_older_than_one_round_of_the_sweep() -> None:
    """Whatever waits was valued within the last page for each 256 URLs there are; the first of all, just now."""
    crawl = story(3, 200, 1500)
    learner = Learner()
    valued: dict[int, int] = {}
    for page_number, (page, view) in enumerate(crawl):
        learner.rank(page, view)
        valued.update(dict.fromkeys(view.ids.tolist(), page_number))
        revised = learner.revise(lambda ids: np.ones(len(ids), np.bool_))
        assert revised is not None
        valued.update(dict.fromkeys(revised[0].tolist(), page_number))
        assert page_number - min(valued.values()) <= math.ceil(learner.memory.count / 256)


def test_exact_values_are_those_of_this_moment() -> None:
    crawl = story(5, 60, 400)
    learner = Learner(exact=True)
    for page, view in crawl:
        learner.rank(page, view)
        revised = learner.revise(lambda ids: np.ones(len(ids), np.bool_))
        assert revised is not None
        for candidate, value in zip(revised[0].tolist()[::17], revised[1].tolist()[::17], strict=True):
            assert learner.refresh(candidate) == pytest.approx(value, abs=1e-6)


def test_pages_like_their_siblings_come_first() -> None:
    """Links in the good part of a page of two parts are worth more than those in the other."""
    learner = Learner()
    n = 24
    ids = np.arange(1, n + 1)
    hub = SourcePage(id=0, site=0, depth=0, ordinal=0, score=0.5, relevant=True, n_links=n, threshold=0.5, worth=0.5)
    view = LinkView(
        ids=ids, sites=np.zeros(n, np.int64), depths=np.ones(n, np.int64), counts=np.ones(n, np.float32),
        similarity=np.zeros((n, len(Context)), np.float32), current=np.full(n, np.nan),
        positions=np.arange(n, dtype=np.int32), urls=[f"http://h.example/{id_}" for id_ in ids], anchors=[""] * n,
    )  # fmt: skip
    learner.rank(hub, view)
    none = replace(view, ids=ids[:0], sites=ids[:0], similarity=view.similarity[:0], positions=view.positions[:0],
                   urls=[], anchors=[])  # fmt: skip
    for id_ in (1, 2, 3, 21, 22, 23):
        good = id_ < 10
        learner.rank(replace(hub, id=id_, score=0.9 if good else 0.0, relevant=good, worth=0.9 if good else 0.1), none)
    first, last = learner.refresh(4), learner.refresh(24)
    assert first is not None
    assert last is not None
    assert first > 1.3 * last


@pytest.mark.parametrize("left_out", ["content", "url", "links", "siblings"])
def test_a_sort_of_evidence_can_be_left_out(left_out: str) -> None:
    for params in ({}, {"form": "paper"}, {"combine": "logs"}):
        choice = StrategyChoice("learning", {**params, left_out: 0.0})
        strategy = build_strategy(choice, seed_number=0)
        assert isinstance(strategy, (Learner, InterestRatios))
        tell(strategy, story(1, 20, 60))
        for name, (value, weight) in strategy.explain(5, 0.1).features.items():
            if left_out in name and name.startswith("log"):
                assert value * weight == 0


@pytest.mark.parametrize(
    "params", [{"combine": "sum"}, {"trust": 0}, {"content": -1.0}, {"form": "new"},
               {"content": 0, "url": 0, "links": 0, "siblings": 0, "form": "paper"}],
)  # fmt: skip
def test_odd_parameters_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(TopicError):
        build_strategy(StrategyChoice("learning", params), seed_number=0)


def test_a_page_may_lead_to_very_many_new_sites() -> None:
    """Each was looked for among all links: 20,000 took 2 s."""
    count = 20_000
    view = replace(
        story(1, 2, 9)[0][1], sites=np.arange(count), urls=[f"http://s{n}.test/{'x' * 200}" for n in range(count)]
    )
    learner = Learner()
    started = time.process_time()
    learner._meet(view)
    assert time.process_time() - started < 0.4  # it takes 0.04 s
    assert learner._hosts[count - 1] == f"s{count - 1}.test"
