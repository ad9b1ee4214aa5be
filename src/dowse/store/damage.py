"""How records that cannot be read are told: in one line, whatever is wrong with them."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from dowse.model.errors import StoreError

__all__ = ["FAULTS", "asked", "damage_told"]

# what a value of the wrong type, size or form ends in, wherever it is met
FAULTS = (
    sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError,
    struct.error,
)  # fmt: skip
_LONGEST = 160

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def damage_told(folder: Path) -> Iterator[None]:
    """Turn what reading records may end in into a StoreError. Only around code that takes up what they say."""
    try:
        yield
    except FAULTS as error:
        what = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
        if isinstance(error, sqlite3.Error):
            raise StoreError(f"cannot read the records in {folder}: {what}") from error
        raise StoreError(f"the records in {folder} are damaged: {what}") from error


class _OfFolder(Protocol):
    @property
    def folder(self) -> Path: ...


S = TypeVar("S", bound=_OfFolder)


def asked(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A method that answers from the records of its ``folder``."""

    @wraps(method)
    def answer(self: S, /, *args: P.args, **options: P.kwargs) -> T:
        with damage_told(self.folder):
            return method(self, *args, **options)

    return answer
