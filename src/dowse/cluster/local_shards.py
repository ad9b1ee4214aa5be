"""All shards of a crawl on this machine: their processes, what they say, and the one reason why they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dowse.cluster.child import Child, ShardLost
from dowse.cluster.ending import agreed_soon, agreed_stop
from dowse.cluster.errand import Errand
from dowse.cluster.kept import Kept
from dowse.cluster.progress import NOTHING, progress_from, sum_of
from dowse.cluster.shared_folder import Place, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.engine.loop.progress import Progress
from dowse.model.common_ground import CommonGround

__all__ = ["LocalShards"]


class LocalShards:
    """Runs shards as child processes. Implements what a display and Ctrl-C need of a crawl."""

    def __init__(
        self,
        kept: Kept,
        folder: Path,
        place: Place,
        ground: CommonGround,
        told: Callable[[int, str, dict[str, Any]], None],
    ) -> None:
        """``told`` hears what shards say: which, what kind of message, and its fields."""
        self._topic = topic = kept.sharing(kept.shards)
        self._ground = ground
        self._told = told
        self._shown = [NOTHING] * kept.shards
        self.is_over = False
        self._asked: Stop | None = None  # by whoever watches, to end
        self._ending: asyncio.Task[None] | None = None
        self.children = [
            Child(
                Errand(topic, place, shard, shard_folder(folder, shard).resolve(), kept.by, kept.share_of(shard)),
                self._hear(shard),
            )
            for shard in range(kept.shards)
        ]

    async def run(self) -> Stop:
        """Until the crawl is over. A shard that cannot go on ends it for all."""
        runs = [asyncio.create_task(child.run()) for child in self.children]
        try:
            done, _ = await asyncio.wait(runs, return_when=asyncio.FIRST_EXCEPTION)
            failed = next((run.exception() for run in done if run.exception() is not None), None)
            if failed is not None:
                await asyncio.to_thread(agreed_stop, self._ground, Stop("failed", str(failed)))
                for child in self.children:
                    child.interrupt()
                await asyncio.gather(*runs, return_exceptions=True)
                if not isinstance(failed, ShardLost):
                    raise failed
            self.is_over = True
            first = self._asked or (Stop("failed", str(failed)) if failed is not None else runs[0].result())
            return await asyncio.to_thread(agreed_stop, self._ground, first)
        finally:
            for child in self.children:
                child.kill()
            await asyncio.gather(*runs, return_exceptions=True)

    def interrupt(self, detail: str) -> None:
        """Ask for an end. The ground is told first, so that all end for this reason, unless it does not answer."""
        if self._asked is None:
            self._asked = Stop("interrupted", detail)
            self._ending = asyncio.create_task(self._end(self._asked))

    async def _end(self, asked: Stop) -> None:
        await agreed_soon(self._ground, asked)
        for child in self.children:
            child.interrupt()

    def abort(self) -> None:
        """End at once."""
        if self._ending is not None:
            self._ending.cancel()
        for child in self.children:
            child.abort()

    def progress(self) -> Progress:
        """The figures of this moment, of all shards together."""
        return sum_of(self._shown, self._topic.budget)

    def _hear(self, shard: int) -> Callable[[str, dict[str, Any]], None]:
        def told(kind: str, fields: dict[str, Any]) -> None:
            if kind == "progress":
                self._shown[shard] = progress_from(fields["figures"])
            elif kind == "restarted":
                self._shown[shard] = replace(self._shown[shard], pages_per_s=0.0, in_flight=0, waits_for="its restart")
                self._told(shard, kind, fields)
            else:
                self._told(shard, kind, fields)

        return told
