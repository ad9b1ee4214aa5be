"""The judge of a running crawl: what it learns of two vocabularies, and that a stop changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.judge import learned_judge, subject_of
from dowse.judge.learned import learned_judge as module
from dowse.judge.learned.lead import page_bag
from dowse.judge.learned.learned_judge import LearnedJudge, _cut, next_fit
from dowse.judge.learned.model import Known
from dowse.judge.learned.texts import Numbering
from dowse.judge.learned.vague import ABSENT, COMMON, MOST, UNCLEAR, why_vague
from dowse.judge.lexicon import Lexicon
from dowse.judge.subject import terms_of
from dowse.model.judge import LEARNED, JudgedPage, SeenPage
from dowse.model.page import Bag, Verdict
from dowse.model.strategy import Sample, Subject
from dowse.model.topic import Example, FunctionName, JudgeSettings, Topic
from dowse.model.words import WordLines
from tests.judge.learned.made import NAMES, finished, page
from tests.judge.learned.made import bag as made_bag

LOOK = Verdict(0.2, True, 0.1, "similarity", similarity=0.2, erid=0.1)
EXAMPLES = Subject(tuple(Sample(page(10_000 + number, on=True), f"h{number}.test") for number in range(3)))
QUERY = Subject(query=NAMES)


def is_on(id_: int) -> bool:
    return id_ % 5 == 0


def is_seed(id_: int) -> bool:
    return id_ % 13 == 0


def seen(id_: int) -> tuple[Bag, str, float]:
    """A page of a crawl, every fifth on the topic: its terms, its host, how similar it is to the topic's name."""
    bag = page(id_, on=is_on(id_))
    found = bag.counts[np.isin(bag.terms, NAMES)].sum() / np.sqrt((bag.counts**2).sum())
    return bag, f"www{id_ % 7}.site{id_ % 11}.test", float(found)


def crawled(judge: LearnedJudge, ids: Sequence[int]) -> LearnedJudge:
    """The judge is told of these pages, and learns when it is time to."""
    for id_ in ids:
        judge.add(id_, *seen(id_), is_seed=is_seed(id_))
        if judge.is_due:
            finished(judge.learn())
    return judge


def test_models_are_made_ever_further_apart() -> None:
    made = [0]
    while made[-1] < 50:
        made.append(next_fit(made[-1]))
    assert made == [0, 5, 9, 13, 18, 24, 31, 40, 51]
    assert all(next_fit(pages) > pages for pages in range(1000))


def test_before_there_is_a_model_the_first_look_counts() -> None:
    judge = LearnedJudge(EXAMPLES)
    bag, host, _ = seen(0)
    assert judge.verdict(SeenPage(bag, host, LOOK)) is LOOK
    assert judge.chances([(bag, host)]) is None
    crawled(judge, range(4))
    assert judge.verdict(SeenPage(bag, host, LOOK)) is LOOK
    crawled(judge, [4])
    found = judge.verdict(SeenPage(bag, host, LOOK))
    assert (found.method, found.model, found.threshold) == (LEARNED, 1, 0.5)
    assert (found.similarity, found.erid) == (LOOK.similarity, LOOK.erid)
    assert found.reasons[0].contribution == found.score
    assert found.relevant == (found.score >= 0.5)


@pytest.mark.parametrize("subject", [EXAMPLES, QUERY], ids=["three examples", "a query"])
def test_two_vocabularies_are_told_apart(subject: Subject) -> None:
    judge = crawled(LearnedJudge(subject), range(200))
    new = range(1000, 1200)
    right = [
        judge.verdict(SeenPage(bag, host, LOOK)).relevant == is_on(id_) for id_ in new for bag, host, _ in [seen(id_)]
    ]
    assert sum(right) >= 195
    chances = judge.chances([seen(id_)[:2] for id_ in new])
    assert chances is not None
    on = np.array([is_on(id_) for id_ in new])
    assert chances[on].min() > chances[~on].max()


def test_pages_that_do_not_name_the_topic_are_known_by_what_they_share_with_those_that_do() -> None:
    judge = crawled(LearnedJudge(QUERY), range(200))
    unnamed = [id_ for id_ in range(1000, 1200) if is_on(id_) and not np.isin(seen(id_)[0].terms, NAMES).any()]
    assert len(unnamed) > 4
    others = [id_ for id_ in range(1000, 1200) if not is_on(id_)]
    chances = judge.chances([seen(id_)[:2] for id_ in (*unnamed, *others)])
    assert chances is not None
    assert chances[: len(unnamed)].min() > chances[len(unnamed) :].max()


def test_a_query_that_no_page_has_leaves_the_first_look() -> None:
    judge = crawled(LearnedJudge(Subject(query=(77,))), [id_ for id_ in range(60) if not seen(id_)[2]])
    assert judge.model is None
    assert judge.version == 0
    assert judge.verdict(SeenPage(*seen(3)[:2], LOOK)) is LOOK
    ids, chances = finished(judge.learn())
    assert len(ids) == len(chances) == 0


def test_learning_tells_what_the_latest_pages_are_worth() -> None:
    judge = crawled(LearnedJudge(EXAMPLES), range(52))
    ids, chances = finished(judge.learn())
    assert ids.tolist() == list(range(52))
    expected = judge.chances([seen(id_)[:2] for id_ in range(52)])
    assert expected is not None
    assert chances.tobytes() == expected.tobytes()


def test_pages_that_come_while_it_learns_are_for_the_next_model() -> None:
    judge, undisturbed = (crawled(LearnedJudge(EXAMPLES), range(30)) for _ in range(2))
    pieces = judge.learn()
    next(pieces)
    for id_ in range(30, 36):
        judge.add(id_, *seen(id_))
    finished(pieces)
    finished(undisturbed.learn())
    assert judge.made_of == 30
    some = [seen(id_)[:2] for id_ in range(100, 120)]
    ours, theirs = judge.chances(some), undisturbed.chances(some)
    assert ours is not None
    assert theirs is not None
    np.testing.assert_array_equal(ours, theirs)


def test_precision_moves_the_threshold() -> None:
    def threshold(precision: float | None) -> float:
        return crawled(LearnedJudge(EXAMPLES, precision), range(200)).threshold

    assert threshold(None) == threshold(0.01) == 0.5
    some, more, most = (threshold(precision) for precision in (0.9, 0.97, 0.999))
    assert 0.5 <= some <= more <= most <= 1
    assert most > 0.5
    judge = crawled(LearnedJudge(EXAMPLES, 0.97), range(200))
    finished(judge.learn())
    chances = judge.chances([seen(id_)[:2] for id_ in range(200)])
    assert chances is not None
    kept = chances[chances >= judge.threshold]
    assert kept.mean() >= 0.97 - 1e-6, "as it thinks itself"


def test_a_wanted_precision_asks_for_more_where_fewer_positives_say_what_a_chance_is() -> None:
    chances = np.linspace(0, 1, 1001)
    few, some, many = (_cut(chances, 0.9, positive) for positive in (3, 20, 2_000))
    assert few > some > many
    assert chances[chances >= many].mean() == pytest.approx(0.9, abs=0.02)
    assert _cut(np.zeros(5), 0.9, 3) > 0.9, "where no page is likely enough"


@settings(max_examples=20, deadline=None)
@given(
    stop=st.integers(0, 120), query=st.booleans(), more=st.integers(0, 60), kept=st.sampled_from((4, 16, 4096)),
    sample=st.sampled_from((8, 40, 800)),
)  # fmt: skip
def test_a_stop_changes_nothing_to_the_last_bit(stop: int, query: bool, more: int, kept: int, sample: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_KEPT", kept)
        patch.setattr(module, "_SAMPLE", sample)
        patch.setattr(module, "_NEAREST", sample // 2)
        subject = QUERY if query else EXAMPLES
        order = np.random.default_rng(stop).permutation(200).tolist()
        running = crawled(LearnedJudge(subject), order[:stop])
        judged = [JudgedPage(id_, seen(id_)[2], is_seed(id_)) for id_ in order[:stop]]
        resumed = LearnedJudge(subject)
        wanted = resumed.wanted(judged, running.made_of)
        resumed.restore(judged, {id_: seen(id_)[:2] for id_ in wanted}, running.made_of, running.version)
        assert_same(resumed, running)
        for judge in (running, resumed):
            crawled(judge, order[stop : stop + more])
        assert_same(resumed, running)
        revised, expected = finished(resumed.learn()), finished(running.learn())
        np.testing.assert_array_equal(revised[0], expected[0])
        np.testing.assert_array_equal(revised[1], expected[1])


def test_a_stop_changes_nothing_where_the_query_has_come_to_tell_nothing() -> None:
    """Hardly a page names the topic at first, then nearly all do."""
    ids = sorted(range(400), key=lambda id_: seen(id_)[2] > 0)[290:]
    judged = [JudgedPage(id_, seen(id_)[2], is_seed(id_)) for id_ in ids]
    running, resumed = crawled(LearnedJudge(QUERY), ids), LearnedJudge(QUERY)
    wanted = resumed.wanted(judged, running.made_of)
    resumed.restore(judged, {id_: seen(id_)[:2] for id_ in wanted}, running.made_of, running.version)
    assert running.version > 0
    assert_same(resumed, running)


def assert_same(one: LearnedJudge, other: LearnedJudge) -> None:
    assert (one.pages, one.made_of, one.version) == (other.pages, other.made_of, other.version)
    assert (one.is_due, one.threshold) == (other.is_due, other.threshold)
    pages = [seen(id_)[:2] for id_ in range(500, 520)]
    ours, theirs = one.chances(pages), other.chances(pages)
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        np.testing.assert_array_equal(ours, theirs)


def test_no_more_pages_are_asked_for_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_KEPT", "_SAMPLE", "_NEAREST"):
        monkeypatch.setattr(module, name, 16)
    judged = [JudgedPage(id_, seen(id_)[2], is_seed(id_)) for id_ in range(500)]
    wanted = LearnedJudge(QUERY).wanted(judged, 480)
    assert len(wanted) <= 2 * (16 + 16 + 32)
    assert wanted == sorted(wanted)


def test_seeds_that_have_the_query_are_weak_examples_unless_there_are_better_ones() -> None:
    """Pages of another kind, which have the topic's name among all else: the model takes to them only as seeds."""
    odd = [made_bag({4000 + number: 40, 4500: 9, **dict.fromkeys(NAMES, 1)}) for number in range(6)]

    def chance(subject: Subject, *, are_seeds: bool, by_seeds: bool = True) -> float:
        judge = LearnedJudge(subject, by_seeds=by_seeds)
        for number, one in enumerate(odd):
            judge.add(9000 + number, one, "a.test", 0.01, is_seed=are_seeds)
        for id_ in range(200):
            judge.add(id_, *seen(id_))
        finished(judge.learn())
        found = judge.chances([(made_bag({4500: 3, 4700: 1}), "a.test")])
        assert found is not None
        return float(found[0])

    without = chance(QUERY, are_seeds=False)
    assert chance(QUERY, are_seeds=True) > without
    assert chance(QUERY, are_seeds=True, by_seeds=False) == without
    assert chance(EXAMPLES, are_seeds=True) == chance(EXAMPLES, are_seeds=False)


def test_it_says_why_words_are_vague() -> None:
    assert crawled(LearnedJudge(QUERY), range(200)).vague() is None
    assert crawled(LearnedJudge(EXAMPLES), range(200)).vague() is None
    nameless = [id_ for id_ in range(100) if not seen(id_)[2]]
    assert crawled(LearnedJudge(QUERY), nameless[:20]).vague() is None, "too early to tell"
    assert crawled(LearnedJudge(QUERY), nameless).vague() == ABSENT
    named = [id_ for id_ in range(400) if seen(id_)[2] > 0][:40]
    assert crawled(LearnedJudge(QUERY), named).vague() == COMMON
    sure, doubtful = np.array([0.9] * 8 + [0.1] * 92), np.array([0.9] * 8 + [0.4] * 20 + [0.1] * 72)
    background = [Numbering().text(Bag())] * 100
    known = Known([], [], background, background[:9], np.ones(9), 0.1, np.zeros(0, np.int32))
    assert why_vague(known, sure) is None
    assert why_vague(known, doubtful) == UNCLEAR
    assert why_vague(known, np.full(len(known.background), 0.9)) == MOST


def texts(topic: Topic, about: Sequence[str]) -> list[Bag]:
    lexicon = Lexicon(terms_of(topic), ())
    return [page_bag(lexicon.read_lines(WordLines(text))[0]) for text in about]


def test_it_can_be_asked_for() -> None:
    topic = Topic(query="IT")
    dice = np.random.default_rng(3)
    kinds = (("IT", "servers", "networks", "software", "support"), ("dough", "oven", "flour", "yeast", "bakers"))
    common = ("people", "often", "work", "there", "today", "notes")
    about = [" ".join([*dice.choice(kinds[number % 4 > 0], 12), *dice.choice(common, 12)]) for number in range(120)]
    judge = learned_judge(topic)
    assert judge is not None
    bags = texts(topic, about)
    [it] = subject_of(topic).query
    for number, bag in enumerate(bags[:80]):
        judge.add(number, bag, "a.test", 0.3 if it in bag.terms else 0.0)
    finished(judge.learn())
    chances = judge.chances([(bag, "a.test") for bag in bags[80:]])
    assert chances is not None
    assert ((chances > 0.5) == [number % 4 == 0 for number in range(80, 120)]).all()


@pytest.mark.parametrize(
    ("topic", "learns"),
    [
        (Topic(query="solar"), True),
        (Topic(examples=(Example("a", text="solar cells"),)), True),
        (Topic(query="solar", judge=JudgeSettings(threshold=0.2)), False),
        (Topic(query="solar", judge=JudgeSettings("similarity")), False),
        (Topic(query="solar", judge=JudgeSettings("erid")), False),
        (Topic(query="solar", predicate=FunctionName("own")), False),
    ],
)
def test_who_learns(topic: Topic, learns: bool) -> None:
    assert (learned_judge(topic) is not None) == learns
