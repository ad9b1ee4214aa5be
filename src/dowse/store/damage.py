"""How records that cannot be read are told: in one line, whatever is wrong with them."""

from __future__ import annotations

import shlex
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from dowse.model.errors import StoreError
from dowse.store.archive import all_archive_files

__all__ = ["FAULTS", "asked", "damage_told", "damaged", "is_corrupt", "is_emptied"]

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
        if isinstance(error, sqlite3.Error) and not is_corrupt(error, folder):
            raise StoreError(f"cannot read the records in {folder}: {what}") from error
        raise damaged(folder, what) from error


def is_corrupt(error: BaseException, folder: Path) -> bool:
    """Does SQLite say that the file itself is damaged? One that is no database at all may be somebody else's, unless
    the WARC files of a crawl lie beside it."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    return "malformed" in str(error) or ("not a database" in str(error) and _archived(folder))


def is_emptied(database: Path) -> bool:
    """Has a crawl's database lost all it held? An empty file is one where the WARC files of a crawl lie beside it."""
    return database.stat().st_size == 0 and _archived(database.parent)


def _archived(folder: Path) -> bool:
    try:
        return bool(all_archive_files(folder))
    except OSError:
        return False


def damaged(folder: Path, what: str) -> StoreError:
    """What to say of records that are damaged, and what can be saved."""
    saved = f". Its WARC files hold its pages: salvage them with dowse repair {shlex.quote(str(folder))}"
    return StoreError(f"the records in {folder} are damaged: {what}{saved if _archived(folder) else ''}")


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
