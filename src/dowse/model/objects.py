"""What pages state, as typed tuples: an event with its name, day and place, a job, a paper (METHODS, section 5).

As one line of JSON, an object as a page states it has ``kind``, ``fields``, ``url`` and ``source``; a distinct one has
``kind``, ``fields`` and ``sources``, the addresses of the pages that state it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DistinctObject", "FoundObject", "Stated", "Value"]

Value = str | float | bool
"""A field's value: text (days as ISO 8601), a number, or yes and no."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One object as one page states it. Other pages may state it too, in other words."""

    kind: str  # "Event", "JobPosting", ...: the type of schema.org, or the wrapper's name for it
    fields: dict[str, Value]  # "name", "startDate", "location", ...: what is missing is not there
    url: str = ""  # of the page; an extractor may leave it to Dowse
    source: str = ""  # how it was read: "json-ld", "microdata", "rdfa", "opengraph", or a wrapper's name


@dataclass(frozen=True, slots=True)
class DistinctObject:
    """One object of the world, by all that state it."""

    kind: str
    fields: dict[str, Value]  # of each field, what most pages say
    sources: tuple[str, ...]  # the pages that state it, each once, in the order they were found


@dataclass(frozen=True, slots=True)
class Stated:
    """What one page states by structured data."""

    types: frozenset[str] = frozenset()  # as of :func:`dowse.model.facts.object_type`
    objects: tuple[FoundObject, ...] = ()  # in document order
