"""Learners of several shards, each with a web of its own: together they know what is known of all these webs."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.sharing import Arrays, Pieces, packed, unpacked
from dowse.predict.learning import Learner
from dowse.predict.learning import shards as module
from dowse.predict.learning.link_tokens import BUCKETS
from tests.predict.learning.test_learner import story, tell

SEEDS = st.lists(st.integers(0, 10_000), min_size=1, max_size=4, unique=True)


def learner(seed: int, pages: int = 20) -> Learner:
    """One that has crawled a random web, in which some URLs do not answer."""
    made, crawl = Learner(), story(seed, pages, 40)
    tell(made, crawl)
    found = np.unique(np.concatenate([view.ids for _, view in crawl]))
    left = found[np.isnan(made.memory.own[found])]
    for number, id_ in enumerate(left[::3].tolist()):
        made.failed(id_, id_ % 3, lasting=number % 2 == 0)
    return made


def sums(one: Learner) -> dict[str, np.ndarray]:
    """All it has to tell, as it arrives elsewhere."""
    one._tell_at = 0
    part = one.own_part()
    assert part is not None
    arrays = part["sums"]
    assert arrays is not None
    return unpacked(packed(arrays))


def told(one: Learner) -> Pieces:
    return {"sums": sums(one)}


def as_bytes(part: Arrays) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in part.items()}


def of_all(learners: list[Learner]) -> tuple[dict[int, complex], dict[int, complex], complex, complex]:
    """Literally: by token, judged pages and their worth, URLs that were asked for and those that failed; then of all,
    counted from what is known of each URL."""
    pages, asked = defaultdict[int, complex](complex), defaultdict[int, complex](complex)
    all_pages, all_asked = 0j, 0j
    for one in learners:
        for row in one.memory.all():
            failed, own = int(row["failed"]), float(row["own"])
            tokens = [token % BUCKETS for token in row["token"].tolist() if token]
            if failed or not np.isnan(own):
                all_asked += complex(1, failed > 0)
                for token in tokens if failed != 2 else ():
                    asked[token] += complex(1, failed > 0)
            if not failed and not np.isnan(own):
                all_pages += complex(1, own)
                for token in tokens:
                    pages[token] += complex(1, own)
    return pages, asked, all_pages, all_asked


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_shards_go_by_the_sums_over_all_their_pages(seeds: list[int]) -> None:
    shards = [learner(seed) for seed in seeds]
    for shard, one in enumerate(shards):
        for other, another in enumerate(shards):
            if other != shard:
                one.take_part(other, told(another))
    pages, asked, all_pages, all_asked = of_all(shards)
    for one in shards:
        assert one._tables.usual == (all_pages.imag + 0.5) / (all_pages.real + 1)
        assert one._answers.usual == (all_asked.imag + 0.5) / (all_asked.real + 5)
        tokens = np.array(sorted(asked))
        assert one._tables._tokens[tokens].tolist() == [pages[token] for token in tokens.tolist()]
        assert one._answers._tokens[tokens].tolist() == [asked[token] for token in tokens.tolist()]
        assert not np.delete(one._tables._tokens, tokens).any()
        assert one._learned.known == sum(another._learned.examples for another in shards)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.lists(st.integers(0, 3), max_size=12))
def test_however_often_it_is_told_it_counts_once(seeds: list[int], order: list[int]) -> None:
    """Told at different times and again, by shards that themselves have taken up what others told."""
    stories = [story(seed, 24, 40) for seed in seeds]
    shards = [Learner() for _ in seeds]
    for step in range(3):
        for one, crawl in zip(shards, stories, strict=True):
            tell(one, crawl[8 * step : 8 * step + 8])
        for number in order:
            sender = number % len(shards)
            for shard, one in enumerate(shards):
                if shard != sender:
                    one.take_part(sender, told(shards[sender]))
    for shard, one in enumerate(shards):
        for other, another in enumerate(shards):
            if other != shard:
                one.take_part(other, told(another))
    alone = [Learner() for _ in seeds]
    for one, crawl in zip(alone, stories, strict=True):
        tell(one, crawl)
    pages, _, all_pages, _ = of_all(alone)
    for one in shards:
        assert one._tables.usual == (all_pages.imag + 0.5) / (all_pages.real + 1)
        tokens = np.array(sorted(pages))
        assert one._tables._tokens[tokens].tolist() == [pages[token] for token in tokens.tolist()]


def test_what_others_told_is_neither_told_on_nor_kept() -> None:
    one, alone, other = learner(1), learner(1), learner(2, 30)
    one.take_part(7, told(other))
    assert one._tables.usual != alone._tables.usual
    crawl = story(3, 10, 40)
    tell(one, crawl)
    tell(alone, crawl)
    ours, without = sums(one), sums(alone)
    mix = {"products", "targets"}  # evidence was worked out by what was known at the time
    assert {name: data for name, data in as_bytes(ours).items() if name not in mix} == {
        name: data for name, data in as_bytes(without).items() if name not in mix
    }
    assert np.allclose(ours["products"], without["products"], atol=20.0)
    assert one.state()["learned"]["examples"] == alone.state()["learned"]["examples"]
    assert one.statistics().pages == alone.statistics().pages


def test_after_a_stop_it_tells_the_same_and_takes_up_again_what_others_tell() -> None:
    one, other = learner(1), learner(2, 30)
    one.take_part(7, told(other))
    state = json.loads(json.dumps(one.state()))
    again = Learner()
    again.memory.load(0, one.memory.rows(range(one.memory.count)))
    again.restore(state)
    assert as_bytes(sums(again)) == as_bytes(sums(one))
    assert again._learned.known == one._learned.examples
    again.take_part(7, told(other))
    assert again._tables.usual == one._tables.usual
    assert again._learned.known == one._learned.known


def test_there_is_something_to_tell_when_a_quarter_more_is_known_or_pages_are_worth_something_else() -> None:
    one, crawl, at = Learner(), story(5, 60, 90), []
    for number, (page, view) in enumerate(crawl, 1):
        one.rank(page, view)
        if one.own_part() is not None:
            at.append(number)
        assert one.own_part() is None
    assert at[:6] == [1, 4, 8, 13, 19, 26]
    ids = np.array([page.id for page, _ in crawl])
    before = one.memory.own[ids]
    one.revalue(ids[:1], 1 - before[:1])
    assert one.own_part() is None, "it is one page"
    one.revalue(ids, 1 - before)
    assert one.own_part() is not None
    assert one.own_part() is None


def test_what_earlier_crawls_knew_is_not_told_by_each_shard() -> None:
    before = learner(1, 40).statistics()
    one, alone = Learner(before=before), Learner()
    crawl = story(2, 20, 40)
    tell(one, crawl)
    tell(alone, crawl)
    ours, without = sums(one), sums(alone)
    for name in ("totals", "steps", "pages", "values", "asked", "failed"):
        assert ours[name].tolist() == without[name].tolist()


def test_of_many_tokens_those_that_were_met_most_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    one = learner(1)
    whole = sums(one)
    monkeypatch.setattr(module, "MOST_TOKENS", 5)
    some = sums(one)
    assert len(some["steps"]) == 5
    assert some["asked"].sum() == np.sort(whole["asked"])[-5:].sum()
    Learner().take_part(0, {"sums": some})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("evidence", [1]), ("totals", [-1.0] * 7), ("totals", [float("nan")] * 7), ("totals", [1.0]),
        ("steps", [BUCKETS]), ("steps", [0]), ("failed", [9_999]), ("values", [1 << 60]), ("products", [-5.0]),
        ("products", [float("inf")]), ("targets", None),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_changes_nothing(name: str, value: list[float] | None) -> None:
    good = sums(learner(2))
    one = learner(1)
    one.take_part(3, {"sums": good})
    before = as_bytes(sums(one)), one._tables._tokens.tobytes(), one._tables.usual, one._learned.known
    bad = dict(good)
    if value is None:
        del bad[name]
    elif len(value) == len(good[name]) or name == "totals":
        bad[name] = np.array(value).astype(good[name].dtype)
    else:
        bad[name] = good[name].copy()
        bad[name][-1:] = np.array(value).astype(good[name].dtype)
    with pytest.raises(ValueError, match=r"it |its |is |has |holds "):
        one.take_part(3, {"sums": bad})
    assert (as_bytes(sums(one)), one._tables._tokens.tobytes(), one._tables.usual, one._learned.known) == before


@given(st.integers(0, 200), st.data())
def test_any_damage_is_refused_or_does_no_harm(seed: int, data: st.DataObject) -> None:
    part = sums(learner(2))
    name = data.draw(st.sampled_from(sorted(part)))
    rng = np.random.default_rng(seed)
    damaged = part[name].copy().view(np.uint8)
    damaged[rng.integers(0, len(damaged), 3)] = rng.integers(0, 256, 3)
    part[name] = damaged.view(part[name].dtype)
    one = learner(1)
    try:
        one.take_part(0, {"sums": part})
    except ValueError:
        return
    assert np.isfinite(one._learned.weights).all()
    assert np.isfinite(one.value(np.arange(one.memory.count))[1]).all()
