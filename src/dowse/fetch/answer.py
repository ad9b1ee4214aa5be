"""A request over a connection, and the answer to it, read by aiohttp's parser."""

from __future__ import annotations

import asyncio

import aiohttp
from aiohttp.http import RawResponseMessage

from dowse.fetch.body import READ_BYTES, Body
from dowse.fetch.decode import Decoder
from dowse.fetch.exchange import header_text
from dowse.fetch.receiver import Receiver
from dowse.model.bodies import Bodies
from dowse.model.http import Meter, Request, Truncation, is_unwanted

__all__ = ["ask", "header_texts", "receive"]

_MAX_LINE_BYTES = 16_384
_MAX_FIELD_BYTES = 65_536
_MAX_HEADERS = 500


async def ask(
    protocol: Receiver, request: Request, target: str, headers: bytes, meter: Meter | None, deadline: float
) -> tuple[RawResponseMessage, aiohttp.StreamReader]:
    """Send a request; what came before the deadline is the answer's headers, and its body to come."""
    _send(protocol, request.method, target, headers)
    protocol.expect(request.max_wire_bytes, meter)
    timer = asyncio.get_running_loop().call_at(deadline, protocol.set_exception, TimeoutError())
    try:
        message, content = await _headers(protocol)
    finally:
        timer.cancel()
    if message.code < 200:
        raise aiohttp.ClientPayloadError(f"status {message.code} without being asked for")
    return message, content


def _send(protocol: Receiver, method: str, target: str, headers: bytes) -> None:
    protocol.set_response_params(
        skip_payload=method == "HEAD",
        read_until_eof=True,
        auto_decompress=False,
        read_bufsize=READ_BYTES,
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_FIELD_BYTES,
        max_headers=_MAX_HEADERS,
    )
    if protocol.transport is None:
        raise ConnectionResetError("the connection ended before the request")
    protocol.transport.write(b"%b HTTP/1.1\r\n%b\r\n" % (f"{method} {target}".encode(), headers))


async def _headers(protocol: Receiver) -> tuple[RawResponseMessage, aiohttp.StreamReader]:
    """The answer's headers and its body to come; what is only said in between (100 Continue) is passed over."""
    while True:
        message, payload = await protocol.read()
        if not 100 <= message.code < 200 or message.code == 101:
            return message, payload


def header_texts(raw: tuple[tuple[bytes, bytes], ...]) -> tuple[tuple[str, str], ...]:
    try:
        return tuple([(name.decode(), value.decode()) for name, value in raw])
    except UnicodeDecodeError:
        return tuple([(header_text(name), header_text(value)) for name, value in raw])


async def receive(
    request: Request, message: RawResponseMessage, content: aiohttp.StreamReader, protocol: Receiver, bodies: Bodies,
    deadline: float,
) -> tuple[bytes, Truncation]:  # fmt: skip
    """The decoded body, and why it is only a prefix where it is; a fault ends the prefix."""
    headers = message.headers
    if request.method != "HEAD" and is_unwanted(headers.get("Content-Type"), request.accept_types):
        return b"", Truncation.TYPE
    codings = ",".join(headers.getall("Content-Encoding", ()))
    until_end = not message.chunked and "Content-Length" not in headers
    if not codings and not bodies.full and (whole := _whole(request, content)) is not None:
        return whole, protocol.cut or (Truncation.DISCONNECT if until_end and protocol.broke else Truncation.NONE)
    body = Body(Decoder(codings, request.max_body_bytes), bodies)
    try:
        truncated = await _read_on(content, protocol, body, deadline)
        if protocol.cut:
            truncated = protocol.cut
        elif truncated is Truncation.NONE and until_end and protocol.broke:
            truncated = Truncation.DISCONNECT
        return await body.finish(truncated)
    finally:
        body.release()


def _whole(request: Request, content: aiohttp.StreamReader) -> bytes | None:
    """A body that is there already, and no larger than it may be; None where it has to be looked at as it comes."""
    if not content.is_eof() or content.exception() or content.total_bytes > request.max_body_bytes:
        return None
    return content.read_nowait()


async def _read_on(content: aiohttp.StreamReader, protocol: Receiver, body: Body, deadline: float) -> Truncation:
    """Read a body that is still arriving, or has to wait for memory, until it or its connection ends or time is up."""
    lost = protocol.closed

    def end(_: asyncio.Future[None] | None = None) -> None:
        # aiohttp drops the connection at a malformed chunk, but lets the reader of the body wait on.
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection ended within the body"))

    if lost is None:
        end()
    else:
        lost.add_done_callback(end)
    try:
        async with asyncio.timeout_at(deadline):
            await body.read(content)
        return Truncation.NONE
    except TimeoutError:
        return Truncation.TIME
    except (aiohttp.ClientError, OSError):
        return Truncation.DISCONNECT
    finally:
        if lost is not None:
            lost.remove_done_callback(end)
