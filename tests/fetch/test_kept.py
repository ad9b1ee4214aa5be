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
        kept: Kept[Line] = Kept(most_s=9.0, most=9)
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
        kept: Kept[Line] = Kept(most_s=0.05, most=9)
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
        kept: Kept[Line] = Kept(most_s=9.0, most=9)
        lines = [Line(), Line()]
        for line in lines:
            kept.keep("http://a.example", line)
        kept.close()
        assert all(line.closed for line in lines)
        assert kept.take("http://a.example") is None

    asyncio.run(run())


def test_there_are_only_so_many_and_the_longest_idle_goes() -> None:
    async def run() -> None:
        kept: Kept[Line] = Kept(most_s=9.0, most=3)
        lines = [Line() for _ in range(5)]
        for number, line in enumerate(lines[:4]):
            kept.keep(f"http://{number % 2}.example", line)
        assert [line.closed for line in lines] == [True, False, False, False, False]
        assert kept.take("http://0.example") is lines[2]
        kept.keep("http://0.example", lines[2])
        kept.keep("http://0.example", lines[4])
        assert [line.closed for line in lines] == [True, True, False, False, False]
        assert kept.take("http://1.example") is lines[3]
        assert kept.take("http://1.example") is None
        kept.close()

    asyncio.run(run())
