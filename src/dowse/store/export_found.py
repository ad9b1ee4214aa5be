"""The seeds that search engines found for a crawl, for other tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dowse.model.columns import Form, Table
from dowse.model.files import write_whole
from dowse.model.found import FOUND
from dowse.store.export_formats import TEXT_FORMATS, Kind, Layout, write_text
from dowse.store.read import CrawlReader
from dowse.store.rows import writer

__all__ = ["export_found", "layout_of", "values_of"]

_KINDS = {str: Kind.TEXT, int: Kind.INT, float: Kind.REAL, bool: Kind.BOOL}


def export_found(folder: Path | str, to: str, out: str) -> int:
    """Write them to ``out`` (``"-"``: standard output) as ``jsonl`` or ``csv``; how many there are."""
    with CrawlReader(folder) as crawl:
        values = values_of(FOUND, crawl.found(), parsed=to == "jsonl")
    if out == "-":
        return TEXT_FORMATS[to](values, layout_of(FOUND), sys.stdout)
    return write_whole(Path(out), lambda path: write_text(values, layout_of(FOUND), path, TEXT_FORMATS[to]))


def layout_of(table: Table) -> Layout:
    """The columns of a table as those of an export."""
    return Layout({
        column.name: Kind.JSON if column.stored.form is Form.JSON else _KINDS[column.kind] for column in table.columns
    })  # fmt: skip


def values_of(table: Table, rows: Sequence[Any], *, parsed: bool) -> Iterator[list[Any]]:
    """Rows as an export has them: what is JSON as text, or ``parsed``."""
    values = writer(table)
    places = [place for place, column in enumerate(table.columns) if column.stored.form is Form.JSON]
    for row in rows:
        found = list(values(row))
        for place in places if parsed else ():
            found[place] = json.loads(found[place])
        yield found
