"""The process pool: pages are parsed and judged beside the engine, each within a time limit.

A worker takes jobs in order and has at most two: one it works on and one waiting in its socket, so that it never
idles between two pages; behind a very large page nobody waits. A new worker takes the place of one that is lost, and
its jobs go to others. The page it was working on is given up when it ran over the time limit, or when a second worker
died over it: the first may have been killed from outside.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections import deque
from collections.abc import Iterable
from typing import Protocol, cast

from dowse.crawl.job import Job, Step, Work
from dowse.crawl.processes import Process, Started, start_afresh
from dowse.crawl.wire import Frames, frame, framed, pack_job, unpack_work
from dowse.model.bodies import Bodies
from dowse.model.errors import DowseError

__all__ = ["InProcess", "ProcessPool", "Workers", "default_workers"]

_DEPTH = 2  # jobs a worker holds: one in work, one in its socket
_LONG_WORK_BYTES = 1_000_000  # nobody is made to wait behind a page of this size
_STARTS_IN_VAIN = 3
_NO_WORKERS = "worker processes do not start; try --workers 0"


class Workers(Protocol):
    """Runs the step on jobs."""

    async def start(self) -> None: ...

    async def run(self, job: Job) -> Work: ...

    @property
    def count(self) -> int:
        """Processes; 0 when the step runs in the engine's own."""
        ...

    @property
    def backlog(self) -> int:
        """Jobs that wait for a worker."""
        ...

    async def close(self) -> None: ...


def default_workers() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class InProcess:
    """No processes: the step runs in the engine's own (deterministic order, no time limit)."""

    backlog = 0
    count = 0

    def __init__(self, step: Step) -> None:
        self._step = step

    async def start(self) -> None:
        """Nothing to start."""

    async def run(self, job: Job) -> Work:
        try:
            return self._step(job)
        except Exception as error:  # as in a worker: a page's fault costs that page only
            return Work(error=f"{type(error).__name__}: {error}"[:200])

    async def close(self) -> None:
        """Nothing to close."""


class _Task:
    __slots__ = ("deaths", "done", "job")

    def __init__(self, job: Job, done: asyncio.Future[Work]) -> None:
        self.job = job
        self.done = done
        self.deaths = 0  # workers that died over it


class _Connection(asyncio.BufferedProtocol):
    """The engine's end of one worker: a process, a socket, and the jobs it holds in order."""

    def __init__(self, pool: ProcessPool, process: Process) -> None:
        self.pool = pool
        self.process = process
        self.ready = False
        self.tasks: deque[_Task] = deque()
        self.overdue = False
        self._transport: asyncio.Transport | None = None
        self._frames = Frames()
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0  # when the first of its jobs began

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one without inheriting from it

    def send(self, task: _Task) -> None:
        assert self._transport is not None
        self.tasks.append(task)
        # packed only now: a copy of each waiting page would double their memory
        self._transport.writelines(framed(*pack_job(task.job)))
        if len(self.tasks) == 1:
            self._watch()

    @property
    def has_room(self) -> bool:
        """May another job be sent?"""
        if not self.tasks:
            return self.ready
        return len(self.tasks) < _DEPTH and len(self.tasks[0].job.response.body) < _LONG_WORK_BYTES

    def greet(self, message: bytes) -> None:
        assert self._transport is not None
        self._transport.write(message)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._frames.room()

    def buffer_updated(self, nbytes: int) -> None:
        for payload in self._frames.took(nbytes):
            self._answered(payload)

    def _answered(self, payload: memoryview) -> None:
        if self.ready:
            task = self.tasks.popleft()
            if not task.done.done():
                task.done.set_result(unpack_work(payload))
            self._watch()
        else:
            self.ready = True
        self.pool.feed()

    def _watch(self) -> None:
        """Time the job now in work. The timer runs on from one job to the next, and looks when it goes off."""
        self._since = asyncio.get_running_loop().time()
        if self._timer is None and self.tasks:
            self._look_in(self.pool.time_limit_s)

    def _look_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        left = self._since + self.pool.time_limit_s - asyncio.get_running_loop().time()
        if self.tasks and left > 0:
            self._look_in(left)
        elif self.tasks:
            self.overdue = True
            self.process.kill()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.pool.lost(self)

    def shut(self) -> None:
        if self._transport is not None:
            self._transport.close()


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
        self._workers: list[_Connection] = []
        self._queue: deque[_Task] = deque()
        self._closing = False
        self._in_vain = 0
        self._restarts: set[asyncio.Task[None]] = set()
        self._all_gone = asyncio.Event()
        self.died = 0  # workers lost so far

    @property
    def backlog(self) -> int:
        return len(self._queue)

    async def start(self) -> None:
        for _ in range(self.count):
            await self._start_one()

    async def _start_one(self) -> None:
        started = self._prepared.pop() if self._prepared else start_afresh()
        connection = _Connection(self, started.process)
        started.sock.setblocking(False)
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=started.sock)
        except BaseException:
            started.end()
            raise
        self._workers.append(connection)
        connection.greet(self._greeting)

    async def run(self, job: Job) -> Work:
        if self._in_vain >= _STARTS_IN_VAIN:
            raise DowseError(_NO_WORKERS)
        task = _Task(job, asyncio.get_running_loop().create_future())
        size = len(job.response.body)
        self._bodies.begin_work(size)
        try:
            self._queue.append(task)
            self.feed()
            return await task.done
        finally:
            self._bodies.end_work(size)

    def feed(self) -> None:
        """Give waiting jobs to the workers that hold the fewest."""
        while self._queue:
            chosen = None
            for worker in self._workers:
                if worker.has_room and (chosen is None or len(worker.tasks) < len(chosen.tasks)):
                    chosen = worker
            if chosen is None:
                return
            chosen.send(self._queue.popleft())

    def lost(self, worker: _Connection) -> None:
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
        if worker.tasks:
            first = worker.tasks[0]
            first.deaths += 1
            if worker.overdue or first.deaths > 1:
                worker.tasks.popleft()
                reason = (
                    f"over the time limit of {self.time_limit_s:g} s" if worker.overdue else "the worker died twice"
                )
                if not first.done.done():
                    first.done.set_result(Work(error=reason))
        self._queue.extendleft(reversed(worker.tasks))
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
        for task in self._queue:
            if not task.done.done():
                task.done.set_exception(DowseError(_NO_WORKERS))
        self._queue.clear()

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
