"""Pages of a crawl for other tools: one row a page, streamed, so memory stays flat.

Which pages, and whether with their text: :func:`export`. What a row becomes: :mod:`dowse.store.export_formats`. A file
appears under its name only once it is whole.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dowse.model.columns import Column, Form
from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.records import PAGES
from dowse.store.current import connect_reader
from dowse.store.damage import damage_told
from dowse.store.export_formats import TEXT_FORMATS, Kind, Layout, Rows, format_by_ending, write_parquet, write_text
from dowse.store.row_check import RowCheck

__all__ = ["COLUMNS", "FORMATS", "Chosen", "PagePlace", "export", "format_of", "page_places"]

FORMATS = ("jsonl", "csv", "parquet", "md")
_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".md": "md"}
_FIRST = (
    "id", "url", "final_url", "title", "score", "relevant", "similarity", "erid", "depth", "words", "text_len",
    "n_links", "bytes", "body_bytes",
)  # fmt: skip
"""What a reader looks for first; the rest comes in the order of the table."""


def _kind(column: Column) -> Kind:
    by_form = {Form.TIME: Kind.TIME, Form.JSON: Kind.JSON}
    kinds = {str: Kind.TEXT, int: Kind.INT, float: Kind.REAL, bool: Kind.BOOL}
    return by_form.get(column.stored.form) or kinds[column.kind]


def _columns() -> dict[str, Kind]:
    exported = {column.name: _kind(column) for column in PAGES.columns if column.stored.exported}
    return {name: exported[name] for name in (*_FIRST, *(name for name in exported if name not in _FIRST))}


COLUMNS = _columns()
"""What is exported, in this order, and what it is."""
_CHECKED = [next(column for column in PAGES.columns if column.name == name) for name in COLUMNS]
_TEXT = "text"  # the column that is added where the text of pages is asked for
_OURS = Layout(COLUMNS)


class PagePlace(NamedTuple):
    """A recorded page, and where its body lies."""

    url: str
    final_url: str
    warc_file: str | None
    warc_offset: int | None


_PLACE = [list(COLUMNS).index(name) for name in PagePlace._fields]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which pages are exported: all of these hold. ``where`` is asked last, of pages that the others leave."""

    relevant: bool = False
    min_score: float | None = None
    where: Callable[[PagePlace], bool] | None = None

    def sql(self) -> tuple[str, tuple[float, ...]]:
        """The condition on the records, and its values."""
        tests = ["relevant = 1"] * self.relevant + ["score >= ?"] * (self.min_score is not None)
        return " AND ".join(tests) or "1", () if self.min_score is None else (self.min_score,)


def format_of(out: str) -> str:
    """The format that a file's name asks for; UserError when it tells none."""
    return format_by_ending(out, _ENDINGS, FORMATS)


def export(
    folder: Path | str,
    to: str,
    out: Path | str,
    *,
    chosen: Chosen | None = None,
    text_of: Callable[[PagePlace], str | None] | None = None,
) -> int:
    """Write the pages in ``folder`` to ``out`` (``"-"``: standard output, not for Parquet); returns how many.

    ``to`` is one of :data:`FORMATS`. Pages come in the order they were recorded. With ``text_of``, which reads the text
    of a page, there is a column for it; CSV, which is for tables, has none.
    """
    if to not in FORMATS:
        raise UserError(f"cannot export to {to!r}: choose one of {', '.join(FORMATS)}")
    if to == "csv" and text_of is not None:
        raise UserError("CSV is for tables: for the text of pages choose jsonl, parquet or md")
    layout = Layout({**COLUMNS, _TEXT: Kind.TEXT}) if text_of else _OURS
    with closing(connect_reader(Path(folder))) as connection:
        rows = _pages(connection, Path(folder), chosen or Chosen(), parsed=to == "jsonl")
        if text_of is not None:
            rows = ([*row, text_of(_place(row))] for row in rows)
        if str(out) == "-":
            if to == "parquet":
                raise UserError("parquet cannot go to standard output: name a file")
            return TEXT_FORMATS[to](rows, layout, sys.stdout)
        if to == "parquet":
            return write_whole(Path(out), lambda path: write_parquet(rows, layout, path))
        return write_whole(Path(out), lambda path: write_text(rows, layout, path, TEXT_FORMATS[to]))


def page_places(folder: Path | str, chosen: Chosen | None = None) -> list[PagePlace]:
    """Where the bodies of pages lie, in the order the pages were recorded; those without one are left out."""
    with closing(connect_reader(Path(folder))) as connection:
        places = (_place(row) for row in _checked(connection, Path(folder), *(chosen or Chosen()).sql()))
        return [place for place in places if place.warc_file is not None]


def _place(row: list[Any]) -> PagePlace:
    return PagePlace(*(row[place] for place in _PLACE))


def _pages(connection: sqlite3.Connection, folder: Path, chosen: Chosen, *, parsed: bool) -> Rows:
    """What is JSON comes as text, or ``parsed``."""
    for row in _checked(connection, folder, *chosen.sql()):
        if chosen.where is not None and not chosen.where(_place(row)):
            continue
        if parsed:
            with damage_told(folder):
                for place in _OURS.of(Kind.JSON):
                    row[place] = json.loads(row[place], parse_constant=_refuse)
        for place in _OURS.of(Kind.BOOL):
            row[place] = None if row[place] is None else bool(row[place])
        yield row


def _checked(
    connection: sqlite3.Connection, folder: Path, condition: str, values: tuple[float, ...]
) -> Iterator[list[Any]]:  # fmt: skip
    check = RowCheck(_CHECKED)
    with damage_told(folder):
        # A running crawl's snapshot is held while this goes on; the sort is by number only, the rows stay on the disk.
        ids = connection.execute(f"SELECT id FROM pages WHERE {condition} ORDER BY ordinal", values)
        for (id,) in ids:
            row = list(connection.execute(f"SELECT {', '.join(COLUMNS)} FROM pages WHERE id = ?", (id,)).fetchone())
            check(row)
            yield row


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
