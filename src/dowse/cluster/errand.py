"""What a shard's process is told to do. It goes to its standard input, since a topic may hold passwords."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dowse.cluster.ground import Ground, open_ground
from dowse.cluster.shared_folder import Place
from dowse.cluster.slots import Spread
from dowse.model.database_url import completed
from dowse.model.share import Share
from dowse.model.topic import Topic

__all__ = ["Errand", "opened", "steady", "with_login", "with_publish_login"]


@dataclass(frozen=True, slots=True)
class Errand:
    """One shard of a crawl, on one machine."""

    topic: Topic  # the whole crawl's, with its examples read
    ground: Place
    shard: int
    folder: Path
    by: Spread
    share: Share | None = None


def with_login(place: Place) -> Place:
    """The place with the password that the environment has for it: other machines' environments have none."""
    return place if isinstance(place.where, Path) else Place(completed(place.where, os.environ), place.crawl)


def with_publish_login(topic: Topic) -> Topic:
    """The same for the database that a topic is published to."""
    url = topic.publish.url
    return topic if url is None else replace(topic, publish=replace(topic.publish, url=completed(url, os.environ)))


def steady() -> float:
    """Seconds by a clock of this machine that nobody sets, and that goes on while it sleeps: the same for all of its
    processes, until it is started anew."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


@contextmanager
def opened(place: Place) -> Iterator[Ground]:
    """The common ground there."""
    ground = open_ground(place.where, place.crawl, wall=steady)
    try:
        yield ground
    finally:
        ground.close()
