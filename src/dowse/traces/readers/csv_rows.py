"""CSV whose first line names the columns ``time``, ``user`` and ``url``, in any order; also, where there are any,
``method``, ``status``, ``type`` and ``agent``. Values stand between commas, semicolons or tabs, one access a line."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from dowse.model.errors import UserError
from dowse.traces.access import Access, Bad, LineReader
from dowse.traces.readers.moments import iso_time

__all__ = ["COLUMNS", "NEEDED", "csv_reader", "is_csv_head", "twice_named"]

NEEDED = ("time", "user", "url")
COLUMNS = (*NEEDED, "method", "status", "type", "agent")
_SEPARATORS = (b",", b";", b"\t")
_MARK = b"\xef\xbb\xbf"


def _names(head: bytes) -> tuple[bytes, list[str]]:
    """The separator, and the names of the columns."""
    separator = max(_SEPARATORS, key=head.count)
    names = head.removeprefix(_MARK).decode("utf-8", "replace").split(separator.decode())
    return separator, [name.strip().strip('"').lower() for name in names]


def is_csv_head(line: bytes) -> bool:
    """Does this name the columns that are needed?"""
    return set(NEEDED) <= set(_names(line)[1])


def twice_named(names: Sequence[str]) -> str | None:
    """The first column that would be read and has a namesake."""
    return next((name for name in COLUMNS if names.count(name) > 1), None)


def csv_reader(head: bytes) -> LineReader:
    """Reads the lines below the first one, which is the ``head``."""
    separator, names = _names(head)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise UserError(f"has no column {missing[0]!r}: its first line must name {', '.join(NEEDED)}")
    twice = twice_named(names)
    if twice is not None:
        raise UserError(f"has two columns {twice!r}: leave one out, or give it another name")
    time, user, url = map(names.index, NEEDED)
    more = [names.index(name) if name in names else None for name in COLUMNS[len(NEEDED) :]]
    delimiter, count = separator.decode(), len(names)

    def read(line: bytes) -> Access | Bad | None:
        if line == head:
            return None
        values = line.split(separator)
        if b'"' in line:
            try:
                text = line.decode("utf-8", "surrogateescape")
                values = [value.encode("utf-8", "surrogateescape") for value in _values(text, delimiter)]
            except csv.Error:
                return Bad.FIELDS
        if len(values) != count:
            return Bad.FIELDS
        at = iso_time(values[time])
        if not at:
            return Bad.TIME
        if not values[user].strip():
            return Bad.USER
        return Access(at, values[user], values[url], *(b"" if place is None else values[place] for place in more))

    return read


def _values(text: str, delimiter: str) -> list[str]:
    for row in csv.reader([text], delimiter=delimiter, strict=True):
        return row
    return []
