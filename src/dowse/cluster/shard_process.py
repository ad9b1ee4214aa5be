"""A shard's own process: ``python -m dowse.cluster.shard_process``, started and watched by :mod:`dowse.cluster.child`.

Standard input brings the errand (its length in eight bytes, then a pickle), then a word a line: ``interrupt`` or
``abort``. Its end means that whoever started the shard is gone, and so is the shard, which stops cleanly. Standard
output tells, as JSON lines, how far it is, what the user should know, and how it ended. Nothing is read from anywhere
else: an errand comes from the same user's own process.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pickle
import signal
import struct
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from typing import Any

from dowse.cluster.errand import Errand, opened
from dowse.cluster.ground import Ground
from dowse.cluster.progress import figures_of
from dowse.cluster.shard import run_shard
from dowse.cluster.shared_folder import Place
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.loop.engine import Stop
from dowse.engine.workers.freed_memory import keep_less
from dowse.model.common_ground import GroundAway, Replaced
from dowse.model.errors import DowseError, FolderBusy, NotACrawl, NotPlain, StoreError, TopicError

__all__ = ["ENDED_WELL", "GAVE_UP", "LENGTH"]

LENGTH = struct.Struct("<Q")
ENDED_WELL, GAVE_UP = 0, 3
"""Exit codes: the crawl is over, or this shard cannot go on and a new start would not help. Any other: start again."""

_SHOWN_EVERY_S = 0.5
_AGAIN_S = 1.0
_ABORT_S = 5.0  # an end at once waits no longer than that for a database that says nothing
_NO_USE = (TopicError, FolderBusy, NotACrawl, NotPlain, StoreError, Replaced)
"""Errors that will be the same next time, or that must not be answered with another start."""


def _read(size: int) -> bytes:
    """Exactly so many bytes of standard input."""
    parts = bytearray()
    while len(parts) < size:
        part = os.read(0, size - len(parts))
        if not part:
            raise SystemExit(GAVE_UP)
        parts += part
    return bytes(parts)


def _tell(kind: str, **fields: Any) -> None:
    with suppress(OSError):  # nobody listens: the end of standard input says so, too
        os.write(1, json.dumps({"kind": kind, **fields}).encode() + b"\n")


async def _obey(shown: Sequence[Assembly], work: asyncio.Task[Stop]) -> None:
    """Words on standard input, until its end. Before there is an assembly, any ends the ``work`` at once."""
    loop = asyncio.get_running_loop()
    came: asyncio.Queue[bytes] = asyncio.Queue()
    loop.add_reader(0, lambda: came.put_nowait(os.read(0, 4096)))
    words = b" "
    while words:
        words = await came.get()
        if not shown:
            work.cancel()
        for assembly in shown:
            if b"abort" in words:
                loop.call_later(_ABORT_S, os._exit, 1)  # the records survive it as they survive a kill
                assembly.abort()
            else:
                assembly.interrupt("" if words else "whoever started the shard is gone")
    loop.remove_reader(0)


async def _show(assembly: Assembly) -> None:
    while True:
        _tell("progress", figures=figures_of(assembly.progress()))
        await asyncio.sleep(_SHOWN_EVERY_S)


async def _run(errand: Errand) -> Stop:
    beside: list[asyncio.Task[None]] = []
    shown: list[Assembly] = []

    def begun(assembly: Assembly) -> None:
        shown.append(assembly)
        for note in assembly.notes:
            _tell("note", detail=note)
        assembly.life.journal.on_event = _event
        beside.append(asyncio.create_task(_show(assembly)))

    async def work() -> Stop:
        with await _opened(errand.ground) as ground:
            return await run_shard(errand, ground, begun, lambda note: _tell("note", detail=note))

    working = asyncio.create_task(work())
    beside.append(asyncio.create_task(_obey(shown, working)))
    try:
        return await working
    except asyncio.CancelledError:
        return Stop("interrupted", "before the shard began")
    finally:
        for task in beside:
            task.cancel()
        for assembly in shown:
            _tell("progress", figures=figures_of(assembly.progress()))


async def _opened(place: Place) -> AbstractContextManager[Ground]:
    """The common ground, once it answers."""
    told = False
    while True:
        try:
            with opened(place) as ground:
                ground.settings()
            return opened(place)
        except GroundAway as error:
            if not told:
                told = True
                _tell("note", detail=f"waiting for the common ground: {error}")
            await asyncio.sleep(_AGAIN_S)


def _event(event: str, detail: str) -> None:
    _tell("event", event=event, detail=detail)


def main() -> int:
    """All that a shard's process does; its exit code."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # sent to the whole group, they are for who started it to handle
    errand: Errand = pickle.loads(_read(LENGTH.unpack(_read(LENGTH.size))[0]))
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    keep_less()
    try:
        stop = _in_loop(errand)
    except DowseError as error:
        _tell("failed", detail=str(error))
        return GAVE_UP if isinstance(error, _NO_USE) else 1
    _tell("ended", stop=asdict(stop))
    return ENDED_WELL


def _in_loop(errand: Errand) -> Stop:
    try:
        import uvloop
    except ImportError:  # not on every platform; the standard loop does the same, slower
        return asyncio.run(_run(errand))
    return uvloop.run(_run(errand))


if __name__ == "__main__":
    sys.exit(main())
