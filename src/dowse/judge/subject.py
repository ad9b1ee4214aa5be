"""What a strategy that learns from words is told of a topic: the terms of its examples."""

from __future__ import annotations

from dowse.judge.lexicon import Lexicon
from dowse.judge.terms import Terms
from dowse.model.strategy import Subject
from dowse.model.topic import Topic
from dowse.model.words import words

__all__ = ["subject_of"]


def subject_of(topic: Topic) -> Subject:
    """The topic's examples, as far as their text is known."""
    lexicon = Lexicon(Terms(topic.judge.language), ())
    bags = [(example.positive, lexicon.read(words(example.text)).bag()) for example in topic.examples if example.text]
    return Subject(
        tuple(bag for positive, bag in bags if positive), tuple(bag for positive, bag in bags if not positive)
    )
