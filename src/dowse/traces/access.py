"""One line of an access log, as every reader gives it; and what may be wrong with a line."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

__all__ = ["Access", "Bad", "BadLine", "LineReader", "Row"]


class Bad(StrEnum):
    """Why a line was not taken. The line is counted and left out; nothing a log holds ends an import."""

    FIELDS = "not of the format"
    TIME = "no time"
    USER = "no user"
    URL = "no web address"
    SITE = "a path without its site: name that with --site"
    LONG = "too long"
    HALF = "half a last line"
    CUT = "the file is cut off or damaged from here on"


class Access(NamedTuple):
    """Somebody asked for something. Texts are bytes, as they stood in the log; what a format does not tell is empty."""

    at: int  # seconds since 1970
    user: bytes
    url: bytes
    method: bytes = b""
    status: bytes = b""
    kind: bytes = b""  # content type
    agent: bytes = b""


class BadLine(NamedTuple):
    """A line that was not taken, and its beginning."""

    why: Bad
    text: bytes


LineReader: TypeAlias = Callable[[bytes], "Access | Bad | None"]
"""Reads one line, without its end; None: the line is no access and was never meant to be one (a comment, a head)."""

Row: TypeAlias = "Access | BadLine"
