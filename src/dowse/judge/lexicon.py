"""Words as numbers: a page's words are looked up once; :mod:`dowse.judge.reading` then works with arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.judge.reading import LINE_END_NUMBER, NO_TERM, Reading
from dowse.judge.terms import Terms
from dowse.model.words import LINE_END, WordLines, word_hash

__all__ = ["Lexicon", "Vocabulary"]

# Some 10 MB, at 240 bytes a word; with 700 more, the dict would be twice as large. On 3,403 pages of documentation, 35
# words a page were not known with room for 100,000, 40 with room for 50,000, 45 with room for 32,768.
_MOST_WORDS = 43_000
_LONG_TEXT = 20_000  # words: one page in hundreds
_FIRST_ROOM = 1 << 14
_LINE_END = np.full(1, LINE_END_NUMBER, np.int32)
Numbers = NDArray[np.int32]


def _none_recent() -> bytearray:
    """Where the compiled core notes the words it looked up lately."""
    return bytearray(core.RECENT_SIZE if core is not None else 0)


class Lexicon(dict[str, int]):
    """word -> number, given in order of first sight. A dict, so that a known word costs one lookup.

    Terms have numbers as well; those of ``topical`` come first, in its order, so what a page shares with the topic is
    what is below ``len(topical)``.
    """

    def __init__(self, terms: Terms, topical: Sequence[str]) -> None:
        super().__init__()
        self._terms = terms
        self.topical = tuple(topical)
        self._start()

    def _start(self) -> None:
        self.clear()
        self[LINE_END] = LINE_END_NUMBER
        self._new: list[str] = []  # words that have a number and nothing else yet
        self._recent = _none_recent()
        self._term_numbers = {term: number for number, term in enumerate(self.topical)}
        self._of_term = np.zeros(0, np.uint64)  # hashes, as far as somebody asked for them:
        self._hashed_terms = 0  # of so many
        self._hashes = np.zeros(_FIRST_ROOM, np.uint64)
        self._of_word = np.zeros(_FIRST_ROOM, np.int32)
        self._of_word[LINE_END_NUMBER] = NO_TERM
        self._kept: tuple[int, int] | None = None  # words and terms known before a long text

    def _forget(self, words: int, terms: int) -> None:
        """Forget all but the first so many words and terms."""
        for known, count in ((self, words), (self._term_numbers, terms)):
            for _ in range(len(known) - count):
                known.popitem()
        self._hashed_terms = min(self._hashed_terms, terms)
        self._recent = _none_recent()
        room = max(words, _FIRST_ROOM)
        # in new arrays, since a reading may still have the old ones
        self._hashes, self._of_word = self._hashes[:room].copy(), self._of_word[:room].copy()
        self._kept = None

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self._new.append(word)
        return number

    def _learn(self) -> None:
        """Work out the new words of a text, all at once."""
        new, end = self._new, len(self)
        while end > len(self._hashes):
            self._hashes = np.concatenate((self._hashes, np.zeros_like(self._hashes)))
            self._of_word = np.concatenate((self._of_word, np.zeros_like(self._of_word)))
        numbers = self._term_numbers
        self._hashes[end - len(new) : end] = [word_hash(word) for word in new]
        self._of_word[end - len(new) : end] = [
            numbers.setdefault(term, len(numbers)) if term else NO_TERM for term in self._terms.terms(new)
        ]
        self._new = []

    def term_hashes(self) -> NDArray[np.uint64]:
        """The hash of each term, by its number; the topical ones first."""
        count, known = len(self._term_numbers), self._hashed_terms
        if known < count:
            if count > len(self._of_term):  # twice as much room, so that it is not copied for every page
                self._of_term = np.concatenate((self._of_term, np.zeros(count, np.uint64)))
            latest = islice(reversed(self._term_numbers), count - known)
            self._of_term[known:count] = [word_hash(term) for term in latest][::-1]
            self._hashed_terms = count
        return self._of_term[:count]

    def __reduce__(self) -> tuple[Any, ...]:
        return Lexicon, (self._terms, self.topical)

    def read(self, tokens: Sequence[str]) -> Reading:
        """Look words up; a ``LINE_END`` among them ends a line."""
        known = self._make_room()
        return self._reading(self._numbers(tokens), known)

    def read_lines(self, lines: WordLines, behind: WordLines | None = None) -> tuple[Reading, int]:
        """Look the words of a text up, and those of another one that stands ``behind`` it, on lines of its own. Also
        says how much of the reading is of the first one."""
        known = self._make_room()
        numbers = self._numbers_of(lines)
        size = len(numbers)
        if behind is not None:
            numbers = np.concatenate((numbers, _LINE_END, self._numbers_of(behind)))
        return self._reading(numbers, known), size

    def _make_room(self) -> tuple[int, int]:
        """How many words and terms are known then."""
        if self._kept is not None:  # else a few new words among its many would keep the memory of all of them
            self._forget(*self._kept)
        if len(self) >= _MOST_WORDS:  # start over: a number is good for one reading
            self._start()
        return len(self), len(self._term_numbers)

    def _numbers(self, tokens: Sequence[str]) -> Numbers:
        return np.fromiter(map(self.__getitem__, tokens), np.int32, len(tokens))

    def _numbers_of(self, lines: WordLines) -> Numbers:
        found = lines.numbers(self, self._new, self._recent)
        return self._numbers(lines.tokens()) if found is None else np.frombuffer(found, np.int32)

    def _reading(self, numbers: Numbers, known: tuple[int, int]) -> Reading:
        if len(numbers) >= _LONG_TEXT:
            self._kept = known
        if self._new:
            self._learn()
        return Reading(numbers, self._of_word.take(numbers), self._hashes, self.topical, self.term_hashes)


class Vocabulary:
    """A fixed list of words with numbers of its own, stemmed once for every judge of a language.

    ``words`` begins with ``LINE_END``; ``hashes`` has the :func:`~dowse.model.words.word_hash` of each.
    """

    def __init__(self, language: str, words: Iterable[str], hashes: NDArray[np.uint64]) -> None:
        self.language = language
        terms = Terms(language)
        self._term_numbers: dict[str, int] = {}
        self._of_word = np.fromiter(map(self._number, map(terms.__getitem__, words)), np.int32, len(hashes))
        self._of_word[LINE_END_NUMBER] = NO_TERM
        self._hashes = hashes
        self._of_term: NDArray[np.uint64] | None = None  # hashes, once somebody asked for them

    def _number(self, term: str) -> int:
        return self._term_numbers.setdefault(term, len(self._term_numbers)) if term else NO_TERM

    def reader(self, topical: tuple[str, ...]) -> Callable[[NDArray[np.int32]], Reading]:
        """What turns the numbers of a text's words into a reading for a judge with these topical terms."""
        known = self._term_numbers
        renumbered = np.arange(len(topical), len(topical) + len(known) + 1, dtype=np.int32)
        renumbered[NO_TERM] = NO_TERM
        for number, term in enumerate(topical):
            if term in known:
                renumbered[known[term]] = number
        of_word = renumbered[self._of_word]
        hashes = self._hashes

        @cache
        def term_hashes() -> NDArray[np.uint64]:
            first = np.array([word_hash(term) for term in topical], np.uint64)
            return np.concatenate((first, self._term_hashes()))

        def read(numbers: NDArray[np.int32]) -> Reading:
            return Reading(numbers, of_word[numbers], hashes, topical, term_hashes)

        return read

    def _term_hashes(self) -> NDArray[np.uint64]:
        if self._of_term is None:
            self._of_term = np.array([word_hash(term) for term in self._term_numbers], np.uint64)
        return self._of_term
