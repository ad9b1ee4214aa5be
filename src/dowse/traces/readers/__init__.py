"""Access logs as rows, whatever their format: one module each.

``read_log`` gives the rows of one file: an :class:`~dowse.traces.access.Access`, or a line that is none. Nothing that a
file holds is an error, but that its format cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from dowse.model.errors import UserError
from dowse.traces.access import Access, Bad, BadLine, LineReader, Row
from dowse.traces.readers.common_log import common_reader
from dowse.traces.readers.csv_rows import csv_reader, is_csv_head
from dowse.traces.readers.log_file import STANDARD_INPUT, HalfLine, LogFile, TooLong
from dowse.traces.readers.parquet import MAGIC, read_parquet
from dowse.traces.readers.squid import read_squid

__all__ = ["FORMATS", "STANDARD_INPUT", "read_log"]

FORMATS = ("squid", "common", "combined", "csv", "parquet")
_LOOKED_AT = 50  # lines, to tell the format
_SHOWN = 300  # bytes of a bad line


def read_log(path: Path, site: bytes, named: str | None, tell: Callable[[int], None]) -> Iterator[Row]:
    """The rows of a log. ``site`` is where paths alone are of; ``named`` is its format, None: what it looks like."""
    with LogFile(path) as log:
        if named == "parquet" or (named is None and log.begins.startswith(MAGIC)):
            if path == STANDARD_INPUT:
                raise UserError("parquet cannot be read from standard input: name the file")
            yield from read_parquet(path, tell)
            return
        head = list(islice((line for line in log.begins.split(b"\n") if line.strip()), _LOOKED_AT))
        read = _line_reader(path, [line.rstrip(b"\r") for line in head], site, named)
        for line in log.lines(tell):
            found = Bad.LONG if type(line) is TooLong else read(line)
            if isinstance(found, Access):
                yield found
            elif found is not None:
                yield BadLine(Bad.HALF if type(line) is HalfLine else found, line[:_SHOWN])
        if log.fault:
            yield BadLine(Bad.CUT, f"{path.name}: {log.fault}".encode("utf-8", "replace"))


def _line_reader(path: Path, head: list[bytes], site: bytes, named: str | None) -> LineReader:
    """The reader of a format, or of that which most of the first lines are of."""
    first = head[0] if head else b""
    if named == "csv" or (named is None and is_csv_head(first)):
        try:
            return csv_reader(first)
        except UserError as error:
            raise UserError(f"{path} {error}") from None
    readers: dict[str, LineReader] = {"squid": read_squid, "common": common_reader(site)}
    if named is not None:
        return readers[named.replace("combined", "common")]
    counts = {name: sum(read(line) is not Bad.FIELDS for line in head) for name, read in readers.items()}
    best = max(counts, key=lambda name: counts[name])
    if head and not counts[best]:
        raise UserError(f"{path} looks like no access log: if it is one, name its format: --format {'|'.join(FORMATS)}")
    return readers[best]
