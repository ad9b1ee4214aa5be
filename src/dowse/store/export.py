"""Pages of a crawl as JSON lines, CSV or Parquet: one row a page, streamed, so memory stays flat.

A file appears under its name only once it is whole. What pages say is data, but a spreadsheet takes a cell that begins
with ``=``, ``+``, ``-``, ``@``, a tab or a line end for a formula, which may call for other files or programs. So text
that begins so gets an apostrophe before it in CSV, which spreadsheets take for "this is text".
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

from dowse.model.columns import Column, Form
from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.records import PAGES
from dowse.model.shown import json_line, shown, table_cell
from dowse.store.damage import damage_told
from dowse.store.database import connect_reader

__all__ = ["COLUMNS", "FORMATS", "export"]

FORMATS = ("jsonl", "csv", "parquet")
_TEXT, _INT, _REAL, _BOOL, _TIME, _JSON = "string", "int64", "double", "bool", "time", "json"
_FIRST = (
    "id", "url", "final_url", "title", "score", "relevant", "similarity", "erid", "depth", "words", "text_len",
    "n_links", "bytes", "body_bytes",
)  # fmt: skip
"""What a reader looks for first; the rest comes in the order of the table."""


def _kind(column: Column) -> str:
    by_form = {Form.TIME: _TIME, Form.JSON: _JSON}
    return by_form.get(column.stored.form) or {str: _TEXT, int: _INT, float: _REAL, bool: _BOOL}[column.kind]


def _columns() -> dict[str, str]:
    exported = {column.name: _kind(column) for column in PAGES.columns if column.stored.exported}
    return {name: exported[name] for name in (*_FIRST, *(name for name in exported if name not in _FIRST))}


COLUMNS = _columns()
"""What is exported, in this order, and what it is."""

_BLOCK = 2_000  # rows held at a time
_MOST_BYTES = 64 << 20  # of text in a block: rows with much of it go out sooner
_BOOLS = [place for place, kind in enumerate(COLUMNS.values()) if kind == _BOOL]
_JSONS = [place for place, kind in enumerate(COLUMNS.values()) if kind == _JSON]
_TIMES = [place for place, kind in enumerate(COLUMNS.values()) if kind == _TIME]
_REALS = [place for place, kind in enumerate(COLUMNS.values()) if kind == _REAL]
_TEXTS = [place for place, kind in enumerate(COLUMNS.values()) if kind == _TEXT]
_TYPES = {_TEXT: str, _INT: int, _REAL: float, _BOOL: int, _TIME: str, _JSON: str}
_KINDS = [(name, _TYPES[kind]) for name, kind in COLUMNS.items()]

Rows = Iterator[list[Any]]


def export(folder: Path | str, to: str, out: Path | str, *, relevant_only: bool = False) -> int:
    """Write the pages in ``folder`` to ``out`` (``"-"``: standard output, not for Parquet); returns how many.

    ``to`` is one of :data:`FORMATS`. Pages come in the order they were recorded.
    """
    if to not in FORMATS:
        raise UserError(f"cannot export to {to!r}: choose one of {', '.join(FORMATS)}")
    with closing(connect_reader(Path(folder))) as connection:
        rows = _pages(connection, Path(folder), relevant_only, parsed=to == "jsonl")
        if str(out) == "-":
            if to == "parquet":
                raise UserError("parquet cannot go to standard output: name a file")
            return _TEXT_FORMATS[to](rows, sys.stdout)
        if to == "parquet":
            return write_whole(Path(out), lambda path: _parquet(rows, path))
        return write_whole(Path(out), lambda path: _text_file(rows, path, _TEXT_FORMATS[to]))


def _pages(connection: sqlite3.Connection, folder: Path, relevant_only: bool, *, parsed: bool) -> Rows:
    """What is JSON comes as text, or ``parsed``."""
    chosen = "WHERE relevant = 1" if relevant_only else ""
    sound: set[tuple[type, ...]] = set()  # types of rows that were looked at
    with damage_told(folder):
        # A running crawl's snapshot is held while this goes on; the sort is by number only, the rows stay on the disk.
        ids = connection.execute(f"SELECT id FROM pages {chosen} ORDER BY ordinal")
        for (id,) in ids:
            row = list(connection.execute(f"SELECT {', '.join(COLUMNS)} FROM pages WHERE id = ?", (id,)).fetchone())
            kinds = tuple(map(type, row))
            if kinds not in sound:
                _check(row)
                sound.add(kinds)
            if not all(isfinite(row[place]) for place in _REALS if row[place] is not None):
                raise ValueError("a figure of a page is not finite")
            for place in _TIMES:
                datetime.fromisoformat(row[place])
            if parsed:
                for place in _JSONS:
                    row[place] = json.loads(row[place], parse_constant=_refuse)
            for place in _BOOLS:
                row[place] = None if row[place] is None else bool(row[place])
            yield row


def _check(row: list[Any]) -> None:
    """Whoever made the records: a column holds what its table says."""
    for value, (name, kind) in zip(row, _KINDS, strict=True):
        if value is not None and type(value) is not kind:
            raise TypeError(f"{name} of a page is {value!r:.40}")


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _text_file(rows: Rows, path: Path, write: Callable[[Rows, TextIO], int]) -> int:
    with path.open("w", encoding="utf-8", newline="") as stream:
        return write(rows, stream)


def _jsonl(rows: Rows, stream: TextIO) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        stream.write(json_line(dict(zip(COLUMNS, row, strict=True))) + "\n")
    return count


class _Lines:
    """Ends rows with a line feed alone. The module quotes only those line ends that it writes itself: a carriage return
    in a text would end a row for most readers, and begin one of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(f"{row[:-2]}\n")


def _csv(rows: Rows, stream: TextIO) -> int:
    """With a header line; true and false for truth, nothing for null, JSON text where a value has parts. Text that a
    spreadsheet would take for a formula has an apostrophe before it; a terminal is shown no control characters."""
    fit = shown if stream.isatty() else str
    writer = csv.writer(_Lines(stream), lineterminator="\r\n")
    writer.writerow(COLUMNS)
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        for place in _BOOLS:
            row[place] = None if row[place] is None else str(row[place]).lower()
        for place in _TEXTS:
            if row[place]:
                row[place] = fit(table_cell(row[place]))
        writer.writerow(row)
    return count


_TEXT_FORMATS: dict[str, Callable[[Rows, TextIO], int]] = {"jsonl": _jsonl, "csv": _csv}


def _parquet(rows: Rows, path: Path) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError("parquet needs pyarrow: install it with: pip install 'dowse[parquet]'") from None

    types = {_TEXT: pyarrow.string(), _JSON: pyarrow.string(), _INT: pyarrow.int64(), _REAL: pyarrow.float64(),
             _BOOL: pyarrow.bool_(), _TIME: pyarrow.timestamp("us", tz="UTC")}  # fmt: skip
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for block in _blocks(rows):
            for row in block:
                for place in _TIMES:
                    row[place] = datetime.fromisoformat(row[place])
            columns = zip(zip(*block, strict=True), schema.types, strict=True)
            table = pyarrow.table([pyarrow.array(values, kind) for values, kind in columns], schema=schema)
            writer.write_table(table)
            count += len(block)
    return count


def _blocks(rows: Rows) -> Iterator[list[list[Any]]]:
    block: list[list[Any]] = []
    size = 0
    for row in rows:
        block.append(row)
        size += sum(len(row[place] or "") for place in (*_TEXTS, *_JSONS))
        if len(block) == _BLOCK or size > _MOST_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
