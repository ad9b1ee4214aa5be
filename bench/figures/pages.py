"""Pages with regions: what is between the marks comes from results, everything else is written by hand."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures.figure import Figure, wrapped
from bench.figures.results import RESULTS, ROOT, Result, stored

__all__ = ["END", "Region", "StrayTable", "filled", "region_text", "regions", "stray_tables", "write_pages"]

END = "<!-- end of figure -->"
_REGION = re.compile(r"^<!-- figure: ([a-z0-9-]+) -->\n(.*?)^<!-- end of figure -->$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```\s*$", re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"<!-- no figure: \S[^\n]* -->\n\n?\Z")
_NUMBER = re.compile(r"[^\w`]*\d")
_ENOUGH, _LEAST = 0.3, 3  # such a share of a table's cells, and so many, begin with a number: it was measured


@dataclass(frozen=True, slots=True)
class Region:
    """A marked part of a page."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StrayTable:
    """A table of numbers that is in no region and gives no reason."""

    line: int
    head: str


def regions(page: str) -> list[Region]:
    """The regions of a page's text."""
    return [Region(match[1], match[2]) for match in _REGION.finditer(page)]


def region_text(figure: Figure, results: Sequence[Result], told: Container[str] = ()) -> str:
    """What stands between the marks of a figure. Commands that the page has ``told`` before are not told again."""
    commands = [command for command in dict.fromkeys(result.command for result in results) if command not in told]
    block = ["```sh", *map(wrapped, commands), "```"] if commands else ["The commands are those above."]
    measured = "; ".join(dict.fromkeys(f"{one.date}, commit {one.commit}, {one.machine}" for one in results))
    shown = figure.shown([result.found for result in results]).strip()
    return "\n".join(["", shown, "", *block, "", f"*Measured: {measured}.*", "", ""])


def filled(page: str, figures: Iterable[Figure], results: Path = RESULTS) -> str:
    """The text of a page with every region whose measurements are there. Others stay as they are."""
    by_name = {figure.name: figure for figure in figures}
    told: set[str] = set()

    def put(match: re.Match[str]) -> str:
        figure, text = by_name.get(match[1]), match[2]
        found = [stored(one, results) for one in figure.of] if figure else []
        whole = [result for result in found if result is not None]
        if figure and len(whole) == len(found):
            text = region_text(figure, whole, told)
            told.update(result.command for result in whole)
        return f"<!-- figure: {match[1]} -->\n{text}{END}"

    return _REGION.sub(put, page)


def write_pages(figures: Sequence[Figure], root: Path = ROOT, results: Path = RESULTS) -> list[str]:
    """Write all regions anew; the pages that changed."""
    changed = []
    for name in dict.fromkeys(figure.page for figure in figures):
        path = root / name
        old = path.read_text("utf-8")
        new = filled(old, [figure for figure in figures if figure.page == name], results)
        if new != old:
            path.write_text(new, "utf-8")
            changed.append(name)
    return changed


def stray_tables(page: str) -> Iterator[StrayTable]:
    """Tables with measured numbers outside of regions, unless ``<!-- no figure: why -->`` stands above."""
    blank = _REGION.sub(lambda match: "\n" * match[0].count("\n"), page)
    text = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), blank)
    for match in _TABLE.finditer(text):
        head, _, *rows = [*match[0].splitlines(), ""]
        split = (row.strip().removeprefix("|").removesuffix("|").split("|")[1:] for row in rows)  # names are in front
        cells = [cell.strip() for row in split for cell in row if cell.strip()]
        measured = sum(bool(_NUMBER.match(cell)) for cell in cells)
        if measured >= max(_LEAST, _ENOUGH * len(cells)) and not _REASON.search(text[: match.start()]):
            yield StrayTable(text.count("\n", 0, match.start()) + 1, head)
