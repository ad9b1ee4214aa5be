"""By what an object is told from others: its kind, its name, its day and its place, each normalised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dowse.model.facts import object_type
from dowse.model.normal.dates import read_date
from dowse.model.normal.places import place_key
from dowse.model.normal.texts import plain
from dowse.model.objects import FoundObject, Value

__all__ = ["Identity", "Told", "identity", "told"]

_NAMES = ("name", "headline", "title")
_DAYS = (
    "startDate", "date", "datePosted", "datePublished", "uploadDate", "published_time", "dateCreated", "validFrom"
)  # fmt: skip
_PLACES = (
    *(f"{field}.{part}" for field in ("location", "jobLocation") for part in ("address.addressLocality",
                                                                              "addressLocality")),
    "address.addressLocality", "addressLocality", "city", "location", "jobLocation", "place", "venue", "address",
)  # fmt: skip
"""The town first: of a hall, pages write many names."""
_DAY = len("2026-05-12")
_LONGEST_NAME = 250  # letters that are compared: what is longer is no name, and a page of such would take minutes


class Told(NamedTuple):
    """As a reader is shown it; empty where the object does not tell."""

    name: str
    day: str
    place: str


class Identity(NamedTuple):
    """Each empty where the object does not tell."""

    kind: str
    name: str
    day: str
    place: str


def identity(found: FoundObject) -> Identity:
    """What an object is told by.

    >>> identity(FoundObject("Event", {"name": "Jazz Night!", "startDate": "12 May 2026", "location": "Brno, Czechia"}))
    Identity(kind='event', name='jazz night', day='2026-05-12', place='brno')
    """
    fields = found.fields
    name = next((key for field in _NAMES if (key := plain(_text(fields, field))[:_LONGEST_NAME].rstrip())), "")
    place = next((key for field in _PLACES if (key := place_key(_text(fields, field)))), "")
    return Identity(object_type(found.kind), name, _day(fields), place)


def told(fields: Mapping[str, Value]) -> Told:
    """Name, day and place as they were stated.

    >>> told({"headline": "Jazz", "datePublished": "2026-05-12T19:30", "location.address.addressLocality": "Brno"})
    Told(name='Jazz', day='2026-05-12', place='Brno')
    """
    name, place = (next((text for field in names if (text := _text(fields, field))), "") for names in (_NAMES, _PLACES))
    return Told(name, _day(fields), place)


def _day(fields: Mapping[str, Value]) -> str:
    for field in _DAYS:
        told = read_date(_text(fields, field)) or ""
        if len(told) >= _DAY and told.count("-", 0, _DAY) == 2:
            return told[:_DAY]
    return ""


def _text(fields: Mapping[str, Value], field: str) -> str:
    value = fields.get(field)
    return value if isinstance(value, str) else ""
