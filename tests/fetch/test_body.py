"""Many large bodies at once: what they hold together stays bounded, and all of them come to their end."""

from __future__ import annotations

import asyncio
import zlib

import pytest

from dowse.fetch.body import Body
from dowse.fetch.content_coding import Decoder
from dowse.model.bodies import Bodies
from dowse.model.http import Truncation

MEGABYTE = 2**20
CAP = 4 * MEGABYTE


class Pieces:
    """A stream that gives way to others before each piece."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def at_eof(self) -> bool:
        return not self._data

    async def read(self) -> bytes:
        await asyncio.sleep(0)
        piece, self._data = self._data[:65_536], self._data[65_536:]
        return piece


async def read(body: Body, data: bytes) -> tuple[bytes, Truncation]:
    try:
        await body.read(Pieces(data))
        return await body.finish(Truncation.NONE)
    finally:
        body.release()


def test_bombs_at_once_hold_no_more_than_a_few_of_them() -> None:
    bodies, most = Bodies(3 * CAP, MEGABYTE // 4), 0
    bomb = zlib.compress(b"a" * 2 * CAP)

    async def one() -> None:
        nonlocal most
        body, truncated = await read(Body(Decoder("deflate", CAP), bodies), bomb)
        assert (len(body), truncated) == (CAP, Truncation.LENGTH)
        bodies.begin_work(CAP)
        most = max(most, bodies.reading + bodies.working)
        await asyncio.sleep(0.002)  # a worker takes its time
        bodies.end_work(CAP)

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(40)))

    asyncio.run(asyncio.wait_for(all_of_them(), 30))
    # the limit, the one that was let in last, and what each may have before it has to wait
    assert CAP <= most <= 3 * CAP + CAP + 40 * 1.3 * MEGABYTE
    assert (bodies.reading, bodies.working) == (0, 0)


@pytest.mark.parametrize("coding", ["", "deflate"])
def test_a_small_body_does_not_wait(coding: str) -> None:
    bodies = Bodies(1000, 500_000)
    bodies.begin_work(5000)  # for ever
    text = b"".join(b"%d " % number for number in range(20_000))
    data = zlib.compress(text) if coding else text
    body = Body(Decoder(coding, CAP), bodies)
    assert asyncio.run(asyncio.wait_for(read(body, data), 5)) == (text, Truncation.NONE)


def test_who_gives_up_waiting_lets_the_next_one_in() -> None:
    bodies = Bodies(1000, 1000)

    async def run() -> None:
        bodies.begin_work(5000)
        data = bytes(100_000)
        first, second = (asyncio.create_task(read(Body(Decoder("", CAP), bodies), data)) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0.01)
        assert first.cancelled()
        assert not second.done()
        bodies.end_work(5000)
        assert (await second)[0] == data

    asyncio.run(asyncio.wait_for(run(), 5))
    assert bodies.reading == 0
