"""Prices as pages write them: an amount, and the currency's code by ISO 4217."""

from __future__ import annotations

import re
from typing import NamedTuple

from dowse.model.normal.texts import plain

__all__ = ["Price", "read_price"]

_MOST = 200  # characters that are looked at
_SIGNS = {
    "us$": "USD", "a$": "AUD", "c$": "CAD", "hk$": "HKD", "nz$": "NZD", "r$": "BRL", "s$": "SGD", "$": "USD",
    "€": "EUR", "£": "GBP", "¥": "JPY", "円": "JPY", "元": "CNY", "₹": "INR", "₽": "RUB", "₴": "UAH", "₺": "TRY",
    "₩": "KRW", "₫": "VND", "₪": "ILS", "zł": "PLN", "kč": "CZK", "ft": "HUF", "lei": "RON", "лв": "BGN", "руб": "RUB",
    "грн": "UAH", "euro": "EUR", "euros": "EUR", "eura": "EUR", "eur": "EUR", "sfr": "CHF", "fr": "CHF", "tl": "TRY",
}  # fmt: skip
"""Signs that mean one currency to most readers. ``kr`` and ``Rs`` do not: they need a code."""
_CODE_NAMES = (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MAD MXN MYR "
    "NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR"
)
_CODES = frozenset(_CODE_NAMES.split())
_SPACE = r"[ \u00a0\u202f\u2009]"
_CURRENCY = (
    r"(?:US\$|A\$|C\$|HK\$|NZ\$|R\$|S\$|[$€£¥円元₹₽₴₺₩₫₪]"
    r"|(?<![^\W\d_])(?:[A-Z]{3}|zł|kč|ft|lei|лв|руб|грн|euros?|eura|sfr|fr|tl)(?![^\W\d_]))"
)
_AMOUNT = rf"(?:\d{{1,3}}(?:(?:[.,'’]|{_SPACE})\d{{3}}){{1,4}}|\d{{1,12}})(?:[.,](?:\d{{1,2}}(?!\d)|-|–|—))?"
_PRICED = re.compile(
    rf"(?P<before>{_CURRENCY})\.?{_SPACE}{{0,2}}(?P<a>{_AMOUNT})"
    rf"|(?<![\d.,])(?P<b>{_AMOUNT}){_SPACE}{{0,2}}(?P<behind>{_CURRENCY})",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\d.,]){_AMOUNT}(?![\d])")
_FREE_WORDS = (
    "free; free entry; free admission; kostenlos; gratis; eintritt frei; gratuit; entrée libre; gratuito; entrada "
    "libre; zadarmo; vstup voľný; zdarma; vstup volný; bezpłatnie; wstęp wolny; бесплатно; ilmainen; ingyenes"
)
_FREE = frozenset(map(plain, _FREE_WORDS.split("; ")))


class Price(NamedTuple):
    """An amount; ``currency`` is empty where it is not told."""

    amount: float
    currency: str


def read_price(text: str) -> Price | None:
    """The first price in a text, or the first number where none has a currency; None where there is none.

    >>> read_price("ab 1.234,50 €"), read_price("USD 1,234"), read_price("Vstup voľný"), read_price("12,-")
    (Price(amount=1234.5, currency='EUR'), Price(amount=1234.0, currency='USD'), Price(amount=0.0, currency=''), \
Price(amount=12.0, currency=''))
    """
    text = text[:_MOST]
    for match in _PRICED.finditer(text):
        currency = _currency(match["before"] or match["behind"])
        if currency:
            return Price(_number(match["a"] or match["b"]), currency)
    if plain(text) in _FREE:
        return Price(0.0, "")
    bare = _BARE.search(text)
    return None if bare is None else Price(_number(bare[0]), "")


def _currency(sign: str) -> str:
    return sign.upper() if sign.upper() in _CODES else _SIGNS.get(sign.lower(), "")


def _number(written: str) -> float:
    """The last point or comma with one or two digits behind it is that of the decimals; all others are of thousands."""
    decimals = re.search(r"[.,](\d{1,2}|[-–—])$", written)
    whole = written[: decimals.start()] if decimals else written
    digits = re.sub(r"\D", "", whole)
    part = decimals[1] if decimals and decimals[1].isdigit() else "0"
    return float(f"{digits}.{part}")
