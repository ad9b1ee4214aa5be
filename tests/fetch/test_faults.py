from __future__ import annotations

import time

import aiohttp
import pytest
from aiohttp.http import HttpProcessingError

from dowse.fetch.faults import detail_of


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Invalid header token:\n\n  b'X y: z'\n    ^", "Invalid header token"),
        ('Bad status line : b"x"', "Bad status line"),
        ("Too many headers", "Too many headers"),
        ("a: b: c", "a: b: c"),
        ("  \n ", "HttpProcessingError"),
    ],
)
def test_what_was_wrong_is_told_without_its_bytes(said: str, detail: str) -> None:
    assert detail_of(HttpProcessingError(message=said)) == detail


@pytest.mark.parametrize("said", ["a" + " " * 200_000, ": " * 100_000, ":" + " " * 200_000 + "c", ":b" * 100_000])
def test_a_long_reason_takes_little_time(said: str) -> None:
    """A proxy says it in its own words. With an expression that looks for the blanks first it took a minute."""
    fault = aiohttp.ClientHttpProxyError(None, (), message=said)  # type: ignore[arg-type]
    started = time.process_time()
    assert len(detail_of(fault)) <= 200
    assert time.process_time() - started < 1.0
