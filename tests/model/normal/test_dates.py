"""Days as pages write them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.normal.dates import read_date
from dowse.model.normal.months import month_of

ENGLISH = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
WRITTEN: dict[str, Callable[[date], str]] = {
    "iso": lambda day: day.isoformat(),
    "numbers": lambda day: f"{day.day}.{day.month}.{day.year}",
    "slashes": lambda day: f"{day.year}/{day.month:02}/{day.day:02}",
    "english": lambda day: f"{day.day} {ENGLISH[day.month - 1]} {day.year}",
    "american": lambda day: f"{ENGLISH[day.month - 1]} {day.day}, {day.year}",
    "short": lambda day: f"{ENGLISH[day.month - 1][:3]}. {day.day} {day.year}",
    "mail": lambda day: f"{day:%a, %d %b %Y} 00:00:00 +0000",
    "japanese": lambda day: f"{day.year}年{day.month}月{day.day}日",
}


@given(DAYS, st.sampled_from(sorted(WRITTEN)), st.sampled_from(("", "on ", "Tuesday, ", "Wann: ")))
def test_every_day_is_read(day: date, form: str, before: str) -> None:
    told = read_date(f"{before}{WRITTEN[form](day)}")
    assert told is not None
    assert told[:10] == day.isoformat()


@given(DAYS, st.integers(1, 400))
def test_every_row_of_days_is_read(first: date, days: int) -> None:
    last = first + timedelta(days)
    row = f"{first.isoformat()}/{last.isoformat()}"
    month, last_month = ENGLISH[first.month - 1], ENGLISH[last.month - 1]
    texts = [row, f"{first.isoformat()} to {last.isoformat()}", f"{first:%d.%m.%Y} – {last:%d.%m.%Y}"]
    if first.year == last.year:
        texts += [f"{first.day} {month} - {last.day} {last_month} {last.year}", f"{first:%d.%m.}-{last:%d.%m.%Y}"]
    if (first.year, first.month) == (last.year, last.month):
        texts += [f"{first.day}–{last.day} {month} {last.year}", f"{month} {first.day}-{last.day}, {last.year}"]
    for text in texts:
        assert read_date(text) == row, text
    assert read_date(row) == row


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-05-12T19:30:00.000Z", "2026-05-12T19:30Z"),
        ("2026-05-12T19:30:00+0200", "2026-05-12T19:30+02:00"),
        ("20260512T190000Z", "2026-05-12T19:00Z"),
        ("2026-05", "2026-05"),
        ("May 2026", "2026-05"),
        ("12. května 2026 v 19:30", "2026-05-12T19:30"),
        ("Samstag, 12. Mai 2026, 19.30 Uhr", "2026-05-12T19:30"),
        ("le 1er mai 2026 à 20h30", "2026-05-01T20:30"),
        ("12 de mayo de 2026", "2026-05-12"),
        ("12 мая 2026", "2026-05-12"),
        ("2026. május 12., 19:30", "2026-05-12T19:30"),
        ("2026. május 12–14.", "2026-05-12/2026-05-14"),
        ("2026. 05. 12.", "2026-05-12"),
        ("© 2025. May 12, 2026", "2026-05-12"),
        ("12 maja 2026 r.", "2026-05-12"),
        ("12. toukokuuta 2026", "2026-05-12"),
        ("12 Mayıs 2026", "2026-05-12"),
        ("May 12, 2026 at 7:30 pm", "2026-05-12T19:30"),
        ("May 12, 2026, 12 am", "2026-05-12T00:00"),
        ("12 May 2026 19:00 CEST", "2026-05-12T19:00+02:00"),
        ("12 May 2026 19:00 – 14 May 2026 21:00 CEST", "2026-05-12T19:00/2026-05-14T21:00+02:00"),
        ("12 May 2026 19:00 – 21:00", "2026-05-12T19:00"),
        ("30. Dezember – 2. Januar 2027", "2026-12-30/2027-01-02"),
        ("5/13/2026", "2026-05-13"),
        ("29 February 2028", "2028-02-29"),
        ("29 February 2027", "2027-02"),
        ("31.4.2026", None),
        ("12 May", None),
        ("Monday", None),
        ("", None),
        ("1234567890", None),
        ("v1.2.3", None),
        ("0000-00-00", None),
        ("9999-99-99", None),
        ("25:00 12 Foo 2026", None),
    ],
)
def test_forms(text: str, told: str | None) -> None:
    assert read_date(text) == told


def test_the_month_may_come_first() -> None:
    assert (read_date("4/5/2026"), read_date("4/5/2026", month_first=True)) == ("2026-05-04", "2026-04-05")
    assert read_date("4.5.2026", month_first=True) == "2026-05-04"


@given(st.text(max_size=300))
def test_any_text_is_a_day_or_none(text: str) -> None:
    told = read_date(text)
    assert told is None or read_date(told) == told


def test_months() -> None:
    assert [month_of(name) for name in ENGLISH] == list(range(1, 13))
    assert month_of("Sept.") == 9
    assert month_of("marraskuuta") == 11
