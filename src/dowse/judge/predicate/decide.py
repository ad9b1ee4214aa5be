"""What a predicate says of a page that is known only by its records: yes, no, or that the page must be read.

Address, title, language and sizes are in the records. Of the page's words they have the terms that count most, with
weights: an occurrence counts for one to nine (see :mod:`dowse.judge.learned.lead`), so that how often a term occurs is
known within bounds. Where all terms of a page fit in, one that is missing does not occur. Truth then has three values
(Kleene, On notation for ordinal numbers, 1938): what does not follow from this is unknown, and ``and``, ``or`` and
``not`` may be known though a part is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dowse.judge.learned.lead import REPEATED_WORTH, TIMES_FIRST
from dowse.judge.predicate.evaluate import ParsedPredicate, joined
from dowse.judge.predicate.grade import Satisfied
from dowse.judge.predicate.syntax import And, Leaf, Node, Not, Or
from dowse.judge.reading import MOST_OFTEN
from dowse.model.facts import PageFacts
from dowse.model.page import USUAL_TERMS, Bag, Part
from dowse.model.words import word_hash

__all__ = ["Decider", "RecordedPage"]

_LOWER = 0xFFFFFFFF  # the half of a hash that a bag has
_ROUNDED = 1.002  # counts are kept with eleven bits
_FAR = TIMES_FIRST * _ROUNDED**2  # how far the bounds are apart, where a term occurs
_UNREAD = "not read"
_Range = tuple[float, float]
_Found = tuple[bool | None, float, float]  # held, or unknown; degree and opposite, or how little they are at least


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page as the records have it."""

    facts: PageFacts  # but for objects and text
    bag: Bag | None  # None: its terms are not known, or made by other rules
    measured: bool  # are similarity and ERID those of the topic in question?


class Decider:
    """Asks a predicate about recorded pages."""

    def __init__(self, predicate: ParsedPredicate) -> None:
        self._predicate = predicate
        self._hashes = {
            text: [word_hash(term) & _LOWER for term in terms] for text, terms in predicate.phrases.items()
        }  # fmt: skip

    def __call__(self, page: RecordedPage) -> Satisfied | None:
        """What the predicate says; None when the page must be read for that. A part that was not needed is told as not
        read, and one that compares how often a word occurs has a degree by an estimate of that."""
        parts: list[Part] = []
        held, degree, _ = self._walk(self._predicate.root, 0, page, parts)
        return None if held is None else Satisfied(held, degree, tuple(parts))

    def _walk(self, node: Node, depth: int, page: RecordedPage, parts: list[Part]) -> _Found:
        if isinstance(node, Leaf):
            return self._leaf(node, depth, page, parts)
        place = len(parts)
        below = (node.part,) if isinstance(node, Not) else node.parts
        found = [self._walk(part, depth + 1, page, parts) for part in below]
        held = _truth(node, [one for one, _, _ in found])
        _, degree, opposite = joined(node, [(bool(one), for_, against) for one, for_, against in found])
        name = type(node).__name__.lower()
        parts.insert(place, Part(name, bool(held), degree, _UNREAD if held is None else None, depth))
        return held, degree, opposite

    def _leaf(self, leaf: Leaf, depth: int, page: RecordedPage, parts: list[Part]) -> _Found:
        found: _Found
        value: float | str | None = None
        if leaf.name == "word" and page.bag is not None:
            low, high = _occurrences(self._hashes[leaf.argument], page.bag)
            held = _compared(low, high, leaf.operator or ">", leaf.bound if leaf.operator else 0.0)
            if held is not None:
                # any number between the bounds comes out the same
                _, degree, opposite = self._predicate.graded(leaf, math.sqrt(low * min(high, _FAR * low)))
                value, found = low if low == high else None, (held, degree, opposite)
            else:
                found = None, 0.0, 0.0
        elif leaf.name in ("word", "category", "object") or (leaf.name in ("similarity", "erid") and not page.measured):
            found = None, 0.0, 0.0
        else:
            exact = self._predicate.value(leaf, page.facts)
            found, value = self._predicate.graded(leaf, exact), None if isinstance(exact, bool) else exact
        held = found[0]
        parts.append(Part(leaf.text, bool(held), found[1], _UNREAD if held is None else value, depth))
        return found


def _truth(node: And | Or | Not, parts: Sequence[bool | None]) -> bool | None:
    if isinstance(node, Not):
        return None if parts[0] is None else not parts[0]
    settles = isinstance(node, Or)  # one such part is enough
    if any(part is settles for part in parts):
        return settles
    return None if None in parts else not settles


def _compared(low: float, high: float, sign: str, bound: float | str) -> bool | None:
    """Does a number between two bounds pass a comparison?

    >>> _compared(1, 3, ">", 0), _compared(1, 3, ">=", 4), _compared(1, 3, "<", 2), _compared(0, 0, "==", 0)
    (True, False, None, True)
    """
    assert not isinstance(bound, str)
    if sign in ("<", "<=", "!="):
        found = _compared(low, high, {"<": ">=", "<=": ">", "!=": "=="}[sign], bound)
        return None if found is None else not found
    if sign == "==":
        return True if low == high == bound else None if low <= bound <= high else False
    above, below = (low > bound, high <= bound) if sign == ">" else (low >= bound, high < bound)
    return True if above else False if below else None


def _occurrences(phrase: Sequence[int], bag: Bag) -> _Range:
    """How often a phrase occurs, at least and at most."""
    ranges = [_of_term(term, bag) for term in phrase]
    if len(ranges) == 1:
        return ranges[0]
    # it counts for what the line is worth where it begins, and may go on in a block that the site repeats
    return 0.0, min(ranges[0][1], *(high / REPEATED_WORTH for _, high in ranges[1:]))


def _of_term(term: int, bag: Bag) -> _Range:
    place = int(np.searchsorted(bag.terms, term))
    if place < len(bag.terms) and int(bag.terms[place]) == term:
        weight = float(bag.counts[place])
        most = math.inf if weight >= MOST_OFTEN / _ROUNDED else weight * _ROUNDED
        return weight / TIMES_FIRST / _ROUNDED, most
    if len(bag.terms) < USUAL_TERMS:
        return 0.0, 0.0
    return 0.0, float(bag.counts.min()) * _ROUNDED
