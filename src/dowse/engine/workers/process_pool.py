"""The process pool: pages are parsed and judged beside the engine, each within a time limit.

A worker takes jobs in order and has at most two: one it works on and one waiting in its socket, so that it never
idles between two pages; behind a very large page, or one that takes long, nobody waits. A new worker takes the place of
one that is lost, and its jobs go to others. The page it was working on is given up when it ran over the time limit, or
when a second worker died over it: the first may have been killed from outside.

Domains take turns (``waiting_jobs``). No domain can have all workers with pages that take long: while one of its pages
is in work for more than half a second, it gets no second worker, and what waits of it does not count as backlog. When a
page ran over its time, what waits of its domain is put off: its sites have to wait their turn again.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, ParamSpec, TypeVar

from dowse.engine.workers.job import Call, Job, Lost, Step, Work
from dowse.engine.workers.start import Started, start_afresh
from dowse.engine.workers.waiting_jobs import WaitingJobs
from dowse.engine.workers.wire import frame
from dowse.engine.workers.worker_connection import Task, WorkerConnection
from dowse.frontier.scope import registered_domain
from dowse.model.bodies import Bodies
from dowse.model.errors import DowseError

__all__ = ["ProcessPool"]

_STARTS_IN_VAIN = 3
# a page's arrays are small: threads for them, as many as cores in each worker, only take start-up time
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
_NO_WORKERS = "worker processes do not start; try --workers 0"

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class ProcessPool:
    """``count`` worker processes that share one queue. ``bodies`` counts the bodies that wait for them; workers that
    were ``prepared`` are taken first."""

    def __init__(
        self, step: Step, count: int, time_limit_s: float, bodies: Bodies | None = None,
        prepared: Iterable[Started] = (),
    ) -> None:  # fmt: skip
        self._prepared = list(prepared)
        self._bodies = bodies or Bodies()
        self.time_limit_s = time_limit_s
        self._greeting = frame(pickle.dumps(step, 5))
        self.count = count
        self._workers: list[WorkerConnection] = []
        self._waiting = WaitingJobs()
        self._closing = False
        self._in_vain = 0
        self._restarts: set[asyncio.Task[None]] = set()
        self._all_gone = asyncio.Event()
        self.died = 0  # workers lost so far

    @property
    def backlog(self) -> int:
        return self._waiting.count(but=self._long_domains())

    def waiting_of(self, url: str) -> int:
        return self._waiting.of(_domain(url)) if self._waiting else 0

    def keeps_long(self, url: str) -> bool:
        long = self._long_domains()
        return bool(long) and _domain(url) in long

    def _long_domains(self) -> set[str]:
        """Domains one of whose pages takes long just now."""
        return {worker.tasks[0].domain for worker in self._workers if worker.is_long and worker.tasks}

    def _calling_domains(self) -> set[str]:
        """Domains for which a function is called just now. Calls are made because they may take long, so one at a time
        is enough for a domain."""
        return {task.domain for worker in self._workers for task in worker.tasks if task.is_call}

    async def start(self) -> None:
        for _ in range(self.count):
            await self._start_one()

    async def _start_one(self) -> None:
        started = self._prepared.pop() if self._prepared else start_afresh(**_ONE_THREAD)
        connection = WorkerConnection(self, started.process)
        started.sock.setblocking(False)
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=started.sock)
        except BaseException:
            started.end()
            raise
        self._workers.append(connection)
        connection.greet(self._greeting)

    async def run(self, job: Job) -> Work:
        done: Work = await self._done(Task(job, _domain(job.response.url), len(job.response.body)))
        return done

    async def call(
        self, url: str, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs
    ) -> _Found | Lost:
        size = sum(len(value) for value in given if isinstance(value, bytes))
        done: _Found | Lost = await self._done(Task(Call(partial(function, **named), given), _domain(url), size))
        return done

    async def _done(self, task: Task) -> Any:
        if self._in_vain >= _STARTS_IN_VAIN:
            raise DowseError(_NO_WORKERS)
        self._bodies.begin_work(task.size)
        try:
            self._waiting.add(task)
            self.feed()
            return await task.done
        finally:
            self._bodies.end_work(task.size)

    def feed(self) -> None:
        """Give waiting jobs to the workers that hold the fewest."""
        while self._waiting:
            chosen = None
            for worker in self._workers:
                if worker.has_room and (chosen is None or len(worker.tasks) < len(chosen.tasks)):
                    chosen = worker
            if chosen is None:
                return
            task = self._next()
            if task is None:
                return
            chosen.send(task)

    def _next(self) -> Task | None:
        """The next whose domain has no worker that it keeps for long."""
        long, calling = self._long_domains(), self._calling_domains()
        return self._waiting.next(
            lambda task: task.domain not in long and not (task.is_call and task.domain in calling)
        )

    def move(self, behind: list[Task]) -> None:
        """Who waits behind a page that takes long goes to another worker; the first that is done with it answers."""
        for task in reversed(behind):
            task.holder = None
            self._waiting.put_back(task)

    def _put_off(self, domain: str) -> None:
        """One page of a domain was given up: what else waits of it shall not cost as much at once."""
        for task in self._waiting.take(domain):
            if not isinstance(task.job, Job):
                self._waiting.add(task)
            elif not task.done.done():
                task.done.set_result(Work(put_off=True))

    def lost(self, worker: WorkerConnection) -> None:
        """A worker is gone: its first job failed with it, the others are given to somebody else."""
        if worker in self._workers:
            self._workers.remove(worker)
        worker.process.kill()
        worker.process.wait()
        if self._closing:
            if not self._workers:
                self._all_gone.set()
            return
        self.died += 1
        if worker.tasks and worker.tasks[0].holder is worker:
            first = worker.tasks[0]
            first.deaths += 1
            if worker.overdue or first.deaths > 1:
                worker.tasks.popleft()
                over = f"over the time limit of {self.time_limit_s:g} s"
                first.give_up(over if worker.overdue else "the worker died twice", worker.busy_s)
                if worker.overdue:
                    self._put_off(first.domain)
        for task in reversed(worker.tasks):
            if task.holder is worker:
                self._waiting.put_back(task)
        self._in_vain = 0 if worker.ready else self._in_vain + 1
        if self._in_vain >= _STARTS_IN_VAIN:
            self._give_up()
            return
        restart = asyncio.get_running_loop().create_task(self._start_one())
        self._restarts.add(restart)
        restart.add_done_callback(self._restarted)

    def _restarted(self, restart: asyncio.Task[None]) -> None:
        self._restarts.discard(restart)
        if not restart.cancelled() and restart.exception() is not None and not self._workers:
            self._in_vain = _STARTS_IN_VAIN
            self._give_up()

    def _give_up(self) -> None:
        for task in self._waiting.clear():
            if not task.done.done():
                task.done.set_exception(DowseError(_NO_WORKERS))

    async def close(self) -> None:
        """End every worker; jobs still in work are lost."""
        self._closing = True
        if self._restarts:
            await asyncio.gather(*self._restarts, return_exceptions=True)
        processes = [worker.process for worker in self._workers]
        for worker in list(self._workers):
            worker.shut()
        for process in processes:
            process.kill()
        if self._workers:
            await self._all_gone.wait()


def _domain(url: str) -> str:
    return _domain_of(url.partition("://")[2].partition("/")[0])


@lru_cache(maxsize=4096)
def _domain_of(authority: str) -> str:
    """Whose pages these are: a registered domain's, or those of a server on a port of its own."""
    return authority if ":" in authority else registered_domain(authority)
