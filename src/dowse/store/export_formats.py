"""What the rows of an export become: JSON lines, CSV, Markdown or Parquet.

What pages say is data. A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end for
a formula, which may call for other files or programs: text that begins so gets an apostrophe before it in CSV, which
spreadsheets take for "this is text". Markdown may hold HTML, links and pictures: its signs are escaped in the text of
pages.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from dowse.model.errors import UserError
from dowse.model.shown import json_line, shown, table_cell

__all__ = ["TEXT_FORMATS", "Kind", "Layout", "Rows", "format_by_ending", "write_parquet", "write_text"]

_BLOCK = 2_000  # rows held at a time
_MOST_BYTES = 64 << 20  # of text in a block: rows with much of it go out sooner
_signs = re.compile(r"[\\`*_{}\[\]()<>#+!|~&-]|(?<=\d)[.]")

Rows = Iterator[list[Any]]


class Kind(Enum):
    """What a column holds."""

    TEXT = "string"
    INT = "int64"
    REAL = "double"
    BOOL = "bool"
    TIME = "time"
    JSON = "json"


class Layout:
    """The columns of an export: their names, and the places of each kind."""

    def __init__(self, columns: dict[str, Kind]) -> None:
        self.columns = columns
        self.names = tuple(columns)
        self._places = {kind: [place for place, own in enumerate(columns.values()) if own is kind] for kind in Kind}

    def of(self, kind: Kind) -> list[int]:
        """The places of the columns of a kind."""
        return self._places[kind]


def format_by_ending(out: str, endings: Mapping[str, str], formats: Sequence[str]) -> str:
    """The format that a file's name asks for; UserError when it tells none."""
    ending = Path(out).suffix.lower()
    if ending not in endings:
        raise UserError(
            f"{out!r} does not tell its format: end it in {', '.join(endings)}, or choose one of"
            f" {', '.join(formats)} with --to"
        )
    return endings[ending]


def write_text(rows: Rows, layout: Layout, path: Path, write: Callable[[Rows, Layout, TextIO], int]) -> int:
    """Fill a file with rows in a format of :data:`TEXT_FORMATS`; how many there were."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        return write(rows, layout, stream)


def _jsonl(rows: Rows, layout: Layout, stream: TextIO) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        stream.write(json_line(dict(zip(layout.names, row, strict=True))) + "\n")
    return count


class _Lines:
    """Ends rows with a line feed alone. The module quotes only those line ends that it writes itself: a carriage return
    in a text would end a row for most readers, and begin one of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(f"{row[:-2]}\n")


def _csv(rows: Rows, layout: Layout, stream: TextIO) -> int:
    """With a header line; true and false for truth, nothing for null, JSON text where a value has parts. Text that a
    spreadsheet would take for a formula has an apostrophe before it; a terminal is shown no control characters."""
    fit = shown if stream.isatty() else str
    writer = csv.writer(_Lines(stream), lineterminator="\r\n")
    writer.writerow(layout.names)
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        for place in layout.of(Kind.BOOL):
            row[place] = None if row[place] is None else str(row[place]).lower()
        for place in layout.of(Kind.TEXT):
            if row[place]:
                row[place] = fit(table_cell(row[place]))
        writer.writerow(row)
    return count


def _markdown(rows: Rows, layout: Layout, stream: TextIO) -> int:
    """A section a page: its title, address and verdict, and its paragraphs where there is a text."""
    count = 0
    for count, row in enumerate(rows, 1):
        page = dict(zip(layout.names, row, strict=True))
        url = str(page["url"])
        facts = [f"<{re.sub(r'[<>]', '', shown(url))}>"]
        if page["score"] is not None:
            facts.append(f"score {page['score']:.3f}, {'relevant' if page['relevant'] else 'not relevant'}")
        facts.append(f"fetched {str(page['fetched_at'])[:19]}Z")
        paragraphs = [_escaped(line) for line in (page.get("text") or "").split("\n") if line.strip()]
        parts = [f"## {_escaped(page['title'] or url)}", "  \n".join(facts), *paragraphs]
        stream.write(("\n" if count > 1 else "") + "\n\n".join(parts) + "\n")
    return count


def _escaped(text: str) -> str:
    return _signs.sub(r"\\\g<0>", shown(text))


TEXT_FORMATS: dict[str, Callable[[Rows, Layout, TextIO], int]] = {"jsonl": _jsonl, "csv": _csv, "md": _markdown}
"""The formats that are text, by name."""


def write_parquet(rows: Rows, layout: Layout, path: Path) -> int:
    """Fill a Parquet file with rows; how many there were."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError("parquet needs pyarrow: install it with: pip install 'dowse[parquet]'") from None

    types = {
        Kind.TEXT: pyarrow.string(), Kind.JSON: pyarrow.string(), Kind.INT: pyarrow.int64(),
        Kind.REAL: pyarrow.float64(), Kind.BOOL: pyarrow.bool_(), Kind.TIME: pyarrow.timestamp("us", tz="UTC"),
    }  # fmt: skip
    schema = pyarrow.schema([(name, types[kind]) for name, kind in layout.columns.items()])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for block in _blocks(rows, [*layout.of(Kind.TEXT), *layout.of(Kind.JSON)]):
            for row in block:
                for place in layout.of(Kind.TIME):
                    row[place] = None if row[place] is None else datetime.fromisoformat(row[place])
            columns = zip(zip(*block, strict=True), schema.types, strict=True)
            table = pyarrow.table([pyarrow.array(values, kind) for values, kind in columns], schema=schema)
            writer.write_table(table)
            count += len(block)
    return count


def _blocks(rows: Rows, texts: list[int]) -> Iterator[list[list[Any]]]:
    block: list[list[Any]] = []
    size = 0
    for row in rows:
        block.append(row)
        size += sum(len(row[place] or "") for place in texts)
        if len(block) == _BLOCK or size > _MOST_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
