"""The crawl's side of its publication: starts the process that publishes (``follow``), and knows how far it is."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dowse.model.revive import revived
from dowse.store.shared.connect import check_database
from dowse.store.shared.follow import FINISH

__all__ = ["Following", "Published"]

_AGAIN_S = 5.0  # until a publisher that died is replaced
_LOOK_S = 0.1
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Published:
    """How far a publication is."""

    mark: int = 0  # all changes up to this number are in the database
    lag: int = 0  # pages that are not there, or not as they are by now
    trouble: str = ""  # why it does not get on; empty: it does
    finished: bool = False  # nothing is missing, and nothing more will come
    gave_up: bool = False  # it must not publish
    to: str = ""  # the database's URL, without its password


class Following:
    """Keeps a database up to date with a crawl's folder, beside the crawl: :meth:`start`, then :meth:`finish` when
    nothing more changes, then :meth:`close`. UserError when the URL is none, or what it needs is not installed."""

    def __init__(self, folder: Path, url: str, on_trouble: Callable[[str], None]) -> None:
        parts, self._url = check_database(url)
        self.shown = parts.shown()
        self._folder = folder
        self._on_trouble = on_trouble
        self._process: Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._over = False
        self._closed = False
        self.state = Published()

    async def start(self) -> None:
        self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Read what the publisher tells; replace one that dies."""
        while not self._is_done():
            try:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "dowse.store.shared.follow", stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
                    limit=_LONGEST_LINE, start_new_session=True,
                )  # fmt: skip
                self._write(json.dumps({"folder": str(self._folder), "url": self._url}))
                if self._over:
                    self._write(FINISH)
                assert self._process.stdout is not None
                while line := await self._process.stdout.readline():
                    self._take(revived(Published, json.loads(line)))
                await self._process.wait()
            except (OSError, ValueError, TypeError) as error:
                self._trouble(f"cannot publish: {error}")
            if self._is_done():
                return
            self._trouble("the publisher ended unexpectedly, and is started again")
            await asyncio.sleep(_AGAIN_S)

    def _is_done(self) -> bool:
        return self._closed or self.state.finished or self.state.gave_up

    def _write(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):
            self._process.stdin.write(f"{line}\n".encode())

    def _take(self, state: Published) -> None:
        before, self.state = self.state, state
        if state.trouble and not before.trouble:
            self._on_trouble(state.trouble)

    def _trouble(self, text: str) -> None:
        self._take(Published(self.state.mark, self.state.lag, text))

    async def finish(self, patience_s: float) -> Published:
        """Nothing more will change: wait for the rest to be published, as long as that gets on. It has not for so many
        seconds: then this is all. :meth:`close` from elsewhere ends it at once."""
        self._over = True
        if self._process is not None:
            self._write(FINISH)
        now = asyncio.get_running_loop().time
        mark, since = -1, now()
        while not self._is_done():
            if self.state.mark != mark:
                mark, since = self.state.mark, now()
            if now() - since > patience_s:
                break
            await asyncio.sleep(_LOOK_S)
        return replace(self.state, to=self.shown)

    def give_up(self) -> None:
        """End it at once, whatever the database does."""
        self._closed = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """Let go of the folder."""
        self.give_up()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._process is not None:
            await self._process.wait()
