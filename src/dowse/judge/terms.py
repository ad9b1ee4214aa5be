"""Words to terms: stop words dropped, the rest stemmed (the only module that knows the stemming library)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import Stemmer
from numpy.typing import NDArray

from dowse.judge.stopwords import STOP_WORDS
from dowse.model.errors import TopicError

__all__ = ["WEIGHTINGS", "Terms", "check_weighting", "weights"]

_MEMO = 200_000  # words remembered; the memo starts over when full


class Terms(dict[str, str]):
    """word -> term ("" for a stop word), worked out once a word. A dict, so that a known word costs one lookup.

    ``language`` is one of the stemmer's ("english", "german", ...), or "none": every word is its own term. Stop words
    that are ``kept`` are terms: "it" for who looks for IT.
    """

    def __init__(self, language: str, kept: frozenset[str] = frozenset()) -> None:
        super().__init__()
        if language != "none" and language not in Stemmer.algorithms():
            known = ", ".join(sorted(Stemmer.algorithms()))
            raise TopicError(f"unknown language {language!r}: use none or one of {known}", key="judge.language")
        self.language = language
        self._kept = kept
        self._stops = STOP_WORDS.get(language, frozenset()) - kept
        self._stemmer = None if language == "none" else Stemmer.Stemmer(language, 0)

    def same_rules(self, other: Terms) -> bool:
        """Does it make the same terms of the same words?"""
        return self.language == other.language and self._stops == other._stops

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMO:
            self.clear()
        [term] = self.terms([word])
        self[word] = term
        return term

    def terms(self, words: list[str]) -> list[str]:
        """The term of each word, worked out and not remembered."""
        stems = words if self._stemmer is None else self._stemmer.stemWords(words)
        return ["" if word in self._stops else stem for word, stem in zip(words, stems, strict=True)]

    def __reduce__(self) -> tuple[Any, ...]:
        return Terms, (self.language, self._kept)

    def sequence(self, words: Iterable[str]) -> list[str]:
        """The terms of a text in order."""
        return list(filter(None, map(self.__getitem__, words)))


WEIGHTINGS = ("tf", "log", "tf-idf", "log-idf")


def check_weighting(name: str) -> str:
    if name not in WEIGHTINGS:
        known = f"{', '.join(WEIGHTINGS[:-1])} or {WEIGHTINGS[-1]}"
        raise TopicError(f"unknown weighting {name!r}: use {known}", key="judge.weighting")
    return name


def weights(counts: NDArray[np.int64] | NDArray[np.float64], weighting: str) -> NDArray[np.float64]:
    """Weights of term counts: ``tf``, or ``log``, which is 1 + log tf (METHODS, section 1); idf is not in it. A part of
    an occurrence, where ``log`` would fall below 0, weighs just that part."""
    values = counts.astype(np.float64)
    if weighting != "log":
        return values
    logs = 1.0 + np.log(np.maximum(values, 1.0))
    return logs if counts.dtype == np.int64 else np.where(values < 1.0, values, logs)
