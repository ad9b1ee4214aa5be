"""Serve the hostile web until Ctrl-C, and write the topic file that crawls it (``dowse hostile serve``)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

from dowse.loopback.hostile.catalogue import MARK, topic_text
from dowse.loopback.hostile.server import HostileServer
from dowse.loopback.serve import why_not
from dowse.model.errors import UserError

__all__ = ["serve_hostile"]


def serve_hostile(
    *, topic: Path, announce: Callable[[HostileServer], None], host: str = "127.0.0.1", port: int = 0
) -> None:
    """Serve until Ctrl-C or SIGTERM. ``announce`` is called once the server runs and its topic file is written."""
    if topic.exists() and not _is_ours(topic):
        raise UserError(f"{topic} exists and was not written by dowse hostile serve: choose another name with --topic")

    async def run() -> None:
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        async with HostileServer(host=host, port=port) as server:
            _write(topic, topic_text(server.host, server.doors))
            announce(server)
            await stop.wait()

    try:
        asyncio.run(run())
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot serve on {host} port {port}: {why_not(error)}") from error


def _is_ours(topic: Path) -> bool:
    try:
        return topic.read_text(encoding="utf-8").startswith(MARK)
    except (OSError, UnicodeDecodeError):
        return False


def _write(topic: Path, text: str) -> None:
    try:
        topic.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {topic}: {(error.strerror or 'unknown error').lower()}") from None
