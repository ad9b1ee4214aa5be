"""Texts as they are compared: without case, accents and signs."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["LONGEST", "one_line", "plain", "storable"]

LONGEST = 2_000
"""Characters of a value that count."""
_apart = re.compile(r"[\W_]+").sub
_strip_marks = re.compile(r"[\u0300-\u036f]").sub


def one_line(text: str) -> str:
    """Without blanks at its ends, or several in a row, and no longer than may be.

    >>> one_line("  Jazz \\n night ")
    'Jazz night'
    """
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST].rstrip()


def storable(text: str) -> str:
    """With a question mark for half of a surrogate pair, which JSON and Python can spell, but no file can hold.

    >>> storable("\\ud83cJazz")
    '?Jazz'
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: str) -> str:
    """The letters and digits of a text, for a comparison: case, Latin accents and signs are gone.

    >>> plain("Café  «Zürich», No. 5!"), plain("ŽILINA")
    ('cafe zurich no 5', 'zilina')
    """
    text = text[:LONGEST]
    if not text.isascii():
        text = _strip_marks("", unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFC", text)
    return _apart(" ", text.casefold()).strip()
