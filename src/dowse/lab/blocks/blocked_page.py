"""The content blocks of a page, measured against a topic."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.judge import SimilarityJudge, TopicJudge
from dowse.lab.html_markup import clip
from dowse.model.block_rule import BlockRule
from dowse.model.facts import PageFacts
from dowse.model.page import Verdict
from dowse.parse import Document, Outline, RawLink, block_starts, detect_language, line_groups

__all__ = ["Block", "BlockedPage", "Lines", "measure"]

_PUBLISHED = BlockRule()
_MOST_TEXT = 600
_MOST_HEADING = 120


class Lines:
    """The lines of a page: what each says, and the links on it. Line 0 is the title's, which is not shown."""

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


@dataclass(frozen=True, slots=True)
class Block:
    """A content block: the lines of a page from ``start`` to ``end`` (left out)."""

    number: int  # from 1, in document order
    start: int
    end: int
    score: float  # of its words by the topic's method, as of a page of its own
    similarity: float | None  # what the links in it are valued by; None: it has no word
    words: int
    links: int
    heading: str  # its first; empty where it has none
    path: str  # of tags, to the innermost element that holds all of it
    text: str  # its first words, those of the heading left out

    @property
    def where(self) -> str:
        """The heading, else the end of the tag path."""
        return self.heading or "/".join(self.path.split("/")[-4:])


@dataclass(frozen=True, slots=True)
class BlockedPage:
    """A page and its blocks; there is always one."""

    document: Document
    verdict: Verdict
    blocks: tuple[Block, ...]

    @property
    def best(self) -> Block | None:
        """The block with the highest score, the first of them; None when no block has a word of the topic."""
        best = max(self.blocks, key=lambda block: block.score)
        return best if best.score > 0 else None

    @property
    def is_gray_tunnel(self) -> bool:
        """Not relevant as a whole, but in a block (Gray Tunneling, section 3)."""
        best = self.best
        return not self.verdict.relevant and best is not None and best.score >= self.verdict.threshold

    def at(self, line: int) -> Block:
        """The block that a line is in."""
        return self.blocks[max(0, bisect_right(self.blocks, line, key=lambda block: block.start) - 1)]


def measure(
    document: Document, judge: TopicJudge, facts: PageFacts | None = None, rule: BlockRule = _PUBLISHED
) -> BlockedPage:
    """Cut a page into blocks by a rule and judge both. ``facts`` of the page may be given where a predicate asks for
    more than the document tells; a block is judged with the same, but for its text and links."""
    reading = judge.nearness.read(document.lines.tokens())
    starts = block_starts(document, rule)
    similarities = judge.nearness.similarities(reading, line_groups(starts, len(document.lines))).tolist()
    names = _Names(document)
    links = [0] * len(starts)
    for link in document.links:
        links[bisect_right(starts, link.paragraph) - 1] += 1
    facts = facts or _facts(document)
    blocks = []
    for place, (start, end) in enumerate(zip(starts, [*starts[1:], _last(document)], strict=True)):
        words = [word for line in range(start, end) for word in document.lines.line(line)]
        similarity = similarities[place] if place < len(similarities) else math.nan
        told = None if math.isnan(similarity) else similarity
        score = told or 0.0
        if not isinstance(judge.judge, SimilarityJudge):
            own = replace(facts, n_words=len(words), n_links=links[place], text=names.whole(start, end))
            score = judge.verdict(words, own).score
        heading = names.heading(start, end)
        block = Block(
            place + 1, start, end, score, told, len(words), links[place], heading, names.path(start, end),
            names.text(start, end, heading),
        )  # fmt: skip
        blocks.append(block)
    pool = judge.nearness.pools.get(facts.language)
    whole = judge.verdict_of(reading, facts, None if pool is None else pool.read_lines(document.lines))
    return BlockedPage(document, whole, tuple(blocks))


def _facts(document: Document) -> PageFacts:
    return PageFacts(
        document.url, document.title, detect_language(document.raw_text, document.lang), len(document.words()),
        len(document.links), text=document.text, kind=document.kind,
    )  # fmt: skip


def _last(document: Document) -> int:
    """Where the page's last block ends. Plain text has no outline; behind an outline's last line there is nothing."""
    lines = document.outline.lines
    return lines if len(document.outline) > 1 else max(lines, len(document.lines))


class _Names:
    """What the runs of lines of one page are called by."""

    def __init__(self, document: Document) -> None:
        self._lines = Lines(document)
        self._outline = document.outline
        self._headings = document.outline.headings()
        self._innermost = _innermost(document.outline)

    def heading(self, start: int, end: int) -> str:
        first, last = bisect_left(self._headings, start), bisect_left(self._headings, end)
        texts = (clip(self._lines.text(line), _MOST_HEADING) for line in self._headings[first:last])
        return next(filter(None, texts), "")

    def path(self, start: int, end: int) -> str:
        element = self._innermost[start] if start < len(self._innermost) else 0
        while element and self._outline.ends[element] < end:
            element = self._outline.parents[element]
        return self._outline.path_names(element) or "page"

    def whole(self, start: int, end: int) -> str:
        lines = (" ".join(self._lines.text(line).split()) for line in range(start, end))
        return "\n".join(filter(None, lines))

    def text(self, start: int, end: int, heading: str) -> str:
        shown = self._lines.beginning(start, end, _MOST_TEXT)
        return shown.removeprefix(heading).lstrip(" ·") or shown


def _innermost(outline: Outline) -> list[int]:
    """The innermost element around each line. Elements come in the order in which they begin, so the last that holds
    a line is the innermost."""
    found = [0] * outline.lines
    for element in range(1, len(outline)):
        start, end = outline.starts[element], outline.ends[element]
        found[start:end] = [element] * (end - start)
    return found
