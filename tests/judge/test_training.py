from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dowse.judge import load_category, training
from dowse.judge.bags import Bag, bag_of
from dowse.judge.category import MAX_TERMS
from dowse.judge.category_file import save_category
from dowse.judge.training import _Examples, _likelihood, _platt, _threshold
from dowse.model.errors import TopicError, UserError
from tests.judge.made import BIRDS, ENGLISH, STEEL, bags, of_birds, trained

WORDS = [*BIRDS, *STEEL, "lamp", "quartz"]
page = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


def probability(category: Any, bag: Bag) -> float:
    return float(category.probability(bag.hashes, bag.counts))


def test_it_tells_the_two_sides_apart() -> None:
    category = of_birds().category
    assert all(probability(category, bag) > category.threshold for bag in bags(BIRDS, 20, seed=7))
    assert all(probability(category, bag) < category.threshold for bag in bags(STEEL, 20, seed=7))
    assert set(dict(category.strongest(5))) <= {ENGLISH[word] for word in BIRDS}
    assert set(dict(category.strongest_against(5))) <= {ENGLISH[word] for word in STEEL}
    assert category.measured.auc.value > 0.95
    assert category.measured.auc.low < 0.95, "twelve examples prove little"


@cache
def fitted() -> tuple[_Examples, Any, Any, Any]:
    """Examples, the scales of their terms, scikit-learn's regression over them, and the category."""
    from sklearn.linear_model import LogisticRegression

    examples = _Examples((bags(BIRDS, 9), bags(STEEL, 10)), 0)
    rows = np.arange(19)
    scales = examples.fit(rows).scales
    regression = LogisticRegression(C=training._C, class_weight="balanced", max_iter=1_000)
    regression.fit(examples._scaled(rows, scales), examples.truth)
    return examples, scales, regression, trained(bags(BIRDS, 9), bags(STEEL, 10)).category


@given(page)
def test_inference_gives_the_scores_of_scikit_learn(text: str) -> None:
    """The regression on the very matrix that scikit-learn sees, against the category made of its weights."""
    examples, scales, regression, category = fitted()
    bag = bag_of(text, ENGLISH)
    asked = _Examples(([bag], []), 0)
    row, places = np.zeros(len(scales)), {term: place for place, term in enumerate(examples._columns)}
    for term, value in zip(asked._columns, asked._matrix.toarray()[0], strict=True):
        if term in places:
            row[places[term]] = value * scales[places[term]]
    [expected] = regression.decision_function(row[None, :])
    assert category.score(bag.hashes, bag.counts) == pytest.approx(expected, abs=0.02), "but for what is negligible"


def test_nothing_is_left_out_that_could_move_a_page() -> None:
    examples = _Examples((bags(BIRDS, 20), bags(STEEL, 20)), 0)
    model = examples.fit(np.arange(40))
    everything = {term: scale * weight for term, scale, weight in examples.vocabulary(model, 0.0)}
    kept = {term for term, _, _ in examples.vocabulary(model, 0.5)}
    assert 0 < len(kept) < len(everything)
    out = [value for term, value in everything.items() if term not in kept]
    assert np.sqrt(np.square(out).sum()) <= 0.5
    assert max(map(abs, out)) <= min(abs(everything[term]) for term in kept)


def test_the_file_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MAX_TERMS", 5)
    category = trained(bags(BIRDS, 8), bags(STEEL, 8)).category
    assert len(category.terms) == 5
    assert MAX_TERMS == 20_000


def test_the_same_examples_and_seed_give_the_same_category() -> None:
    first, again = (trained(bags(BIRDS, 10), bags(STEEL, 9)).category for _ in range(2))
    assert (first.terms, first.weights.tolist()) == (again.terms, again.weights.tolist())
    assert (first.threshold, first.measured, first.slope) == (again.threshold, again.measured, again.slope)
    mixed = bags(BIRDS, 10, share=0.05), bags(STEEL, 9, share=0.05)
    assert trained(*mixed).category.measured != trained(*mixed, seed_number=5).category.measured


def test_few_against_many() -> None:
    """The eight are not drowned by the eighty, and the probability tells that they are few."""
    category = trained(bags(BIRDS, 8), bags(STEEL, 80)).category
    found = [probability(category, bag) >= category.threshold for bag in bags(BIRDS, 40, seed=3)]
    assert sum(found) >= 36
    vague = bag_of("people look for more detail in older notes", ENGLISH)
    even = trained(bags(BIRDS, 20), bags(STEEL, 20)).category
    assert probability(category, vague) < probability(even, vague)


def test_sides_that_do_not_differ_are_said_to() -> None:
    done = trained(bags(BIRDS, 12, seed=1), bags(BIRDS, 12, seed=2))
    assert "can hardly be told apart" in done.notes[-1]
    assert done.category.slope > 0
    assert 0.02 < probability(done.category, bags(BIRDS, 1, seed=3)[0]) < 0.98


def test_doubles_are_left_out_and_noted() -> None:
    one, other = bags(BIRDS, 10), bags(STEEL, 10)
    done = trained([*one, one[0], one[1], other[0], bag_of("the", ENGLISH)], other)
    assert (done.category.positive, done.category.negative) == (10, 9)
    assert done.notes[:3] == (
        "left out: 1 example without words", "left out: 2 examples there more than once",
        "left out: 1 example on both sides",
    )  # fmt: skip
    assert "uncertain" in done.notes[3]
    assert trained(bags(BIRDS, 40, share=0.5), bags(STEEL, 40, share=0.5)).notes == ()


@pytest.mark.parametrize(
    ("positive", "negative", "told"),
    [
        (7, 8, "7 positive examples: a category needs at least 8 different texts a side"),
        (8, 1, "1 negative example: "),
        (0, 20, "0 positive examples"),
        (20, 0, "0 negative examples"),
    ],
)
def test_too_few_examples(positive: int, negative: int, told: str) -> None:
    with pytest.raises(UserError) as error:
        trained(bags(BIRDS, positive), bags(STEEL, negative))
    assert told in str(error.value)


def test_examples_that_say_nothing() -> None:
    same, empty = [bag_of("a bird nest", ENGLISH)] * 20, [bag_of("", ENGLISH)] * 20
    with pytest.raises(UserError, match=r"1 positive example: .* 19 examples there more than once"):
        trained(same, bags(STEEL, 8))
    with pytest.raises(UserError, match=r"0 negative examples: .* 20 examples without words"):
        trained(bags(BIRDS, 8), empty)
    with pytest.raises(TopicError, match="cannot name"):
        training.train("a/b", bags(BIRDS, 8), bags(STEEL, 8), language="english", made_at="", made_by="")


def test_without_scikit_learn_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'dowse\[train\]'"):
        training.check_installed()


@settings(max_examples=6)
@given(st.lists(page, min_size=16, max_size=24, unique=True), st.integers(0, 99))
def test_whatever_was_learned_can_be_kept(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], seed: int
) -> None:
    """Sides that make no sense give numbers as good as any."""
    found = {bag.key: bag for bag in (bag_of(text, ENGLISH) for text in texts)}
    random.Random(seed).shuffle(both := list(found.values()))
    assume(len(both) >= 16)
    category = trained(both[:8], both[8:]).category
    path = tmp_path_factory.mktemp("kept") / "x.json"
    save_category(category, path)
    assert load_category(path).threshold == category.threshold


# -- calibration -------------------------------------------------------------------------------------------------------

sides = st.lists(st.floats(-5, 5), min_size=4, max_size=40)


@given(sides, sides)
def test_platt_meets_its_targets_as_well_as_a_curve_can(inside: list[float], outside: list[float]) -> None:
    """The likelihood has no slope left where it stops, unless the curve would fall."""
    scores = np.array([*inside, *outside])
    truth = np.arange(len(scores)) < len(inside)
    slope, offset = _platt(scores, truth)
    likely = _likelihood(scores, slope, offset)
    assert slope > 0
    assert np.isfinite(offset)
    target = np.where(truth, (len(inside) + 1) / (len(inside) + 2), 1 / (len(outside) + 2))
    if slope * scores.std() > 2 * training._FLATTEST and scores.std() > training._NARROWEST:
        assert abs((target - likely).sum()) < 1e-3 * len(scores)
        assert abs((target - likely) @ scores) < 1e-2 * len(scores)


def test_probabilities_come_true() -> None:
    """Of texts with a bit of both, those called 0.7 are inside about seven times in ten."""
    dice = random.Random(4)
    scores = np.array([dice.gauss(side, 1.5) for side in (1.0, -1.0) for _ in range(400)])
    truth = np.arange(800) < 400
    likely = _likelihood(scores, *_platt(scores, truth))
    for low, high in ((0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9)):
        inside = (likely >= low) & (likely < high)
        assert abs(truth[inside].mean() - likely[inside].mean()) < 0.08


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=1, max_size=20).filter(
        lambda all: any(t for t, _ in all)
    )
)
def test_the_threshold_has_the_best_f1(examples: list[tuple[bool, int]]) -> None:
    truth = np.array([truth for truth, _ in examples])
    likely = np.array([tenth / 10 for _, tenth in examples])

    def f1(cut: float) -> float:
        return float(2 * (truth & (likely >= cut)).sum() / (truth.sum() + (likely >= cut).sum()))

    cut = _threshold(likely, truth)
    assert 0 < cut < 1
    assert f1(cut) == pytest.approx(max(f1(tenth / 10) for tenth in range(1, 10)))
