from __future__ import annotations

import asyncio
import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.replay.virtual_time import VirtualClock, VirtualLoop, run


def test_hours_pass_in_no_time() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(loop)
    started = time.monotonic()

    async def main() -> tuple[float, float]:
        before = clock.wall()
        await clock.sleep(7200)
        return clock.now(), clock.wall() - before

    assert run(main(), loop) == (7200, 7200)
    assert time.monotonic() - started < 60


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(0, 1000)), max_size=12))
def test_sleepers_wake_in_the_order_of_their_times(sleeps: list[tuple[float, float]]) -> None:
    loop = VirtualLoop()
    clock = VirtualClock(loop)
    woken: list[tuple[float, int]] = []

    async def sleeper(number: int, first: float, second: float) -> None:
        await clock.sleep(first)
        await clock.sleep(second)
        woken.append((clock.now(), number))

    async def main() -> None:
        await asyncio.gather(*(sleeper(number, *pair) for number, pair in enumerate(sleeps)))

    run(main(), loop)
    assert [at for at, _ in woken] == sorted(at for at, _ in woken)
    for at, number in woken:
        assert at == pytest.approx(sum(sleeps[number]), abs=1e-6)


def test_timeouts_are_virtual_too() -> None:
    loop = VirtualLoop()

    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    assert run(main(), loop) == pytest.approx(30)


def test_waiting_for_nothing_is_told_not_waited_for() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="cannot come"):
        run(main(), VirtualLoop())


@pytest.mark.parametrize("where", ["main", "task"])
def test_an_interruption_leaves_nothing_to_complain_of(where: str, caplog: pytest.LogCaptureFixture) -> None:
    """As Ctrl-C does, in the midst of several tasks: it is raised, and nobody speaks of the tasks it left undone."""
    loop = VirtualLoop()
    ended: list[str] = []

    async def interrupted() -> None:
        await asyncio.sleep(1)
        raise KeyboardInterrupt

    async def sleeper() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0)  # needs a loop that still runs
            ended.append("sleeper")

    async def crawl() -> None:
        tasks = {asyncio.create_task(sleeper()), asyncio.create_task(interrupted())}
        if where == "main":
            await interrupted()
        await asyncio.wait(tasks)

    with pytest.raises(KeyboardInterrupt):
        run(crawl(), loop)
    gc.collect()
    assert ended == ["sleeper"]
    assert caplog.records == []


def test_two_that_wait_for_the_last_moment_do_not_hold_up_the_clock() -> None:
    """Each wakes a turn after the other, so that there is always something to do at this very instant."""
    loop = VirtualLoop()
    until = 69.7 + 1e-11  # nearer than asyncio takes for now

    async def waits() -> int:
        turns = 0
        while loop.time() < until and turns < 100:
            turns += 1
            future = loop.create_future()
            loop.call_later(until - loop.time(), future.set_result, None)
            await future
        return turns

    async def main() -> tuple[int, int]:
        await asyncio.sleep(69.7)
        first = asyncio.create_task(waits())
        await asyncio.sleep(0)
        return await asyncio.gather(first, waits())

    assert max(run(main(), loop)) < 100
