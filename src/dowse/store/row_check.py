"""Rows of a crawl's records, which anybody may have written, are checked as they go out to other tools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum
from math import isfinite
from typing import Any

from dowse.model.columns import Column, Form

__all__ = ["RowCheck"]


def _held_as(column: Column) -> Any:
    """The Python type of its values as SQLite gives them."""
    if column.stored.form in (Form.TIME, Form.JSON):
        return str
    return int if column.kind is bool or issubclass(column.kind, IntEnum) else column.kind


class RowCheck:
    """Does a row hold what its columns say? TypeError or ValueError if not; null passes."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._expected = [(column.name, _held_as(column)) for column in columns]
        self._reals = [place for place, (_, kind) in enumerate(self._expected) if kind is float]
        self._times = [place for place, column in enumerate(columns) if column.stored.form is Form.TIME]
        self._sound: set[tuple[type, ...]] = set()  # types of rows that were looked at

    def __call__(self, row: Sequence[Any]) -> None:
        kinds = tuple(map(type, row))
        if kinds not in self._sound:
            for value, (name, kind) in zip(row, self._expected, strict=True):
                if value is not None and type(value) is not kind:
                    raise TypeError(f"{name} is {value!r:.40}")
            self._sound.add(kinds)
        if not all(isfinite(row[place]) for place in self._reals if row[place] is not None):
            raise ValueError("a figure is not finite")
        for place in self._times:
            if row[place] is not None:
                datetime.fromisoformat(row[place])
