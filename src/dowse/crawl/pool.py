"""The process pool: pages are parsed and judged beside the engine, each within a time limit.

A worker takes jobs in order and has at most two: one it works on and one waiting in its socket, so that it never
idles between two pages; behind a very large page, or one that takes long, nobody waits. A new worker takes the place of
one that is lost, and its jobs go to others. The page it was working on is given up when it ran over the time limit, or
when a second worker died over it: the first may have been killed from outside.

No domain can have all workers with pages that take long: while one of its pages is in work for more than half a
second, it gets no second worker, and what waits of it does not count as backlog. When a page ran over its time, what
waits of its domain is put off: its sites have to wait their turn again.
"""

from __future__ import annotations

import asyncio
import pickle
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, ParamSpec, TypeVar, cast

from dowse.crawl.job import Call, Job, Lost, Step, Work
from dowse.crawl.processes import Process, Started, start_afresh
from dowse.crawl.wire import Frames, frame, framed, pack_call, pack_job, unpack_found, unpack_work
from dowse.frontier.scope import registered_domain
from dowse.model.bodies import Bodies
from dowse.model.errors import DowseError

__all__ = ["ProcessPool"]

_DEPTH = 2  # jobs a worker holds: one in work, one in its socket
_LONG_WORK_BYTES = 1_000_000  # nobody is made to wait behind a page of this size
_LONG_S = 0.5  # in work: its domain gets no other worker meanwhile
_STARTS_IN_VAIN = 3
_NO_WORKERS = "worker processes do not start; try --workers 0"

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class _Task:
    """Something for a worker to do, and who waits for it. It is packed when it is sent: a copy of each page that waits
    would double their memory."""

    __slots__ = ("deaths", "domain", "done", "holder", "job", "size")

    def __init__(self, job: Job | Call, domain: str, size: int) -> None:
        self.job = job
        self.domain = domain
        self.size = size
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.deaths = 0  # workers that died over it
        self.holder: _Connection | None = None  # who is to do it

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


class _Connection(asyncio.BufferedProtocol):
    """The engine's end of one worker: a process, a socket, and the jobs it holds in order."""

    def __init__(self, pool: ProcessPool, process: Process) -> None:
        self.pool = pool
        self.process = process
        self.ready = False
        self.tasks: deque[_Task] = deque()
        self.is_long = False  # is the first of its jobs taking long?
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
        long = self._long_domains()
        return len(self._queue) if not long else sum(task.domain not in long for task in self._queue)

    def keeps_long(self, url: str) -> bool:
        long = self._long_domains()
        return bool(long) and _domain(url) in long

    def _long_domains(self) -> set[str]:
        """Domains one of whose pages takes long just now."""
        return {worker.tasks[0].domain for worker in self._workers if worker.is_long and worker.tasks}

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
        done: Work = await self._done(_Task(job, _domain(job.response.url), len(job.response.body)))
        return done

    async def call(
        self, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs
    ) -> _Found | Lost:
        size = sum(len(value) for value in given if isinstance(value, bytes))
        done: _Found | Lost = await self._done(_Task(Call(partial(function, **named), given), "", size))
        return done

    async def _done(self, task: _Task) -> Any:
        if self._in_vain >= _STARTS_IN_VAIN:
            raise DowseError(_NO_WORKERS)
        self._bodies.begin_work(task.size)
        try:
            self._queue.append(task)
            self.feed()
            return await task.done
        finally:
            self._bodies.end_work(task.size)

    def feed(self) -> None:
        """Give waiting jobs to the workers that hold the fewest."""
        while self._queue:
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

    def _next(self) -> _Task | None:
        """The first that waits and whose domain has no worker that it keeps for long."""
        long = self._long_domains()
        while self._queue and self._queue[0].done.done():  # by somebody else, or nobody waits for it any more
            self._queue.popleft()
        for place, task in enumerate(self._queue):
            if task.domain not in long:
                del self._queue[place]
                return task
        return None

    def move(self, behind: list[_Task]) -> None:
        """Who waits behind a page that takes long goes to another worker; the first that is done with it answers."""
        for task in reversed(behind):
            task.holder = None
            self._queue.appendleft(task)

    def _put_off(self, domain: str) -> None:
        """One page of a domain was given up: what else waits of it shall not cost as much at once."""
        kept: deque[_Task] = deque()
        for task in self._queue:
            if task.domain != domain or not isinstance(task.job, Job):
                kept.append(task)
            elif not task.done.done():
                task.done.set_result(Work(put_off=True))
        self._queue = kept

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
        if worker.tasks and worker.tasks[0].holder is worker:
            first = worker.tasks[0]
            first.deaths += 1
            if worker.overdue or first.deaths > 1:
                worker.tasks.popleft()
                over = f"over the time limit of {self.time_limit_s:g} s"
                first.give_up(over if worker.overdue else "the worker died twice", worker.busy_s)
                if worker.overdue:
                    self._put_off(first.domain)
        self._queue.extendleft(task for task in reversed(worker.tasks) if task.holder is worker)
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


def _domain(url: str) -> str:
    return _domain_of(url.partition("://")[2].partition("/")[0])


@lru_cache(maxsize=4096)
def _domain_of(authority: str) -> str:
    """Whose pages these are: a registered domain's, or those of a server on a port of its own."""
    return authority if ":" in authority else registered_domain(authority)
