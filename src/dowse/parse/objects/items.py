"""Items: things with types and properties, as the markup has them, before anything is made of their values.

JSON-LD, microdata and RDFa are three ways to write the same, so each reader makes these. A property's value is text, a
number, a truth, or another item; an item that is only mentioned has an ``id`` and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dowse.model.objects import Value

__all__ = ["LONGEST_NAME", "MOST_ITEMS", "MOST_TEXT", "Item", "bare"]

MOST_ITEMS = 2_000
"""Objects of a page."""
MOST_TEXT = 2_000_000
"""Characters of all scripts of a page, and of all values that are made of them."""
LONGEST_NAME = 200
"""Of a type or a property."""
_MOST_TYPES = 20
_MOST_PROPERTIES = 200
_MOST_VALUES = 50  # of one property
_BEFORE_NAME = re.compile(r".*[/#:]", re.DOTALL)
_HOLDERS = frozenset(
    ("event", "events", "subevent", "subevents", "itemlistelement", "item", "mainentity", "haspart", "blogpost",
     "blogposts", "episode", "track", "containsplace", "workfeatured", "dataset", "hasvariant", "itemoffered")
)  # fmt: skip
"""Properties whose values are things on their own, not what their owner is made of."""


@dataclass(slots=True)
class Item:
    """A thing, as one place of a page states it."""

    source: str  # "json-ld", "microdata", "rdfa", "opengraph"
    types: list[str] = field(default_factory=list)  # as written
    id: str = ""
    properties: dict[str, list[Value | Item]] = field(default_factory=dict)  # by their bare names
    is_part: bool = False  # does it only tell of another item, as the address of a place does?

    def add(self, name: str, value: Value | Item) -> None:
        """A value more, as long as there is room."""
        own = self.properties.get(name)
        if own is None:
            if len(self.properties) >= _MOST_PROPERTIES or not 0 < len(name) <= LONGEST_NAME:
                return
            own = self.properties[name] = []
        if len(own) < _MOST_VALUES:
            own.append(value)
            if isinstance(value, Item) and name.lower() not in _HOLDERS:
                value.is_part = True

    def typed(self, names: list[str]) -> None:
        """Types more, as long as there is room."""
        self.types += [name for name in names if name.strip()][: _MOST_TYPES - len(self.types)]


def bare(name: str) -> str:
    """A name without its vocabulary.

    >>> bare("https://schema.org/Event"), bare("schema:name"), bare(" name ")
    ('Event', 'name', 'name')
    """
    return _BEFORE_NAME.sub("", name[: 4 * LONGEST_NAME].strip().rstrip("/#"))
