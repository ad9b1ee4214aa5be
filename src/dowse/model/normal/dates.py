"""Days and times as pages write them, to ISO 8601.

A text becomes ``2026-05-12``, with a time ``2026-05-12T19:30`` and its zone ``2026-05-12T19:30+02:00``, for several
days ``2026-05-12/2026-05-14``, and ``2026-05`` where there is no day. A day without a year is none: pages are read
long after they were written.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dowse.model.normal.months import month_of

__all__ = ["read_date"]

_Maker = Callable[..., "_Day"]

_MOST = 200  # characters that are looked at
_TO = r"\s{0,3}(?:-|–|—|‒|/|&|\+|to|till|until|through|thru|bis|und|au|et|al?|y|e|até|t/m|tot|do|až|až do|по|до)\s{0,3}"
_FORMS = re.compile(
    rf"""
      (?<!\d)(?P<y1>\d{{4}})(?P<s1>[-./])(?P<m1>\d{{1,2}})(?:(?P=s1)(?P<d1>\d{{1,2}}))?(?!\d)
    | (?<!\d)(?P<y9>\d{{4}})\.\s(?:(?P<m9>\d{{1,2}})\.\s?|(?P<n9>[^\W\d_]{{3,12}})\s)(?P<d9>\d{{1,2}})
        (?:{_TO}(?P<g9>\d{{1,2}}))?(?![\d:]|,?\s\d{{4}})
    | (?<!\d)(?P<y2>\d{{4}})\s?[年년]\s?(?P<m2>\d{{1,2}})\s?[月월](?:\s?(?P<d2>\d{{1,2}})\s?[日일])?
    | (?<!\d)(?P<y3>\d{{4}})(?P<m3>\d\d)(?P<d3>\d\d)(?=T\d|Z|\s|$)
    | (?<![\d:])(?:(?P<f4>\d{{1,2}})\.?{_TO})?(?P<d4>\d{{1,2}})
        (?P<s4>[./-])\s?(?P<m4>\d{{1,2}})(?P=s4)\s?(?P<y4>\d{{4}})(?!\d)
    | (?<!\d)(?P<d7>\d{{1,2}})\.\s?(?P<m7>\d{{1,2}})\.(?={_TO}\d{{1,2}}\.)
    | (?<![\d:])(?:(?P<f5>\d{{1,2}})(?:\.|st|nd|rd|th|er)?{_TO})?(?P<d5>\d{{1,2}})(?:\.|st|nd|rd|th|er|º|ª)?
        (?:\s{{1,3}}(?:de|of|d')\s|[\s-]{{0,3}})(?P<n5>[^\W\d_]{{3,12}})\.?
        (?:,?\s{{0,3}}(?:de[l]?\s{{1,3}})?[-\s]?(?P<y5>\d{{4}})(?!\d))?
    | (?<![^\W\d_])(?P<n6>[^\W\d_]{{3,12}})\.?\s{{1,3}}(?:(?P<d6>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:)
        (?:{_TO}(?P<g6>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:))?(?:,?\s{{0,3}}(?P<y6>\d{{4}})(?!\d))?|(?P<y8>\d{{4}})(?!\d))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BETWEEN = re.compile(rf"[\s,(]*(?:[^\W\d_]{{2,10}}\.?,?\s)?(?:{_TO})(?:[^\W\d_]{{2,10}}\.?,?\s+)?", re.IGNORECASE)
_TIME = re.compile(
    r"""(?<![\d.:])T?(?P<h>[01]?\d|2[0-4])(?:
          (?:[:.h](?P<m>[0-5]\d)|(?<=T\d\d)(?P<c>[0-5]\d))(?::?[0-5]\d(?:[.,]\d{1,9})?)?(?:\s?(?P<p>[ap])\.?m\b\.?)?
        | \s?(?P<q>[ap])\.?m\b\.? | \s?(?:h|uhr|hod\.?)\b)
        \s{0,2}(?:(?P<z>Z|UTC|GMT|[A-Z]{3,4}T)\b)?(?P<o>[+-]\d\d(?::?\d\d)?)?(?![\d.:]\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_ZONES = {
    "z": "Z", "utc": "Z", "gmt": "Z", "wet": "Z", "west": "+01:00", "bst": "+01:00", "cet": "+01:00", "met": "+01:00",
    "cest": "+02:00", "eet": "+02:00", "eest": "+03:00", "msk": "+03:00", "jst": "+09:00", "kst": "+09:00",
    "est": "-05:00", "edt": "-04:00", "cdt": "-05:00", "mst": "-07:00", "mdt": "-06:00", "pst": "-08:00",
    "pdt": "-07:00", "aest": "+10:00", "aedt": "+11:00", "nzst": "+12:00", "nzdt": "+13:00",
}  # fmt: skip
"""Names that mean one zone to nearly everybody; CST and IST, for example, do not."""


@dataclass(frozen=True, slots=True)
class _Day:
    year: int  # 0: not told
    month: int
    day: int  # 0: the month as a whole
    at: int  # where it stands in the text
    end: int

    @property
    def is_real(self) -> bool:
        """Is there such a day? February has 29 where the year is not told."""
        if not 1 <= self.month <= 12 or not (self.year == 0 or 1000 <= self.year <= 2999):
            return False
        return self.day <= monthrange(self.year or 2000, self.month)[1]

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}" + (f"-{self.day:02}" if self.day else "")


def read_date(text: str, *, month_first: bool = False) -> str | None:
    """The first day, or row of days, that a text names, as ISO 8601; None where there is none with its year.
    ``month_first``: 4/5/2026 is in April, as in the United States.

    >>> read_date("Tue, May 12, 2026 at 7:30 pm"), read_date("30. Dezember – 2. Januar 2027"), read_date("4/5/2026")
    ('2026-05-12T19:30', '2026-12-30/2027-01-02', '2026-05-04')
    """
    text = text[:_MOST].strip()
    days = list(_days(text, month_first))
    pairs = (_pair(text, days[place : place + 2]) for place in range(len(days)))
    for first, last in pairs:
        if first.year and last is not None and last.year and str(last) > str(first):
            return f"{_timed(first, text, last.at)}/{_timed(last, text, len(text))}"
        if first.year:
            return _timed(first, text, len(text))
    return None


def _days(text: str, month_first: bool) -> Iterator[_Day]:
    """Every day that is named, in order; of a row within a month, its two ends."""
    at = 0
    while (match := _FORMS.search(text, at)) is not None:
        found = [day for day in _of(match, month_first) if day.is_real]
        yield from found
        at = match.end() if found else match.start() + 1


def _of(match: re.Match[str], month_first: bool) -> list[_Day]:
    got = match.groupdict()

    def day(year: str | None, month: int, day: str | None, at: int | None = None) -> _Day:
        return _Day(int(year or 0), month, int(day or 0), match.start() if at is None else at, match.end())

    for form in "123":
        if got[f"y{form}"]:
            return [day(got[f"y{form}"], int(got[f"m{form}"]), got[f"d{form}"])]
    if got["y4"]:
        return _in_numbers(got, day, month_first)
    if got["y9"]:  # 2026. május 12., as in Hungarian; 2026. 5. 12., as in Korean
        month = int(got["m9"]) if got["m9"] else month_of(got["n9"])
        days = [got["d9"], got["g9"]] if got["g9"] else [got["d9"]]
        return [day(got["y9"], month, one) for one in days] if month else []
    if got["d7"]:
        return [day(None, int(got["m7"]), got["d7"])]
    month = month_of(got["n5"] or got["n6"])
    if month is None:
        return []
    if got["n6"]:
        first = day(got["y6"] or got["y8"], month, got["d6"])
        return [first, day(got["y6"], month, got["g6"])] if got["g6"] else [first]
    last = day(got["y5"], month, got["d5"])
    return [day(got["y5"], month, got["f5"]), last] if got["f5"] else [last]


def _in_numbers(got: dict[str, str | None], day: _Maker, month_first: bool) -> list[_Day]:
    """12.5.2026: the day first, but where that cannot be, or is asked for otherwise."""
    first, second = int(got["d4"] or 0), int(got["m4"] or 0)
    swapped = second > 12 or (month_first and first <= 12 and got["s4"] == "/")
    month, own = (first, second) if swapped else (second, first)
    last = day(got["y4"], month, str(own))
    return [day(got["y4"], month, got["f4"]), last] if got["f4"] else [last]


def _pair(text: str, days: list[_Day]) -> tuple[_Day, _Day | None]:
    """A day, and the one it lasts to. One without a year is in that of the other."""
    first, last = days[0], days[1] if len(days) > 1 else None
    if last is None or not (last.at == first.at or _BETWEEN.fullmatch(_untimed(text[first.end : last.at]))):
        return first, None
    if not first.year and last.year:
        before = (first.month, first.day) > (last.month, last.day)
        first = replace(first, year=last.year - before)
    elif first.year and not last.year:
        last = replace(last, year=first.year)
    return first, last


def _untimed(text: str) -> str:
    return _TIME.sub("", text)


def _timed(day: _Day, text: str, most: int) -> str:
    """With the time that stands behind it, and before ``most``."""
    if not day.day:
        return str(day)
    match = _TIME.search(text, day.end, max(most, day.end))
    if match is None:
        return str(day)
    hour, minute = int(match["h"]), int(match["m"] or match["c"] or 0)
    half = (match["p"] or match["q"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return str(day)
        hour = hour % 12 + 12 * (half == "p")
    if hour == 24:
        return str(day)
    return f"{day}T{hour:02}:{minute:02}{_zone(match)}"


def _zone(match: re.Match[str]) -> str:
    if match["o"]:
        digits = match["o"].replace(":", "")
        return f"{digits[:3]}:{digits[3:] or '00'}"
    return _ZONES.get((match["z"] or "").lower(), "")
