"""Headers that browsers understand and a strict parser does not, put right before it sees them."""

from __future__ import annotations

import re

__all__ = ["mended"]

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_SOUND = re.compile(rb"[^\n]*\n(?:" + _TOKEN + rb":[^\n]*\n|[ \t][^\n]*\n)*\r?\n").fullmatch
_FRAMING = re.compile(rb"\n(content-length|transfer-encoding)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_IS_TOKEN = re.compile(_TOKEN).fullmatch
_MOST_LINES = 2000  # beyond, no answer is to be saved: the parser takes 500 fields
_DIGITS = 18  # of a length: one of more is none (-1, printed without its sign, has 20)
_LENGTH, _CODING = b"content-length", b"transfer-encoding"


def mended(head: bytes) -> bytes:
    """The same headers, with one sense.

    As RFC 9112 has it (6.3), a length does not count beside a transfer coding, and one that is said twice is said once.
    A length that is no number is none, so that the body ends with the connection. Blanks before a colon go, and fields
    with a name that cannot be one. Lengths that differ stay: nobody knows which is true.
    """
    framing = [(name.lower(), value.strip()) for name, value in _FRAMING.findall(head)]
    if _SOUND(head) and (not framing or (len(framing) == 1 and _is_plain(*framing[0]))):
        return head  # as mostly
    if head.count(b"\n") > _MOST_LINES:
        return head
    lengths = {part.strip() for name, value in framing if name == _LENGTH for part in value.split(b",")}
    is_coded = any(name == _CODING and value.lower() not in (b"", b"identity") for name, value in framing)
    if len(lengths) > 1 and not is_coded:
        return head
    status, *lines = head.split(b"\n")
    fields: list[bytes] = []
    is_left_out = False
    for line in lines:
        name, colon, value = line.partition(b":")
        if not line.startswith((b" ", b"\t")):  # else the field before goes on, as of old
            name = name.rstrip(b" \t")
            is_framing = name.lower() == _LENGTH or (name.lower() == _CODING and not is_coded)
            is_left_out = bool(colon) and (is_framing or not _IS_TOKEN(name))
            line = name + colon + value
        if not is_left_out:
            fields.append(line)
    while fields and fields[0].startswith((b" ", b"\t")):
        del fields[0]  # goes on with the status line: it must not go on with the length
    for length in lengths:
        if not is_coded and _is_plain(_LENGTH, length):
            fields.insert(0, b"Content-Length: %b\r" % length)
    return b"\n".join([status, *fields])


def _is_plain(name: bytes, value: bytes) -> bool:
    return value.isdigit() and len(value) <= _DIGITS if name == _LENGTH else value.lower() != b"identity"
