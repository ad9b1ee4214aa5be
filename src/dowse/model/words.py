"""Words: a page's text is cut into them once, and judge, signature and links share the result.

A word is a run of Unicode letters, digits and combining marks, lower-cased and NFC-normalised. Digits stay as they
are ("1997", "mp3"); an underscore and an apostrophe separate. Scripts written without spaces (Han, kana, Thai, Lao,
Khmer, Burmese) give overlapping character pairs, the usual answer when no dictionary is at hand.
"""

from __future__ import annotations

import re
import unicodedata

import xxhash

from dowse.compiled import core

__all__ = ["LINE_END", "WordLines", "lines_of_words", "printable", "word_hash", "words"]

LINE_END = "\0"
"""Stands among words where a line ends; no text has it."""

_LINE_END = f" {LINE_END} "

_MARKS = (  # combining marks that \w leaves out, without which Hindi, Arabic or decomposed Latin words fall apart
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0c81-\u0c83"
    "\u0cbc-\u0ccd\u0d00-\u0d03\u0d3b-\u0d4d\u0d82\u0d83\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1"
    "\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u200c\u200d"
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003134f"
)
# punctuation common on English pages: a line without other letters than ASCII stays on the fast path
_SEPARATORS = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u2022\u00b7\u00ab\u00bb\u00a9\u00ae\u00b6\u2192\u200b\ufeff"
# one pass in C: letters lower-cased, everything else of ASCII a space, except the line ends
_ASCII = "".join(chr(i).lower() if chr(i).isalnum() or i == 10 else " " for i in range(128))
_UTF8 = _ASCII.encode() + bytes(range(128, 256))
_plain = re.compile(r"\w+").findall
_marked = re.compile(rf"[\w{_MARKS}]+").findall
_needs_care = re.compile(rf"[{_MARKS}{_UNSPACED}]").search
_has_unspaced = re.compile(rf"[{_UNSPACED}]").search
_runs = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+").findall
# Marks that are put in order when text is normalised, which takes the square of their number. The Unicode standard's
# own bound is 30 (UAX 15, Stream-Safe Text Format); whatever else is in such a row is no part of a word.
_long_rows = re.compile(r"([^\w\s\x00-\x7f]{32})[^\w\s\x00-\x7f]++")
_LONG_ROW = 32


def _pairs(found: list[str]) -> list[str]:
    """Cut the unspaced runs among ``found`` into overlapping character pairs."""
    result: list[str] = []
    for word in found:
        if _has_unspaced(word) is None:
            result.append(word)
            continue
        for run in _runs(word):
            if len(run) < 3 or _has_unspaced(run) is None:
                result.append(run)
            else:
                result.extend([run[i : i + 2] for i in range(len(run) - 1)])
    return result


class WordLines:
    """The words of a text, perhaps in UTF-8: all in a row, or those of one line, cut when they are asked for.

    >>> text = WordLines("Solar cells,\\nmp3 & 東京都")
    >>> text.words(), text.line(1)
    (['solar', 'cells', 'mp3', '東京', '京都'], ['mp3', '東京', '京都'])
    """

    __slots__ = ("_lines", "_prepared", "_text")

    def __init__(self, text: str | bytes = "") -> None:
        self._text = text
        self._prepared: str | None = None
        self._lines: list[str] | None = None

    def prepared(self) -> str:
        """The text with what is ASCII prepared: in lower case, blanks between words."""
        if self._prepared is None:
            text = self._text if isinstance(self._text, str) else self._text.decode("utf-8")
            if text.isascii():
                text = text.translate(_ASCII)
            else:
                for separator in _SEPARATORS:
                    text = text.replace(separator, " ")
                text = text.encode("utf-8", "replace").translate(_UTF8).decode("utf-8")
            self._prepared = text
        return self._prepared

    def numbers(self, known: dict[str, int], new: list[str], recent: bytearray) -> bytes | None:
        """:meth:`tokens` by their numbers, 32 bits each, cut and looked up at once. A word that is not ``known`` gets
        the next number and is added to ``new``. None where only Python can do it."""
        return None if core is None else core.read_words(self._text, known, new, _words_of_line, recent)

    def words(self) -> list[str]:
        """All words, in order."""
        text = self.prepared()
        if text.isascii():
            return text.split()
        return [word for line in self._all_lines() for word in _words_of_line(line)]

    def tokens(self) -> list[str]:
        """All words, in order, with a ``LINE_END`` between two lines."""
        text = self.prepared()
        if text.isascii():
            return text.replace("\n", _LINE_END).split()
        lines, found, done = self._all_lines(), [], 0
        for number in [number for number, line in enumerate(lines) if not line.isascii()]:
            found += _LINE_END.join([*lines[done:number], ""]).split()  # those in between as one
            found += _words_of_line(lines[number])
            found.append(LINE_END)
            done = number + 1
        if done == len(lines):
            return found[:-1]
        return found + _LINE_END.join(lines[done:]).split()

    def line(self, number: int) -> list[str]:
        """The words of one line; none beyond the last."""
        lines = self._all_lines()
        return _words_of_line(lines[number]) if number < len(lines) else []

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self._all_lines())

    def _all_lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.prepared().split("\n")
        return self._lines


def lines_of_words(text: str) -> list[list[str]]:
    """The words of each line of ``text``, one list a line (empty for a line without words).

    >>> lines_of_words("Solar cells,\\nmp3 & 東京都")
    [['solar', 'cells'], ['mp3', '東京', '京都']]
    """
    lines = WordLines(text)
    return [lines.line(number) for number in range(len(lines))]


def _words_of_line(line: str) -> list[str]:
    """The words of a line whose ASCII part is prepared."""
    if line.isascii():
        return line.split()
    if len(line) > _LONG_ROW:
        line = _long_rows.sub(r"\1", line)
    line = line.lower()
    if not unicodedata.is_normalized("NFC", line):
        line = unicodedata.normalize("NFC", line)
    if _needs_care(line) is None:
        return _plain(line)
    return _pairs(_marked(line))


def words(text: str) -> list[str]:
    """The words of a text in order.

    >>> words("The cell's Dürre_1")
    ['the', 'cell', 's', 'dürre', '1']
    """
    if "\n" in text:
        text = text.replace("\n", " ")
    return WordLines(text).words()


def word_hash(word: str) -> int:
    """64 bits that stand for a word, the same on every machine."""
    return xxhash.xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))


def printable(text: str) -> str:
    """Text from the web on one line without control characters, fit for a terminal or a record.

    >>> printable("a/\\x1b[31mred\\n")
    'a/ [31mred'
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())
