"""What a page says of its own: its visible text without the lines that its site repeats. It is what "changed" means
when a page is visited again (METHODS, section 2)."""

from __future__ import annotations

import numpy as np

from dowse.model.words import lines_of_words, printable, word_hash
from dowse.parse.page import parse_page
from dowse.parse.repeats import is_repeated

__all__ = ["own_lines", "says_other"]

_BITS = (1 << 64) - 1


def own_lines(body: bytes, url: str, content_type: str, repeats: bytes = b"") -> list[str]:
    """The title and the lines of a page, without those whose hashes are among ``repeats`` (see
    :meth:`~dowse.parse.repeats.Repeats.known`), and without those that have no word."""
    document = parse_page(body, url=url, content_type=content_type)
    lines = document.text.split("\n")
    words = lines_of_words(document.text)
    hashes = np.array([sum(map(word_hash, line)) & _BITS for line in words], np.uint64)
    repeated = is_repeated(hashes, repeats).tolist()
    own = [line for line, told, again in zip(lines, words, repeated, strict=True) if told and not again]
    return [printable(line) for line in (document.title, *own) if line.strip()]


def says_other(
    before: bytes, type_before: str, after: bytes, type_after: str, url: str, repeats: bytes = b""
) -> bool:  # fmt: skip
    """Has a page changed, from one body to the other?"""
    return own_lines(before, url, type_before, repeats) != own_lines(after, url, type_after, repeats)
