from __future__ import annotations

import asyncio

from dowse.fetch.kept import Kept


class Line:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def test_the_longest_idle_of_a_site_is_taken_first_and_one_that_is_over_never() -> None:
    async def run() -> None:
        kept: Kept[Line] = Kept(most_s=9.0)
        first, second, third = Line(), Line(), Line()
        for line in (first, second, third):
            kept.keep("http://a.example", line)
        first.closed = True
        assert kept.take("http://b.example") is None
        assert kept.take("http://a.example") is second
        assert kept.take("http://a.example") is third
        assert kept.take("http://a.example") is None
        kept.close()

    asyncio.run(run())


def test_what_nobody_asks_for_is_closed_after_a_while() -> None:
    async def run() -> None:
        kept: Kept[Line] = Kept(most_s=0.05)
        old, fresh = Line(), Line()
        kept.keep("http://a.example", old)
        await asyncio.sleep(0.03)
        kept.keep("http://b.example", fresh)
        await asyncio.sleep(0.03)
        assert (old.closed, fresh.closed) == (True, False)
        await asyncio.sleep(0.08)
        assert fresh.closed

    asyncio.run(run())


def test_all_are_closed_in_the_end() -> None:
    async def run() -> None:
        kept: Kept[Line] = Kept(most_s=9.0)
        lines = [Line(), Line()]
        for line in lines:
            kept.keep("http://a.example", line)
        kept.close()
        assert all(line.closed for line in lines)
        assert kept.take("http://a.example") is None

    asyncio.run(run())
