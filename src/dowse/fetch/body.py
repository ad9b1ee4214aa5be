"""Reading one body: capped, metered, decoded as it comes."""

from __future__ import annotations

from typing import Protocol

from dowse.fetch.decode import Decoder
from dowse.model.http import Meter, Truncation

__all__ = ["READ_BYTES", "Body", "Stream"]

READ_BYTES = 65536


class Stream(Protocol):
    """Bytes as they arrive."""

    def at_eof(self) -> bool:
        """Is the body known to be over?"""
        ...

    async def read(self, n: int = -1) -> bytes:
        """At most ``n`` bytes, as soon as there are any; empty at the end."""
        ...


class Body:
    """One body in the making. What was read stays usable whatever ends the reading, an exception included.

    ``expected`` is the length the server declared (0: none). It is only a hint, to ask the meter for no more than can
    come.
    """

    __slots__ = ("_decoder", "_expected", "_max_wire_bytes", "_meter", "wire_bytes")

    def __init__(self, decoder: Decoder, max_wire_bytes: int, expected: int = 0, meter: Meter | None = None) -> None:
        self._decoder = decoder
        self._max_wire_bytes = max_wire_bytes
        self._expected = expected
        self._meter = meter
        self.wire_bytes = 0

    async def read(self, stream: Stream) -> Truncation:
        """Read until the end, a cap or the budget's end; says which of the last two it was."""
        if not self._decoder.open:
            return Truncation.ENCODING
        while not stream.at_eof():
            wanted = min(READ_BYTES, self._max_wire_bytes - self.wire_bytes)
            if wanted <= 0:
                return Truncation.LENGTH
            if self._meter is None:
                data = await stream.read(wanted)
            else:
                left = self._expected - self.wire_bytes
                granted = self._meter.grant(min(wanted, left) if left > 0 else wanted)
                if granted <= 0:
                    return Truncation.BUDGET
                data = b""
                try:
                    data = await stream.read(granted)
                finally:
                    if len(data) < granted:
                        self._meter.refund(granted - len(data))
            self.wire_bytes += len(data)
            if data and not self._decoder.feed(data):
                break
        return Truncation.NONE

    def finish(self, truncated: Truncation) -> tuple[bytes, Truncation]:
        """The decoded body, and why it is a prefix: what ended the reading, else what the decoder met."""
        body, met = self._decoder.finish()
        return body, met if truncated is Truncation.NONE else truncated
