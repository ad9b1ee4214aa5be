"""URL patterns in robust form: a trie of segments, in which those that vary become wildcards (METHODS, section 5).

Which of a place's labels are spelled out is decided by support against length: of ``s`` URLs that go on there, a word
that at least ``sqrt(s)`` of them share is part of the pattern, so that there are at most ``sqrt(s)`` such words. What
is rarer becomes a wildcard where it comes in at least :data:`_VARIED` words; fewer are listed. So a pattern neither
swallows the site nor lists every URL. Numbers are wildcards wherever two of them were seen, and also where one was if
it is a year, the value of a parameter, or stands behind another wildcard: the next version has other ones.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from dowse.recrawl.patterns.pattern import SLUG, WILDCARDS, escaped
from dowse.recrawl.patterns.segments import Segment, is_year, segments, shape

__all__ = ["trie_patterns"]

_VARIED = 4  # rare words of a place, from which on they are a wildcard
_FEW = 0.1  # a shape of fewer URLs than this share is a word that happens to look like that
_DEEPEST = 40  # segments; what is behind is taken as it is

_Row = tuple[Segment, ...]


def trie_patterns(urls: Iterable[str]) -> list[str]:
    """The patterns of these canonical URLs; each of them matches at least one.

    >>> trie_patterns(f"http://a.example/events/{n}-{name}?page={n}" for n, name in enumerate("abcde"))
    ['http://a.example/events/{int}-{slug}?page={int}']
    """
    by_origin: dict[str, list[_Row]] = defaultdict(list)
    for url in dict.fromkeys(urls):
        origin, row = segments(url)
        by_origin[origin].append(row)
    found = (origin + text for origin, rows in by_origin.items() for text in _below(rows, 0, wild=False))
    return sorted(set(found))


def _below(rows: Sequence[_Row], at: int, *, wild: bool) -> Iterator[str]:
    """The patterns of what follows from a place on; is there a wildcard before it?"""
    by_lead: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if len(row) == at:
            yield ""
        elif at == _DEEPEST:
            yield "".join(escaped(lead + label) for lead, label in row[at:])
        else:
            by_lead[row[at].lead].append(row)
    for lead, ours in by_lead.items():
        if at == _DEEPEST:
            continue
        pieces = _pieces(Counter(row[at].label for row in ours), sure=wild or lead != "/")
        by_piece: dict[str, list[_Row]] = defaultdict(list)
        for row in ours:
            by_piece[pieces[row[at].label]].append(row)
        for piece, these in by_piece.items():
            varies = wild or _is_wild(piece)
            yield from (escaped(lead) + piece + rest for rest in _below(these, at + 1, wild=varies))


def _is_wild(piece: str) -> bool:
    return any(name in piece for name in WILDCARDS)


def _pieces(labels: Counter[str], *, sure: bool) -> dict[str, str]:
    """What each label of a place becomes. ``sure``: numbers are wildcards even where there is only one."""
    total = labels.total()
    by_shape: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        by_shape[shape(label)].append(label)
    found = {label: escaped(label) for label in labels}
    words: list[str] = []  # what is no number: spelled out, or a slug
    for form, ours in by_shape.items():
        if _is_number(form, ours, by_shape, sure=sure) and not _is_rare(form, ours, labels):
            found.update(dict.fromkeys(ours, form))
        else:
            words += ours
    by_ending: dict[str, list[str]] = defaultdict(list)
    for label in words:
        if labels[label] < math.sqrt(total):
            by_ending[_as_slug(label)].append(label)
    for form, ours in by_ending.items():
        if form and len(ours) >= _VARIED:
            found.update(dict.fromkeys(ours, form))
    return found


def _is_number(form: str, ours: Sequence[str], by_shape: dict[str, list[str]], *, sure: bool) -> bool:
    """Are these labels numbers, or numbered? Not where as many have the same ending and no number: then they are words
    that happen to begin or end with one."""
    if not form or form == (plain := _as_slug(ours[0])):
        return False
    if SLUG in form and len(by_shape.get(plain, ())) >= len(ours):
        return False
    return len(ours) > 1 or is_year(ours[0]) or (sure and SLUG not in form and plain not in by_shape)


def _is_rare(form: str, ours: Sequence[str], labels: Counter[str]) -> bool:
    """Is it a word and a number, as ``rock-{int}``, of which there are few? Then others are like it in another way."""
    return not form.startswith("{") and sum(labels[label] for label in ours) < _FEW * labels.total()


def _as_slug(label: str) -> str:
    """
    >>> _as_slug("rock-2026.html"), _as_slug("")
    ('{slug}.html', '')
    """
    form = shape(label)
    return SLUG + form[form.rfind("}") + 1 :] if form else ""
