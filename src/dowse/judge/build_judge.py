"""From a topic to its judge: the vector of its words and examples, its keywords, and the threshold they ask for."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from dowse.judge.calibrate import calibrate
from dowse.judge.erid import KeywordPool, keyword_pool, language_pools, usual_keywords
from dowse.judge.frequencies import Frequencies
from dowse.judge.guarded import GuardedJudge
from dowse.judge.judges import EridJudge, PredicateJudge, SimilarityJudge, TopicJudge
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.lexicon import Lexicon
from dowse.judge.nearness import Nearness
from dowse.judge.predicate import Predicate, build_predicate, check_measurable, check_predicate
from dowse.judge.similarity import TopicVector, normalised, rocchio, unit_vector
from dowse.judge.subject import subject_of, terms_of
from dowse.judge.terms import Terms, check_weighting
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.judge import LEARNED, Judge, ReadPage
from dowse.model.page import Verdict
from dowse.model.plugins import Plugin, find_plugin, find_plugins
from dowse.model.topic import FunctionName, Keyword, Topic
from dowse.model.words import words

__all__ = ["DEFAULT_THRESHOLDS", "METHODS", "build_judge", "check_judge", "learned_judge", "learns", "looking_judge"]

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
_SMALLEST = sys.float_info.min  # examples without a word of the topic do not say that any page will do
METHODS = (LEARNED, "similarity", "erid")
"""The judges that ``[judge] method`` names without a package's help."""


def build_judge(topic: Topic, judge: Judge | None = None) -> TopicJudge:
    """How a topic's pages are judged: by ``judge`` where one is given, else by the topic's predicate, else by its
    method, which may be one that an installed package adds. Examples must have their text; raises TopicError when there
    is nothing to go by."""
    told = _told(topic)
    predicate = build_predicate(topic, told.terms)
    if judge is not None or topic.judge.method not in METHODS:
        if predicate is not None:
            raise TopicError("the topic has a predicate, and a judge that decides in its place: leave one out")
        if judge is not None and topic.judge.threshold is not None:
            raise TopicError("a judge has a threshold of its own: leave it out", key="judge.threshold")
        return TopicJudge(GuardedJudge(judge or _added(topic)), _nearness(topic, told.terms, told.vector(), told.pool))
    if predicate is not None:
        return _predicate_judge(topic, predicate, told)
    return _by_words(topic, told)


def learns(topic: Topic) -> bool:
    """Is the topic judged by what the crawl teaches? Not where a predicate decides, nor a threshold of similarity."""
    settings = topic.judge
    return settings.method == LEARNED and settings.threshold is None and topic.predicate is None


def learned_judge(topic: Topic) -> LearnedJudge | None:
    """The judge that learns from a crawl for this topic; None where another decides. Examples must have their text."""
    if not learns(topic):
        return None
    return LearnedJudge(subject_of(topic), topic.judge.precision, by_seeds=topic.seeds.on_topic)


def check_judge(topic: Topic) -> None:
    """Raise TopicError where the predicate, the file of a category, or the judge that a package adds is not fit for
    use: before anybody is asked for a page, which examples may need."""
    check_predicate(topic)
    if topic.judge.precision is not None and not learns(topic):
        other = "predicate" if topic.predicate is not None else "threshold"
        other = other if topic.judge.method == LEARNED else f"method {topic.judge.method}"
        raise TopicError(f"is for the judge that learns, whose place the {other} takes: leave one of the two out",
                         key="judge.precision")  # fmt: skip
    if topic.judge.method not in METHODS:
        GuardedJudge(_added(topic))


def _added(topic: Topic) -> Judge:
    """The judge that a package adds under the topic's method. It is made with those of ``topic`` and ``threshold`` that
    it takes."""
    method = topic.judge.method
    plugin = find_plugin("judge", method)
    if plugin is None:
        known = ", ".join((*METHODS, *find_plugins("judge")))
        raise TopicError(
            f"no judge is called {method!r}: there are {known}; one of your own goes from Python into "
            "dowse.crawl(topic, judge=...)",
            key="judge.method",
        )
    takes = _parameters(plugin)
    if topic.judge.threshold is not None and "threshold" not in takes:
        raise TopicError(f"the judge {method} has a threshold of its own: leave it out", key="judge.threshold")
    given: dict[str, Any] = {"topic": topic}
    if topic.judge.threshold is not None:
        given["threshold"] = topic.judge.threshold
    made: Judge = plugin.make(**{name: value for name, value in given.items() if name in takes})
    return made


def _parameters(plugin: Plugin) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(plugin.load()).parameters
    except (TypeError, ValueError) as error:
        raise plugin.fault(error) from None


def _by_words(topic: Topic, told: _Told) -> TopicJudge:
    """Similarity or ERID, with the threshold that is given, follows from the examples, or is the method's own."""
    settings, vector = topic.judge, told.vector()
    if not vector.weights:
        raise TopicError("the topic says nothing to look for: give a query, keywords, an example page or a predicate")
    if settings.method == "erid" and told.pool is None:
        raise TopicError("method erid needs keywords or a query", key="judge.method")
    threshold = settings.threshold
    positive = [example for example in told.examples if example.positive]
    if threshold is None and len(positive) == 1:  # left out, it leaves nothing to be measured with
        threshold = _ONE_EXAMPLE * _score(settings.method, told, vector, positive[0].words)
    elif threshold is None and positive:
        threshold = calibrate(*_held_out_scores(settings.method, told))
    if threshold == 0.0 and settings.threshold is None:
        threshold = _SMALLEST
    if threshold is None:
        threshold = DEFAULT_THRESHOLDS[_measure(settings.method), settings.weighting]
    nearness = _nearness(topic, told.terms, vector, told.pool)
    return TopicJudge(_of_method(settings.method, threshold), nearness, menus=settings.form == "paper")


def _measure(method: str) -> str:
    """What a first look goes by, for a judge that learns."""
    return "similarity" if method == LEARNED else method


def _of_method(method: str, threshold: float) -> Judge:
    return EridJudge(threshold) if method == "erid" else SimilarityJudge(threshold)


def _predicate_judge(topic: Topic, predicate: Predicate, told: _Told) -> TopicJudge:
    """The predicate decides. Where the topic says nothing else, what it asks for is what links are measured by."""
    if topic.judge.threshold is not None:
        raise TopicError(
            "a predicate has no threshold: leave it out, or write similarity >= 0.2 in the predicate",
            key="judge.threshold",
        )
    vector = told.vector()
    if not vector.weights:
        vector = TopicVector(rocchio(normalised(predicate.wanted()), (), ()), vector.weighting)
    check_measurable(topic, similarity=bool(vector.weights), erid=told.pool is not None)
    nearness = _nearness(topic, told.terms, vector, told.pool, predicate.terms)
    return TopicJudge(PredicateJudge(predicate), nearness, menus=topic.judge.form == "paper")


def looking_judge(topic: Topic) -> TopicJudge:
    """The judge for somebody who looks at a crawl from outside. A predicate that was a function, and a judge that was
    given from Python, are known by name only: no page satisfies them, but how near texts are to the topic can be
    told."""
    if isinstance(topic.predicate, FunctionName):
        topic = replace(topic, predicate=_nothing)
    elif topic.judge.method not in METHODS and find_plugin("judge", topic.judge.method) is None:
        return build_judge(topic, _Absent(topic.judge.method))
    return build_judge(topic)


def _nothing(page: PageFacts) -> bool:
    return False


class _Absent:
    """Stands for a judge that is not here."""

    threshold = 1.0
    needs_text = False
    needs_objects = False
    can_be_sent = True

    def __init__(self, name: str) -> None:
        self.name = name

    def verdict(self, page: ReadPage) -> Verdict:
        return Verdict(0.0, False, self.threshold, self.name)


@dataclass(frozen=True, slots=True)
class _Labelled:
    positive: bool
    words: list[str]


@dataclass(frozen=True, slots=True)
class _Told:
    """What a topic says to look for, as terms."""

    terms: Terms
    weighting: str
    pool: KeywordPool | None
    query: Mapping[str, float]
    examples: Sequence[_Labelled]
    vectors: Sequence[Mapping[str, float]]  # of the examples

    def vector(self, without: int | None = None) -> TopicVector:
        """The topic's vector; as it were without one of the examples."""
        chosen = [pair for place, pair in enumerate(zip(self.examples, self.vectors, strict=True)) if place != without]
        positive, negative = (
            [vector for example, vector in chosen if example.positive is wanted and vector] for wanted in (True, False)
        )
        return TopicVector(rocchio(self.query, positive, negative), self.weighting)


def _told(topic: Topic) -> _Told:
    terms = terms_of(topic)
    weighting = check_weighting(topic.judge.weighting).removesuffix("-idf")
    keywords = usual_keywords(topic.keywords) or tuple(
        Keyword(word) for word in dict.fromkeys(words(topic.query)) if terms[word]
    )
    examples = [_Labelled(example.positive, words(example.text)) for example in topic.examples if example.text]
    return _Told(
        terms, weighting, keyword_pool(keywords, terms, words) if keywords else None, _query_vector(topic, terms),
        examples, [unit_vector(Counter(terms.sequence(example.words)), weighting) for example in examples],
    )  # fmt: skip


def _query_vector(topic: Topic, terms: Terms) -> dict[str, float]:
    """Query words count 1, keywords their weight relative to the greatest; a phrase shares its weight out."""
    vector: dict[str, float] = {}
    for term in dict.fromkeys(terms.sequence(words(topic.query))):
        vector[term] = 1.0
    keywords = usual_keywords(topic.keywords)
    greatest = max((keyword.weight for keyword in keywords), default=1.0)
    for keyword in keywords:
        for term in terms.sequence(words(keyword.text)):
            vector[term] = max(vector.get(term, 0.0), keyword.weight / greatest)
    return normalised(vector)


def _nearness(
    topic: Topic, terms: Terms, vector: TopicVector, pool: KeywordPool | None, counted: tuple[str, ...] = ()
) -> Nearness:
    """``counted`` are terms that are looked for besides those of the vector and the pool."""
    found = replace(_of_words(terms, vector, pool, counted), pools=language_pools(topic.keywords, words))
    return replace(found, frequencies=Frequencies()) if topic.judge.weighting.endswith("-idf") else found


def _of_words(
    terms: Terms, vector: TopicVector, pool: KeywordPool | None, counted: tuple[str, ...] = ()
) -> Nearness:  # fmt: skip
    phrases = pool.phrases if pool is not None else ()
    topical = tuple(dict.fromkeys((*vector.weights, *chain.from_iterable(phrases), *counted)))
    of_topic = np.array([vector.weights.get(term, 0.0) for term in topical])
    return Nearness(terms, vector, pool, Lexicon(terms, topical), of_topic)


def _score(method: str, told: _Told, vector: TopicVector, page: list[str]) -> float:
    nearness = _of_words(told.terms, vector, told.pool)
    return TopicJudge(_of_method(method, 0.0), nearness).verdict(page).score


def _held_out_scores(method: str, told: _Told) -> tuple[list[float], list[float]]:
    """Scores of the positive and of the negative examples, each by a judge built without it."""
    scores: tuple[list[float], list[float]] = ([], [])
    for place, example in enumerate(told.examples):
        vector = told.vector(without=place)
        score = _score(method, told, vector if vector.weights else told.vector(), example.words)
        scores[0 if example.positive else 1].append(score)
    return scores
