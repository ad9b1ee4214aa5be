"""Judges of several shards: together they know what one knows that has judged all pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge.learned import learned_judge as module
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.learned.seen import ELSEWHERE, Role, Seen, Telling, Told, told_pages
from dowse.judge.learned.texts import Numbering
from dowse.model.sharing import Arrays, packed, unpacked
from dowse.model.strategy import Subject
from tests.judge.learned.made import finished
from tests.judge.learned.test_learned_judge import EXAMPLES, QUERY, is_seed, seen


def told(judge: LearnedJudge) -> Arrays:
    """All it has to tell, as it arrives elsewhere."""
    judge._tell_at = 0
    part = judge.own_part()
    assert part is not None
    return unpacked(packed(part))


def judging(subject: Subject, ids: Sequence[int]) -> LearnedJudge:
    judge = LearnedJudge(subject)
    for id_ in ids:
        judge.add(id_, *seen(id_), is_seed=is_seed(id_))
    return judge


def split(subject: Subject, ids: Sequence[int], shards: int) -> list[LearnedJudge]:
    """Each has judged its share, and has heard of what the others have."""
    judges = [judging(subject, ids[shard::shards]) for shard in range(shards)]
    for _ in range(2):  # the second time they know what is not needed
        for one, judge in enumerate(judges):
            for other, another in enumerate(judges):
                if other != one:
                    judge.take_part(other, told(another))
    return judges


def words_of(judge: LearnedJudge, seens: Sequence[Seen]) -> list[tuple[tuple[int, float], ...]]:
    """Pages, whoever judged them, as the buckets of their terms and how much each is in it."""
    buckets = judge._words.buckets()
    texts = [one.text for one in seens]
    return [tuple(sorted(zip(buckets[text.terms].tolist(), text.weights.tolist(), strict=True))) for text in texts]


@pytest.mark.parametrize("subject", [EXAMPLES, QUERY], ids=["three examples", "a query"])
@settings(max_examples=8, deadline=None)
@given(st.integers(2, 4), st.integers(20, 90))
def test_they_keep_the_pages_that_one_judge_would_keep(subject: Subject, shards: int, pages: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SAMPLE", 30)
        patch.setattr(module, "_NEAREST", 10)
        one, judges = judging(subject, range(pages)), split(subject, range(pages), shards)
        for judge in judges:
            sample = [seen for _, _, seen in judge._sampled()]
            assert words_of(judge, sample) == words_of(one, [seen for _, _, seen in one._sample])
            near = [-below for below, _, _ in judge._near()]
            assert near == pytest.approx([-below for below, _, _ in one._nearest])
            assert sorted(words_of(judge, judge._all_seeds())) == sorted(words_of(one, one._seeds))
            assert judge.is_due == one.is_due
            assert judge.missing() == one.missing()


@pytest.mark.parametrize("subject", [EXAMPLES, QUERY], ids=["three examples", "a query"])
def test_they_judge_as_one_judge_would(subject: Subject) -> None:
    one, judges = judging(subject, range(200)), split(subject, range(200), 4)
    new = [seen(id_)[:2] for id_ in range(1000, 1050)]
    finished(one.learn())
    expected = one.chances(new)
    assert expected is not None
    for judge in judges:
        finished(judge.learn())
        chances = judge.chances(new)
        assert chances is not None
        assert np.abs(chances - expected).max() < 0.02
    alone = judging(subject, range(0, 200, 4))
    finished(alone.learn())
    apart = alone.chances(new)
    assert apart is not None
    assert np.abs(apart - expected).max() > 0.02, "that is not because it would not matter"


def test_of_many_shards_each_tells_its_part_of_the_sample() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SAMPLE", 40)
        judges = split(EXAMPLES, range(200), 4)
        parts = [told(judge) for judge in judges]
        for judge, part in zip(judges, parts, strict=True):
            sampled = [lot for lot, id_, _ in judge._sampled() if id_ != ELSEWHERE]
            assert sorted(part["lots"].tolist()) == sorted(sampled)
    assert sum(len(part["sizes"]) for part in parts) == 40


def test_a_judge_knows_its_own_pages_apart_from_those_of_others() -> None:
    judge, other = judging(QUERY, range(60)), judging(QUERY, range(1000, 1080))
    before = told(judge)
    judge.take_part(1, told(other))
    assert judge.pages == 60
    finished(judge.learn())
    assert judge.made_of == 60
    assert not judge.is_due
    after = told(judge)
    assert {name: array.tobytes() for name, array in after.items()} == {
        name: array.tobytes() for name, array in before.items()
    }
    ids, _ = finished(judge.learn())
    assert set(ids.tolist()) == set(range(60)), "others judge theirs again"


def test_a_judge_learns_when_others_have_judged_enough() -> None:
    judge, other = judging(QUERY, range(30)), judging(QUERY, range(1000, 1004))
    finished(judge.learn())
    judge.take_part(1, told(other))
    assert not judge.is_due
    for id_ in range(1004, 1020):
        other.add(id_, *seen(id_))
    judge.take_part(1, told(other))
    assert judge.is_due


def test_there_is_something_to_tell_when_a_quarter_more_pages_were_judged() -> None:
    judge, at = LearnedJudge(QUERY), []
    for id_ in range(40):
        judge.add(id_, *seen(id_))
        if judge.own_part() is not None:
            at.append(judge.pages)
    assert at == [1, 4, 8, 13, 19, 26, 35]


def test_a_page_without_terms_is_told_as_one() -> None:
    words, elsewhere = Numbering(), Numbering()
    empty = Seen(3, words.text(seen(0)[0].most(0)), np.zeros(0, np.float32))
    whole = Seen(4, words.text(seen(1)[0], seen(1)[1]), np.zeros(0, np.float32))
    part = unpacked(
        packed(Telling(words).arrays(9, [Told(one, Role.SAMPLED, 2**64 - 1, 0.5) for one in (empty, whole)]))
    )
    pages, found = told_pages(part, 0, 2, elsewhere)
    assert pages == 9
    assert [(one.seen.id, one.lot, one.similarity) for one in found] == [(ELSEWHERE, 2**64 - 1, 0.5)] * 2
    assert [len(one.seen.text.terms) for one in found] == [0, len(whole.text.terms)]
    assert len(found[1].seen.text.domains) == len(whole.text.domains)
    assert told_pages(unpacked(packed(Telling(words).arrays(0, []))), 2, 5, elsewhere) == (0, [])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=12, unique=True), min_size=1, max_size=4))
def test_what_goes_of_a_page_is_the_same_whenever_it_is_told(times: list[list[int]]) -> None:
    """One that tells again and again beside one that never told before; who hears all beside who hears the last."""
    words, elsewhere = Numbering(), Numbering()
    telling, heard = Telling(words), list[Told]()
    for ids in times:
        pages = [
            Told(Seen(id_, words.text(*seen(id_)[:2]), np.ones(1, np.float32)), Role.NEAR, 3 * id_, 0.5) for id_ in ids
        ]
        part, anew = telling.arrays(99, pages), Telling(words).arrays(99, pages)
        assert {name: array.tolist() for name, array in part.items()} == {
            name: array.tolist() for name, array in anew.items()
        }
        buckets, at = words.buckets(), 0
        for one, size in zip(pages, part["sizes"].tolist(), strict=True):
            own = slice(at, at + size)
            found = zip(
                np.cumsum(part["terms"][own]).tolist(), part["weights"][part["weighs"][own]].tolist(), strict=True
            )
            told_of = zip(buckets[one.seen.text.terms].tolist(), one.seen.text.weights.tolist(), strict=True)
            assert sorted(found) == sorted(told_of)
            at += size
        _, heard = told_pages(unpacked(packed(part)), 1, 20, elsewhere, heard)
        _, alone = told_pages(part, 1, 20, elsewhere)
        assert [(one.lot, one.role, one.seen.text.terms.tolist(), one.seen.text.weights.tolist()) for one in heard] == [
            (one.lot, one.role, one.seen.text.terms.tolist(), one.seen.text.weights.tolist()) for one in alone
        ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sizes", 5000), ("sizes", 1), ("terms", (1 << 32) - 1), ("weights", float("nan")), ("weights", -1.0),
        ("weighs", 1 << 20), ("domains", 1 << 20), ("shares", -1.0), ("roles", 9), ("pages", 0), ("lots", None),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_changes_nothing(name: str, value: float | None) -> None:
    judge, other = judging(QUERY, range(30)), judging(QUERY, range(1000, 1040))
    judge.take_part(1, told(other))
    bad = dict(told(other))
    if value is None:
        del bad[name]
    else:
        bad[name] = bad[name].copy()
        bad[name][-1] = value
    before = judge._others[1]
    with pytest.raises(ValueError, match=r"it |its |is |has |holds "):
        judge.take_part(1, bad)
    assert judge._others[1] is before
    with pytest.raises(ValueError, match="shares"):
        LearnedJudge(EXAMPLES).take_part(1, told(other))


@given(st.integers(0, 200), st.data())
@settings(deadline=None)
def test_any_damage_is_refused_or_does_no_harm(seed: int, data: st.DataObject) -> None:
    part = dict(told(judging(QUERY, range(1000, 1030))))
    name = data.draw(st.sampled_from(sorted(part)))
    rng = np.random.default_rng(seed)
    damaged = part[name].copy().view(np.uint8)
    damaged[rng.integers(0, len(damaged), 3)] = rng.integers(0, 256, 3)
    part[name] = damaged.view(part[name].dtype)
    judge = judging(QUERY, range(30))
    try:
        judge.take_part(0, part)
    except ValueError:
        return
    finished(judge.learn())
