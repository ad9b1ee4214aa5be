"""The chance of an answer against a literal version of its formula, counted in any order."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Context
from dowse.model.strategy import LearnsFromFailures, LinkView, SourcePage
from dowse.predict.learning import InterestRatios, Learner
from dowse.predict.learning.answers import Answers, Failed
from dowse.predict.learning.link_tokens import BUCKETS, link_tokens
from dowse.predict.learning.notes import ROW, Rows
from tests.compiled import needs_core, pure
from tests.predict.learning.made import told

WORDS = ("images", "png", "wiki", "birds", "page", "2024")


def made_rows(seed: int, count: int) -> Rows:
    """Records of URLs that brought a page, failed in either way, or wait."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(count, ROW)
    rows["site"] = rng.integers(0, 4, count)
    rows["failed"] = rng.integers(0, 3, count)
    rows["own"] = np.where((rows["failed"] > 0) | (rng.random(count) < 0.3), np.nan, 0.5)
    for row in rows:
        url = f"http://h{row['site']}.test/{'/'.join(rng.choice(WORDS, 3))}"
        row["path"] = rng.choice((0, 7, 9))
        row["token"] = link_tokens(url, " ".join(rng.choice(WORDS, int(rng.integers(0, 3)))))
    return rows


def literal_chance(rows: Rows, row: Rows) -> float:
    asked = [one for one in rows if one["failed"] or not math.isnan(one["own"])]
    usual = (sum(one["failed"] > 0 for one in asked) + 0.5) / (len(asked) + 5)
    here = [one for one in asked if one["site"] == row["site"]]
    site = (sum(one["failed"] > 0 for one in here) + 3 * usual) / (len(here) + 3)
    beyond = 1.0
    of_url = [one for one in asked if one["failed"] != Failed.PASSING]
    sharing = [[one for one in of_url if token in one["token"]] for token in row["token"].tolist() if token]
    if row["path"]:
        sharing.append([one for one in of_url if one["path"] == row["path"]])
    for having in sharing:
        failed = sum(one["failed"] > 0 for one in having)
        beyond *= (failed + 3 * site) / (len(having) - failed + 3 * (1 - site)) * (1 - site) / site
    return float(1 / (1 + site / (1 - site) * math.sqrt(beyond)))


def counted(rows: Rows) -> Answers:
    answers = Answers()
    for at in range(len(rows)):
        if rows["failed"][at] or not math.isnan(rows["own"][at]):
            answers.count(rows[at : at + 1])
    return answers


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 40))
def test_chances_are_the_literal_ones_with_the_core_and_without(seed: int, count: int) -> None:
    rows = made_rows(seed, count)
    expected = [literal_chance(rows, row) for row in rows]
    np.testing.assert_allclose(counted(rows).chances(rows), expected, rtol=1e-9)
    with pure():
        np.testing.assert_allclose(counted(rows).chances(rows), expected, rtol=1e-9)


@needs_core
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 40))
def test_counted_one_by_one_or_all_at_once_is_the_same_to_the_last_bit(seed: int, count: int) -> None:
    rows, again = made_rows(seed, count), Answers()
    again.restore(rows[::-1].copy())
    one_by_one = counted(rows)
    assert (again.asked, again.failed) == (one_by_one.asked, one_by_one.failed)
    assert again.chances(rows).tobytes() == one_by_one.chances(rows).tobytes()


def test_a_site_beyond_all_that_is_known_is_like_any_other() -> None:
    row = np.zeros(1, ROW)
    row["site"], row["token"][0, 0] = 10_000, BUCKETS + 5
    assert Answers().chances(row).item() == pytest.approx(0.9)


def view(ids: range, kind: str) -> LinkView:
    count = len(ids)
    return LinkView(
        ids=np.array(ids, np.int64), sites=np.zeros(count, np.int64), depths=np.ones(count, np.int64),
        counts=np.ones(count, np.float32), similarity=np.zeros((count, len(Context)), np.float32),
        current=np.full(count, np.nan), urls=[f"http://a.test/{kind}/{id_}" for id_ in ids], anchors=[""] * count,
        positions=np.arange(count, dtype=np.int32),
    )  # fmt: skip


def test_urls_like_those_that_failed_are_worth_less_and_others_of_the_site_nearly_as_much() -> None:
    learner = told(Learner())
    page = SourcePage(100, site=0, depth=1, ordinal=30, score=0.6, relevant=True, n_links=20, worth=0.9)
    learner.rank(page, view(range(200, 210), "pictures"))
    learner.rank(replace(page, id=101), view(range(210, 220), "texts"))
    pictures, texts = learner.refresh(209), learner.refresh(219)
    assert pictures is not None
    assert texts is not None
    for failed in range(200, 205):
        learner.failed(failed, 0, lasting=True)
    for fetched in range(210, 213):
        learner.rank(SourcePage(fetched, 0, 1, fetched, 0.3, False, 0, worth=0.3), view(range(0), ""))
    less, still = learner.refresh(209), learner.refresh(219)
    assert less is not None
    assert still is not None
    assert less / pictures < 0.6 < 0.65 < still / texts
    why = learner.explain(209, less)
    value, weight = why.features["chance of no answer"]
    assert 0.3 < value < 1
    assert weight == -why.features["chance to be on the topic"][0]
    assert sum(value * weight for value, weight in why.features.values()) == pytest.approx(less, abs=1e-5)


def test_a_path_of_tags_that_led_nowhere_speaks_against_others_on_pages_of_its_site_alone() -> None:
    learner = Learner()
    page = SourcePage(0, site=0, depth=1, ordinal=0, score=0.6, relevant=True, n_links=20, worth=0.9)
    ids, urls = range(10, 30), [f"http://a.test/{'abcdefghijklmnopqrst'[id_ - 10] * 3}" for id_ in range(10, 30)]
    paths = np.array([5] * 10 + [6] * 10, np.uint32)
    learner.rank(page, replace(view(ids, ""), urls=urls, paths=paths))
    elsewhere = replace(view(range(30, 31), ""), urls=["http://a.test/zzz"], paths=paths[:1])
    learner.rank(replace(page, id=1, site=1), elsewhere)
    for failed in range(10, 16):
        learner.failed(failed, 0, lasting=True)
    same, other, there = (learner._answers.chances(learner.memory.one(id_)).item() for id_ in (16, 26, 30))
    assert same < 0.8 * other
    assert there == pytest.approx(other)


def test_what_failed_is_known_after_a_stop() -> None:
    learner = told(Learner())
    for candidate in (30, 31, 32):
        learner.failed(candidate, candidate % 3, lasting=candidate != 31)
    later = Learner()
    ids, rows = learner.memory.changes()
    known = dict(zip(ids, rows, strict=True))
    later.memory.load(0, [known.get(id_) for id_ in range(learner.memory.count)])
    later.restore(json.loads(json.dumps(learner.state())))
    assert later.refresh(33) == learner.refresh(33)
    assert later._answers.failed == 3


def test_the_paper_knows_no_failures() -> None:
    assert isinstance(Learner(), LearnsFromFailures)
    assert not isinstance(InterestRatios((1.0, 1.0, 1.0, 1.0), robust=False), LearnsFromFailures)
