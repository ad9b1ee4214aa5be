"""A shard's process seen from outside: started, watched, started again when it dies, stopped."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dowse.cluster.errand import Errand
from dowse.cluster.shard_process import ENDED_WELL, GAVE_UP, LENGTH
from dowse.engine.loop.engine import Stop
from dowse.model.errors import DowseError

__all__ = ["Child", "ShardLost"]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0  # before a shard that died is started again
_IN_VAIN = 5  # starts in a row that brought no request, and died within this time: it would not get further
_SOON_S = 30.0
_LINE = 1 << 20  # bytes, at most: figures and messages are short


class ShardLost(DowseError):
    """A shard cannot go on, however often it is started."""


class Child:
    """Keeps one shard going until the crawl is over. ``told`` hears its messages: a kind, and the fields."""

    def __init__(self, errand: Errand, told: Callable[[str, dict[str, Any]], None]) -> None:
        self.errand = errand
        self.restarts = 0
        self.requests = 0  # that it has told of
        self._told = told
        self._process: asyncio.subprocess.Process | None = None
        self._asked_to: bytes | None = None  # end, and how
        self._failed = ""

    @property
    def pid(self) -> int | None:
        """Of its process, while there is one."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def run(self) -> Stop:
        """Until it ends well. Raises ShardLost where starting it again does not help."""
        vain, pause_s, now = 0, _FIRST_PAUSE_S, asyncio.get_running_loop().time
        while True:
            before, began = self.requests, now()
            stop, code = await self._once()
            if stop is not None:
                return stop
            if self._is_ending():
                return Stop("interrupted", "")
            vain = vain + 1 if self.requests <= before and now() - began < _SOON_S else 0
            if code == GAVE_UP or vain >= _IN_VAIN:
                raise ShardLost(f"shard {self.errand.shard} cannot go on: {self._failed or _how(code)}")
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S) if vain else _FIRST_PAUSE_S
            self.restarts += 1
            self._told("restarted", {"detail": self._failed or _how(code)})
            await asyncio.sleep(pause_s)
            if self._is_ending():
                return Stop("interrupted", "")

    def _is_ending(self) -> bool:
        return self._asked_to is not None

    def interrupt(self) -> None:
        """Ask it to stop cleanly."""
        self._say(b"interrupt\n")

    def abort(self) -> None:
        """Ask it to stop at once."""
        self._say(b"abort\n")

    def kill(self) -> None:
        """End its process, whatever it does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def _say(self, word: bytes) -> None:
        self._asked_to = word
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, RuntimeError):
                self._process.stdin.write(word)

    async def _once(self) -> tuple[Stop | None, int]:
        """One process from beginning to end: how the crawl ended, if it did, and the exit code."""
        self._failed = ""
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "dowse.cluster.shard_process",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LINE,
        )  # fmt: skip
        try:
            assert process.stdin is not None
            errand = pickle.dumps(self.errand)
            process.stdin.write(LENGTH.pack(len(errand)) + errand)
            with suppress(OSError):
                await process.stdin.drain()
            if self._asked_to is not None:
                self._say(self._asked_to)
            stop = await self._listen(process)
            code = await process.wait()
            return (stop if code == ENDED_WELL else None), code
        finally:
            self.kill()
            await process.wait()

    async def _listen(self, process: asyncio.subprocess.Process) -> Stop | None:
        assert process.stdout is not None
        stop = None
        async for line in process.stdout:
            fields: dict[str, Any] = json.loads(line)
            kind = fields.pop("kind")
            if kind == "ended":
                stop = Stop(**fields["stop"])
            elif kind == "failed":
                self._failed = fields["detail"]
            elif kind == "progress":
                self.requests = max(self.requests, fields["figures"]["requests"])
            self._told(kind, fields)
        return stop


def _how(code: int) -> str:
    return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with code {code}"
