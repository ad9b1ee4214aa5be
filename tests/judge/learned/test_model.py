"""A model with hardly anything to learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dowse.judge.learned.model import Known, Model, learned
from dowse.judge.learned.texts import Numbering, Vectors
from dowse.model.page import Bag
from tests.judge.learned.made import finished, page


def made(known: Known) -> Model | None:
    model: Model | None = finished(learned(known))
    return model


def known(on: int, off: int, near: int = 0, counter: int = 0) -> tuple[Known, Numbering]:
    words = Numbering()
    background = [words.text(page(number, on=number % 5 == 0)) for number in range(off)]
    positive = [words.text(page(1000 + number, on=True), "www.a.test") for number in range(on)]
    negative = [words.text(page(2000 + number, on=False)) for number in range(counter)]
    return Known(
        positive, negative, background, background[:near], np.linspace(1, 0.1, near), 0.2, words.order()
    ), words


@pytest.mark.parametrize(("on", "off", "near"), [(0, 0, 0), (3, 0, 0), (3, 4, 0), (0, 20, 0), (0, 20, 2)])
def test_without_pages_or_anything_to_look_for_there_is_no_model(on: int, off: int, near: int) -> None:
    assert made(known(on, off, near)[0]) is None


@pytest.mark.parametrize(("on", "off", "near", "counter"), [(1, 5, 0, 0), (1, 5, 0, 3), (0, 5, 5, 0), (12, 5, 0, 1)])
def test_a_few_pages_will_do(on: int, off: int, near: int, counter: int) -> None:
    told, words = known(on, off, near, counter)
    model = made(told)
    assert model is not None
    texts = [words.text(Bag()), *(words.text(page(5000 + number, on=False), "new.test") for number in range(20))]
    chances = model.chances(texts)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert [model.chance(text) for text in texts] == pytest.approx(chances.tolist(), rel=1e-5), "one by one, or at once"


def test_pages_of_the_examples_domain_have_the_better_chances() -> None:
    told, words = known(4, 40)
    model = made(told)
    assert model is not None
    here, there = (words.text(page(7000, on=True), host) for host in ("b.a.test", "b.c.test"))
    assert model.chance(here) > model.chance(there)


@pytest.mark.parametrize("on", [0, 6])
def test_a_page_of_a_good_site_has_the_better_chance_though_it_says_the_same(on: int) -> None:
    """By the topic's words alone, or by examples: pages on the topic are nearly all from one site of many."""
    told, words = known(on, 0)
    hosts = ["good.test" if number % 5 == 0 else f"poor{number % 4}.test" for number in range(100)]
    background = [words.text(page(number, on=number % 5 == 0), host) for number, host in enumerate(hosts)]
    near = background[::5]
    model = made(
        replace(told, background=background, near=near, of_near=np.linspace(1, 0.5, len(near)), order=words.order())
    )
    assert model is not None
    good, poor, unknown = (words.text(page(7000, on=False), host) for host in ("good.test", "poor1.test", "new.test"))
    sites = [float(model.sites.of_each(text).sum()) for text in (good, unknown, poor)]
    assert sites[0] > sites[1] == 0 > sites[2]
    assert model.chance(good) > model.chance(poor)


def test_counter_examples_are_held_against_pages_like_them() -> None:
    alone, against = (made(known(3, 30, counter=counter)[0]) for counter in (0, 5))
    words = known(3, 30, counter=5)[1]
    like = [words.text(page(2000 + number, on=False)) for number in range(5)]
    assert alone is not None
    assert against is not None
    assert against.chances(like).mean() < alone.chances(like).mean()


def test_answers_outweigh_what_the_query_finds() -> None:
    """The query finds pages of one kind; somebody says that the other kind is meant."""
    told, words = known(0, 60, near=30)
    other = [words.text(page(3000 + number, on=False)) for number in range(6)]
    found = [words.text(page(4000 + number, on=True)) for number in range(6)]
    both = [words.text(page(6000 + number, on=on)) for number in range(10) for on in (True, False)]
    order = words.order()
    model = made(replace(told, order=order, yes=other, no=found, trust=1 / 7))
    assert model is not None
    chances = model.chances(both)
    assert chances[1::2].mean() > 0.5 > chances[::2].mean(), "on, off, on, off"


def test_what_the_query_finds_counts_for_less_the_less_it_is_trusted() -> None:
    told, words = known(0, 60, near=30)
    other = [words.text(page(3000 + number, on=False)) for number in range(3)]
    meant = [words.text(page(6000 + number, on=True)) for number in range(10)]
    order = words.order()

    def below(trust: float) -> float:
        """By how much the line puts what the query means below what somebody said to be on the topic."""
        model = made(replace(told, order=order, yes=other, trust=trust))
        assert model is not None
        yes, found = (model.line.of(Vectors(texts, model.weighing)).mean() for texts in (other, meant))
        return float(yes - found)

    assert below(0.01) > below(1.0)
