from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from dowse.crawl.job import Job, Step, Work
from dowse.crawl.workers import InProcess, ProcessPool, default_workers
from dowse.model.errors import DowseError
from tests.crawl.steps import echo, job, misbehave

T = TypeVar("T")


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
    urls = ["a", "hang", "b", "c", "d"]
    answers = with_pool(misbehave, lambda pool: run_all(pool, urls), limit=0.5)
    assert answers == ["a", "over the time limit of 0.5 s", "b", "c", "d"]


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


def test_as_many_workers_as_cores() -> None:
    assert 1 <= default_workers() <= (os.cpu_count() or 1)
