"""ERID: relevance by a pool of weighted keywords (METHODS, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from dowse.judge.lexicon import Lexicon
from dowse.judge.reading import Reading
from dowse.judge.terms import Terms
from dowse.model.errors import TopicError
from dowse.model.topic import Keyword
from dowse.model.words import WordLines

__all__ = ["KeywordPool", "KeywordShare", "LanguagePool", "keyword_pool", "language_pools", "usual_keywords"]

_STEMMED = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""What the stemmer calls a language; those that it does not know are compared word by word."""


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


@dataclass(frozen=True, slots=True)
class LanguagePool:
    """The keywords for pages of one language, with its stems and stop words, and what reads such pages."""

    pool: KeywordPool
    lexicon: Lexicon = field(repr=False, compare=False)

    def read(self, page: Sequence[str]) -> Reading:
        return self.lexicon.read(page)

    def read_lines(self, lines: WordLines) -> Reading:
        return self.lexicon.read_lines(lines)[0]


def usual_keywords(keywords: Sequence[Keyword]) -> tuple[Keyword, ...]:
    """Those that are for no language; where all are, all of them."""
    return tuple(keyword for keyword in keywords if not keyword.language) or tuple(keywords)


def language_pools(keywords: Sequence[Keyword], words: Callable[[str], list[str]]) -> dict[str, LanguagePool]:
    """A pool for each language that has keywords of its own."""
    pools = {}
    for code in dict.fromkeys(keyword.language for keyword in keywords if keyword.language):
        terms = Terms(_STEMMED.get(code, "none"))
        pool = keyword_pool([keyword for keyword in keywords if keyword.language == code], terms, words)
        pools[code] = LanguagePool(pool, Lexicon(terms, tuple(dict.fromkeys(chain.from_iterable(pool.phrases)))))
    return pools


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
