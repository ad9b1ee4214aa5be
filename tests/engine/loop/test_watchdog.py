from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable

import pytest
import uvloop

from dowse.engine.loop.watchdog import HELD_S, Watchdog

Loop = Callable[[], asyncio.AbstractEventLoop]


def watched(work: Callable[[], object], loop: Loop | None) -> list[tuple[str, float]]:
    """What is told of a loop in which this is done."""
    told: list[tuple[str, float]] = []

    async def main() -> None:
        dog = Watchdog(lambda place, held_s: told.append((place, held_s)))
        dog.start()
        await asyncio.sleep(0.1)
        work()
        await asyncio.sleep(0.1)
        dog.stop()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())
    return told


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def backtrack() -> None:
    """One call of the regular expression engine, which lets no other thread run: some tenths of a second."""
    size, never = 20, re.compile("(?:a|a)*b").match
    while True:
        began = time.thread_time()
        never("a" * size)
        if time.thread_time() - began > 1.5 * HELD_S:
            return
        size += 1


@pytest.mark.parametrize("loop", [None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize(("work", "name"), [(lambda: busy(2 * HELD_S), "busy"), (backtrack, "backtrack")])
def test_a_held_loop_is_noticed_and_the_place_is_told(work: Callable[[], None], name: str, loop: Loop | None) -> None:
    told = watched(work, loop)
    assert told
    place, held_s = max(told, key=lambda one: one[1])
    assert name in place
    assert held_s >= HELD_S


def test_waiting_and_short_work_are_no_cause_for_alarm() -> None:
    def work() -> None:
        time.sleep(2 * HELD_S)  # a busy machine looks like that
        busy(HELD_S / 4)

    assert watched(work, None) == []
