"""Shards on a Ray cluster: Ray finds a place for each, and another when a node is lost. Nothing else is asked of it.

Each shard has an actor, which holds a :class:`~dowse.cluster.keeper.Keeper`; the shard itself is a child process of it,
since an engine forks workers, and a fork within an actor hangs. Ray starts an actor again when its process or its node
dies, and the shard goes on from its folder: so that folder must be reachable from wherever the actor is started. The
truth is in the folders and on the common ground; Ray knows nothing that is not known there.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dowse.cluster.ending import agreed_soon, agreed_stop
from dowse.cluster.errand import Errand
from dowse.cluster.keeper import Keeper
from dowse.cluster.kept import Kept
from dowse.cluster.progress import NOTHING, progress_from, sum_of
from dowse.cluster.shared_folder import Place, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.engine.loop.progress import Progress
from dowse.model.common_ground import CommonGround
from dowse.model.errors import UserError

__all__ = ["RayShards", "connect"]

_EVERY_S = 1.0
_ANSWER_S = 5.0  # an actor that is being placed, or started again, does not answer
_CONNECT_S = 5.0
_NAMESPACE = "dowse"
_EXTRA = 'pip install "dowse[cluster]"'


def connect(address: str) -> Any:
    """The library, connected to the cluster at an address; "": to the one that ``RAY_ADDRESS`` names, or else to one of
    this machine alone, which ends with the program."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray
    except ImportError:
        raise UserError(f"Ray is not installed: {_EXTRA}") from None
    _check_reached(address)
    if not ray.is_initialized():
        try:
            ray.init(
                address=address or None, namespace=_NAMESPACE, include_dashboard=None if address else False,
                log_to_driver=False, configure_logging=False,
            )  # fmt: skip
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise UserError(f"no Ray cluster at {address or 'this machine'}: {str(error).splitlines()[0]}") from None
    return ray


def _check_reached(address: str) -> None:
    """UserError where nobody is at an address: Ray itself takes minutes to find that out."""
    host, _, port = address.partition("://")[2 if "://" in address else 0].rpartition(":")
    if not host or not port.isdecimal():
        return  # "auto", "local", none: for Ray to find
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}") from None


class RayShards:
    """Runs shards as actors of Ray. The same to a display and Ctrl-C as :class:`~dowse.cluster.local_shards`."""

    def __init__(
        self, ray: Any, kept: Kept, folder: Path, place: Place, ground: CommonGround,
        told: Callable[[int, str, dict[str, Any]], None],
    ) -> None:  # fmt: skip
        """``folder`` is one that all nodes of the cluster can reach by that name."""
        self._ray = ray
        self._ground = ground
        self._told = told
        self._topic = topic = kept.sharing(1)
        self._shown = [NOTHING] * kept.shards
        self._ended: dict[int, Stop] = {}
        self._failed: dict[int, str] = {}
        self.is_over = False
        self._ending: asyncio.Task[None] | None = None
        remote = ray.remote(Keeper).options(
            num_cpus=1, max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD", max_concurrency=4
        )
        self.actors = [
            remote.remote(
                pickle.dumps(Errand(topic, place, shard, shard_folder(folder, shard), kept.by, kept.share_of(shard)))
            )
            for shard in range(kept.shards)
        ]

    async def run(self) -> Stop:
        """Until the crawl is over. A shard that cannot go on ends it for all."""
        try:
            while len(self._ended) + len(self._failed) < len(self.actors):
                await asyncio.sleep(_EVERY_S)
                await asyncio.to_thread(self._look)
                if self._failed and not self.is_over:
                    self.is_over = True
                    failed = Stop("failed", next(iter(self._failed.values())))
                    await asyncio.to_thread(agreed_stop, self._ground, failed)
                    self._to_all("interrupt")
            self.is_over = True
            first = next(iter(self._ended.values()), Stop("failed", next(iter(self._failed.values()), "")))
            return await asyncio.to_thread(agreed_stop, self._ground, first)
        finally:
            for actor in self.actors:
                self._ray.kill(actor)

    def interrupt(self, detail: str) -> None:
        """Ask for an end."""
        self._ending = asyncio.create_task(self._end(Stop("interrupted", detail)))

    async def _end(self, asked: Stop) -> None:
        await agreed_soon(self._ground, asked)
        self._to_all("interrupt")

    def abort(self) -> None:
        """End at once."""
        self._to_all("abort")

    def progress(self) -> Progress:
        """The figures of this moment, of all shards together."""
        return sum_of(self._shown, self._topic.budget)

    def _to_all(self, word: str) -> None:
        for actor in self.actors:
            getattr(actor, word).remote()

    def _look(self) -> None:
        """Hear what shards have to say; those that do not answer are being placed."""
        asked = {actor.state.remote(): shard for shard, actor in enumerate(self.actors) if shard not in self._ended}
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=_ANSWER_S)
        for answer in ready:
            shard = asked[answer]
            try:
                state = self._ray.get(answer)
            except self._ray.exceptions.RayError:
                continue
            if state["figures"] is not None:
                self._shown[shard] = progress_from(state["figures"])
            for kind, fields in state["said"]:
                self._told(shard, kind, fields)
            if state["ended"] is not None:
                self._ended[shard] = Stop(**state["ended"])
            elif state["failed"]:
                self._failed[shard] = state["failed"]
