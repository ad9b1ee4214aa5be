"""Parquet with the columns that a CSV has: see :mod:`~dowse.traces.readers.csv_rows`. Read a piece at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dowse.model.errors import UserError
from dowse.traces.access import Access, Bad, BadLine, Row
from dowse.traces.readers.csv_rows import COLUMNS, NEEDED, twice_named
from dowse.traces.readers.moments import iso_time

__all__ = ["MAGIC", "read_parquet"]

MAGIC = b"PAR1"
_AT_ONCE = 4_000
_BUFFER = 1 << 20  # else a column of a whole group of rows, which may be all, is in memory
_SHOWN = 300


def read_parquet(path: Path, tell: Callable[[int], None]) -> Iterator[Row]:
    """The rows of a file. ``tell`` is told how many of its bytes were read, about."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise UserError(f"{path}: parquet needs pyarrow: install it with: pip install 'dowse[parquet]'") from None
    try:
        with parquet.ParquetFile(path, buffer_size=_BUFFER) as file:
            twice = twice_named([name.lower() for name in file.schema_arrow.names])
            if twice is not None:
                raise UserError(f"{path} has two columns {twice!r}: leave one out, or give it another name")
            names = {name.lower(): name for name in file.schema_arrow.names}
            missing = [name for name in NEEDED if name not in names]
            if missing:
                raise UserError(f"{path} has no column {missing[0]!r}: it must have {', '.join(NEEDED)}")
            size, rows, done = path.stat().st_size, file.metadata.num_rows or 1, 0
            there = [names[name] for name in COLUMNS if name in names]
            for batch in file.iter_batches(_AT_ONCE, columns=there):
                columns = [_values(batch.column(names[name])) if name in names else None for name in COLUMNS]
                yield from _rows(columns)
                done += len(batch)
                tell(size * done // rows)
    except (ArrowException, OSError) as error:
        yield BadLine(Bad.CUT, f"{path.name}: {error}".encode("utf-8", "replace")[:_SHOWN])


def _rows(columns: list[list[Any] | None]) -> Iterator[Row]:
    there = [column is not None for column in columns]
    for values in zip(*(column for column in columns if column is not None), strict=True):
        all_of_them = iter(values)
        time, user, url, *more = (next(all_of_them) if is_there else None for is_there in there)
        at = _seconds(time)
        if not at:
            yield BadLine(Bad.TIME, _text(time))
        elif not _text(user).strip():
            yield BadLine(Bad.USER, _text(url))
        else:
            yield Access(at, _text(user), _text(url), *map(_text, more))


def _text(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def _values(column: Any) -> list[Any]:
    """What is in a column; moments as seconds since 1970, whatever they are counted in."""
    from pyarrow import int64, timestamp, types

    if types.is_timestamp(column.type):
        column = column.cast(timestamp("s", column.type.tz), safe=False).cast(int64())
    return list(column.to_pylist())


def _seconds(value: Any) -> int:
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) else 0
    return iso_time(_text(value))
