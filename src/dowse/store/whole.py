"""Files that appear under their name only once they are whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dowse.model.errors import UserError

__all__ = ["write_whole"]

T = TypeVar("T")


def write_whole(out: Path, write: Callable[[Path], T]) -> T:
    """Let ``write`` fill a file beside ``out``, then put that in its place; UserError when it cannot be written."""
    partial = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        answer = write(partial)
        os.replace(partial, out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return answer
