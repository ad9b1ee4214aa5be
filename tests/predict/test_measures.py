"""The incremental measures against the formulas of METHODS, section 1, written out literally."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from dowse.model.errors import TopicError
from dowse.model.page import Counting
from dowse.model.strategy import CountsTexts
from dowse.model.topic import StrategyChoice
from dowse.predict import build_strategy, split_strategy
from tests.predict.webs import Link, Page, crawls, simple_link, tell

A, B, KAPPA = 0.5, 0.3, 0.5


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def parents(crawl: list[Page], h: int) -> list[tuple[Page, Link]]:
    """P(h), with the links."""
    return [(page, link) for page in crawl for link in page.links if link.target == h]


def average(crawl: list[Page], h: int) -> float:
    return mean([page.similarity for page, _ in parents(crawl, h)])


def average_2(crawl: list[Page], h: int) -> float:
    first = {page.id for page, _ in parents(crawl, h)}
    behind = [
        page.similarity
        for page in crawl
        if any(link.target in first for link in page.links) or (page.to_itself and page.id in first)
    ]
    return A * average(crawl, h) + (1 - A) * mean(behind) if behind else average(crawl, h)


def robust_average_2(crawl: list[Page], h: int) -> float:
    """By scores; in place of P', what the mean over P(p) was when each p of P(h) was fetched."""
    told = parents(crawl, h)
    own = mean([page.score for page, _ in told])
    before = [parents(crawl[: crawl.index(page)], page.id) for page, _ in told]
    second = [mean([page.score for page, _ in found]) for found in before if found]
    value = A * own + (1 - A) * mean(second) if second else own
    return value * len(told) / (len(told) + KAPPA)


def weighted(crawl: list[Page], h: int, *, by_score: bool = False) -> float:
    links = parents(crawl, h)
    parts = [
        (A, [page.score if by_score else page.similarity for page, _ in links]),
        (B, [link.paragraph for _, link in links if not math.isnan(link.paragraph)]),
        (1 - A - B, [link.anchor for _, link in links if not math.isnan(link.anchor)]),
    ]
    seen = [(weight, values) for weight, values in parts if values]
    return sum(weight * mean(values) for weight, values in seen) / sum(weight for weight, _ in seen)


def link(crawl: list[Page], h: int) -> float:
    return sum(link.count for _, link in parents(crawl, h))


def weighted_link(crawl: list[Page], h: int) -> float:
    return sum(link.count / page.n_links for page, link in parents(crawl, h))


def similar_link(crawl: list[Page], h: int) -> float:
    return sum(page.similarity * link.count / page.n_links for page, link in parents(crawl, h))


def one_vote(crawl: list[Page], h: int) -> float:
    return sum(page.score / page.n_links for page, _ in parents(crawl, h))


def shrunk(crawl: list[Page], h: int) -> float:
    n = len(parents(crawl, h))
    return weighted(crawl, h, by_score=True) * n / (n + KAPPA)


def hybrid(crawl: list[Page], h: int) -> float:
    return 0.5 * weighted(crawl, h) + 0.5 * similar_link(crawl, h)


PAPER = {"form": "paper"}
FORMULAS = {
    "average": (average, StrategyChoice("average", PAPER)),
    "average-2": (average_2, StrategyChoice("average-2", PAPER)),
    "average-2, robust": (robust_average_2, StrategyChoice("average-2")),
    "weighted": (weighted, StrategyChoice("weighted", PAPER)),
    "weighted, shrunk": (shrunk, StrategyChoice("weighted")),
    "link": (link, StrategyChoice("link", PAPER)),
    "weighted-link": (weighted_link, StrategyChoice("weighted-link", PAPER)),
    "similar-link": (similar_link, StrategyChoice("similar-link", PAPER)),
    "similar-link, one vote": (one_vote, StrategyChoice("similar-link")),
    "hybrid": (hybrid, StrategyChoice("hybrid", PAPER)),
    "hybrid of other parts": (
        lambda crawl, h: 0.2 * average(crawl, h) + 0.8 * link(crawl, h),
        StrategyChoice("hybrid", {"predictor": "average", "link": "link", "alpha": 0.2, **PAPER}),
    ),
    "hybrid of second order": (
        lambda crawl, h: 0.3 * average_2(crawl, h) + 0.7 * weighted_link(crawl, h),
        StrategyChoice("hybrid", {"predictor": "average-2", "link": "weighted-link", "alpha": 0.3, **PAPER}),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=60, deadline=None)
@given(crawl=crawls())
def test_every_waiting_candidate_has_the_value_of_the_formula(name: str, crawl: list[Page]) -> None:
    formula, choice = FORMULAS[name]
    for fetched, priorities in tell(build_strategy(choice, seed_number=0), crawl):
        for candidate, priority in priorities.items():
            assert priority == pytest.approx(formula(fetched, candidate), rel=1e-5, abs=1e-6)


def test_thousands_of_parents_do_not_wear_the_mean_out() -> None:
    links = [simple_link(0, 1, 0.3, 0.7)]
    crawl = [Page(id_, 0.0, 1, links, similarity=0.1 + 0.8 * (id_ % 2)) for id_ in range(1, 20_001)]
    *_, (_, priorities) = tell(build_strategy(FORMULAS["weighted"][1], seed_number=0), crawl)
    assert priorities[0] == pytest.approx(0.5 * 0.5 + 0.3 * 0.7 + 0.2 * 0.3, rel=1e-4)


@settings(max_examples=60, deadline=None)
@given(crawl=crawls())
def test_a_robust_hybrid_adds_places_among_what_waits(crawl: list[Page]) -> None:
    """Made from the scale it says it has: each part between 0 and 1, rising with the measure."""
    strategy = build_strategy(StrategyChoice("hybrid"), seed_number=0)
    for fetched, priorities in tell(strategy, crawl):
        assert all(0 <= priority <= 2 for priority in priorities.values())
        for candidate, priority in priorities.items():
            features = strategy.explain(candidate, priority).features
            assert features["predicted"][0] == pytest.approx(
                weighted(fetched, candidate, by_score=True), rel=1e-5, abs=1e-6
            )
            assert features["similar-link measure"][0] == pytest.approx(
                one_vote(fetched, candidate), rel=1e-5, abs=1e-6
            )


def test_a_robust_hybrid_is_not_drowned_by_a_great_number() -> None:
    """Two candidates: many links from poor pages, or one from a good page, each the best by one measure."""
    poor = [Page(id_, 0.01, 1, [simple_link(0, 50, 0.0, 0.0)]) for id_ in range(200, 230)]
    good = Page(230, 1.0, 20, [simple_link(1, 1, 1.0, 1.0)])
    others = [Page(id_, 0.1, 2, [simple_link(id_ - 300, 1, 0.1, 0.1)]) for id_ in range(302, 380)]
    crawl = [*poor, *others, good]
    ranks = {}
    for form in ("paper", "robust"):
        choice = StrategyChoice("hybrid", {"link": "link", "form": form})
        *_, (_, priorities) = tell(build_strategy(choice, seed_number=0), crawl)
        ranks[form] = [candidate for candidate, _ in sorted(priorities.items(), key=lambda item: -item[1])]
    assert ranks["paper"][0] == 0
    assert ranks["robust"][0] == 1


def test_a_robust_hybrid_tells_the_first_pages_on_the_topic_apart() -> None:
    """A crawl may have gone through hundreds of pages that are worth nothing before."""
    nothing = [Page(id_, 0.0, 2, [simple_link(id_ + 100, 1, 0.0, 0.0)]) for id_ in range(300, 500)]
    some = [Page(500, 0.1, 2, [simple_link(1, 1, 0.1, 0.1)]), Page(501, 0.9, 2, [simple_link(2, 1, 0.9, 0.9)])]
    *_, (_, priorities) = tell(build_strategy(StrategyChoice("hybrid"), seed_number=0), [*nothing, *some])
    assert priorities[2] > 2 * priorities[1] > 0


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (StrategyChoice("weighted", {"a": 0.8, "b": 0.3}), "no shares"),
        (StrategyChoice("weighted", {"a": float("nan")}), "no shares"),
        (StrategyChoice("average", {"form": "pure"}), "write robust or paper"),
        (StrategyChoice("average", {"kappa": -1.0}), "kappa"),
        (StrategyChoice("average-2", {"a": 2.0}), "no share"),
        (StrategyChoice("average-2", {"a": 2.0, "form": "paper"}), "no share"),
        (StrategyChoice("hybrid", {"alpha": -0.1}), "alpha"),
        (StrategyChoice("hybrid", {"predictor": "wieghted"}), "did you mean weighted"),
        (StrategyChoice("hybrid", {"link": "pagerank"}), "no link measure"),
        (StrategyChoice("hybrid", {"predictor": "average-2", "alpha": 2.0, **PAPER}), "alpha"),
        (StrategyChoice("weighted", {"menus": 2}), "'menus' of strategy weighted takes true or false"),
        (StrategyChoice("weighted", {"menus": "no"}), "'menus' of strategy weighted takes true or false"),
        (StrategyChoice("link", {"menus": 1}), "no parameter 'menus'"),
    ],
)
def test_wrong_parameters_say_what_to_change(choice: StrategyChoice, words: str) -> None:
    with pytest.raises(TopicError, match=words):
        build_strategy(choice, seed_number=0)


@pytest.mark.parametrize("predictor", ["average", "average-2"])
def test_a_parameter_is_checked_by_the_predictor_that_takes_it(predictor: str) -> None:
    strategy = build_strategy(StrategyChoice("hybrid", {"predictor": predictor, "a": 0.9}), seed_number=0)
    assert strategy.name == "hybrid"


@pytest.mark.parametrize("choice", [
    *(StrategyChoice(name, {"form": form}) for name in ("average", "average-2", "weighted", "hybrid")
      for form in ("paper", "robust")),
    StrategyChoice("hybrid", {"predictor": "average-2", **PAPER}),
], ids=str)  # fmt: skip
def test_what_is_known_moves_with_a_redirect(choice: StrategyChoice) -> None:
    strategy = build_strategy(choice, seed_number=0)
    assert len(list(tell(strategy, [Page(1, 0.5, 1, [simple_link(2, 1, 0.25, 0.75)])]))) == 1
    assert strategy.memory is not None
    strategy.memory.moved(2, 7)
    assert strategy.explain(7, 1.0).features == strategy.explain(2, 1.0).features
    ids, rows = strategy.memory.changes()
    assert {2, 7} <= set(ids)
    assert len(rows) == len(ids)
    assert np.size(strategy.memory.changes()[0]) == 0


@pytest.mark.parametrize("predictor", ["average", "average-2", "weighted"])
@settings(max_examples=30, deadline=None)
@given(crawl=crawls())
def test_the_reasons_of_a_papers_hybrid_add_up_to_its_priority(predictor: str, crawl: list[Page]) -> None:
    strategy = build_strategy(StrategyChoice("hybrid", {"predictor": predictor, **PAPER}), seed_number=0)
    for _, priorities in tell(strategy, crawl):
        for candidate, priority in priorities.items():
            features = strategy.explain(candidate, priority).features.values()
            assert math.fsum(value * weight for value, weight in features) == pytest.approx(
                priority, rel=1e-5, abs=1e-6
            )


def test_how_texts_are_measured_follows_from_the_form_unless_it_is_said() -> None:
    def counted(text: str) -> Counting:
        name, params = split_strategy(text)
        strategy = build_strategy(StrategyChoice(name, params), seed_number=0)
        return strategy.counting if isinstance(strategy, CountsTexts) else Counting()

    for name in ("average", "average-2", "weighted", "similar-link", "hybrid", "hybrid:predictor=average-2"):
        more = name + ("," if ":" in name else ":")
        assert counted(name) == Counting(menus=False, mean=False)
        assert counted(f"{more}menus=1") == Counting(menus=True, mean=False)
        assert counted(f"{more}form=paper") == Counting(menus=True, mean=True)
        assert counted(f"{more}form=paper,menus=0") == counted(f"{more}form=paper,menus=false") == Counting(mean=True)
    assert counted("learning") == counted("best-first") == Counting()
