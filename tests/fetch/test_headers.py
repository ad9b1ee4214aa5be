"""Headers with one sense, as browsers and curl read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch.faults import Malformed
from dowse.fetch.headers import Head, head_end, read_head

names = st.sampled_from((b"Content-Length", b"content-length ", b"Transfer-Encoding", b"X-A", b"X B", b""))
values = st.sampled_from((b"5", b"05", b"7", b"5, 5", b"5,7", b"chunked", b"identity", b"", b"-1", b"9" * 20))
ends = st.sampled_from((b"\r\n", b"\n", b"\r\n more\n"))
heads = st.lists(st.tuples(names, values, ends), max_size=4).map(
    lambda fields: b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b%b" % field for field in fields) + b"\r\n"
)


def block(*fields: bytes) -> bytes:
    return b"".join(line + b"\r\n" for line in (b"HTTP/1.1 200 OK", *fields, b""))


def lines(head: Head) -> list[bytes]:
    return [f"{name}: {value}".encode() for name, value in head.headers]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ([b"Content-Length: 5", b"Transfer-Encoding: chunked"], [b"Transfer-Encoding: chunked"]),
        ([b"Transfer-Encoding: gzip, chunked", b"content-length:5"], [b"Transfer-Encoding: gzip, chunked"]),
        ([b"Content-Length: 5", b"Content-Length: 7", b"Transfer-Encoding: x"], [b"Transfer-Encoding: x"]),
        ([b"Content-Length: 5", b"Transfer-Encoding: Identity"], [b"Content-Length: 5"]),
        ([b"Transfer-Encoding: identity"], []),
        ([b"Content-Length: 5", b"Content-Length: 5"], [b"Content-Length: 5"]),
        ([b"Content-Length: 5, 5"], [b"Content-Length: 5"]),
        ([b"Content-Length: -1"], []),
        ([b"Content-Length: 18446744073709551615"], []),
        ([b"Content-Length: "], []),
        ([b"Content-Type : text/html", b"X-A\t: 1"], [b"Content-Type: text/html", b"X-A: 1"]),
        ([b"X A: 1", b": 2", b"X(A): 3", "Ü: 4".encode(), b"X-A: 5"], [b"X-A: 5"]),
        ([b"X A: 1", b"X-A: 5", b"  and: more"], [b"X-A: 5 and: more"]),
        ([b"X-A: 5", b"X A: 1", b"\tand: more", b"X-B: 6"], [b"X-A: 5", b"X-B: 6"]),
        ([b" folded", b"Content-Length: 5, 5"], [b"Content-Length: 5"]),
        ([b"Content-Type: text/html", b"Set-Cookie: a=b: c"], [b"Content-Type: text/html", b"Set-Cookie: a=b: c"]),
        ([], []),
    ],
)
def test_what_is_said_badly_is_understood(said: list[bytes], meant: list[bytes]) -> None:
    assert lines(read_head(block(*said))) == meant


@pytest.mark.parametrize(
    "fields",
    [
        [b"Content-Length: 5", b"Content-Length: 7"],
        [b"Content-Length: 5, 7"],
        [b"X A: 1", b"no field at all"],
        [b"X: a\0b"],
        [b"X: a\rb"],
        [b"X: " + b"x" * 65_537],
        [b"X: 1"] * 501,
        [b"a b: 1"] * 40_000,
    ],
    ids=lambda fields: repr(fields)[:20],
)
def test_what_has_no_sense_or_goes_beyond_a_limit_is_a_fault(fields: list[bytes]) -> None:
    with pytest.raises(Malformed):
        read_head(block(*fields))


@pytest.mark.parametrize("first", [b"", b"200 OK", b"HTTP/1.1", b"HTTP/1.1 20", b"HTTP/1.1 200OK", b"HTTP/x 200 OK"])
def test_what_is_no_status_line_is_a_fault(first: bytes) -> None:
    with pytest.raises(Malformed):
        read_head(first + b"\r\n\r\n")


@pytest.mark.parametrize(
    ("first", "fields", "keeps_open"),
    [
        (b"HTTP/1.1 200", [], True),
        (b"HTTP/1.1 200 OK", [b"Connection: Upgrade, Close"], False),
        (b"HTTP/1.0 200 OK", [], False),
        (b"HTTP/1.0 200 OK", [b"connection: Keep-Alive"], True),
    ],
)
def test_a_connection_is_kept_where_both_want_it(first: bytes, fields: list[bytes], keeps_open: bool) -> None:
    head = read_head(b"\r\n".join((first, *fields, b"", b"")))
    assert (head.status, head.keeps_open) == (200, keeps_open)


@given(heads)
def test_the_body_has_one_end_and_what_was_understood_is_understood_again(said: bytes) -> None:
    assert head_end(said) == len(said)
    try:
        head = read_head(said)
    except Malformed:
        return
    told = {name.lower(): value for name, value in head.headers}
    assert len(head.headers) <= len(said.splitlines())
    assert ("content-length" in told) == (head.length is not None)
    assert not (head.length is not None and "transfer-encoding" in told)
    assert head.is_chunked <= ("transfer-encoding" in told)
    assert read_head(block(*lines(head))) == head


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\n\r\n", b"\r\n\n"])
@pytest.mark.parametrize("body", [b"", b"x", b"\r\nx", b"\nx", b"\n\n", b"\r\n\r\n"])
def test_a_head_ends_with_its_first_blank_line(end: bytes, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nX: y" + end
    assert head_end(head + body) == len(head)
