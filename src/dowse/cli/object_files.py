"""Objects as files for other tools, and as a table for a reader."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.objects import DistinctObject, FoundObject
from dowse.model.shown import shown
from dowse.recrawl.objects import distinct_line, found_line, told
from dowse.store.export_formats import TEXT_FORMATS, Kind, Layout, format_by_ending, write_parquet, write_text

__all__ = ["FORMATS", "Either", "count_lines", "format_of", "table_lines", "write_objects"]

FORMATS = ("table", "jsonl", "csv", "parquet")
_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".txt": "table"}
_IDENTITY = {"kind": Kind.TEXT, "name": Kind.TEXT, "day": Kind.TEXT, "place": Kind.TEXT}
_FOUND = Layout({**_IDENTITY, "url": Kind.TEXT, "source": Kind.TEXT, "fields": Kind.JSON})
_DISTINCT = Layout({**_IDENTITY, "n_sources": Kind.INT, "sources": Kind.JSON, "fields": Kind.JSON})
_WIDTHS = (16, 40, 11, 24)  # kind, name, day, place
Either = FoundObject | DistinctObject


def format_of(out: str, to: str | None) -> str:
    """The format that is asked for, or that a file's name tells. UserError when there is none such."""
    if to is not None:
        if to not in FORMATS:
            raise UserError(f"--to: must be one of {', '.join(FORMATS)}, not {to!r}")
        if to == "parquet" and out == "-":
            raise UserError("parquet cannot go to standard output: name a file with --out")
        return to
    if out == "-":
        return "table"
    return format_by_ending(out, _ENDINGS, FORMATS)


def write_objects(objects: Iterable[Either], to: str, out: str, *, are_distinct: bool) -> int:
    """Write objects to a file, or to standard output; how many there were."""
    if to in ("jsonl", "table"):
        lines = map(_line, objects) if to == "jsonl" else table_lines(objects)
        if out == "-":
            return _put(lines, sys.stdout.write)
        return write_whole(Path(out), lambda path: _fill(lines, path))
    layout = _DISTINCT if are_distinct else _FOUND
    rows = (_row(one) for one in objects)
    if out == "-":
        return TEXT_FORMATS[to](rows, layout, sys.stdout)
    if to == "parquet":
        return write_whole(Path(out), lambda path: write_parquet(rows, layout, path))
    return write_whole(Path(out), lambda path: write_text(rows, layout, path, TEXT_FORMATS[to]))


def _fill(lines: Iterable[str], path: Path) -> int:
    with path.open("w", encoding="utf-8", newline="") as stream:
        return _put(lines, stream.write)


def _put(lines: Iterable[str], write: Callable[[str], Any]) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007
        write(f"{line}\n")
    return count


def _line(one: Either) -> str:
    return distinct_line(one) if isinstance(one, DistinctObject) else found_line(one)


def _row(one: Either) -> list[Any]:
    fields = json.dumps(one.fields, ensure_ascii=False)
    if isinstance(one, DistinctObject):
        sources = json.dumps(one.sources, ensure_ascii=False)
        return [one.kind, *told(one.fields), len(one.sources), sources, fields]
    return [one.kind, *told(one.fields), one.url, one.source, fields]


def table_lines(objects: Iterable[Either], most: int | None = None) -> Iterator[str]:
    """A line an object: kind, name, day, place and page."""
    for one in islice(objects, most):
        cells = (_cell(text, width) for text, width in zip((one.kind, *told(one.fields)), _WIDTHS, strict=True))
        pages = one.sources if isinstance(one, DistinctObject) else (one.url,)
        more = f" and {len(pages) - 1} more" if len(pages) > 1 else ""
        yield f"{' '.join(cells)} {shown(pages[0])}{more}"


def _cell(text: str, width: int) -> str:
    told = shown(text)
    return f"{told if len(told) < width else told[: width - 2] + '…':{width - 1}}"


def _most_first(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def count_lines(kinds: Counter[tuple[str, str]]) -> list[str]:
    """How many objects of each kind were read in which way."""
    by_kind: dict[str, Counter[str]] = {}
    for (kind, source), count in kinds.items():
        by_kind.setdefault(kind, Counter())[source] += count
    rows = sorted(by_kind.items(), key=lambda row: (-row[1].total(), row[0]))
    return [
        f"{counts.total():8,} {_cell(kind, 24)} "
        + ", ".join(f"{shown(source)} {count:,}" for source, count in sorted(counts.items(), key=_most_first))
        for kind, counts in rows
    ]
