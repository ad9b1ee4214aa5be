"""Just enough Markdown for the tests: files, fenced blocks, tables, headings, links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DOCS", "PAGES", "ROOT", "Block", "anchors", "blocks", "codes", "links", "prose", "section", "tables"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
"""Everything users read."""

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")

Table = list[list[str]]


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the first word after the fence, its text, and the line it starts on."""

    language: str
    text: str
    line: int


def blocks(text: str, *languages: str) -> list[Block]:
    """The fenced blocks, of these languages or all."""
    found = [
        Block((match[1].split() or [""])[0], match[2], text.count("\n", 0, match.start()) + 1)
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if not languages or block.language in languages]


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCE.sub("", text)


def links(text: str) -> list[str]:
    return _LINK.findall(_CODE.sub("", prose(text)))


def codes(text: str) -> list[str]:
    """What stands in backquotes."""
    return _CODE.findall(text)


def anchors(text: str) -> set[str]:
    """The fragments that headings can be reached by, as GitHub makes them."""
    found = set()
    for heading in _HEADING.findall(prose(text)):
        plain = re.sub(r"[^\w\- ]", "", _LINK.sub("", heading.replace("`", "")).lower())
        found.add(plain.strip().replace(" ", "-"))
    return found


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next of the same or a higher level."""
    lines = text.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if re.fullmatch(rf"#+ {re.escape(heading)}\s*", line))
    level = len(lines[start]) - len(lines[start].lstrip("#"))
    end = next(
        (i for i in range(start + 1, len(lines)) if re.match(rf"#{{1,{level}}} ", lines[i])),
        len(lines),
    )
    return "".join(lines[start + 1 : end])


def tables(text: str) -> list[Table]:
    """The tables, each a list of rows of cells; the heading row first, the ruler left out."""
    found: list[Table] = []
    inside = False
    for line in prose(text).splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            found.append([])
            inside = True
        cells = [cell.strip() for cell in _CELL.split(line.strip().removeprefix("|").removesuffix("|"))]
        if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            found[-1].append(cells)
    return found
