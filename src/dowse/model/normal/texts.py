"""Texts as they are compared: without case, accents and signs."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["LONGEST", "one_line", "plain"]

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
