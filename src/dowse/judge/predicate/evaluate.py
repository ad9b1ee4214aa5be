"""A parsed predicate on pages: what holds, how nearly, and what was measured for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from dowse.judge.category import Category
from dowse.judge.predicate.check import LEAVES
from dowse.judge.predicate.grade import OPPOSITE, Satisfied, all_of, compared, holds
from dowse.judge.predicate.syntax import And, Leaf, Node, Not, Or
from dowse.judge.predicate.urls import url_test
from dowse.judge.terms import Terms
from dowse.model.facts import PageFacts, object_type
from dowse.model.judge import ReadPage
from dowse.model.page import Part
from dowse.model.words import words

__all__ = ["ParsedPredicate", "joined", "leaves"]

_STRONGEST = 50  # terms of a category that stand for it in the topic's vector
_OF_WORDS = ("word", "category")  # what asks for the words of the page itself
_Degrees = tuple[bool, float, float]  # held; the degree of it, and of its negation


def leaves(node: Node, positive: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """Each test, and whether a page that passes it is wanted; not, where an odd number of ``not`` is above it."""
    if isinstance(node, Leaf):
        yield node, positive
    elif isinstance(node, Not):
        yield from leaves(node.part, not positive)
    else:
        for part in node.parts:
            yield from leaves(part, positive)


class _Asked:
    """A page, and what categories say of it: each is asked once, however often the predicate names it."""

    def __init__(self, page: ReadPage) -> None:
        self.facts = page.facts
        self.count = page.count
        self._terms = page.terms
        self._known: dict[str, float] = {}

    def probability(self, name: str, category: Category) -> float:
        if name not in self._known:
            text = f"{self.facts.title}\n{self.facts.text}" if category.needs_text else None
            self._known[name] = float(category.probability(*self._terms(), text))
        return self._known[name]


class ParsedPredicate:
    """An expression with its phrases as terms and its categories loaded. See :mod:`~dowse.judge.predicate.grade` for
    what its score means."""

    can_be_sent = True

    def __init__(self, root: Node, terms: Terms, categories: Mapping[str, Category]) -> None:
        self.root = root
        self._terms = terms
        self.categories = dict(categories)
        found = [leaf for leaf, _ in leaves(root)]
        self.phrases = {
            leaf.argument: terms.sequence(words(leaf.argument)) for leaf in found if leaf.name in ("word", "title")
        }
        self._urls = {leaf: url_test(leaf.name, leaf.argument) for leaf in found if leaf.name.startswith("url.")}
        self._types = {leaf: object_type(leaf.argument) for leaf in found if leaf.name == "object"}
        counted = (self.phrases[leaf.argument] for leaf in found if leaf.name == "word")
        self.terms = tuple(dict.fromkeys(chain.from_iterable(counted)))
        self.needs_objects = bool(self._types)
        self.needs_text = any(category.needs_text for category in self.categories.values())

    def __reduce__(self) -> tuple[Any, ...]:
        return ParsedPredicate, (self.root, self._terms, self.categories)

    def wanted(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for leaf, positive in leaves(self.root):
            if positive == _asks_for_little(leaf):
                continue
            for term in self.phrases.get(leaf.argument, ()) if leaf.name in ("word", "title") else ():
                found[term] = 1.0
            if leaf.name == "category":
                strongest = self.categories[leaf.argument].strongest(_STRONGEST)
                greatest = max((weight for _, weight in strongest), default=1.0)
                for term, weight in strongest:
                    found[term] = max(found.get(term, 0.0), weight / greatest)
        return found

    def __call__(self, page: ReadPage) -> Satisfied:
        parts: list[Part] = []
        held, degree, _ = self._walk(self.root, 0, _Asked(page), parts)
        return Satisfied(held, degree, tuple(parts))

    def _walk(self, node: Node, depth: int, page: _Asked, parts: list[Part]) -> _Degrees:
        if isinstance(node, Leaf):
            value = self._of_words(node, page) if node.name in _OF_WORDS else self.value(node, page.facts)
            held, degree, opposite = self.graded(node, value)
            parts.append(Part(node.text, held, degree, None if isinstance(value, bool) else value, depth))
            return held, degree, opposite
        place = len(parts)
        below = (node.part,) if isinstance(node, Not) else node.parts
        found = [self._walk(part, depth + 1, page, parts) for part in below]
        held, degree, opposite = joined(node, found)
        parts.insert(place, Part(type(node).__name__.lower(), held, degree, depth=depth))
        return held, degree, opposite

    def _of_words(self, leaf: Leaf, page: _Asked) -> float:
        if leaf.name == "word":
            return float(page.count(self.phrases[leaf.argument]))
        return page.probability(leaf.argument, self.categories[leaf.argument])

    def value(self, leaf: Leaf, facts: PageFacts) -> float | str | bool:
        """What a test that asks for no words of the page measures."""
        name = leaf.name
        if name == "title":
            return _occurrences(self.phrases[leaf.argument], self._terms.sequence(words(facts.title)))
        if name == "object":
            return _field_value(leaf, facts) if leaf.field else self._types[leaf] in facts.objects
        if name in ("similarity", "erid"):
            return facts.similarity if name == "similarity" else facts.erid
        if name in ("words", "links"):
            return float(facts.n_words if name == "words" else facts.n_links)
        if name in ("language", "kind"):
            return facts.language if name == "language" else facts.kind
        return self._urls[leaf](facts.url)

    def graded(self, leaf: Leaf, value: float | str | bool) -> _Degrees:
        """Whether a test is passed with this value, and how nearly; and how nearly it is not."""
        sign, bound = leaf.operator, leaf.bound
        if not sign and LEAVES[leaf.name].gives == "category":
            sign, bound = ">=", self.categories[leaf.argument].threshold
        if sign and value is False:  # there is nothing to compare
            held = sign == "!="
            return held, float(held), float(not held)
        if not sign or isinstance(value, str) or isinstance(bound, str) or value < 0:
            held = holds(value, sign, bound) if sign else bool(value)
            return held, float(held), float(not held)
        opposite = compared(value, OPPOSITE[sign], bound)
        return holds(value, sign, bound), compared(value, sign, bound), opposite


def joined(node: And | Or | Not, found: list[_Degrees]) -> _Degrees:
    """What ``and``, ``or`` and ``not`` make of their parts."""
    held, degrees, opposites = (tuple(column) for column in zip(*found, strict=True))
    if isinstance(node, And):
        return all(held), all_of(degrees), max(opposites)
    if isinstance(node, Or):
        return any(held), max(degrees), all_of(opposites)
    return not held[0], opposites[0], degrees[0]


def _field_value(leaf: Leaf, facts: PageFacts) -> float | str | bool:
    from dowse.judge.predicate.fields import field_value  # its patterns take 5 ms to compile, and few ask

    return field_value(leaf, facts)


def _asks_for_little(leaf: Leaf) -> bool:
    """Does it hold on pages that have none, or few, of what it names?"""
    return leaf.operator in ("<", "<=") or (leaf.operator == "==" and leaf.bound == 0)


def _occurrences(phrase: list[str], text: list[str]) -> float:
    size = len(phrase)
    return float(sum(text[place : place + size] == phrase for place in range(len(text) - size + 1)))
