"""ERID: relevance by a pool of weighted keywords (METHODS, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dowse.judge.terms import Terms
from dowse.model.errors import TopicError
from dowse.model.topic import Keyword

__all__ = ["KeywordPool", "KeywordShare", "keyword_pool"]


@dataclass(frozen=True, slots=True)
class KeywordShare:
    """A keyword's part in a document: ``share`` is t_i, ``weight`` is w_i over the sum of the weights."""

    text: str
    share: float
    weight: float


@dataclass(frozen=True, slots=True)
class KeywordPool:
    """Keywords as term sequences, and their weights normalised to a sum of 1."""

    texts: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...]

    def shares(
        self, counts: Mapping[str, float], total: float, occurrences: Callable[[Sequence[str]], float]
    ) -> list[KeywordShare]:
        """t_i = n_i / sum n_k of each keyword that occurs; the sum runs over all term occurrences of the document.

        A term is a word that is not a stop word, stemmed. A phrase occurs where its terms stand in a row, stop words
        passed over. ``counts`` has the terms of the keywords, ``total`` is that of all terms, ``occurrences`` counts
        a phrase.
        """
        found = []
        for text, phrase, weight in zip(self.texts, self.phrases, self.weights, strict=True):
            n = counts.get(phrase[0], 0)
            if n and len(phrase) > 1:
                n = occurrences(phrase) if all(term in counts for term in phrase) else 0
            if n:
                found.append(KeywordShare(text, n / total, weight))
        return found


def keyword_pool(keywords: Sequence[Keyword], terms: Terms, words: Callable[[str], list[str]]) -> KeywordPool:
    """The pool of a topic; relevance is the sum of share times weight, sum w_i t_i / sum w_i."""
    phrases = []
    for keyword in keywords:
        phrase = tuple(terms.sequence(words(keyword.text)))
        if not phrase:
            raise TopicError(f'keyword {keyword.text!r} has only stop words: add a word, or set language = "none"')
        if not 0 < keyword.weight < float("inf"):
            raise TopicError(f"keyword {keyword.text!r} has weight {keyword.weight:g}: a weight is above 0")
        phrases.append(phrase)
    total = sum(keyword.weight for keyword in keywords)
    return KeywordPool(
        tuple(keyword.text for keyword in keywords), tuple(phrases),
        tuple(keyword.weight / total for keyword in keywords),
    )  # fmt: skip
