"""Tables that people write and read: CSV files with named columns, such as the labels of pages."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from dowse.model.errors import UserError

__all__ = ["LABELS", "read_rows"]

LABELS = "labels.csv"
"""The file in a crawl's or a corpus' folder that says what its pages are."""
_LONGEST_LINE = 1 << 20


def read_rows(path: Path, *columns: str, optional: str = "") -> Iterator[list[str]]:
    """The values of these columns, row by row; UserError when the file has no such columns or is no CSV. A column that
    is ``optional`` comes last, and is empty where there is none."""
    line = 0
    try:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(_lines(cast(TextIO, stream)))
            head = [name.strip().lower() for name in next(rows, [])]
            missing = [name for name in columns if name not in head]
            if missing:
                raise UserError(f"{path} has no column {missing[0]!r}: its first line must name {', '.join(columns)}")
            places = [head.index(name) for name in columns]
            last = head.index(optional) if optional in head else None
            for row in rows:
                line = rows.line_num
                if row:
                    if len(row) <= max(places):
                        raise UserError(f"{path}:{line}: {len(row)} values where the first line names {len(head)}")
                    found = [row[place] for place in places]
                    if optional:
                        found.append(row[last] if last is not None and last < len(row) else "")
                    yield found
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: after line {line} it is not UTF-8") from None
    except (csv.Error, OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"cannot read {path}{f' after line {line}' if line else ''}: {why}") from error


def _lines(stream: TextIO) -> Iterator[str]:
    """The lines of a file, none of which may be so long that it fills the memory: a file of a few kilobytes may unpack
    to one line of gigabytes."""
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise csv.Error(f"a line has more than {_LONGEST_LINE} characters")
        yield line
