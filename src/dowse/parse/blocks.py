"""Content blocks: a page cut into the regions that are about one thing each (Gray Tunneling, section 3.1).

Algorithm 1 of the paper, made exact in METHODS, section 3. With ``s = alpha * Block_Height(root)``, an element falls
into its children when one of them holds at least ``k`` links and its own ``Block_Height`` is at least ``s``; else it is
a block. The text and the links that stand loose between the children of a split element make blocks of their own, one
for each run of lines that no child interrupts, so a block is a run of lines and every line is in one block. Blocks
without links join the next one (a heading the list below it); those after the last link are a block together.

The paper's queue is not needed. An element's height and links are never above its parent's, so whatever may be split
has a parent that is split; one pass in document order finds all borders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from dowse.compiled import core
from dowse.model.block_rule import BlockRule
from dowse.parse.document import Document
from dowse.parse.outline import FIRST_LINE, Outline

__all__ = ["block_starts", "partition"]

_PUBLISHED = BlockRule()


def block_starts(document: Document, rule: BlockRule = _PUBLISHED) -> list[int]:
    """The first line of each content block of a page; see :func:`partition`."""
    return partition(document.outline, [link.paragraph for link in document.links], rule)


def partition(outline: Outline, link_lines: Iterable[int], rule: BlockRule = _PUBLISHED) -> list[int]:
    """The first line of each block, rising; a block ends where the next one begins. ``link_lines`` are those that links
    stand on. A page without blocks in it (height 0) is one block."""
    least_height = rule.alpha * outline.heights[0]
    if core is not None and rule.k == 1:  # it knows no other k: those are for trying
        columns = outline.parents, outline.starts, outline.ends, outline.heights
        found = core.partition(*columns, list(link_lines), least_height)
        if found is not None:
            return found
    on_line = [0] * (outline.lines + 1)
    for line in link_lines:
        on_line[line + 1] += 1
    before = list(accumulate(on_line))  # links on the lines before each
    borders = _borders(outline, before, least_height, rule.k)
    starts = [FIRST_LINE]
    seen = 0
    for border in borders:
        if before[border] > seen:  # the block that ends here has links of its own
            seen = before[border]
            starts.append(border)
    return starts


def _borders(outline: Outline, before: Sequence[int], least_height: float, least_links: int) -> list[int]:
    """The lines at which a child of a split element begins or ends, rising; the ends of the page are left out."""
    starts, ends, heights, parents = outline.starts, outline.ends, outline.heights, outline.parents
    holding = _greatest_share(outline, before) if least_links > 1 else None
    split = bytearray(len(outline))
    borders: set[int] = set()
    for element, parent in enumerate(parents):
        if element and not split[parent]:
            continue
        start, end = starts[element], ends[element]
        if element:
            if start == end:
                continue
            borders.add(start)
            borders.add(end)
        if heights[element] and heights[element] >= least_height:
            # of one link it is enough to know that it is somewhere: it is in a child, or loose
            links = before[end] - before[start] if holding is None else holding[element]
            split[element] = links >= least_links
    borders.discard(FIRST_LINE)
    borders.discard(outline.lines)
    return sorted(borders)


def _greatest_share(outline: Outline, before: Sequence[int]) -> list[int]:
    """The most links that a child of each element holds; its loose links are those of one child."""
    starts, ends, parents = outline.starts, outline.ends, outline.parents
    greatest = [0] * len(outline)
    loose = [before[end] - before[start] for start, end in zip(starts, ends, strict=True)]
    for element in range(1, len(outline)):
        links, parent = before[ends[element]] - before[starts[element]], parents[element]
        greatest[parent] = max(greatest[parent], links)
        loose[parent] -= links
    return [max(pair) for pair in zip(greatest, loose, strict=True)]
