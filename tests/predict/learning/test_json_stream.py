from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.predict.learning.json_stream import JsonStream, OtherKind, unpacked

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(), part, max_size=4), max_leaves=12,
)  # fmt: skip
LONG = 10_000


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]))
def test_an_object_is_what_json_reads(whole: dict[str, Any], size: int, indent: int | None) -> None:
    data = json.dumps(whole, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass")
    stream = JsonStream(pieces(data, size), len(data))
    assert {key: stream.value(LONG) for key in stream.members()} == whole
    stream.end()


@given(st.lists(VALUES, max_size=5), st.integers(1, 40))
def test_a_list_is_what_json_reads(whole: list[Any], size: int) -> None:
    data = json.dumps(whole).encode()
    stream = JsonStream(pieces(data, size), len(data))
    assert [stream.value(LONG) for _ in stream.items()] == whole
    stream.end()


@given(st.binary(max_size=60), st.integers(1, 9))
def test_what_is_no_json_is_refused_as_json_does(data: bytes, size: int) -> None:
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        with pytest.raises(ValueError, match=r"."):
            read(JsonStream(pieces(data, size), 60))
    else:
        if data.isascii():
            assert read(JsonStream(pieces(data, size), 60)) == whole


def read(stream: JsonStream) -> Any:
    found = stream.value(LONG)
    stream.end()
    return found


def test_what_is_too_long_is_told_before_it_is_read() -> None:
    asked = 0

    def endless() -> Iterator[bytes]:
        nonlocal asked
        yield b"["
        while True:
            asked += 1
            yield b"[]," * 1000

    with pytest.raises(ValueError, match=r"."):
        JsonStream(endless(), 1 << 40).value(50_000)
    assert asked < 30
    with pytest.raises(OverflowError):
        JsonStream(endless(), 9_000).value(50_000)
    for data in (b'"' + b"a" * 100 + b'"', b"1" * 100):
        with pytest.raises(ValueError, match="too long"):
            JsonStream([data], 999).value(50)


def test_a_value_of_another_kind() -> None:
    for data in (b"3", b"[]", b'"x"', b"null"):
        with pytest.raises(OtherKind):
            list(JsonStream([data], 99).members())
    with pytest.raises(OtherKind):
        list(JsonStream([b"{}"], 99).items())


def test_packed_or_not() -> None:
    data = b"some bytes " * 50_000
    for stored in (data, gzip.compress(data)):
        parts = list(unpacked(io.BytesIO(stored)))
        assert b"".join(parts) == data
        assert max(map(len, parts)) <= 1 << 16
