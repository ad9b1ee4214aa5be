"""The lines of a page: what each says, and the links that stand on it."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.lab.html import clip
from dowse.parse import Document, RawLink

__all__ = ["Lines"]


class Lines:
    """Line 0 is the title's, which is not shown."""

    def __init__(self, document: Document) -> None:
        self._texts = ("", *document.raw_text.split("\n"))
        self._links: dict[int, list[RawLink]] = {}
        for link in document.links:
            self._links.setdefault(link.paragraph, []).append(link)

    def text(self, line: int) -> str:
        return self._texts[line] if line < len(self._texts) else ""

    def links(self, line: int) -> Sequence[RawLink]:
        return self._links.get(line, ())

    def length(self, start: int, end: int) -> int:
        """Characters from a line to another (left out)."""
        return sum(map(len, self._texts[start:end]))

    def beginning(self, start: int, end: int, most: int) -> str:
        """About ``most`` characters of some lines as one, a dot between two. Links that show no text, as images, are
        told in brackets, by the name they have."""
        found: list[str] = []
        for line in range(start, end):
            text = clip(self.text(line), most)
            if text := text or clip(
                " ".join(f"[{link.anchor}]" for link in self.links(line)[:most] if link.anchor), most
            ):
                found.append(text)
                most -= len(text)
                if most <= 0:
                    break
        return " · ".join(found)
