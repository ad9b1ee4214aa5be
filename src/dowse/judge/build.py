"""From a topic to its judge: the vector of its words and examples, its keywords, and the threshold they ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from dowse.judge.calibrate import calibrate
from dowse.judge.erid import KeywordPool, keyword_pool
from dowse.judge.frequencies import Frequencies
from dowse.judge.judge import Judge
from dowse.judge.lexicon import Lexicon
from dowse.judge.predicate import Predicate, build_predicate, check_measurable
from dowse.judge.similarity import TopicVector, normalised, rocchio, unit_vector
from dowse.judge.terms import Terms, check_weighting
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.topic import FunctionName, Keyword, Topic
from dowse.model.words import words

__all__ = ["DEFAULT_THRESHOLDS", "build_judge", "looking_judge"]

DEFAULT_THRESHOLDS = {
    ("similarity", "log"): 0.06,
    ("similarity", "tf"): 0.04,
    ("similarity", "log-idf"): 0.03,
    ("similarity", "tf-idf"): 0.03,
    ("erid", "log"): 0.002,
    ("erid", "tf"): 0.002,
    ("erid", "log-idf"): 0.002,
    ("erid", "tf-idf"): 0.002,
}
"""(method, weighting) -> threshold of a topic without examples.

Chosen by mean F1 on three labelled collections (encyclopedia articles, software documentation, university pages of
1997) with the label's name as the query: 73 topics for ("similarity", "log"), where F1 is within 0.01 of its best from
0.05 to 0.07; a half sample of the pages for the others, and 1,200 pages a collection with 35 topics for idf (learned
from all of them). The best value differs by collection (0.02 to 0.06), so a
topic with examples, or a threshold of its own, does better.
"""
_ONE_EXAMPLE = 0.3  # of its own score: chosen the same way, one example a topic
_BY_PREDICATE = 0.5  # the score from which a predicate holds


def build_judge(topic: Topic) -> Judge:
    """The judge of a topic. Examples must have their text; raises TopicError when there is nothing to go by."""
    settings = topic.judge
    if settings.method not in ("similarity", "erid"):
        raise TopicError(f"unknown method {settings.method!r}: use similarity or erid", key="judge.method")
    named = check_weighting(settings.weighting)
    weighting = named.removesuffix("-idf")
    terms = Terms(settings.language)
    predicate = build_predicate(topic, terms)
    keywords = topic.keywords or tuple(Keyword(word) for word in dict.fromkeys(words(topic.query)) if terms[word])
    pool = keyword_pool(keywords, terms, words) if keywords else None
    query = _query_vector(topic, terms)
    examples = [_Labelled(example.positive, words(example.text)) for example in topic.examples if example.text]
    vectors = [unit_vector(Counter(terms.sequence(example.words)), weighting) for example in examples]
    vector = _topic_vector(query, examples, vectors, weighting)
    if predicate is not None:
        return _predicate_judge(topic, predicate, terms, vector, pool)
    if not vector.weights:
        raise TopicError("the topic says nothing to look for: give a query, keywords, an example page or a predicate")
    if settings.method == "erid" and pool is None:
        raise TopicError("method erid needs keywords or a query", key="judge.method")
    judge = _judge(settings.method, terms, vector, pool)
    threshold = settings.threshold
    positive = [example for example in examples if example.positive]
    if threshold is None and len(positive) == 1:  # left out, it leaves nothing to be measured with
        threshold = _ONE_EXAMPLE * judge.verdict(positive[0].words).score
    elif threshold is None and positive:
        threshold = calibrate(*_held_out_scores(judge, query, examples, vectors))
    if threshold is None:
        threshold = DEFAULT_THRESHOLDS[settings.method, named]
    return replace(judge, threshold=threshold, frequencies=_frequencies(topic))


def _frequencies(topic: Topic) -> Frequencies | None:
    return Frequencies() if topic.judge.weighting.endswith("-idf") else None


def _predicate_judge(
    topic: Topic, predicate: Predicate, terms: Terms, vector: TopicVector, pool: KeywordPool | None
) -> Judge:
    """The predicate decides. Where the topic says nothing else, what it asks for is what links are measured by."""
    if topic.judge.threshold is not None:
        raise TopicError(
            "a predicate has no threshold: leave it out, or write similarity >= 0.2 in the predicate",
            key="judge.threshold",
        )
    if not vector.weights:
        vector = TopicVector(rocchio(normalised(predicate.wanted()), (), ()), vector.weighting)
    check_measurable(topic, similarity=bool(vector.weights), erid=pool is not None)
    judge = _judge("predicate", terms, vector, pool, predicate.terms)
    return replace(judge, threshold=_BY_PREDICATE, frequencies=_frequencies(topic), predicate=predicate)


def looking_judge(topic: Topic) -> Judge:
    """The judge for somebody who looks at a crawl from outside. A predicate that was a function is known by name only:
    no page satisfies it, but how near texts are to the topic can be told."""
    if isinstance(topic.predicate, FunctionName):
        topic = replace(topic, predicate=_nothing)
    return build_judge(topic)


def _nothing(page: PageFacts) -> bool:
    return False


def _query_vector(topic: Topic, terms: Terms) -> dict[str, float]:
    """Query words count 1, keywords their weight relative to the greatest; a phrase shares its weight out."""
    vector: dict[str, float] = {}
    for term in dict.fromkeys(terms.sequence(words(topic.query))):
        vector[term] = 1.0
    greatest = max((keyword.weight for keyword in topic.keywords), default=1.0)
    for keyword in topic.keywords:
        for term in terms.sequence(words(keyword.text)):
            vector[term] = max(vector.get(term, 0.0), keyword.weight / greatest)
    return normalised(vector)


@dataclass(frozen=True, slots=True)
class _Labelled:
    positive: bool
    words: list[str]


def _topic_vector(
    query: Mapping[str, float], examples: Sequence[_Labelled], vectors: Sequence[Mapping[str, float]], weighting: str
) -> TopicVector:
    positive = [vector for example, vector in zip(examples, vectors, strict=True) if example.positive and vector]
    negative = [vector for example, vector in zip(examples, vectors, strict=True) if not example.positive and vector]
    return TopicVector(rocchio(query, positive, negative), weighting)


def _judge(
    method: str, terms: Terms, vector: TopicVector, pool: KeywordPool | None, counted: tuple[str, ...] = ()
) -> Judge:
    """``counted`` are terms that are looked for besides those of the vector and the pool."""
    phrases = pool.phrases if pool is not None else ()
    topical = tuple(dict.fromkeys((*vector.weights, *chain.from_iterable(phrases), *counted)))
    of_topic = np.array([vector.weights.get(term, 0.0) for term in topical])
    return Judge(method, 0.0, terms, vector, pool, Lexicon(terms, topical), of_topic)


def _held_out_scores(
    judge: Judge, query: Mapping[str, float], examples: Sequence[_Labelled], vectors: Sequence[Mapping[str, float]]
) -> tuple[list[float], list[float]]:
    """Scores of the positive and of the negative examples, each by a judge built without it."""
    scores: tuple[list[float], list[float]] = ([], [])
    for i, example in enumerate(examples):
        others = [*examples[:i], *examples[i + 1 :]]
        vector = _topic_vector(query, others, [*vectors[:i], *vectors[i + 1 :]], judge.vector.weighting)
        held_out = _judge(judge.method, judge.terms, vector if vector.weights else judge.vector, judge.pool)
        scores[0 if example.positive else 1].append(held_out.verdict(example.words).score)
    return scores
