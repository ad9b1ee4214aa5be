"""Text from anywhere, made fit to be shown to a person: in a terminal, in a report, in a message.

Whatever a page, a server or a stranger's folder says is data. A control character may move a terminal's cursor or
repaint its screen, a direction mark turns what stands beside it around, and what is invisible lets two names look the
same. So controls and direction marks are written out (``\\x1b``, ``\\u202e``), and what is invisible is left out, but
for the joiners that Persian, Indic scripts and emoji are spelled with.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

__all__ = ["json_line", "shown", "shown_line", "shown_lines", "table_cell"]

_KEPT = "\u200c\u200d"  # joiners
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SPACES = frozenset("\t\n\v\f\r\x85")
# all assigned letters and signs: most text needs no closer look
_SUSPECT = re.compile(
    r"[^\x20-\x7e\xa1-\xac\xae-\u02ff\u03a3-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
)
_IS_DIRECTION = re.compile(f"[{_DIRECTIONS}]").match
_MARK = (
    r"[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_TOWER = re.compile(rf"({_MARK}{{4}}){_MARK}+")
# what JSON lets through, and a terminal or an editor does not take as text
_UNESCAPED = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{_DIRECTIONS}]")


_is_formula = re.compile(r"[=+\-@\t\r\n]").match
_encode = json.JSONEncoder(ensure_ascii=False).encode


def _seemly(match: re.Match[str]) -> str:
    char = match[0]
    category = unicodedata.category(char)
    if category in ("Zl", "Zp", "Zs") or char in _SPACES:
        return " "
    if category == "Cc" or _IS_DIRECTION(char):
        return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
    if category == "Cs" or category == "Cn":
        return "\ufffd"
    return "" if category == "Cf" and char not in _KEPT else char


def _line(text: str) -> str:
    return _TOWER.sub(r"\1", _SUSPECT.sub(_seemly, text))


def shown(text: str) -> str:
    """One line without control characters, direction marks, invisible characters or towers of accents.

    >>> shown("pay\\u202egpj.exe\\n\\x1b[31m now")
    'pay\\\\u202egpj.exe \\\\x1b[31m now'
    """
    return " ".join(_line(text).split())


def shown_line(text: str) -> str:
    """One line made fit to show like :func:`shown`, with its blanks kept: for text that is laid out in columns."""
    return _line(text.replace("\n", " "))


def shown_lines(text: str) -> str:
    """Several lines made fit to show like :func:`shown`, with line breaks and blanks kept.

    >>> shown_lines("a\\n    b\\x9b2J")
    'a\\n    b\\\\x9b2J'
    """
    return "\n".join(map(_line, text.split("\n")))


def json_line(value: Any) -> str:
    """JSON on one line, letters as they are; what a terminal might obey is escaped, which means the same to a reader.

    >>> json_line({"title": "é\\x1b\\x9b\\u202e"})
    '{"title": "é\\\\u001b\\\\u009b\\\\u202e"}'
    """
    text = _encode(value)
    return text if text.isascii() and "\x7f" not in text else _UNESCAPED.sub(lambda match: _escaped(match[0]), text)


def table_cell(text: str) -> str:
    """Text for a cell of CSV: what a spreadsheet would take for a formula has an apostrophe before it.

    >>> table_cell("=1+1"), table_cell("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if _is_formula(text) else text


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}"
