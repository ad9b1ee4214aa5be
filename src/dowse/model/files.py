"""Files that appear under their name only once they are whole, and files that are read only up to a size."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dowse.model.errors import TopicError, UserError

__all__ = ["check_writable", "read_limited", "write_whole"]

T = TypeVar("T")


def write_whole(out: Path, write: Callable[[Path], T]) -> T:
    """Let ``write`` fill a file beside ``out``, then put that in its place; UserError when it cannot be written."""
    partial = _beside(out)
    try:
        answer = write(partial)
        os.replace(partial, out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return answer


def check_writable(out: Path) -> None:
    """UserError when :func:`write_whole` could not put a file there: asked before long work, not after it."""
    if out.exists() and not out.is_file():  # a device would be replaced, not written to
        raise UserError(f"cannot write {out}: it is {'a folder' if out.is_dir() else 'no plain file'}")
    partial = _beside(out)
    try:
        partial.touch()
        partial.unlink()
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from error


def read_limited(path: Path, most: int, what: str) -> bytes:
    """The content of a file somebody names as ``what``; TopicError when it cannot be read or is larger than that."""
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        why = (error.strerror or "unreadable").lower()
        raise TopicError(f"cannot read the {what}: {why}", source=str(path)) from None
    if len(data) > most:
        raise TopicError(f"is too large for {what}", source=str(path))
    return data


def _beside(out: Path) -> Path:
    return out.with_name(f".{out.name}.{os.getpid()}.part")
