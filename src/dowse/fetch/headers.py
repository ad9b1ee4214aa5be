"""The head of an answer: its status line and headers, read as browsers read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dowse.fetch.faults import Malformed, clean

__all__ = ["MAX_FIELDS", "MAX_FIELD_BYTES", "MAX_HEAD_BYTES", "Head", "head_end", "read_head"]

MAX_HEAD_BYTES = 262_144
"""Of an answer's head, together with all interim answers (1xx) before it."""

MAX_FIELD_BYTES = 65_536
MAX_FIELDS = 500
_MAX_STATUS_BYTES = 16_384
_MAX_LINES = 2_000  # with those that are passed over
_MAX_DIGITS = 18  # of a length: one of more is none (-1, printed without its sign, has 20)

_STATUS = re.compile(r"HTTP/([0-9])\.([0-9]) +([0-9]{3})(?: +(.*))?").fullmatch
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+").fullmatch
_LENGTH, _CODING, _CONNECTION = "content-length", "transfer-encoding", "connection"
_TYPE, _ENCODING = "content-type", "content-encoding"
_READ_HERE = frozenset((_LENGTH, _CODING, _CONNECTION, _TYPE, _ENCODING))


@dataclass(frozen=True, slots=True)
class Head:
    """A status line, the headers in their order, and what these say about the body and the connection."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    length: int | None  # of the body; None: it is not told
    is_chunked: bool
    keeps_open: bool  # may the connection serve another request?
    content_type: str | None
    content_encoding: str  # all of them, in one line


def head_end(data: bytes | bytearray, start: int = 0) -> int:
    """Where a head ends that is looked for from ``start`` on; -1: it is not complete."""
    end = data.find(b"\n\r\n", start)
    bare = data.find(b"\n\n", start, end + 1 if end >= 0 else len(data))
    if bare >= 0:
        return bare + 2
    return end + 3 if end >= 0 else -1


def read_head(block: bytes) -> Head:
    """Read a whole head, the blank line at its end included. Raises :class:`Malformed`.

    What is said badly is understood where it has one sense only. As RFC 9112 has it (6.3), a length does not count
    beside a transfer coding, and one that is said twice is said once. A length that is no number is none, so that the
    body ends with the connection. Blanks before a colon go, and so do fields with a name that cannot be one. Lengths
    that differ are a fault: nobody knows which is true.
    """
    try:
        text, is_utf8 = block.decode(), True
    except UnicodeDecodeError:
        text, is_utf8 = block.decode("utf-8", "surrogateescape"), False
    if "\0" in text or text.count("\r") != text.count("\r\n"):
        raise Malformed("a NUL or a bare CR in the headers")
    first, *lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > _MAX_LINES:
        raise Malformed(f"more than {MAX_FIELDS} headers")
    status = _STATUS(first)
    if status is None or len(first) > _MAX_STATUS_BYTES:
        raise Malformed("not the status line of an HTTP answer")
    fields = list(_fields(lines))
    if len(fields) > MAX_FIELDS:
        raise Malformed(f"more than {MAX_FIELDS} headers")
    return _head(status, fields if is_utf8 else [(_readable(name), _readable(value)) for name, value in fields])


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Names and values. A line that begins with a blank goes on with the one before."""
    if any(line.startswith((" ", "\t")) for line in lines):
        lines = _unfolded(lines)
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            if line:
                raise Malformed("a header without a colon")
            return
        if len(value) > MAX_FIELD_BYTES:
            raise Malformed(f"a header of more than {MAX_FIELD_BYTES:,} bytes")
        if _lowered(name) or ((name := name.rstrip(" \t")) and _lowered(name)):
            yield name, value.strip(" \t")


def _unfolded(lines: list[str]) -> list[str]:
    whole: list[list[str]] = []
    for line in lines:
        if not line.startswith((" ", "\t")):
            whole.append([line])
        elif whole:  # else it goes on with the status line
            whole[-1].append(line.strip(" \t"))
    return [" ".join(parts) for parts in whole]


@lru_cache(maxsize=1024)
def _lowered(name: str) -> str:
    """A field's name in lower case; empty where it cannot be one."""
    return name.lower() if _TOKEN(name) else ""


def _readable(text: str) -> str:
    """UTF-8 where it is, else Latin-1, which every byte string is."""
    raw = text.encode("utf-8", "surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _head(status: re.Match[str], fields: list[tuple[str, str]]) -> Head:
    told: dict[str, list[str]] = {}
    for name, value in fields:
        if (lowered := _lowered(name)) in _READ_HERE:
            told.setdefault(lowered, []).append(value)
    codings = _listed(told.get(_CODING))
    is_coded = any(coding not in ("", "identity") for coding in codings)
    length = None if is_coded else _length(told.get(_LENGTH))
    if told.get(_LENGTH, []) != ([] if length is None else [str(length)]) or (_CODING in told and not is_coded):
        fields = _with_one_sense(fields, is_coded, length)
    options = _listed(told.get(_CONNECTION))
    is_old = status[1] == "0" or status[1] + status[2] == "10"
    return Head(
        status=int(status[3]),
        reason=clean(status[4] or ""),
        headers=tuple(fields),
        length=length,
        is_chunked=is_coded and codings[-1] == "chunked",
        keeps_open="close" not in options and (not is_old or "keep-alive" in options),
        content_type=told[_TYPE][0] if _TYPE in told else None,
        content_encoding=",".join(told[_ENCODING]) if _ENCODING in told else "",
    )


def _listed(values: list[str] | None) -> list[str]:
    """The parts of a field whose value is a list, in lower case."""
    return [part.strip(" \t") for part in ",".join(values).lower().split(",")] if values else []


def _length(values: list[str] | None) -> int | None:
    if not values:
        return None
    said = set(_listed(values))
    if len(said) > 1:
        raise Malformed("lengths that differ")
    (digits,) = said
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS else None


def _with_one_sense(fields: list[tuple[str, str]], is_coded: bool, length: int | None) -> list[tuple[str, str]]:
    """The fields with one length at the most, and without a coding that is none."""
    wrong = (_LENGTH,) if is_coded else (_LENGTH, _CODING)
    kept = [field for field in fields if field[0].lower() not in wrong]
    return kept if length is None else [("Content-Length", str(length)), *kept]
