"""Lines of a PDF, which are as long as the page is wide, to paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["paragraphs", "place_of"]

_FULL = 0.75  # of the length that lines usually have: a shorter one ends its paragraph
_NEARLY = 0.9  # of it, where the line ends as a sentence does
_LEAST_USUAL = 35  # characters: shorter lines are a list, or a table
_ENDS = (".", "!", "?", ":")
_HYPHENS = ("\ufffe", "\x02", "\xad")  # as the library gives a hyphen at the end of a line


def paragraphs(text: str) -> list[str]:
    """
    >>> paragraphs("The lay\ufffe\\r\\ner of perovskite on the glass was very\\r\\nthin.\\r\\nIt was measured twice")
    ['The layer of perovskite on the glass was very thin.', 'It was measured twice']
    """
    lines = [" ".join(line.replace("\0", " ").split()) for line in _joined(text).split("\n")]
    lines = [line for line in lines if line]
    if not lines:
        return []
    usual = sorted(map(len, lines))[len(lines) * 9 // 10]
    if usual < _LEAST_USUAL:
        return lines
    full = _FULL * usual
    found = [lines[0]]
    before = lines[0]
    for line in lines[1:]:
        if len(before) >= full and not (before.endswith(_ENDS) and len(before) < _NEARLY * usual):
            found[-1] += f" {line}"
        else:
            found.append(line)
        before = line
    return found


def _joined(text: str) -> str:
    """Words that a line's end cuts are whole again."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for hyphen in _HYPHENS:
        text = text.replace(f"{hyphen}\n", "").replace(hyphen, "")
    return text


def place_of(anchor: str, lines: Sequence[str]) -> int:
    """The first line that has these words; 0 where none has. An anchor that goes on in the next line, or is hyphenated,
    is known by its beginning."""
    for size in (len(anchor), 30, 12):
        begin = anchor[:size].strip()
        if begin:
            for number, line in enumerate(lines):
                if begin in line:
                    return number
    return 0
