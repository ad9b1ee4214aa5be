"""Jobs that wait for a worker: domains take turns, so that nobody waits behind all that another has sent.

A domain's own jobs go in order. Between domains it is one job each in turn, however many wait: a domain of sixty hosts
whose pages take half a second each holds a neighbour up for one of them, not for sixty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from dowse.engine.workers.worker_connection import Task

__all__ = ["WaitingJobs"]

_SHARE = 4  # jobs of one domain that count as backlog, where several domains wait


class WaitingJobs:
    """A queue for each domain, and the domains in the order of their turns."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Task]] = {}  # never an empty one; the first domain is next

    def __bool__(self) -> bool:
        return bool(self._of)

    def __iter__(self) -> Iterator[Task]:
        for tasks in self._of.values():
            yield from tasks

    def add(self, task: Task) -> None:
        """Behind what waits of its domain."""
        self._of.setdefault(task.domain, deque()).append(task)

    def put_back(self, task: Task) -> None:
        """Before what waits of its domain, and its domain before the others: it has had its turn."""
        tasks = self._of.pop(task.domain, deque())
        tasks.appendleft(task)
        self._of = {task.domain: tasks, **self._of}

    def next(self, may: Callable[[Task], bool]) -> Task | None:
        """The first job, in the order of turns, that ``may`` go now. Jobs that are done already are dropped."""
        for domain in list(self._of):
            tasks = self._of.pop(domain)
            found = None
            while tasks and found is None:
                if tasks[0].done.done():  # by somebody else, or nobody waits for it any more
                    tasks.popleft()
                    continue
                place = next((place for place, task in enumerate(tasks) if may(task)), None)
                if place is None:
                    break
                found = tasks[place]
                del tasks[place]
            if tasks:
                self._of[domain] = tasks  # at the end: the others have their turns before its next
            if found is not None:
                return found
        return None

    def take(self, domain: str) -> deque[Task]:
        """All that waits of a domain; nothing of it waits here any more."""
        return self._of.pop(domain, deque())

    def of(self, domain: str) -> int:
        """How many wait of this domain."""
        return len(self._of.get(domain, ()))

    def count(self, but: set[str]) -> int:
        """How many wait, those of these domains left aside. Of one domain among several only a few count: what it has
        sent too much is no reason to leave the others waiting."""
        counts = [len(tasks) for domain, tasks in self._of.items() if domain not in but]
        return sum(counts) if len(counts) < 2 else sum(min(count, _SHARE) for count in counts)

    def clear(self) -> list[Task]:
        """All of them, and none is left."""
        left = list(self)
        self._of = {}
        return left
