"""A URL as a row of segments, and the shape of each: what stays of it when that which varies is taken out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dowse.recrawl.patterns.pattern import DATE, ID, INT, SLUG, escaped

__all__ = ["Segment", "is_year", "segments", "shape"]

_APART = frozenset("/?&")  # what a wildcard never stands for, as it parts segments
_DATE = "[0-9]{4}[-_.][0-9]{1,2}[-_.][0-9]{1,2}"
_ENDING = re.compile(r"(.+)(\.[A-Za-z][A-Za-z0-9]{0,4})")
_ID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[^0-9]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# the first that matches a whole stem; what is in a group and no number is spelled out
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(_DATE), lambda _: DATE),
    (re.compile("[0-9]+"), lambda _: INT),
    (_ID, lambda _: ID),
    (re.compile(f"{_DATE}([-_.,]).+"), lambda found: f"{DATE}{found[1]}{SLUG}"),
    (re.compile("[0-9]+([-_.,]).+"), lambda found: f"{INT}{found[1]}{SLUG}"),
    (re.compile("([A-Za-z]{1,12}[-_.,]?)[0-9]+"), lambda found: f"{found[1]}{INT}"),
    (re.compile(f".+([-_.,]){_DATE}"), lambda found: f"{SLUG}{found[1]}{DATE}"),
    (re.compile(".+([-_.,])[0-9]+"), lambda found: f"{SLUG}{found[1]}{INT}"),
)


class Segment(NamedTuple):
    """A piece of a path, or the value of a parameter. ``lead`` is what stands before: ``/``, ``?key=``, ``&key=``."""

    lead: str
    label: str


def segments(url: str) -> tuple[str, tuple[Segment, ...]]:
    """The origin of a canonical URL, and the rest of it.

    >>> segments("http://a.example/7?page=2")
    ('http://a.example', (Segment(lead='/', label='7'), Segment(lead='?page=', label='2')))
    """
    slash = url.index("/", 8)
    path, mark, query = url[slash:].partition("?")
    found = [Segment("/", label) for label in path.split("/")[1:]]
    if mark:
        for number, parameter in enumerate(query.split("&")):
            key, equals, value = parameter.partition("=")
            sign = "&" if number else "?"
            found.append(Segment(sign + key + equals, value) if equals else Segment(sign, key))
    return url[:slash], tuple(found)


def is_year(label: str) -> bool:
    """Is it one of the last century, or of this?"""
    return _YEAR.fullmatch(label) is not None


def shape(label: str) -> str:
    """Wildcards for what varies from page to page; a file's ending stays. Empty for what no wildcard may stand for.

    >>> shape("4711-rock-night.html"), shape("page-2"), shape("2026-11-03"), shape("about")
    ('{int}-{slug}.html', 'page-{int}', '{date}', '{slug}')
    """
    if not label or not _APART.isdisjoint(label):
        return ""
    ending = _ENDING.fullmatch(label)
    stem, last = (ending[1], ending[2]) if ending else (label, "")
    for form, made in _FORMS:
        if (found := form.fullmatch(stem)) is not None:
            return made(found) + last
    return SLUG + escaped(last)
