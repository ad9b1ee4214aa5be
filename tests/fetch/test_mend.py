"""Headers with one sense, as browsers and curl read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch.mend import mended

names = st.sampled_from((b"Content-Length", b"content-length ", b"Transfer-Encoding", b"X-A", b"X B", b""))
values = st.sampled_from((b"5", b"05", b"7", b"5, 5", b"5,7", b"chunked", b"identity", b"", b"-1", b"9" * 20))
heads = st.lists(st.tuples(names, values, st.sampled_from((b"\r\n", b"\n"))), max_size=4).map(
    lambda fields: b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b%b" % field for field in fields) + b"\r\n"
)


def block(*fields: bytes) -> bytes:
    return b"".join(line + b"\r\n" for line in (b"HTTP/1.1 200 OK", *fields, b""))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ([b"Content-Length: 5", b"Transfer-Encoding: chunked"], [b"Transfer-Encoding: chunked"]),
        ([b"Transfer-Encoding: gzip, chunked", b"content-length:5"], [b"Transfer-Encoding: gzip, chunked"]),
        ([b"Content-Length: 5", b"Transfer-Encoding: Identity"], [b"Content-Length: 5"]),
        ([b"Transfer-Encoding: identity"], []),
        ([b"Content-Length: 5", b"Content-Length: 5"], [b"Content-Length: 5"]),
        ([b"Content-Length: 5, 5"], [b"Content-Length: 5"]),
        ([b"Content-Length: -1"], []),
        ([b"Content-Length: 18446744073709551615"], []),
        ([b"Content-Length: "], []),
        ([b"Content-Type : text/html", b"X-A\t: 1"], [b"Content-Type: text/html", b"X-A: 1"]),
        ([b"X A: 1", b": 2", b"X(A): 3", "Ü: 4".encode(), b"X-A: 5"], [b"X-A: 5"]),
        ([b"X A: 1", b"X-A: 5", b"  and: more"], [b"X-A: 5", b"  and: more"]),
        ([b"X-A: 5", b"X A: 1", b"\tand: more", b"X-B: 6"], [b"X-A: 5", b"X-B: 6"]),
        ([b"X A: 1", b"no field at all"], [b"no field at all"]),
        ([b" folded", b"Content-Length: 5, 5"], [b"Content-Length: 5"]),
    ],
)
def test_what_is_said_badly_is_understood(said: list[bytes], meant: list[bytes]) -> None:
    assert mended(block(*said)) == block(*meant)


@pytest.mark.parametrize(
    "fields",
    [
        [b"Content-Type: text/html", b"Content-Length: 5", b"Set-Cookie: a=b: c"],
        [b"Transfer-Encoding: chunked"],
        [b"X-A: 1", b" folded: as of old"],
        [b"Content-Length: 5", b"Content-Length: 7"],
        [b"Content-Length: 5, 7"],
        [],
    ],
)
def test_what_is_sound_or_beyond_help_stays(fields: list[bytes]) -> None:
    assert mended(block(*fields)) == block(*fields)


@given(heads)
def test_once_is_enough_and_the_end_stays_the_end(head: bytes) -> None:
    after = mended(head)
    assert mended(after) == after
    assert after.endswith((b"\n\r\n", b"\n\n"))
    assert after.count(b"\n\r\n") == 1 or head.count(b"\n\r\n") != 1


def test_more_lines_than_any_answer_has_are_left_to_the_parser() -> None:
    few, many = (b"HTTP/1.1 200 OK\r\n" + b"a :b\r\n" * lines + b"\r\n" for lines in (1000, 40_000))
    assert mended(few) == few.replace(b" :", b":")
    assert mended(many) is many
