"""Statistics and small crawls for the tests: everything follows from what Hypothesis draws, or from a number."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.learning import Learner, Statistics
from dowse.predict.learning.events import Events
from dowse.predict.learning.statistics import Crawled, Mix, Sums

ON, OFF = range(100, 130), range(200, 230)  # words of pages on the topic, and off it


@st.composite
def sums(draw: st.DrawFn, columns: int = 2, most: int = 8) -> Sums:
    keys = draw(st.lists(st.integers(0, 40), unique=True, max_size=most))
    rows = [[draw(st.integers(1, 50)), *(draw(st.integers(0, 64)) / 64 for _ in range(columns - 1))] for _ in keys]
    return Sums.of(np.array(keys, np.uint32), np.array(rows, np.float64).reshape(len(keys), columns))


@st.composite
def events(draw: st.DrawFn) -> Events:
    pages = draw(st.integers(0, 1000))
    count = draw(st.integers(0, 99))
    return Events(pages, pages / 8, draw(sums(most=2)), draw(sums(most=2)), (count, 1.0, 0.0, count / 4))


@st.composite
def statistics(draw: st.DrawFn) -> Statistics:
    """Numbers whose sums are exact, so that equal means equal."""
    whole = st.integers(0, 1000)
    hosts = draw(st.dictionaries(st.sampled_from(("a.test", "b.test", "c.test")), st.integers(1, 9)))
    mixes: dict[tuple[str, ...], Mix] = {}
    for names in draw(st.sets(st.sampled_from((("x", "y"), ("z", "y"))))):
        products = np.diag([float(draw(whole)), float(draw(whole))])
        mixes[names] = Mix(products, np.array([1.0, float(draw(whole))]), float(draw(whole)))
    pages = draw(whole)
    return Statistics(
        pages, pages / 4, draw(sums()), draw(sums()), {host: (float(n), n / 2) for host, n in hosts.items()},
        mixes, draw(st.dictionaries(st.integers(0, 40), st.sampled_from(("on", "off")))),
        draw(st.dictionaries(st.integers(0, 40), st.sampled_from(("word", "term")))),
        draw(st.dictionaries(st.sampled_from(("paper", "logs")), events(), max_size=1)),
        crawls=draw(st.dictionaries(st.sampled_from(("1f", "a2")), st.builds(Crawled, st.integers(1, 9).map(float),
                                                                           st.sampled_from(("solar", "é"))))),
    )  # fmt: skip


def bag(words: range, number: int) -> Bag:
    dice = random.Random(number)
    terms = np.array(sorted({*dice.sample(words, 12), 7}), np.uint32)
    return Bag(terms, np.array([dice.randint(1, 4) for _ in terms], np.float32))


def page_bag(number: int) -> Bag:
    """The words of a page that is :func:`told`."""
    return bag(OFF if number % 3 else ON, number)


def url(number: int) -> str:
    kind = "ice-hockey" if number % 3 == 0 else "cakes"
    return f"https://{'rink' if number % 3 == 0 else 'oven'}.test/{kind}/{number}.html"


def told(learner: Learner, pages: int = 30) -> Learner:
    """A crawl of a web in which every third page is on the topic; each page links to the next four."""
    for number in range(pages):
        on = number % 3 == 0
        page = SourcePage(
            number, site=number % 3, depth=number, ordinal=number, score=0.6 if on else 0.1, relevant=on, n_links=4,
            worth=0.9 if on else 0.1, bag=page_bag(number),
        )  # fmt: skip
        ids = np.arange(number + 1, number + 5)
        learner.rank(page, LinkView(
            ids=ids, sites=ids % 3, depths=np.full(4, number + 1), counts=np.ones(4, np.float32),
            similarity=np.zeros((4, len(Context)), np.float32), current=np.full(4, np.nan),
            urls=[url(id_) for id_ in ids.tolist()], anchors=["a page"] * 4, positions=np.arange(4, dtype=np.int32),
        ))  # fmt: skip
    return learner
