"""Labels of pages: ``labels.csv`` with the columns ``url`` and ``label``, a row a label."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from dowse.model.errors import UserError
from dowse.model.words import words

if TYPE_CHECKING:
    from dowse.lab.corpus.corpus import Corpus

__all__ = ["LABELS", "Labels", "read_labels", "read_rows"]

LABELS = "labels.csv"
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Labels:
    """label -> its pages, labels in the order of their names. ``unknown`` rows name what is no page of the corpus."""

    pages: dict[str, frozenset[int]] = field(default_factory=dict)
    unknown: int = 0
    queries: dict[str, str] = field(default_factory=dict)  # of labels whose name is no query

    def query(self, label: str) -> str:
        """What a crawler is told to look for: the words of the label's name, unless something else was given."""
        return self.queries.get(label, " ".join(words(label)))


def read_rows(path: Path, *columns: str) -> Iterator[list[str]]:
    """The values of these columns, row by row; UserError when the file has no such columns or is no CSV."""
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
            for row in rows:
                line = rows.line_num
                if row:
                    if len(row) <= max(places):
                        raise UserError(f"{path}:{line}: {len(row)} values where the first line names {len(head)}")
                    yield [row[place] for place in places]
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


def read_labels(corpus: Corpus) -> Labels:
    """The labels of a corpus. UserError when there is a file and not one of its rows names a page."""
    path = corpus.folder / LABELS
    if not path.is_file():
        return Labels()
    is_page = corpus.pages.is_page()
    found: dict[str, set[int]] = {}
    unknown = 0
    for url, label in read_rows(path, "url", "label"):
        number = corpus.number(url)
        if number is None or not is_page[number]:
            unknown += 1
        elif label.strip():
            found.setdefault(label.strip(), set()).add(number)
    if unknown and not found:
        raise UserError(f"{path} names no page of this corpus: is it of another one?")
    return Labels({label: frozenset(found[label]) for label in sorted(found)}, unknown)
