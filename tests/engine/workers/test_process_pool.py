from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from dowse.engine.workers.job import Job, Lost, Step, Work
from dowse.engine.workers.port import InProcess, default_workers
from dowse.engine.workers.process_pool import ProcessPool
from dowse.model.errors import DowseError
from tests.engine.steps import echo, job, misbehave, tell

T = TypeVar("T")
NAMES = ["a", "raise", "hang", "b"]


def with_pool(step: Step, use: Callable[[ProcessPool], Awaitable[T]], *, count: int = 2, limit: float = 20.0) -> T:
    async def main() -> T:
        pool = ProcessPool(step, count, limit)
        await pool.start()
        try:
            return await use(pool)
        finally:
            await pool.close()

    return asyncio.run(main())


async def run_all(pool: ProcessPool, urls: list[str]) -> list[str]:
    works = await asyncio.gather(*(pool.run(job(url)) for url in urls))
    return [work.error for work in works]


def test_every_job_gets_its_own_answer() -> None:
    urls = [f"page {n}" for n in range(200)]
    assert with_pool(echo, lambda pool: run_all(pool, urls)) == urls


def test_large_bodies_pass_both_ways() -> None:
    body = os.urandom(5_000_000)

    async def use(pool: ProcessPool) -> Work:
        return await pool.run(job("large", body))

    assert with_pool(misbehave, use, count=1).archive == [body]


def test_a_worker_that_dies_costs_one_page() -> None:
    urls = [f"page {n}" for n in range(20)]
    urls[7] = "die"
    answers = with_pool(misbehave, lambda pool: run_all(pool, urls))
    assert answers[7] == "the worker died twice"
    assert answers[:7] + answers[8:] == urls[:7] + urls[8:]


def test_a_page_over_the_time_limit_is_given_up() -> None:
    urls = ["a", "http://evil.test/hang", "b", "c", "d"]
    answers = with_pool(misbehave, lambda pool: run_all(pool, urls), limit=0.5)
    assert answers == ["a", "over the time limit of 0.5 s", "b", "c", "d"]


def test_pages_that_take_long_leave_a_worker_to_other_domains() -> None:
    evil = [f"http://s{n}.evil.test/hang" for n in range(8)]
    good = [f"http://good.test/{n}" for n in range(40)]

    async def use(pool: ProcessPool) -> tuple[list[str], list[Work], int]:
        held = [asyncio.create_task(pool.run(job(url))) for url in evil]
        await asyncio.sleep(1.2)  # both workers may have begun one; both are noticed to take long
        behind = [asyncio.create_task(pool.run(job(url))) for url in good]
        backlog = pool.backlog
        answers = [(await task).error for task in behind]
        return answers, await asyncio.gather(*held), backlog

    answers, held, backlog = with_pool(misbehave, use, limit=3.0)
    assert answers == good
    assert backlog <= len(good), "what waits of a domain whose pages take long is no backlog"
    given_up = [work for work in held if work.given_up]
    assert 1 <= len(given_up) <= 4, "one or two workers were lost over it, and what one of them held"
    assert all(work.busy_s >= 2.9 for work in given_up)
    assert all(work.put_off and work.digest is None for work in held if not work.given_up)


def test_calls_are_made_within_the_limits_of_a_page() -> None:
    async def use(pool: ProcessPool) -> list[str | Lost]:
        return [
            await pool.call("http://a.test/", tell, n, name=name) for n, name in enumerate(["a", "raise", "hang", "b"])
        ]

    first, raised, hung, last = with_pool(misbehave, use, count=1, limit=1.0)
    assert isinstance(first, str)
    assert first.startswith("a 0 ")
    assert not first.endswith(str(os.getpid())), "in another process"
    assert raised == Lost("ValueError: nothing to tell")
    assert hung == Lost("over the time limit of 1 s")
    assert isinstance(last, str)


def test_nobody_waits_behind_a_large_page() -> None:
    urls = [f"page {n}" for n in range(20)]

    async def use(pool: ProcessPool) -> list[str]:
        while not all(worker.ready for worker in pool._workers):  # noqa: ASYNC110  nobody else needs an event
            await asyncio.sleep(0.01)
        large = asyncio.create_task(pool.run(job("hang", bytes(2_000_000))))
        await asyncio.sleep(0)  # it is sent first
        try:
            return await asyncio.wait_for(run_all(pool, urls), 30)
        finally:
            large.cancel()

    assert with_pool(misbehave, use, limit=100.0) == urls


def test_an_exception_and_a_memory_hog_are_answers() -> None:
    answers = with_pool(misbehave, lambda pool: run_all(pool, ["raise", "eat", "fine"]), count=1)
    assert answers == ["ValueError: a page no parser expected", "MemoryError: ", "fine"]


def test_a_worker_killed_from_outside_is_replaced() -> None:
    async def use(pool: ProcessPool) -> list[str]:
        first = await run_all(pool, ["a", "b"])
        for worker in pool._workers:
            os.kill(worker.process.pid, signal.SIGKILL)
        return first + await run_all(pool, ["c", "d"])

    answers = with_pool(echo, use)
    assert answers[:2] == ["a", "b"]
    assert answers[2:] == ["c", "d"], "killed from outside, a worker costs no page"


def test_workers_that_cannot_start_are_said_so() -> None:
    class Unloadable:
        def __call__(self, job: Job) -> Work:
            raise AssertionError

        def __reduce__(self) -> tuple[object, ...]:
            return os._exit, (3,)  # dies while the worker takes it up

    with pytest.raises(DowseError, match="--workers 0"):
        with_pool(Unloadable(), lambda pool: run_all(pool, ["a"]), count=1)


def test_in_process_gives_the_same_answers() -> None:
    async def main() -> list[str]:
        workers = InProcess(misbehave)
        return [(await workers.run(job(url))).error for url in ("a", "raise")]

    assert asyncio.run(main()) == ["a", "ValueError: a page no parser expected"]

    async def calls() -> list[str | Lost]:
        workers = InProcess(misbehave)
        return [await workers.call("", tell, 1, name="a"), await workers.call("", tell, 1, name="raise")]

    assert asyncio.run(calls()) == [f"a 1 {os.getpid()}", Lost("ValueError: nothing to tell")]


def test_as_many_workers_as_cores() -> None:
    assert 1 <= default_workers() <= (os.cpu_count() or 1)
