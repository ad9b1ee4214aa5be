"""The lab's work on a Ray cluster: each topic, or a part of its strategies, is a task of one CPU.

A node must see the corpus at the same path, and have the same version of Dowse; both are checked where the work is
done, so that what comes back is what would have come here. Ray runs a task again whose process or node is lost.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dowse.engine.workers.calls import WorkerDied, attempt
from dowse.lab.compare.each_topic import opened
from dowse.lab.corpus.code_version import source_version
from dowse.model.errors import DowseError, UserError

__all__ = ["RayHands"]

T = TypeVar("T")
Item = TypeVar("Item", bound=Hashable)


class RayHands:
    """Implements :class:`dowse.lab.compare.each_topic.Hands`."""

    def __init__(self, ray: Any, folder: Path, digest: str) -> None:
        """``ray``: the library, connected (:func:`dowse.cluster.on_ray.connect`).
        ``folder``: a corpus that all nodes can read, and its digest."""
        self._ray = ray
        self._folder = folder
        self._digest = digest

    @property
    def places(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @contextmanager
    def pool(self, died: str) -> Iterator[_Tasks]:
        tasks = _Tasks(self._ray, (self._folder, self._digest, source_version()), died)
        try:
            yield tasks
        finally:
            tasks.end()


class _Tasks:
    """Implements :class:`dowse.lab.compare.each_topic.Pool`."""

    def __init__(self, ray: Any, here: tuple[Path, str, str], died: str) -> None:
        self._ray = ray
        self._here = here
        self._died = died
        self._remote = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(_there)
        self._asked: list[Any] = []

    def submit(self, function: Callable[[Item], T], argument: Item, /) -> Future[T]:
        asked = self._remote.remote(*self._here, function, argument)
        self._asked.append(asked)
        found: Future[T] = Future()
        asked.future().add_done_callback(partial(self._settle, found))
        return found

    def end(self) -> None:
        """What is not done by now is wanted no more."""
        for asked in self._asked:
            self._ray.cancel(asked, force=True)

    def _settle(self, found: Future[T], done: Future[tuple[T, Exception | None]]) -> None:
        try:
            value, error = done.result()
        except self._ray.exceptions.RayError as lost:
            error = WorkerDied(f"{self._died} ({str(lost).strip().splitlines()[-1]})")
        if error is not None:
            found.set_exception(error)
        else:
            found.set_result(value)


def _there(
    folder: Path, digest: str, version: str, function: Callable[[Item], T], argument: Item
) -> tuple[T | None, Exception | None]:  # fmt: skip
    """On a node: the work, where all is as it is with whoever asked."""
    fault = _fault(folder, digest, version)
    if fault:
        return None, UserError(f"node {socket.gethostname()} of the cluster: {fault}")
    return attempt(function, (argument,))


def _fault(folder: Path, digest: str, version: str) -> str:
    if source_version() != version:
        return "it has another version of Dowse"
    try:
        corpus, _ = opened(folder)
    except DowseError as error:
        return f"{error}; all nodes must see the corpus at the same path"
    return "" if corpus.digest == digest else f"its {folder} holds another corpus"
