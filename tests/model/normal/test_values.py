"""Prices, places and texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.normal.places import place_key
from dowse.model.normal.prices import Price, read_price
from dowse.model.normal.texts import one_line, plain


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("12 €", (12, "EUR")), ("€12.50", (12.5, "EUR")), ("1 234,50 Kč", (1234.5, "CZK")),
        ("12.99 usd", (12.99, "USD")),
        ("CHF 1'234.50", (1234.5, "CHF")), ("$1,234", (1234, "USD")), ("A$ 5", (5, "AUD")), ("300 SEK", (300, "SEK")),
        ("kr 300", (300, "")), ("from £10 to £20", (10, "GBP")), ("3 tickets 20€", (20, "EUR")), ("12,-", (12, "")),
        ("1.234", (1234, "")), ("1.23", (1.23, "")), ("0,99", (0.99, "")), ("Free", (0, "")), ("vstup voľný", (0, "")),
        ("1,234,567.89 EUR", (1234567.89, "EUR")), ("abc", None), ("", None), ("XYZ", None),
    ],
)  # fmt: skip
def test_prices(text: str, price: tuple[float, str] | None) -> None:
    assert read_price(text) == (None if price is None else Price(*price))


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_every_way_to_write_an_amount(whole: int, cents: int) -> None:
    amount = float(f"{whole}.{cents:02}")
    english = f"{whole:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    french = english.replace(",", "\u202f").replace(".", ",")
    swiss = english.replace(",", "'")
    for text in (f"{whole}.{cents:02}", f"{whole},{cents:02}", english, german, french, swiss):
        assert read_price(f"{text} EUR") == Price(amount, "EUR"), text


@given(st.text(max_size=300))
def test_any_text_is_a_price_or_none(text: str) -> None:
    found = read_price(text)
    assert found is None or 0 <= found.amount < 1e16


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bratislava, Slovakia", "Špitálska 4, 811 08 BRATISLAVA"), ("Los Angeles, CA, U.S.A.", "Los Angeles, CA"),
        ("10115 Berlin", "Berlin (Germany)"), ("Wien | Österreich", "wien"), ("Germany", "GERMANY"),
    ],
)  # fmt: skip
def test_one_place(one: str, other: str) -> None:
    assert place_key(one) == place_key(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Brno", "Graz"), ("Austria", "Australia"), ("Hall 3", "Hall 4")])
def test_two_places(one: str, other: str) -> None:
    assert place_key(one) != place_key(other)


@given(st.text(max_size=100))
def test_plain_texts_stay_as_they_are(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert one_line(one_line(text)) == one_line(text)


def test_texts_are_bounded() -> None:
    assert len(one_line("a " * 9_000)) <= 2_000
    assert len(plain("Ǆ" * 9_000)) <= 8_000
