"""What a strategy is told of a topic's examples."""

from __future__ import annotations

from dowse.judge import subject_of
from dowse.model.topic import Example, Topic


def test_examples_are_told_with_their_terms_and_hosts() -> None:
    topic = Topic(
        examples=(
            Example("https://WWW.Solar.test:8080/a", text="solar cells, solar modules"),
            Example("pages/one.html", text="solar roofs"),
            Example("http://cakes.test/", positive=False, text="cheese cake"),
            Example("http://lost.test/", text=None),
        )
    )
    subject = subject_of(topic)
    assert [sample.host for sample in subject.positive] == ["www.solar.test", ""]
    assert [sample.host for sample in subject.negative] == ["cakes.test"]
    assert [len(sample.bag.terms) for sample in (*subject.positive, *subject.negative)] == [3, 2, 2]
    assert sorted(subject.positive[0].bag.counts.tolist()) == [1, 1, 2]
