from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from dowse.fetch.threads import Threads

LEAVING = """
import asyncio, time
from dowse.fetch.threads import Threads

async def main():
    try:
        await asyncio.wait_for(Threads(2, "slow").call(time.sleep, 60), 0.2)
    except TimeoutError:
        print("left")

asyncio.run(main())
"""


def test_calls_are_answered_by_so_many_threads_at_most() -> None:
    names: set[str] = set()

    def work(number: int) -> int:
        names.add(threading.current_thread().name + str(threading.get_ident()))
        time.sleep(0.01)
        return number * 2

    async def main() -> list[int]:
        threads = Threads(3, "few")
        try:
            return await asyncio.gather(*(threads.call(work, number) for number in range(20)))
        finally:
            threads.close()

    assert asyncio.run(main()) == [number * 2 for number in range(20)]
    assert 1 <= len(names) <= 3


def test_an_exception_is_the_callers_and_who_left_is_not_told() -> None:
    def fail() -> None:
        raise OSError("no such name")

    async def main() -> None:
        threads = Threads(1, "one")
        called: list[int] = []
        with pytest.raises(OSError, match="no such name"):
            await threads.call(fail)
        slow = asyncio.create_task(threads.call(time.sleep, 0.2))
        behind = asyncio.create_task(threads.call(called.append, 1))
        await asyncio.sleep(0.05)
        behind.cancel()
        await slow
        await threads.call(called.append, 2)
        assert called == [2], "what was cancelled before its turn is not called"
        threads.close()

    asyncio.run(main())


def test_a_program_ends_while_a_call_goes_on() -> None:
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, timeout=50)
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)
    assert time.monotonic() - began < 40
