"""What runs beside the loop."""

from __future__ import annotations

import asyncio

from dowse.engine.loop.tasks import Tasks


def test_what_ends_wakes_the_loop_and_what_fails_is_told() -> None:
    async def main() -> tuple[list[str], int]:
        told: list[str] = []
        tasks = Tasks()
        tasks.on_error = lambda error: told.append(str(error))

        async def fails() -> None:
            raise ValueError("no")

        tasks.background(fails())
        await asyncio.wait_for(tasks.sleep(60), 20)
        return told, len(tasks)

    assert asyncio.run(main()) == (["no"], 0)


def test_the_loop_sleeps_no_longer_than_it_asked_for() -> None:
    async def main() -> None:
        await asyncio.wait_for(Tasks().sleep(0.01), 20)

    asyncio.run(main())


def test_an_exchange_counts_until_it_is_answered() -> None:
    async def main() -> list[tuple[int, int]]:
        tasks, seen = Tasks(), []
        answer, digest = asyncio.Event(), asyncio.Event()

        async def page() -> None:
            await answer.wait()
            tasks.answered()
            await digest.wait()

        tasks.start(page())
        seen.append((tasks.fetching, len(tasks)))
        answer.set()
        await tasks.sleep(60)
        seen.append((tasks.fetching, len(tasks)))
        digest.set()
        await tasks.finish(60)
        seen.append((tasks.fetching, len(tasks)))
        return seen

    assert asyncio.run(main()) == [(1, 1), (0, 1), (0, 0)]


def test_what_takes_longer_than_the_grace_is_dropped_and_is_no_failure() -> None:
    async def main() -> tuple[list[BaseException], int]:
        told: list[BaseException] = []
        tasks = Tasks()
        tasks.on_error = told.append
        tasks.background(asyncio.sleep(600))
        await asyncio.wait_for(tasks.finish(0.01), 20)
        return told, len(tasks)

    assert asyncio.run(main()) == ([], 0)


def test_it_is_asleep_until_somebody_wakes_it() -> None:
    async def main() -> list[bool]:
        tasks = Tasks()
        seen = [tasks.is_asleep]
        sleeper = asyncio.create_task(tasks.sleep(60.0))
        await asyncio.sleep(0)
        seen.append(tasks.is_asleep)
        tasks.wake()
        seen.append(tasks.is_asleep)  # it has not had its turn yet
        await sleeper
        return [*seen, tasks.is_asleep]

    assert asyncio.run(main()) == [False, True, False, False]
