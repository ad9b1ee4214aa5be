"""A WARC record to the response it recorded, with the body as a crawler gets it: not chunked, not compressed."""

from __future__ import annotations

import re
from dataclasses import replace

from dowse.fetch import Decoder
from dowse.model.http import Response, Truncation
from dowse.model.url import canonical
from dowse.store.warc_records import Record

__all__ = ["KINDS", "read_http", "read_response", "target_of"]

KINDS = frozenset(("response", "resource", "revisit"))
"""The types of record that hold an answer."""

_MAX_BODY = 1 << 25
_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})(?: +([^\r\n]*))?")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_FOLD = re.compile(r"\r?\n[ \t]+")
_TRUNCATIONS = {
    "length": Truncation.LENGTH, "time": Truncation.TIME, "disconnect": Truncation.DISCONNECT,
    "unspecified": Truncation.ENCODING,
}  # fmt: skip


def target_of(record: Record) -> str | None:
    """The canonical address a record is about; None when it is none of the web."""
    return canonical(record.headers.get("warc-target-uri", "").strip("<>"))  # Wget puts it in brackets


def read_response(record: Record, url: str, original: Record | None = None) -> Response | None:
    """The recorded response; None when the record holds none. A revisit has its body from ``original``."""
    kind = record.kind
    if kind == "resource":
        content_type = record.headers.get("content-type", "")
        headers = (("Content-Type", content_type),) if content_type else ()
        return Response(url, 200, headers, record.block, wire_bytes=len(record.block))
    response = read_http(record, url)
    if kind != "revisit" or response is None:
        return response
    first = None if original is None else read_response(original, url)
    if first is None:
        return None
    return replace(response, body=first.body, wire_bytes=first.wire_bytes, truncated=first.truncated)


def read_http(record: Record, url: str) -> Response | None:
    """What the record itself holds: of a revisit, status and headers."""
    block = record.block
    status = _STATUS.match(block)
    if status is None:
        return None
    end = _END.search(block)
    head, body = (block, b"") if end is None else (block[: end.start()], block[end.end() :])
    headers = _headers(head)
    values = {name.lower(): value for name, value in reversed(headers)}  # of several, the first
    if "chunked" in values.get("transfer-encoding", "").lower():
        body = _unchunked(body)
    truncated = _TRUNCATIONS.get(record.headers.get("warc-truncated", "").lower(), Truncation.NONE)
    size = len(body)
    if encoding := values.get("content-encoding", ""):
        decoder = Decoder(encoding, _MAX_BODY)
        decoder.feed(body)
        body, met = decoder.finish()
        truncated = truncated or met
    if len(body) > _MAX_BODY:
        body, truncated = body[:_MAX_BODY], truncated or Truncation.LENGTH
    declared = values.get("x-archive-orig-content-length") or values.get("content-length", "")
    if not truncated and declared.isascii() and declared.isdigit() and len(declared) < 16:
        size = int(declared)
    return Response(
        url,
        int(status[1]),
        tuple(headers),
        body,
        reason=_text(status[2] or b"").strip(),
        wire_bytes=size,
        truncated=truncated,
        address=record.headers.get("warc-ip-address", ""),
    )


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _headers(head: bytes) -> list[tuple[str, str]]:
    lines = _FOLD.sub(" ", _text(head)).split("\n")[1:]
    pairs = (line.partition(":") for line in lines)
    return [(name.strip(), value.strip()) for name, colon, value in pairs if colon]


def _unchunked(body: bytes) -> bytes:
    """What the chunks hold, up to where they are cut; a body that is not in chunks, whatever its header says, as is."""
    parts: list[bytes] = []
    at = 0
    while (size := _CHUNK.match(body, at)) is not None and (length := int(size[1], 16)):
        end = size.end() + length
        parts.append(body[size.end() : end])
        at = end + (2 if body.startswith(b"\r\n", end) else 1)
        if end < len(body) and body[at - 1] != ord("\n"):
            return body
    return b"".join(parts) if parts or size is not None else body
