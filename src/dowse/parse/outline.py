"""The outline of a page: its block elements, which lies in which, and the lines of text each of them holds.

Inline elements are passed through: what stands in ``<font>`` or ``<b>`` stands in the block element around it. So every
line belongs to one innermost element, and no line is cut by an element's border. What shows nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["FIRST_LINE", "IS_HEADING", "TAGS", "Outline"]

TAGS = (
    "document", "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
    "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hgroup", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section",
    "summary", "table", "td", "th", "tr", "ul",
)  # fmt: skip
"""The block tags that METHODS, section 3, counts. Their numbers go into path hashes: add new ones at the end."""

FIRST_LINE = 1  # line 0 is the title, which stands in no element
IS_HEADING = bytes(tag in ("h1", "h2", "h3", "h4", "h5", "h6") for tag in TAGS)
"""By the number of a tag: 1 where it is a heading's."""
_PRIME = 1_000_003
_32_BITS = 0xFFFFFFFF


@dataclass(slots=True)
class Outline:
    """Block elements as columns, in the order in which they begin; the first is the document itself.

    An element has the lines from its start to its end (left out). ``heights`` are ``Block_Height`` (Gray Tunneling,
    algorithm 1): how deep block elements are nested in it.
    """

    tags: list[int] = field(default_factory=lambda: [0])  # numbers of TAGS
    parents: list[int] = field(default_factory=lambda: [0])
    starts: list[int] = field(default_factory=lambda: [FIRST_LINE])
    ends: list[int] = field(default_factory=lambda: [FIRST_LINE + 1])
    heights: list[int] = field(default_factory=lambda: [0])

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def lines(self) -> int:
        """How many lines the page has, its title among them."""
        return self.ends[0]

    def extend(self, other: Outline) -> tuple[int, int]:
        """Take up the outline of a text that follows this one: so much is added to the numbers of its lines, and to
        those of its elements but for the document."""
        lines, elements = self.lines - FIRST_LINE, len(self) - 1
        self.tags += other.tags[1:]
        self.parents += [parent and parent + elements for parent in other.parents[1:]]
        self.starts += [start + lines for start in other.starts[1:]]
        self.ends += [end + lines for end in other.ends[1:]]
        self.ends[0] = other.ends[0] + lines
        self.heights[0] = max(self.heights[0], other.heights[0])
        self.heights += other.heights[1:]
        return lines, elements

    def headings(self) -> list[int]:
        """The first line of each heading, rising."""
        shown = zip(self.tags, self.starts, self.ends, strict=True)
        return [start for tag, start, end in shown if IS_HEADING[tag] and end > start]

    def paths(self, elements: Iterable[int]) -> list[int]:
        """32 bits for the path of tags that leads to each of these elements: the same on every page."""
        known = [0]
        steps = zip(self.tags, self.parents, strict=True)
        next(steps)
        for tag, parent in steps:
            known.append((known[parent] * _PRIME + tag) & _32_BITS)
        return [known[element] for element in elements]

    def path_names(self, element: int) -> str:
        """
        >>> Outline(tags=[0, 5, 44], parents=[0, 0, 1]).path_names(2)
        'body/ul'
        """
        names = []
        while element:
            names.append(TAGS[self.tags[element]])
            element = self.parents[element]
        return "/".join(reversed(names))
