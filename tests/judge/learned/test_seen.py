"""Judges of several shards: together they know what one knows that has judged all pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge.learned import learned_judge as module
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.learned.seen import ELSEWHERE, Elsewhere, Role, Seen, Telling, Told, heard
from dowse.judge.learned.texts import Numbering
from dowse.model.sharing import Arrays, Pieces, packed, unpacked
from dowse.model.strategy import Subject
from tests.judge.learned.made import finished
from tests.judge.learned.test_learned_judge import EXAMPLES, QUERY, is_seed, seen


def carried(part: Pieces) -> dict[str, Arrays | None]:
    """As it arrives elsewhere."""
    return {name: None if arrays is None else unpacked(packed(arrays)) for name, arrays in part.items()}


def told(judge: LearnedJudge) -> dict[str, Arrays | None]:
    """All it has to tell, to somebody who has heard nothing of it."""
    judge._tell_at = 0
    judge._telling = Telling(judge._words)
    part = judge.own_part()
    assert part is not None
    return carried(part)


def lots_of(part: Pieces) -> list[int]:
    index = part["index"]
    assert index is not None
    return sorted(index["lots"].tolist())


def kept(one: Elsewhere) -> list[tuple[int, int, float, list[int], list[float]]]:
    """Its pages, whatever they are kept for."""
    return sorted(
        (page.lot, page.role, page.similarity, page.seen.text.terms.tolist(), page.seen.text.weights.tolist())
        for page in {page.lot: page for role in Role for page in one.kept(role)}.values()
    )


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
            assert lots_of(part) == sorted(sampled)
    assert sum(len(lots_of(part)) for part in parts) == 40


def test_a_judge_knows_its_own_pages_apart_from_those_of_others() -> None:
    judge, other = judging(QUERY, range(60)), judging(QUERY, range(1000, 1080))
    before = told(judge)
    judge.take_part(1, told(other))
    assert judge.pages == 60
    finished(judge.learn())
    assert judge.made_of == 60
    assert not judge.is_due
    after = told(judge)
    assert {name: packed(arrays or {}) for name, arrays in after.items()} == {
        name: packed(arrays or {}) for name, arrays in before.items()
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
    telling = Telling(words)
    part = carried(telling.pieces(9, [Told(one, Role.SAMPLED, 2**63 + one.id, 0.5) for one in (empty, whole)]))
    found = heard(part, 0, 2, elsewhere)
    assert found.pages == 9
    pages = list(found.kept(Role.SAMPLED))
    assert [(one.seen.id, one.lot, one.similarity) for one in pages] == [
        (ELSEWHERE, 2**63 + 3, 0.5), (ELSEWHERE, 2**63 + 4, 0.5)
    ]  # fmt: skip
    assert [len(one.seen.text.terms) for one in pages] == [0, len(whole.text.terms)]
    assert len(pages[1].seen.text.domains) == len(whole.text.domains)
    nothing = heard(carried(Telling(words).pieces(0, [])), 2, 5, elsewhere)
    assert (nothing.pages, kept(nothing)) == (0, [])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=12, unique=True), min_size=1, max_size=6))
def test_who_hears_all_that_is_told_knows_what_one_knows_who_hears_the_last(times: list[list[int]]) -> None:
    """And each page is what its own shard has."""
    words, elsewhere = Numbering(), Numbering()
    telling, of_all = Telling(words), None
    for ids in times:
        pages = [
            Told(Seen(id_, words.text(*seen(id_)[:2]), np.ones(1, np.float32)), Role.NEAR, 3 * id_, 0.5) for id_ in ids
        ]
        of_all = heard(carried(telling.pieces(99, pages)), 1, 20, elsewhere, of_all)
        of_last = heard(carried(Telling(words).pieces(99, pages)), 1, 20, elsewhere)
        assert kept(of_all) == kept(of_last)
        ours, theirs = words.buckets(), elsewhere.buckets()
        by_lot = {page.lot: page.seen.text for page in of_all.kept(Role.NEAR)}
        for page in pages:
            own, there = page.seen.text, by_lot[page.lot]
            assert sorted(zip(ours[own.terms].tolist(), own.weights.tolist(), strict=True)) == sorted(
                zip(theirs[there.terms].tolist(), there.weights.tolist(), strict=True)
            )
            assert ours[own.domains].tolist() == theirs[there.domains].tolist()


def test_a_page_is_made_ready_once_until_most_of_those_beside_it_are_told_no_more() -> None:
    words = Numbering()
    pages = [Told(Seen(id_, words.text(*seen(id_)[:2]), np.ones(1, np.float32)), 1, id_, 0.0) for id_ in range(12)]
    telling, pieces = Telling(words), []
    for some in (pages[:8], pages[:10], pages[4:10], pages[5:12]):
        part = telling.pieces(12, some)
        pieces.append(
            {name: arrays and sorted(arrays["piece"].tolist()) for name, arrays in part.items() if name != "index"}
        )
    assert pieces == [
        {"0": [0, 1, 2, 3, 4, 5, 6, 7]},
        {"0": None, "1": [8, 9]},
        {"0": None, "1": None},
        {"1": None, "2": [5, 6, 7, 10, 11]},
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sizes", 5000), ("sizes", 1), ("terms", (1 << 32) - 1), ("weights", float("nan")), ("weights", -1.0),
        ("weighs", 1 << 20), ("domains", 1 << 20), ("shares", -1.0), ("roles", 9), ("pages", 0), ("lots", None),
        ("lots", 7), ("piece", 7), ("piece", None),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_changes_nothing(name: str, value: float | None) -> None:
    judge, other = judging(QUERY, range(30)), judging(QUERY, range(1000, 1040))
    judge.take_part(1, told(other))
    part = told(other)
    [of] = [piece for piece, arrays in part.items() if name in (arrays or {})]
    bad = dict(part[of] or {})
    if value is None:
        del bad[name]
    else:
        bad[name] = bad[name].copy()
        bad[name][-1] = value
    before = judge._others[1]
    with pytest.raises(ValueError, match=r"it |its |is |has |holds "):
        judge.take_part(1, {**part, of: bad})
    assert judge._others[1] is before
    with pytest.raises(ValueError, match="shares"):
        LearnedJudge(EXAMPLES).take_part(1, told(other))


def test_pieces_that_are_not_there_too_many_or_too_large_are_refused() -> None:
    judge, part = judging(QUERY, range(30)), told(judging(QUERY, range(1000, 1040)))
    for bad in ({"index": part["index"]}, {"0": part["0"]}, {**part, "0": None}, {**part, "index": None, "7": None}):
        with pytest.raises(ValueError, match="not all there"):
            judge.take_part(1, bad)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SAMPLE", 1)
        patch.setattr(module, "_NEAREST", 1)
        patch.setattr(module, "_SEEDS", 17)
        with pytest.raises(ValueError, match="too many"):
            judge.take_part(1, part)
    assert not judge._others


@given(st.integers(0, 200), st.data())
@settings(deadline=None)
def test_any_damage_is_refused_or_does_no_harm(seed: int, data: st.DataObject) -> None:
    whole = told(judging(QUERY, range(1000, 1030)))
    of = data.draw(st.sampled_from(sorted(whole)))
    part = dict(whole[of] or {})
    name = data.draw(st.sampled_from(sorted(part)))
    rng = np.random.default_rng(seed)
    damaged = part[name].copy().view(np.uint8)
    damaged[rng.integers(0, len(damaged), 3)] = rng.integers(0, 256, 3)
    part[name] = damaged.view(part[name].dtype)
    judge = judging(QUERY, range(30))
    try:
        judge.take_part(0, {**whole, of: part})
    except ValueError:
        return
    finished(judge.learn())
