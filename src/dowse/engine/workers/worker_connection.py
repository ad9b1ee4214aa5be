"""The engine's connection to one worker: process, socket, and the jobs it holds in order, each within its time."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Protocol, cast

from dowse.engine.workers.job import Call, Job, Lost, Work
from dowse.engine.workers.start import Process
from dowse.engine.workers.wire import Frames, framed, pack_call, pack_job, unpack_found, unpack_work

__all__ = ["Owner", "Task", "WorkerConnection"]

_DEPTH = 2  # jobs a worker holds: one in work, one in its socket
_LONG_WORK_BYTES = 1_000_000  # nobody is made to wait behind a page of this size
_LONG_S = 0.5  # in work: its domain gets no other worker meanwhile


class Task:
    """Something for a worker to do, and who waits for it. It is packed when it is sent: a copy of each page that waits
    would double their memory."""

    __slots__ = ("deaths", "domain", "done", "holder", "job", "size")

    def __init__(self, job: Job | Call, domain: str, size: int) -> None:
        self.job = job
        self.domain = domain
        self.size = size
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.deaths = 0  # workers that died over it
        self.holder: WorkerConnection | None = None  # who is to do it

    @property
    def is_call(self) -> bool:
        return isinstance(self.job, Call)

    def packed(self) -> tuple[bytes, ...]:
        return pack_job(self.job) if isinstance(self.job, Job) else pack_call(self.job)

    def answered(self, payload: memoryview, busy_s: float) -> None:
        if self.done.done():
            return
        if isinstance(self.job, Call):
            self.done.set_result(unpack_found(payload))
            return
        work = unpack_work(payload)
        work.busy_s = busy_s
        self.done.set_result(work)

    def give_up(self, reason: str, busy_s: float) -> None:
        if not self.done.done():
            is_page = isinstance(self.job, Job)
            self.done.set_result(Work(error=reason, busy_s=busy_s, given_up=True) if is_page else Lost(reason))


class Owner(Protocol):
    """What a connection asks of the pool that hands out jobs."""

    time_limit_s: float

    def feed(self) -> None:
        """A worker has room: send it the next jobs."""
        ...

    def move(self, behind: list[Task]) -> None:
        """These wait behind a job that takes long."""
        ...

    def lost(self, worker: WorkerConnection) -> None:
        """A worker is gone: its jobs go to others."""
        ...


class WorkerConnection(asyncio.BufferedProtocol):
    """Sends jobs, takes answers, and ends a worker that takes too long."""

    def __init__(self, pool: Owner, process: Process) -> None:
        self.pool = pool
        self.process = process
        self.ready = False
        self.tasks: deque[Task] = deque()
        self.is_long = False  # is the first of its jobs taking long?
        self.overdue = False
        self._transport: asyncio.Transport | None = None
        self._frames = Frames()
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0  # when the first of its jobs began

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one without inheriting from it

    def send(self, task: Task) -> None:
        assert self._transport is not None
        self.tasks.append(task)
        task.holder = self
        self._transport.writelines(framed(*task.packed()))
        if len(self.tasks) == 1:
            self._watch()

    @property
    def has_room(self) -> bool:
        """May another job be sent?"""
        if not self.tasks:
            return self.ready
        return len(self.tasks) < _DEPTH and self.tasks[0].size < _LONG_WORK_BYTES and not self.is_long

    @property
    def busy_s(self) -> float:
        """How long it has been at work on the first of its jobs."""
        return asyncio.get_running_loop().time() - self._since

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
            self.tasks.popleft().answered(payload, self.busy_s)
            self.is_long = False
            self._watch()
        else:
            self.ready = True
        self.pool.feed()

    def _watch(self) -> None:
        """Time the job now in work. The timer runs on from one job to the next, and looks when it goes off."""
        self._since = asyncio.get_running_loop().time()
        if self._timer is None and self.tasks:
            self._look_in(min(self.pool.time_limit_s, _LONG_S))

    def _look_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        if not self.tasks:
            return
        busy_s = self.busy_s
        if busy_s >= self.pool.time_limit_s:
            self.overdue = True
            self.process.kill()
            return
        if busy_s >= _LONG_S and not self.is_long:
            self.is_long = True
            self.pool.move([task for task in list(self.tasks)[1:] if task.holder is self])
        self._look_in((self.pool.time_limit_s if self.is_long else min(self.pool.time_limit_s, _LONG_S)) - busy_s)
        if self.is_long:
            self.pool.feed()  # what waits of others can go to other workers

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.pool.lost(self)

    def shut(self) -> None:
        if self._transport is not None:
            self._transport.close()
