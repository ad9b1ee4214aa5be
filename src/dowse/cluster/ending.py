"""The one reason for which a crawl of several shards ends, as whoever runs the shards hears of it."""

from __future__ import annotations

from dowse.engine.loop.engine import Stop
from dowse.model.common_ground import CommonGround, GroundAway

__all__ = ["agreed_stop"]


def agreed_stop(ground: CommonGround, stop: Stop) -> Stop:
    """Why the crawl is over: for ``stop``, unless it was over before. That holds where the ground does not answer: then
    the shards are told by other ways, and the ground the next time."""
    try:
        return Stop(*ground.stop(stop.kind, stop.detail))
    except GroundAway:
        return stop
