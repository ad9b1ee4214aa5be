"""A few words of a page around those that tell most about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import typer

from dowse.judge import Terms
from dowse.model.shown import shown
from dowse.model.words import words

__all__ = ["excerpt"]

_LONGEST = 280
_SENTENCE = 80  # characters
_LINES = 400  # of a page that are looked at
_word = re.compile(r"\w+")


def excerpt(text: str, telling: Mapping[str, float], terms: Terms, *, marked: bool) -> str:
    """The line of a text whose words tell most, for or against, cut to a few words around them. They stand in bold, or,
    where that cannot be shown, between asterisks (``marked``)."""
    lines = [shown(line) for line in text.split("\n")[:_LINES]]
    best = max(lines, key=lambda line: (_weight(line, telling, terms), len(line)), default="")
    start = _start(best, telling, terms)
    cut = best[start : start + _LONGEST]
    if start + _LONGEST < len(best):
        cut = f"{cut.rpartition(' ')[0] or cut} ..."
    return ("... " if start else "") + _word.sub(lambda match: _shown(match[0], telling, terms, marked), cut)


def _term(word: str, terms: Terms) -> str:
    found = words(word)
    return terms[found[0]] if len(found) == 1 else ""


def _weight(line: str, telling: Mapping[str, float], terms: Terms) -> float:
    """How much the words of a line tell; a heading, or an entry of a menu, counts for less than a sentence."""
    found = sum(abs(telling.get(term, 0.0)) for term in {_term(word, terms) for word in _word.findall(line[:2_000])})
    return found * min(1.0, len(line) / _SENTENCE)


def _start(line: str, telling: Mapping[str, float], terms: Terms) -> int:
    """Where to begin, so that the first telling word has a few others before it."""
    if len(line) <= _LONGEST:
        return 0
    strong = max(map(abs, telling.values()), default=0.0) / 4
    first = next(
        (match.start() for match in _word.finditer(line) if abs(telling.get(_term(match[0], terms), 0.0)) > strong), 0
    )
    before = line.rfind(" ", 0, max(0, first - 60)) + 1
    return before if len(line) - before >= _LONGEST else max(0, line.find(" ", len(line) - _LONGEST) + 1)


def _shown(word: str, telling: Mapping[str, float], terms: Terms, marked: bool) -> str:
    if not telling.get(_term(word, terms)):
        return word
    return f"*{word}*" if marked else typer.style(word, bold=True)
