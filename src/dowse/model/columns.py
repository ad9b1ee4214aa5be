"""What is stored of a row is declared once, in the annotation of its field.

``words: Annotated[int, Stored("Words of visible text.")] = 0`` is all there is to say of a column: its name and type
follow from the field, its place in the records, in exports and in docs/schema.md from the declaration. A field without
:class:`Stored` is not a column. A field that is itself a dataclass with such fields stands for its columns.

A column that older records lack says ``since`` which version of the schema it exists: records are upgraded by it, and
read as if they had it. In a later version than the first it must have an empty value: null, 0 or ''.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from enum import Enum, IntEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

__all__ = ["Column", "Form", "Stored", "Table", "columns_of"]


class Form(Enum):
    """What a value becomes in the records."""

    PLAIN = "itself"
    TIME = "seconds since 1970 become text: ISO 8601 in UTC"
    JSON = "a value with parts becomes JSON text"
    BITS = "64 bits become a signed number"


@dataclass(frozen=True, slots=True)
class Stored:
    """Makes a field a column."""

    told: str  # what it means, for docs/schema.md
    form: Form = Form.PLAIN
    column: str = ""  # its name, where that is not the field's
    kind: type | None = None  # of its values, for a field that is an array of them
    since: int = 1  # the version of the schema
    key: bool = False
    exported: bool = True


_SQL = {int: "INTEGER", bool: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}
_EMPTY = {"INTEGER": "0", "REAL": "0", "TEXT": "''"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, and where its value stands in a row."""

    name: str
    field: str  # with the fields it is inside of: "timings.dns_s"
    kind: Any  # the type of its values: int, bool, float, str, bytes or an IntEnum; anything that becomes JSON
    optional: bool
    stored: Stored

    @property
    def sql(self) -> str:
        """Its type in SQLite."""
        if self.stored.form in (Form.TIME, Form.JSON):
            return "TEXT"
        return "INTEGER" if issubclass(self.kind, IntEnum) else _SQL[self.kind]

    @property
    def empty(self) -> str:
        """What rows that were written before there was such a column have in it, as SQL."""
        return "NULL" if self.optional else _EMPTY[self.sql]

    @property
    def definition(self) -> str:
        """As CREATE TABLE and ADD COLUMN have it."""
        if self.stored.key:
            return f"{self.name} {self.sql} PRIMARY KEY"
        needed = "" if self.optional else " NOT NULL" if self.stored.since == 1 else f" NOT NULL DEFAULT {self.empty}"
        return f"{self.name} {self.sql}{needed}"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the records."""

    name: str
    columns: tuple[Column, ...]
    since: int = 1  # the version of the schema

    @property
    def definition(self) -> str:
        """As CREATE TABLE has it."""
        return ", ".join(column.definition for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def lacking(self, version: int) -> tuple[Column, ...]:
        """The columns that records of this version do not have."""
        return tuple(column for column in self.columns if column.stored.since > version)


def columns_of(row: type) -> tuple[Column, ...]:
    """The columns that the fields of a row declare, in their order."""
    return tuple(_columns(row, ""))


def _columns(row: type, within: str) -> Iterator[Column]:
    for name, hint in get_type_hints(row, include_extras=True).items():
        if get_origin(hint) is Annotated:
            declared = next((part for part in get_args(hint) if isinstance(part, Stored)), None)
            if declared is not None:
                kind, optional = _kind(get_args(hint)[0], declared)
                yield Column(declared.column or name, within + name, kind, optional, declared)
        elif isinstance(hint, type) and is_dataclass(hint):
            yield from _columns(hint, f"{within}{name}.")


def _kind(hint: Any, declared: Stored) -> tuple[Any, bool]:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    optional = NoneType in parts
    if declared.kind is not None:
        return declared.kind, optional
    [found] = [part for part in parts if part is not NoneType]
    of_each = get_origin(found) is list and declared.form is not Form.JSON
    return get_args(found)[0] if of_each else found, optional
