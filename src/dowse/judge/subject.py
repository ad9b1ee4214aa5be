"""What a strategy that learns from words is told of a topic: the terms of its examples, and where they are from."""

from __future__ import annotations

from dowse.judge.lexicon import Lexicon
from dowse.judge.terms import Terms
from dowse.model.strategy import Sample, Subject
from dowse.model.topic import Topic
from dowse.model.url import split
from dowse.model.words import words

__all__ = ["subject_of"]


def subject_of(topic: Topic) -> Subject:
    """The topic's examples, as far as their text is known."""
    lexicon = Lexicon(Terms(topic.judge.language), ())
    samples = [
        (example.positive, Sample(lexicon.read(words(example.text)).bag(), _host(example.source)))
        for example in topic.examples
        if example.text
    ]
    return Subject(
        tuple(sample for positive, sample in samples if positive),
        tuple(sample for positive, sample in samples if not positive),
    )


def _host(source: str) -> str:
    return split(source).host if source.startswith(("http://", "https://")) else ""
