"""What every reader of a document writes to: lines, links and outline, as HTML leaves them of a page.

A line is a paragraph, an item or a row of a table. Elements are the document's parts (a page, a slide, an entry) and
its headings, so that content blocks, contexts of links and headings are told as on a web page.
"""

from __future__ import annotations

from collections.abc import Sequence

from dowse.model.words import WordLines
from dowse.parse.document import MAX_HREF, Document, RawLink
from dowse.parse.outline import FIRST_LINE, TAGS, Outline

__all__ = ["MOST_CHARACTERS", "Enough", "Target", "Unreadable", "Writer"]

MOST_CHARACTERS = 4_000_000
"""Of a document; what comes behind is not read."""
_MOST_LINES = 200_000
_MOST_LINKS = 50_000
_MAX_ANCHOR = 400
_MAX_TITLE = 500
_LONGEST_LINE_AS_TITLE = 200
_LONGEST_LANGUAGE = 35  # as of RFC 5646
_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
Target = tuple[str, str]
"""Where a link leads, as it is written, and its anchor."""


class Unreadable(Exception):
    """A document that cannot be read; says why, as in "it is encrypted"."""


class Enough(Exception):
    """The document has more than is read of one: what was written so far stands."""


class Writer:
    """A document in the making."""

    def __init__(self) -> None:
        self.title = ""
        self.language = ""
        self.parts = 0  # pages, slides, sheets, chapters or entries
        self._lines: list[str] = []
        self._links: list[RawLink] = []
        self._outline = Outline()
        self._element = 0
        self._left = MOST_CHARACTERS
        self._heading = ""

    def begin(self, tag: str) -> int:
        """An element begins, to be ended; its number."""
        outline = self._outline
        outline.tags.append(_NUMBERS[tag])
        outline.parents.append(self._element)
        outline.starts.append(self._next)
        outline.ends.append(0)
        outline.heights.append(0)
        self._element = len(outline) - 1
        return self._element

    def end(self) -> None:
        """The innermost open element ends."""
        outline, element = self._outline, self._element
        outline.ends[element] = self._next
        self._element = parent = outline.parents[element]
        if outline.heights[parent] <= outline.heights[element] and outline.starts[element] < self._next:
            outline.heights[parent] = outline.heights[element] + 1

    def line(self, text: str, links: Sequence[Target] = ()) -> int:
        """A line of text, unless it is empty and has no links; its number. Raises Enough."""
        text = _one_line(text)
        if not text and not links:
            return self._next
        if len(text) > self._left or len(self._lines) >= _MOST_LINES:
            if self._left > 0 and text:
                self._lines.append(text[: self._left])
            raise Enough
        self._left -= len(text)
        number = self._next
        self._lines.append(text)
        for href, anchor in links:
            self.link(href, anchor, number, self._element)
        return number

    def heading(self, level: int, text: str, links: Sequence[Target] = ()) -> None:
        """A heading, of level 1 to 6."""
        self.begin(f"h{min(max(level, 1), 6)}")
        try:
            self.line(text, links)
        finally:
            self.end()
        self._heading = self._heading or _one_line(text)

    def section(self, tag: str, lines: Sequence[tuple[str, Sequence[Target]]]) -> None:
        """An element that has these lines and nothing else: a content block, where it has links."""
        self.begin(tag)
        try:
            for text, links in lines:
                self.line(text, links)
        finally:
            self.end()

    def link(self, href: str, anchor: str, line: int, element: int, rel: str = "") -> None:
        """A link on a line that was written, or is the next."""
        href = _sound(href.strip())
        if href and len(href) <= MAX_HREF and len(self._links) < _MOST_LINKS:
            self._links.append(RawLink(href, _one_line(anchor[: 2 * _MAX_ANCHOR])[:_MAX_ANCHOR], rel, line, element))

    def take(self, other: Document) -> None:
        """The text and links of a part that is HTML. Raises Enough."""
        outline = self._outline
        if other.text_len > self._left or len(self._lines) + other.outline.lines > _MOST_LINES:
            raise Enough
        self._left -= other.text_len
        lines = other.raw_text.split("\n")
        lines += [""] * (other.outline.lines - FIRST_LINE - len(lines))
        added, before, here = len(self._lines), len(outline), self._element
        outline.tags += other.outline.tags[1:]
        outline.parents += [parent + before - 1 if parent else here for parent in other.outline.parents[1:]]
        outline.starts += [start + added for start in other.outline.starts[1:]]
        outline.ends += [end + added for end in other.outline.ends[1:]]
        outline.heights += other.outline.heights[1:]
        outline.heights[here] = max(outline.heights[here], other.outline.heights[0])
        self._lines += lines[: other.outline.lines - FIRST_LINE]
        for href, anchor, rel, line, element in other.links:
            self.link(href, anchor, line + added, element + before - 1 if element else here, rel)

    def finish(self) -> None:
        """End whatever is open: the document is whole, or there was enough of it."""
        while self._element:
            self.end()

    @property
    def is_empty(self) -> bool:
        """Was nothing written yet?"""
        return not self._lines

    @property
    def _next(self) -> int:
        return FIRST_LINE + len(self._lines)

    def document(self, url: str, kind: str, *, noindex: bool = False, nofollow: bool = False) -> Document:
        """What was written. Without a title of its own it has its first heading, or a short first line."""
        self.finish()
        self._outline.ends[0] = max(self._next, FIRST_LINE + 1)
        title = _one_line(self.title)[:_MAX_TITLE] or self._heading[:_MAX_TITLE] or self._first_line()
        visible = "\n".join(self._lines).encode("utf-8", "replace")
        return Document(
            url=url,
            title=title,
            visible=visible,
            lines=WordLines(b"%b\n%b" % (title.encode("utf-8", "replace"), visible)),
            links=self._links,
            outline=self._outline,
            lang=_sound(self.language)[:_LONGEST_LANGUAGE],
            noindex=noindex,
            nofollow=nofollow,
            kind=kind,
            parts=self.parts,
        )

    def _first_line(self) -> str:
        first = next((line for line in self._lines if line), "")
        return first if len(first) <= _LONGEST_LINE_AS_TITLE else ""


def _one_line(text: str) -> str:
    return " ".join(_sound(text).replace("\0", " ").split())


def _sound(text: str) -> str:
    """Without halves of characters, as JSON may have them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
