from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch import Decision, GiveUp, Keep, Retry, decide, retry_after_s
from dowse.model.http import Failure, FailureKind, Response, Truncation
from dowse.model.topic import Limits

WALL = 1_800_000_000.0
LIMITS = Limits(max_retries=2, retry_wait_s=2.0)


def status(code: int, retry_after: str | None = None) -> Response:
    headers = () if retry_after is None else (("retry-after", retry_after),)
    return Response("http://a.example/", code, headers)


def failed(kind: str) -> Failure:
    return Failure("http://a.example/", FailureKind(kind))


def decided(result: Response | Failure, attempt: int = 1) -> Decision:
    return decide(result, attempt, LIMITS, wall=WALL, max_delay_s=60.0)


TABLE: list[tuple[Response | Failure, Decision]] = [
    *((status(code), Keep()) for code in (200, 204, 206, 301, 302, 304, 308)),
    *((status(code), GiveUp(f"http {code}")) for code in (400, 401, 403, 404, 410, 451, 501, 505, 999)),
    *((status(code), Retry(2.0, False, f"http {code}")) for code in (408, 425, 500, 502, 503, 504, 520, 522, 524)),
    (status(429), Retry(2.0, True, "http 429")),
    (status(429, "7"), Retry(7.0, True, "http 429")),
    (status(503, "7"), Retry(7.0, True, "http 503")),
    (status(503, "soon"), Retry(2.0, False, "http 503")),
    (status(500, "7"), Retry(2.0, False, "http 500")),
    *((failed(kind), Retry(2.0, False, kind)) for kind in ("dns", "connect", "timeout", "reset")),
    *((failed(kind), GiveUp(kind)) for kind in ("tls", "address", "protocol", "cancelled")),
    (Response("", 200, (), b"", truncated=Truncation.DISCONNECT), Retry(2.0, False, "reset: no body came")),
    (Response("", 200, (), b"", truncated=Truncation.ENCODING), GiveUp("encoding: it cannot be decoded")),
    (Response("", 200, (), b"<p>", truncated=Truncation.ENCODING), Keep()),
    (Response("", 200, (), b"x", truncated=Truncation.DISCONNECT), Keep()),
    (Response("", 200, (), b"", truncated=Truncation.TYPE), Keep()),
    (Response("", 200, (), b""), Keep()),
]  # fmt: skip


@pytest.mark.parametrize(("result", "decision"), TABLE)
def test_the_table(result: Response | Failure, decision: Decision) -> None:
    assert decided(result) == decision


def test_backoff_doubles_then_gives_up() -> None:
    assert [decided(status(500), attempt) for attempt in (1, 2, 3)] == [
        Retry(2.0, False, "http 500"),
        Retry(4.0, False, "http 500"),
        GiveUp("http 500"),
    ]
    long = decide(status(500), 1000, Limits(max_retries=10_000), wall=WALL, max_delay_s=60.0)
    assert long == Retry(60.0, False, "http 500")


def test_giving_up_still_leaves_the_host_alone() -> None:
    assert decided(status(429, "30"), 3) == GiveUp("http 429", hold_s=30.0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", 0.0), ("5", 5.0), (" 5 ", 5.0), ("1.5", 1.5), ("-5", 0.0), ("86400", 60.0), ("9" * 6000, 60.0),
     ("1e400", 60.0), ("nan", None), ("", None), (None, None), ("soon", None), ("٣", None), ("Thu, 99 Foo 2026", None),
     (formatdate(WALL + 20, usegmt=True), 20.0), (formatdate(WALL - 20, usegmt=True), 0.0),
     (formatdate(WALL + 9e6, usegmt=True), 60.0), ("Fri, 31 Dec 9999 23:59:59 GMT", 60.0)],
)  # fmt: skip
def test_retry_after(value: str | None, expected: float | None) -> None:
    assert retry_after_s(value, WALL, 60.0) == expected


@given(st.text())
def test_any_retry_after_is_clipped(value: str) -> None:
    wait = retry_after_s(value, WALL, 60.0)
    assert wait is None or 0.0 <= wait <= 60.0
