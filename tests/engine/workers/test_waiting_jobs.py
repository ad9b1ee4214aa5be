"""Domains take turns, whatever one of them sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from dowse.engine.workers.waiting_jobs import WaitingJobs
from dowse.engine.workers.worker_connection import Task
from tests.engine.steps import job


def made(domain: str, number: int) -> Task:
    return Task(job(f"{domain} {number}"), domain, number)


def served(waiting: WaitingJobs, may: Callable[[Task], bool] = lambda task: True) -> list[str]:
    names = []
    while (task := waiting.next(may)) is not None:
        names.append(f"{task.domain}{task.size}")
    return names


def in_loop(use: Callable[[], None]) -> None:
    """Tasks are made where a loop runs: each has a future."""

    async def main() -> None:
        use()

    asyncio.run(main())


def test_domains_take_turns_and_each_has_its_own_order() -> None:
    def use() -> None:
        waiting = WaitingJobs()
        for domain, number in [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("b", 2)]:
            waiting.add(made(domain, number))
        assert served(waiting) == ["a1", "b1", "c1", "a2", "b2", "a3"]
        assert not waiting

    in_loop(use)


def test_who_comes_late_waits_for_one_job_of_each_other() -> None:
    def use() -> None:
        waiting = WaitingJobs()
        for number in range(60):
            waiting.add(made("many", number))
        waiting.next(lambda task: True)
        waiting.add(made("good", 1))
        assert served(waiting)[:3] == ["many1", "good1", "many2"]

    in_loop(use)


def test_what_may_not_go_leaves_its_turn_and_stays() -> None:
    def use() -> None:
        waiting = WaitingJobs()
        for domain, number in [("a", 1), ("a", 2), ("b", 1)]:
            waiting.add(made(domain, number))
        assert served(waiting, lambda task: task.domain != "a") == ["b1"]
        assert served(waiting, lambda task: task.size == 2) == ["a2"]
        assert (waiting.of("a"), waiting.of("b")) == (1, 0)

    in_loop(use)


def test_what_is_done_is_dropped_and_what_comes_back_goes_first() -> None:
    def use() -> None:
        waiting = WaitingJobs()
        first, second, other = made("a", 1), made("a", 2), made("b", 1)
        for task in (first, second, other):
            waiting.add(task)
        first.done.cancel()
        waiting.put_back(made("b", 0))
        assert served(waiting) == ["b0", "a2", "b1"]

    in_loop(use)


def test_one_domain_among_several_is_a_small_part_of_the_backlog() -> None:
    def use() -> None:
        waiting = WaitingJobs()
        for number in range(60):
            waiting.add(made("many", number))
        assert waiting.count(set()) == 60, "alone, all of it waits"
        waiting.add(made("good", 1))
        assert waiting.count(set()) == 4 + 1
        assert waiting.count({"many"}) == 1
        assert len(waiting.take("many")) == 60
        assert [task.domain for task in waiting.clear()] == ["good"]

    in_loop(use)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_every_job_is_served_once_and_nobody_is_overtaken_twice(steps: list[tuple[str, bool]]) -> None:
    """Against the rule: between two jobs of a domain that waits, each other domain has at most one of its own."""

    def use() -> None:
        waiting, put_in, got = WaitingJobs(), [], []
        for number, (domain, takes) in enumerate(steps):
            waiting.add(made(domain, number))
            put_in.append((domain, number))
            if takes and (task := waiting.next(lambda task: True)) is not None:
                got.append((task.domain, task.size))
        begun = len(got)
        while (task := waiting.next(lambda task: True)) is not None:
            got.append((task.domain, task.size))
        assert sorted(got) == sorted(put_in)
        for domain in "abc":
            assert [number for name, number in got if name == domain] == [n for d, n in put_in if d == domain]
        rest = [name for name, _ in got[begun:]]
        for place, name in enumerate(rest):
            if name in rest[place + 1 :]:
                between = rest[place + 1 : rest.index(name, place + 1)]
                assert len(between) == len(set(between)), "one job each in turn"

    in_loop(use)
