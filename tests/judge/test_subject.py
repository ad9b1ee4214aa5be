"""What whoever learns is told of a topic."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from dowse.judge import subject_of
from dowse.judge.subject import terms_of, topic_terms
from dowse.model.topic import Example, Keyword, Topic


def test_examples_are_told_with_their_terms_and_urls() -> None:
    topic = Topic(
        examples=(
            Example("https://WWW.Solar.test:8080/a", text="solar cells, solar modules"),
            Example("pages/one.html", text="solar roofs"),
            Example("http://cakes.test/", positive=False, text="cheese cake"),
            Example("http://lost.test/", text=None),
        )
    )
    subject = subject_of(topic)
    assert [sample.url for sample in subject.positive] == ["https://www.solar.test:8080/a", ""]
    assert [sample.url for sample in subject.negative] == ["http://cakes.test/"]
    assert [len(sample.bag.terms) for sample in (*subject.positive, *subject.negative)] == [3, 2, 2]
    once, again = 9.0, 18.0  # what stands first counts most
    assert sorted(subject.positive[0].bag.counts.tolist()) == [once, once, again]


def test_the_query_is_told_as_terms_of_a_bag() -> None:
    topic = Topic(query="solar cells", keywords=(Keyword("solar roofs", 2.0),))
    text = Example("a", text="Roofs with solar cells")
    [sample] = subject_of(replace(topic, examples=(text,))).positive
    query = subject_of(topic).query
    assert topic_terms(topic) == ["solar", "cell", "roof"]
    assert sorted(query) == sample.bag.terms.tolist()


@pytest.mark.parametrize(("query", "terms"), [("IT", ["it"]), ("The Who", ["the", "who"]), ("IT jobs", ["job"])])
def test_stop_words_are_terms_where_a_topic_has_nothing_else(query: str, terms: list[str]) -> None:
    topic = Topic(query=query)
    assert topic_terms(topic) == terms
    assert len(subject_of(topic).query) == len(terms)
    assert pickle.loads(pickle.dumps(terms_of(topic))).sequence(query.lower().split()) == terms
