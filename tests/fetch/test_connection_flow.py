"""Bodies that come faster than they are read: all of it arrives, whatever has to wait in between."""

from __future__ import annotations

import asyncio

import pytest
import uvloop

from dowse.fetch.http import HttpTransport
from dowse.model.bodies import Bodies
from dowse.model.http import Request
from dowse.model.topic import Limits

from .servers import PRIVATE, Dns, FakeClock, chunked, hang, page, reply, response, serve


@pytest.mark.parametrize("loop", [None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("in_chunks", [False, True], ids=["length", "chunks"])
def test_a_body_that_comes_at_once_arrives_whole(in_chunks: bool, loop: object) -> None:
    """The connection stops reading while too much is unread, and must go on once it was read."""
    body = bytes(range(256)) * 12_000
    answer = (
        chunked(*(body[start : start + 60_000] for start in range(0, len(body), 60_000))) if in_chunks else page(body)
    )

    async def main() -> list[bool]:
        async with serve(reply(answer)) as site:
            out = HttpTransport(PRIVATE, Limits(), FakeClock(), Dns({}), bodies=Bodies())
            try:
                got = await asyncio.gather(*(out.fetch(Request(site.url(f"/{n}"), timeout_s=20.0)) for n in range(20)))
                return [response(one).body == body for one in got]
            finally:
                await out.close()

    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]
        assert runner.run(main()) == [True] * 20


def test_a_body_that_is_given_up_is_counted_no_more() -> None:
    async def main() -> tuple[int, int]:
        bodies = Bodies()
        async with serve(hang(page(b"slow", length=900))) as site:
            out = HttpTransport(PRIVATE, Limits(), FakeClock(), Dns({}), bodies=bodies)
            reading = asyncio.create_task(out.fetch(Request(site.url(), timeout_s=20.0)))
            await asyncio.sleep(0.2)
            counted = bodies.reading
            reading.cancel()
            await asyncio.wait((reading,))
            await out.close()
            return counted, bodies.reading

    assert asyncio.run(main()) == (4, 0)
