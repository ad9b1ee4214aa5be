"""Where the keys of a TOML file stand: ``tomllib`` reads values but keeps no lines.

:func:`key_lines` walks text that ``tomllib`` has already accepted, so it only has to know where keys, strings and
brackets begin and end, not whether they are right.
"""

from __future__ import annotations

import re
import tomllib

__all__ = ["KeyPath", "key_lines"]

KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")  # commas too: inside a value only separators are met outside strings
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")' r"|'''.*?'{3,5}(?!')" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}\n#]*")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Line number (from 1) of every key, table and array element, by its path.

    >>> key_lines('[scope]\\nhosts = [\\n  "a", "b"\\n]\\n')
    {('scope',): 1, ('scope', 'hosts'): 2, ('scope', 'hosts', 0): 3, ('scope', 'hosts', 1): 3}
    """
    return _Scanner(text).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._lines: dict[KeyPath, int] = {}
        self._tables: dict[KeyPath, int] = {}  # elements so far of each array of tables

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self._blank() < len(self._text):
            before = self._at
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            if self._at == before:  # not TOML after all
                break
        return self._lines

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        self._line += match[0].count("\n")
        return match[0]

    def _blank(self) -> int:
        self._take(_BLANK)
        return self._at

    def _note(self, path: KeyPath) -> None:
        for end in range(1, len(path) + 1):  # a dotted key makes its tables where it stands
            self._lines.setdefault(path[:end], self._line)

    def _header(self) -> KeyPath:
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        path = self._in_arrays(self._key())
        self._at += 2 if is_array else 1
        if is_array:
            count = self._tables.get(path, 0)
            self._tables[path] = count + 1
            self._note(path)
            path = (*path, count)
        self._note(path)
        return path

    def _in_arrays(self, key: KeyPath) -> KeyPath:
        """``[a.b]`` below ``[[a]]`` means the last element of ``a``."""
        path: KeyPath = ()
        for part in key[:-1]:
            path = (*path, part)
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
        return (*path, key[-1]) if key else path

    def _key(self) -> KeyPath:
        parts: list[str] = []
        while True:
            self._take(_SPACE)
            quoted = self._take(_STRING)
            parts.append(tomllib.loads(f"k = {quoted}")["k"] if quoted else self._take(_BARE))
            self._take(_SPACE)
            if not self._text.startswith(".", self._at):
                return tuple(parts)
            self._at += 1

    def _pair(self, table: KeyPath) -> None:
        path = (*table, *self._key())
        self._note(path)
        self._at += 1  # the "="
        self._take(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        opening = self._text[self._at : self._at + 1]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._at += 1
            while self._blank() < len(self._text) and self._text[self._at] != "}":
                self._pair(path)
            self._at += 1
        elif not self._take(_STRING):
            self._take(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        while self._blank() < len(self._text) and self._text[self._at] != "]":
            before = self._at
            self._lines[(*path, index)] = self._line
            self._value((*path, index))
            index += 1
            if self._at == before:
                return
        self._at += 1
