from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import SeedSet, open_corpus
from dowse.lab.papers.reuse_curves import Younger, changed_curves, other_seeds, reuse_curves
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.model.errors import UserError
from tests.lab.compare.webs import PAGES, url, write_labelled

PLAN = Plan(("learning",), budget="25%", seed_sets=2, seeds=2, examples=6, min_pages=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


def test_a_reused_start_is_set_against_a_fresh_one(folder: Path) -> None:
    drawn = reuse_curves(folder, PLAN, ["solar cells"])
    curves = {curve.strategy: curve for curve in drawn.curves}
    assert set(curves) == {"fresh", "reused"}
    assert {curve.runs for curve in curves.values()} == {2}, "as many as were asked for"
    assert curves["reused"].at[-1] == pytest.approx(25)
    rows = {row.strategy: row for row in drawn.table}
    assert [other for other, _ in rows["reused"].against] == ["fresh"]
    assert rows["fresh"].against == ()


@pytest.mark.parametrize("strategy", ["learning:form=paper", "learning:combine=logs"])
def test_interest_ratios_are_reused_as_well(folder: Path, strategy: str) -> None:
    drawn = reuse_curves(folder, replace(PLAN, strategies=(strategy,)), ["solar cells"])
    curves = {curve.strategy: curve for curve in drawn.curves}
    assert set(curves) == {"fresh", "reused"}
    assert curves["fresh"].height.tolist() != curves["reused"].height.tolist(), "what was learned makes a difference"


def test_a_younger_web_and_another_topic(folder: Path) -> None:
    drawn = changed_curves(folder, PLAN, ["solar cells", "rare", "bread"])
    assert {curve.strategy for curve in drawn.curves} == {"fresh", "half new", "other topic"}
    assert {curve.runs for curve in drawn.curves} == {4}
    alone = changed_curves(folder, PLAN, ["bread"])
    assert {curve.strategy for curve in alone.curves} == {"fresh", "half new"}, "there is no other topic"


def test_it_is_of_one_strategy_that_keeps_statistics(folder: Path) -> None:
    for names in (("best-first",), ("learning", "learning:trust=5"), ("tunnel",)):
        with pytest.raises(UserError, match="one strategy that keeps statistics"):
            reuse_curves(folder, Plan(names, min_pages=20), ["bread"])


def test_no_topic_no_curve(folder: Path) -> None:
    drawn = reuse_curves(folder, PLAN, ["rare"])
    assert (drawn.curves, drawn.table, [unfit.label for unfit in drawn.unfit]) == ([], [], ["rare"])


def test_half_of_the_pages_came_later_but_not_the_seeds(folder: Path) -> None:
    web = CorpusWeb(open_corpus(folder))
    younger = Younger(web, [url(0), url(1)])
    there = [number for number in range(PAGES) if younger.find(url(number)) is not None]
    assert {0, 1} <= set(there)
    assert PAGES / 3 < len(there) < 2 * PAGES / 3
    assert repr(younger.find(url(there[0]))) == repr(web.find(url(there[0])))
    assert repr(younger.usual(url(0))) == repr(web.usual(url(0)))
    assert younger.body(3) == web.body(3)


def test_other_seeds_are_others_where_there_are_any() -> None:
    sets = [SeedSet("near", 0, (1, 2), 9), SeedSet("near", 1, (2, 3), 9), SeedSet("near", 2, (4, 1), 9)]
    assert [other_seeds(own, sets).pages for own in sets] == [(3, 4), (4, 1), (2, 3)]
    [root] = [SeedSet("roots", 0, (1, 2, 3), 9)]
    assert other_seeds(root, [root]).pages == root.pages
