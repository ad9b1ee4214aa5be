"""Keeps one shard going beside something else: what an actor of Ray holds.

A thread of its own starts the shard's process and starts it again, as :class:`~dowse.cluster.child.Child` does. Where
whoever holds the keeper dies, the shard's process sees it and stops cleanly; whoever is made in its place starts the
shard again from its folder.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from collections import deque
from dataclasses import asdict
from typing import Any

from dowse.cluster.child import Child

__all__ = ["Keeper"]

_MOST_SAID = 200  # messages that nobody has asked for: later ones are dropped


class Keeper:
    """Begins at once. All may be called at any time, from any thread."""

    def __init__(self, errand: bytes) -> None:
        self._child = Child(pickle.loads(errand), self._hear)
        self._figures: dict[str, Any] | None = None
        self._said: deque[tuple[str, dict[str, Any]]] = deque()
        self._ended: dict[str, str] | None = None
        self._failed = ""
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._keep, daemon=True).start()

    def state(self) -> dict[str, Any]:
        """How far the shard is, and what it has said since this was last asked."""
        said = [self._said.popleft() for _ in range(len(self._said))]
        return {"figures": self._figures, "said": said, "ended": self._ended, "failed": self._failed}

    def interrupt(self) -> None:
        """Ask the shard to stop cleanly."""
        self._loop.call_soon_threadsafe(self._child.interrupt)

    def abort(self) -> None:
        """Ask it to stop at once."""
        self._loop.call_soon_threadsafe(self._child.abort)

    def holder(self) -> int:
        """The number of the process that holds the keeper."""
        return os.getpid()

    def _keep(self) -> None:
        try:
            self._ended = asdict(self._loop.run_until_complete(self._child.run()))
        except Exception as error:
            self._failed = str(error)

    def _hear(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "progress":
            self._figures = fields["figures"]
        elif len(self._said) < _MOST_SAID:
            self._said.append((kind, fields))
