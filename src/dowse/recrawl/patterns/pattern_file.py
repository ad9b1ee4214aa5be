"""Patterns in a file: one a line, for a person to look through and edit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import read_limited, write_whole
from dowse.recrawl.patterns.pattern import Pattern, parse_pattern

__all__ = ["read_patterns", "write_patterns"]

_LARGEST = 50_000_000
_HEAD = """\
# URL patterns, one a line. Edit them as you like: {int} is a number, {date} a day, {id} hexadecimal, {slug} anything
# up to the next / ? or &, and {*} at an end all that follows. Braces that are meant are doubled.
# A URL belongs to the pattern that spells out most of it. What stands behind # is not read.
"""


def write_patterns(path: Path, patterns: Iterable[tuple[str, str]]) -> None:
    """Write them with a remark each, whole or not at all."""
    lines = [f"{text}  # {remark}" if remark else text for text, remark in patterns]
    write_whole(path, lambda partial: partial.write_text(_HEAD + "".join(f"{line}\n" for line in lines), "utf-8"))


def read_patterns(path: Path) -> list[Pattern]:
    """Read them as a person may have edited them. UserError names the line."""
    try:
        lines = read_limited(path, _LARGEST, "patterns").decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no UTF-8") from None
    found: dict[str, Pattern] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()  # a canonical URL has none
        if text:
            try:
                found.setdefault(text, parse_pattern(text))
            except UserError as error:
                raise UserError(f"{path}:{number}: {error}") from None
    if not found:
        raise UserError(f"{path}: there is no pattern in it")
    return list(found.values())
