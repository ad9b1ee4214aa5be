"""What whoever learns from words is told of a topic: its own terms, those of its examples, and where these are from."""

from __future__ import annotations

from dowse.judge.learned.lead import page_bag
from dowse.judge.lexicon import Lexicon
from dowse.judge.terms import Terms
from dowse.model.strategy import Sample, Subject
from dowse.model.topic import Topic
from dowse.model.url import canonical
from dowse.model.words import WordLines, word_hash, words

__all__ = ["subject_of", "terms_of", "topic_terms"]

_LOWER = 0xFFFFFFFF  # the half of a hash that a bag has


def subject_of(topic: Topic) -> Subject:
    """The topic's examples, as far as their text is known."""
    lexicon = Lexicon(terms_of(topic), ())
    samples = [
        (example.positive, Sample(page_bag(lexicon.read_lines(WordLines(example.text))[0]), _url(example.source)))
        for example in topic.examples
        if example.text
    ]
    return Subject(
        tuple(sample for positive, sample in samples if positive),
        tuple(sample for positive, sample in samples if not positive),
        tuple(word_hash(term) & _LOWER for term in topic_terms(topic)),
    )


def _url(source: str) -> str:
    return (canonical(source) or "") if source.startswith(("http://", "https://")) else ""


def terms_of(topic: Topic) -> Terms:
    """How the words of a topic and of its pages become terms. Where the topic has stop words alone, such as IT or "The
    Who", these are terms."""
    terms = Terms(topic.judge.language)
    named = _named(topic)
    return terms if terms.sequence(named) else Terms(topic.judge.language, frozenset(named))


def topic_terms(topic: Topic) -> list[str]:
    """The terms of a topic's query and keywords, each once."""
    return list(dict.fromkeys(terms_of(topic).sequence(_named(topic))))


def _named(topic: Topic) -> list[str]:
    return [word for text in (topic.query, *(keyword.text for keyword in topic.keywords)) for word in words(text)]
