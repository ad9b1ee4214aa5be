"""What pages state, as typed tuples: an event with its name, day and place, a job, a paper (METHODS, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FoundObject", "Value"]

Value = str | float | bool
"""A field's value: text (days as ISO 8601), a number, or yes and no."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One object as one page states it. Other pages may state it too, in other words."""

    kind: str  # "Event", "JobPosting", ...: the type of schema.org, or the wrapper's name for it
    fields: dict[str, Value]  # "name", "startDate", "location", ...: what is missing is not there
    url: str  # of the page
    source: str = ""  # how it was read: "json-ld", "microdata", "rdfa", "opengraph", or a wrapper's name
