"""The one reason for which a crawl of several shards ends, as whoever runs the shards hears of it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dowse.engine.loop.engine import Stop
from dowse.model.common_ground import CommonGround, GroundAway

__all__ = ["agreed_soon", "agreed_stop"]

_PATIENCE_S = 2.0  # of somebody who has pressed Ctrl-C


def agreed_stop(ground: CommonGround, stop: Stop) -> Stop:
    """Why the crawl is over: for ``stop``, unless it was over before. That holds where the ground does not answer: then
    the shards are told by other ways, and the ground the next time."""
    try:
        return Stop(*ground.stop(stop.kind, stop.detail))
    except GroundAway:
        return stop


async def agreed_soon(ground: CommonGround, stop: Stop) -> None:
    """The same beside the loop, without waiting long for a database that says nothing."""
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.to_thread(agreed_stop, ground, stop), _PATIENCE_S)
