"""Reading one body: capped, metered, decoded as it comes."""

from __future__ import annotations

from typing import Protocol

from dowse.fetch.decode import Decoder
from dowse.model.bodies import Bodies
from dowse.model.http import Meter, Truncation

__all__ = ["READ_BYTES", "Body", "Stream"]

READ_BYTES = 65536
_CAREFUL_BYTES = 1024  # fed at a time when memory is short: a bomb makes a megabyte of them


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
    come. ``bodies`` counts what is in memory, and makes a large body wait when that is too much.
    """

    __slots__ = ("_bodies", "_counted", "_decoder", "_expected", "_has_turn", "_max_wire_bytes", "_meter", "wire_bytes")

    def __init__(
        self,
        decoder: Decoder,
        max_wire_bytes: int,
        expected: int = 0,
        meter: Meter | None = None,
        bodies: Bodies | None = None,
    ) -> None:
        self._decoder = decoder
        self._max_wire_bytes = max_wire_bytes
        self._expected = expected
        self._meter = meter
        self._bodies = bodies or Bodies()
        self._counted = 0
        self._has_turn = False
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
            if data and not await self._feed(data):
                break
        return Truncation.NONE

    async def _feed(self, data: bytes) -> bool:
        """Decode; False: nothing after this is wanted."""
        if not self._bodies.full:
            wanted = self._decoder.feed(data)
            self._count()
            return wanted
        for start in range(0, len(data), _CAREFUL_BYTES):
            if not self._has_turn and self._bodies.full and self._decoder.size > self._bodies.small_bytes:
                await self._bodies.take_turn()
                self._has_turn = True
            wanted = self._decoder.feed(data[start : start + _CAREFUL_BYTES])
            self._count()
            if not wanted:
                return False
        return True

    def _count(self) -> None:
        size = self._decoder.size
        self._bodies.reading += size - self._counted
        self._counted = size

    def finish(self, truncated: Truncation) -> tuple[bytes, Truncation]:
        """The decoded body, and why it is a prefix: what ended the reading, else what the decoder met."""
        body, met = self._decoder.finish()
        return body, met if truncated is Truncation.NONE else truncated

    def release(self) -> None:
        """Count it no more: it is over, or was given on."""
        self._bodies.reading -= self._counted
        self._counted = 0
        if self._has_turn:
            self._has_turn = False
            self._bodies.end_turn()
