from __future__ import annotations

import ssl
import time

import pytest

from dowse.fetch.faults import Malformed, Refused, Unresolved, Untunnelled, detail_of, kind_of
from dowse.model.http import FailureKind


@pytest.mark.parametrize(
    ("fault", "before", "after"),
    [
        (Refused("no"), "address", "address"),
        (Unresolved("no"), "dns", "dns"),
        (Untunnelled("no"), "connect", "connect"),
        (ssl.SSLError(1, "no"), "tls", "tls"),
        (ConnectionResetError(), "reset", "reset"),
        (ConnectionRefusedError(), "connect", "reset"),
        (TimeoutError(), "connect", "timeout"),
        (Malformed("no"), "protocol", "protocol"),
        (ZeroDivisionError(), "protocol", "protocol"),
    ],
)
def test_a_fault_has_a_kind_before_and_after_there_was_a_connection(fault: Exception, before: str, after: str) -> None:
    kinds = kind_of(fault, is_connected=False), kind_of(fault, is_connected=True)
    assert kinds == (FailureKind(before), FailureKind(after))


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        (OSError(111, "Connection refused"), "Connection refused"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"), "wrong version number"),
        (Malformed("lengths that\n differ"), "lengths that differ"),
        (Malformed("  \n "), "Malformed"),
        (Untunnelled("the proxy answered 403 \udcff"), "the proxy answered 403 \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_what_was_wrong_is_told_on_one_line(fault: Exception, detail: str) -> None:
    assert detail_of(fault) == detail


@pytest.mark.parametrize("said", ["a" + " " * 200_000, ": " * 100_000, "c" * 200_000])
def test_a_long_reason_takes_little_time(said: str) -> None:
    """A proxy says it in its own words."""
    started = time.process_time()
    assert len(detail_of(Untunnelled(said))) <= 200
    assert time.process_time() - started < 1.0
